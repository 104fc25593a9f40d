"""Choices: what the tables decide for a run, before it becomes a configuration."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from skillkit.recommender.arithmetic import evaluate, three_digits
from skillkit.recommender.decisions import Book
from skillkit.recommender.formulas import formula, product
from skillkit.recommender.situation import Situation

Reason = dict[str, Any]

ADAMS = ("adam", "adamw", "nadamw")


@dataclass(frozen=True)
class Draft:
    """The settings of a run.

    Args:
        optimizer: Optax's name and keyword arguments.
        rate: The peak learning rate, or None where a line search finds it.
        decay: Value, kind and mask of the weight decay, or None.
        clip: Kind and limit of the gradient clipping, or None.
        schedule: Name, warmup and floor of the schedule.
        ema: The decay of the parameters' average, or None.
        networks: What differs between networks and between groups of parameters.
        accumulation: Micro-batches of one update.
        sums: Of each number that was computed, the expression that gives it.
        reasons: Of each setting, why and where that was read.
        has_priority: Whether the priority that was asked for changed something.
    """

    optimizer: Mapping[str, Any]
    rate: float | None
    decay: Mapping[str, Any] | None
    clip: Mapping[str, Any] | None
    schedule: Mapping[str, Any]
    ema: float | None
    networks: tuple[Mapping[str, Any], ...]
    accumulation: int
    reasons: tuple[Reason, ...] = ()
    has_priority: bool = False
    sums: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The optimizer's name in Optax."""
        return str(self.optimizer["name"])

    def because(self, because: str, source: str, settings: Iterable[str], **changes: Any) -> "Draft":
        """Return the draft with other settings and the reason for them in place of the earlier one.

        Among the changes `sums` are those of changed numbers that are computed.
        """
        changed = list(settings)
        sums = {name: text for name, text in self.sums.items() if name not in changed} | changes.pop("sums", {})
        kept = [reason for reason in self.reasons if reason["setting"] not in changed]
        new = [{"setting": setting, "because": because, "source": source} for setting in changed]
        return replace(self, reasons=(*kept, *new), sums=sums, **changes)


# what a table is called where its setting is explained
SETTINGS = {
    "optimizer": "optimizer",
    "rate": "peak_value",
    "decay": "weight_decay",
    "clip": "clip",
    "schedule": "schedule",
    "ema": "ema",
    "networks": "groups",
}


def decide(book: Book, situation: Situation) -> Draft:
    """Return what a family's tables say of the situation."""
    rows = {name: book.tables[name].decide(situation.labels) for name in SETTINGS}
    reasons = tuple(
        {"setting": SETTINGS[name], "because": row.because, "source": row.source} for name, row in rows.items()
    )
    values = {name: evaluate(row.then, situation.numbers) for name, row in rows.items()}
    private = situation.answers["privacy"] == "dp-sgd"
    values["networks"] = tuple(_named(network) if private else network for network in values["networks"])
    sums = {SETTINGS[name]: formula(row.then, situation.numbers) for name, row in rows.items() if _is_rule(row.then)}
    own = rows["optimizer"].then
    sums |= {name: formula(value, situation.numbers) for name, value in own.items() if _is_rule(value)}
    return Draft(**values, accumulation=situation.answers["accumulation"], reasons=reasons, sums=sums)


def _is_rule(value: Any) -> bool:
    return isinstance(value, Mapping) and "rule" in value


def _named(network: Mapping[str, Any]) -> dict[str, Any]:
    """Return a network without optimizer and rate of its own, which are tuned for training without noise."""
    kept = {name: network[name] for name in ("name", "parameters") if name in network}
    if any(group.get("optimizer", {}).get("name") == "set_to_zero" for group in network.get("groups", ())):
        return {**kept, "groups": network["groups"]}
    return kept | ({"groups": [_named(group) for group in network["groups"]]} if "groups" in network else {})


def scaled(draft: Draft, factor: float) -> float | None:
    """Return the peak learning rate times a factor, or None where there is none."""
    return None if draft.rate is None else three_digits(draft.rate * factor)


def replaced(draft: Draft, optimizer: Any) -> dict[str, Any] | None:
    """Return the settings that put another optimizer in the place of an Adam, or None where it makes no sense.

    Args:
        draft: One whose optimizer is of Adam's kind.
        optimizer: `nadamw`, further keyword arguments, or another optimizer, named, with all of its arguments.
    """
    if optimizer == "nadamw":
        return {"optimizer": {**draft.optimizer, "name": "nadamw"}} if draft.name == "adamw" else None
    if "name" not in optimizer:
        return {"optimizer": {**draft.optimizer, **optimizer}}
    return {"optimizer": optimizer, "decay": per_step(draft), "sums": per_step_sums(draft)}


def per_step(draft: Draft) -> Mapping[str, Any] | None:
    """Return a decoupled decay as adafactor has it, not multiplied by the rate."""
    if draft.decay is None or draft.rate is None:
        return None
    return {**draft.decay, "kind": "per_step", "value": three_digits(draft.decay["value"] * draft.rate)}


def per_step_sums(draft: Draft) -> dict[str, str]:
    """Return the arithmetic of the decay that `per_step` returns, where it returns one."""
    if draft.decay is None or draft.rate is None:
        return {}
    return {"weight_decay": product(draft.decay["value"], draft.rate)}
