"""Subjects: what templates speak of, as plain data."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from skillkit.catalogue.changes import Change
from skillkit.catalogue.patterns import Mistake
from skillkit.catalogue.slicing import Slice
from skillkit.catalogue.values import written


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
        if isinstance(value, Mistake | Change):  # what is printed of a value is what the result was compared with
            data |= {name: written(data[name]) for name in ("stated", "right") if data.get(name) is not None}
        data = plain(data)
        return data | {"id": value.id} if isinstance(value, Change) else data
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    raise TypeError(f"a template can't be given {type(value).__name__}")
