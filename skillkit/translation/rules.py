"""Rules: how a number changes on its way into Optax, by the names that the tables call them."""

from collections.abc import Callable, Mapping
from typing import Any

Known = Mapping[str, Any]


def unless_zero(value: float, _: Known) -> float | None:
    """Return a momentum, or None for none at all, which keeps no state."""
    return value or None


def squared(value: float, _: Known) -> float:
    """Return an eps outside a root as one inside it: the same where nothing else stands there."""
    return value * value


def negated(value: float, _: Known) -> float:
    """Return the number with the other sign."""
    return -value


def times_rate(value: float, known: Known) -> float:
    """Return a decay that follows the rate as one of each update, at the highest rate."""
    return value * or_hundredth(known["lr"], known)


def or_hundredth(value: float | None, _: Known) -> float:
    """Return the rate, or where Adafactor finds it itself, the highest that it may find."""
    return 0.01 if value is None else float(value)


def muon_scale(value: str | None, _: Known) -> float | None:
    """Return Muon's scale for updates as large as Adam's, or None for its own."""
    return 0.2 if value == "match_rms_adamw" else None  # 0.2: Moonshot's, arXiv:2502.16982


RULES: dict[str, Callable[[Any, Known], Any]] = {
    rule.__name__: rule for rule in (unless_zero, squared, negated, times_rate, or_hundredth, muon_scale)
}


def dampened(settings: dict[str, Any], known: Known) -> dict[str, Any]:
    """Return SGD whose momentum gathers dampened gradients as one with a lower rate."""
    if not known["momentum"] or not known["dampening"]:
        return settings
    return settings | {"rate": settings["rate"] * (1 - known["dampening"])}


def without_least(settings: dict[str, Any], _: Known) -> dict[str, Any]:
    """Return Adafactor without the least size of a parameter, which Optax has no argument for."""
    return {name: value for name, value in settings.items() if name != "least"}


ADJUSTMENTS: dict[str, Callable[[dict[str, Any], Known], dict[str, Any]]] = {
    "dampened": dampened,
    "without_least": without_least,
}
