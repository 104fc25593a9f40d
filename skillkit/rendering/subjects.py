"""Subjects: what templates speak of, as plain data."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from skillkit.catalogue.changes import Change, Stage
from skillkit.catalogue.patterns import Mistake
from skillkit.catalogue.values import written
from skillkit.source.slicing import Slice

_OF_CHANGES = ("id", "since", "kind", "stated", "match", "was")  # what a change says of what it does now


def plain(value: Any) -> Any:
    """Return a value as texts, numbers, lists and dicts, so that a template reaches nothing but its content.

    Code becomes a dict with its `text`; another dataclass a dict of its fields.

    Raises:
        TypeError: It holds something that has no content of that kind, such as a path.
    """
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, Slice):
        return {"text": value.text}
    if is_dataclass(value) and not isinstance(value, type):
        data = {field.name: getattr(value, field.name) for field in fields(value)}
        if isinstance(value, Change):
            data |= {name: getattr(value, name) for name in _OF_CHANGES}
        if isinstance(value, Mistake | Change | Stage):  # what is printed of a value is what it was compared with
            data |= {name: written(data[name]) for name in ("stated", "right", "was") if data.get(name) is not None}
        return plain(data)
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    raise TypeError(f"a template can't be given {type(value).__name__}")
