"""Tables: what each optimizer and scheduler of another framework takes, and what that is in Optax."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from skillkit.errors import did_you_mean
from skillkit.reading import parse, shown
from skillkit.scalars import is_finite
from skillkit.translation.values import Given, Recipe, Value


@dataclass(frozen=True)
class Argument:
    """One argument of an optimizer or scheduler; see the head of tables/pytorch.yaml for the fields.

    Args:
        default: What it is where it is not given.
        required: Whether it must be.
        to: Optax's arguments that it becomes.
        rule: A function of `rules`, through which it goes.
        only: The values with which nothing differs, empty where it is any.
        differs: What differs with another.
        switch: Fields of the optimizer that are others where it is true.
    """

    default: Any = None
    required: bool = False
    to: tuple[str, ...] = ()
    rule: str = ""
    only: tuple[Any, ...] = ()
    differs: str = ""
    switch: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Difference:
    """What is not the same in Optax.

    Args:
        because: What it is, in words.
        when: The arguments that must be given for it to show; `rate: varies` where the rate must.
    """

    because: str
    when: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Entry:
    """An optimizer or a scheduler of another framework.

    Args:
        name: Its full name.
        source: Where its documentation is.
        arguments: In the order of its signature.
        optax: The function of the configuration, or None.
        kind: How it decays weights, as a configuration has it.
        constants: What Optax's function is given besides.
        adjust: A function of `rules` that the whole goes through.
        equal: Why the steps are the same.
        differs: What is not.
        instead: What to write where nothing can be translated.
    """

    name: str
    source: str
    arguments: Mapping[str, Argument] = field(default_factory=dict)
    optax: str | None = None
    kind: str = ""
    constants: Mapping[str, Any] = field(default_factory=dict)
    adjust: str = ""
    equal: str = ""
    differs: tuple[Difference, ...] = ()
    instead: str = ""

    @property
    def short(self) -> str:
        """The last part of its name."""
        return self.name.rpartition(".")[2]


TABLES = ("pytorch", "transformers", "nanogpt", "keras", "timm")


@cache
def entries(part: str) -> Mapping[str, Entry]:
    """Return the `optimizers` or the `schedulers` of all tables by their names."""
    return {entry.name: entry for table in TABLES for entry in _entries(table, part)}


@cache
def read_table(name: str) -> dict[str, Any]:
    """Return what one of the files in the folder `tables` holds."""
    text = files("skillkit").joinpath("translation", "tables", f"{name}.yaml").read_text("utf-8")
    loaded: dict[str, Any] = parse(text, f"{name}.yaml").value
    return loaded


def _entries(table: str, part: str) -> Iterator[Entry]:
    data = read_table(table)
    for name, fields in data.get(part, {}).items():
        given = {**fields.get("arguments", {}), **(data.get("everywhere", {}) if part == "optimizers" else {})}
        arguments = {key: _argument(one) for key, one in given.items()}
        differs = tuple(Difference(**one) for one in fields.get("differs", ()))
        source = fields.get("source") or data["documentation"].format(name=name)
        yield Entry(**{**fields, "name": name, "source": source, "arguments": arguments, "differs": differs})


def _argument(fields: Mapping[str, Any]) -> Argument:
    to = fields.get("to", ())
    only = (fields["only"],) if "only" in fields else ()
    known = {key: fields[key] for key in ("default", "rule", "differs", "switch") if key in fields}
    return Argument(
        **known, required="default" not in fields, to=(to,) if isinstance(to, str) else tuple(to), only=only
    )


def bound(given: Given, entry: Entry, recipe: Recipe) -> dict[str, Value] | None:
    """Return the value of each of an entry's arguments, the given ones in place of the defaults.

    Args:
        given: The call.
        entry: What it is a call of.
        recipe: Notes what is not understood.

    Returns:
        None where one that must be given is not.
    """
    names = list(entry.arguments)
    found = {name: Value(argument.default) for name, argument in entry.arguments.items() if not argument.required}
    for name, value in [*zip(names, given.positional, strict=False), *given.arguments.items()]:
        if name not in names:
            recipe.miss(value, f"{given.name} has no argument '{name}' that is known{did_you_mean(name, names)}")
        elif not _fits(value.plain, entry.arguments[name]):
            recipe.miss(value, f"{name} cannot be {shown(value.plain)}")
        else:
            found[name] = value
    missing = [name for name in names if name not in found]
    if missing:
        recipe.miss(given, f"{given.name} is not translated: {missing[0]} is not given or not read")
    return None if missing else {name: found[name] for name in names}


def _fits(value: Any, argument: Argument) -> bool:
    """Return whether a value is of the kind of the default."""
    default = argument.default
    if isinstance(default, list):
        return isinstance(value, list) and len(value) == len(default)
    if isinstance(default, bool) or default is None or argument.required:
        return True
    return isinstance(value, str) if isinstance(default, str) else is_finite(value)
