"""Optimizers: another framework's optimizer as the settings of Optax's."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from skillkit.configuration.optimizers import OPTIMIZERS
from skillkit.reading import shown
from skillkit.scalars import is_number
from skillkit.translation.rules import ADJUSTMENTS, RULES
from skillkit.translation.tables import Entry, bound
from skillkit.translation.values import Part, Recipe, Value


@dataclass(frozen=True)
class Row:
    """A number there, and what it is here.

    Args:
        there: The argument's name.
        value: Its value and place.
        here: Optax's argument, or the setting of the configuration.
        result: That one's value.
    """

    there: str
    value: Value
    here: str
    result: Any


@dataclass(frozen=True)
class Made:
    """An optimizer of a configuration.

    Args:
        optimizer: Optax's name and arguments.
        rate: The learning rate before any schedule.
        decay: The weight decay, or None.
        arguments: What the optimizer there was given.
        entry: What it was.
        rows: Which number became which.
    """

    optimizer: dict[str, Any]
    rate: float
    decay: dict[str, Any] | None
    arguments: Mapping[str, Value]
    entry: Entry
    rows: tuple[Row, ...]

    def differs(self, varies: bool) -> list[str]:
        """Return what is not the same in Optax with these arguments.

        Args:
            varies: Whether the learning rate does.
        """
        plain = {name: value.plain for name, value in self.arguments.items()}
        values = [
            f"{name}={shown(plain[name])}: {argument.differs}"
            for name, argument in self.entry.arguments.items()
            if argument.only and plain[name] not in argument.only
        ]
        known = plain | {"rate": varies}
        whole = [one.because for one in self.entry.differs if all(known.get(name) for name in one.when)]
        return values + whole


def made(part: Part, entry: Entry, recipe: Recipe) -> Made | None:
    """Return a part's optimizer as the settings of Optax's, or None where it has no equal that can be named."""
    arguments = bound(part.optimizer, entry, recipe)
    if arguments is None or entry.optax is None:
        if entry.optax is None:
            recipe.miss(part.optimizer, f"{entry.name} is not translated: {entry.instead}")
        return None
    plain = {name: value.plain for name, value in arguments.items()}
    fields = {"optax": entry.optax, "kind": entry.kind}
    settings: dict[str, Any] = dict(entry.constants)
    rows = []
    for name, argument in entry.arguments.items():
        fields |= argument.switch if plain[name] else {}
        value = RULES[argument.rule](plain[name], plain) if argument.rule else plain[name]
        parts = value if len(argument.to) > 1 else [value] * len(argument.to)
        for here, one in zip(argument.to, parts, strict=True):
            settings[here] = one
            rows.append(Row(arguments[name].called or name, arguments[name], here, one))
    if entry.adjust:
        settings = ADJUSTMENTS[entry.adjust](settings, plain)
    rate, decay = settings.pop("rate", 0.0), settings.pop("weight_decay", 0)
    optimizer = {"name": fields["optax"]} | _changed(settings, fields["optax"])
    kept = {"value": decay, "kind": fields["kind"], "mask": part.mask} if decay else None
    return Made(optimizer, rate, kept, arguments, entry, tuple(rows))


def _changed(settings: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return what Optax's function is given: all numbers, and the others where they are not its defaults."""
    defaults = OPTIMIZERS[name].keywords
    said = {key: value for key, value in settings.items() if value != defaults[key] or is_number(value)}
    return {key: value for key, value in said.items() if not (value is False and defaults[key] is False)}
