"""Plain: what is read of a topic, as JSON and back, to the same objects."""

from collections.abc import Mapping
from dataclasses import fields
from decimal import Decimal
from pathlib import Path
from typing import Any

from skillkit.catalogue.figures import Figure
from skillkit.catalogue.patterns import Mistake, Pattern, Topic
from skillkit.source.excerpts import Line
from skillkit.source.slicing import Slice

_KIND = "is a"  # the key of what is no plain mapping: no field of a spec has a space in it
_CLASSES = {one.__name__: one for one in (Topic, Pattern, Mistake, Figure)}


def encoded(value: Any) -> Any:
    """Return a value as JSON has it.

    Raises:
        TypeError: It is nothing that is read of a topic.
    """
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, Slice):
        return _slice(value)
    if type(value).__name__ in _CLASSES:
        return {_KIND: type(value).__name__} | {
            one.name: encoded(getattr(value, one.name))
            for one in fields(value)
            if getattr(value, one.name) != one.default
        }
    if isinstance(value, list):
        return [encoded(item) for item in value]
    if isinstance(value, tuple | frozenset):
        items = sorted(value) if isinstance(value, frozenset) else value
        return {_KIND: type(value).__name__, "of": [encoded(item) for item in items]}
    if isinstance(value, Decimal):
        return {_KIND: "Decimal", "of": str(value)}
    if isinstance(value, Mapping) and all(isinstance(name, str) and name != _KIND for name in value):
        return {name: encoded(item) for name, item in value.items()}
    raise TypeError(f"{type(value).__name__} is nothing that is read of a topic")


def decoded(value: Any) -> Any:
    """Return what was encoded.

    Raises:
        KeyError, TypeError, ValueError, AttributeError: It was not.
    """
    if isinstance(value, list):
        return [decoded(item) for item in value]
    if not isinstance(value, dict):
        return value
    kind = value.get(_KIND)
    if kind is None:
        return {name: decoded(item) for name, item in value.items()}
    if kind == "Slice":
        return _cut(value)
    if kind in _CLASSES:
        return _CLASSES[kind](**{name: decoded(item) for name, item in value.items() if name != _KIND})
    return _OTHERS[kind](decoded(value["of"]))


_OTHERS = {"tuple": tuple, "frozenset": frozenset, "Decimal": Decimal}


def _slice(value: Slice) -> dict[str, Any]:
    paths: dict[Path, int] = {}
    lines = [[line.number, paths.setdefault(line.path, len(paths)), line.text] for line in value.lines]
    return {_KIND: "Slice", "paths": list(map(str, paths)), "lines": lines, "names": sorted(value.names)}


def _cut(value: dict[str, Any]) -> Slice:
    paths = [Path(one) for one in value["paths"]]
    lines = tuple(Line(text, paths[path], number) for number, path, text in value["lines"])
    return Slice(lines, frozenset(value["names"]))
