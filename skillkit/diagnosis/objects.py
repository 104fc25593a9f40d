"""Objects: the table of a log in JSON, a line a row or as a whole."""

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from skillkit.diagnosis.tables import TEXTS, Table
from skillkit.errors import bad_input


def from_json(text: str, path: str) -> Table:
    """Return the table of JSON lines, or of one JSON value that holds the rows.

    Raises:
        BadInput: It is not JSON, or holds no rows.
    """
    lines = text.strip().splitlines()
    try:
        first = json.loads(lines[0])
    except (ValueError, RecursionError):
        first = None
    if isinstance(first, Mapping) and (len(lines) > 1 or not _nested(first)):
        return from_objects(_objects(text, path), path)
    try:
        value = json.loads(text)
    except RecursionError as error:
        raise bad_input(path, "is nested too deep") from error
    except ValueError as error:
        raise bad_input(path, f"not JSON: {error}") from error
    return _from_value(value, path)


def _nested(value: Any) -> Any:
    """Return what of a JSON object holds the rows, or None."""
    if isinstance(value, Mapping):
        for name in ("log_history", "history", "logs", "metrics"):
            if isinstance(value.get(name), list | Mapping):
                return value[name]
        if any(isinstance(one, list) for one in value.values()):
            return value
    return None


def _from_value(value: Any, path: str) -> Table:
    rows = value if isinstance(value, list) else _nested(value)
    if isinstance(rows, list):
        return from_objects(rows, path)
    if isinstance(rows, Mapping):
        columns = {name: cells for name, cells in rows.items() if isinstance(cells, list)}
        length = max(map(len, columns.values()), default=0)
        return from_objects(
            ({name: cells[row] for name, cells in columns.items() if row < len(cells)} for row in range(length)), path
        )
    raise bad_input(path, "holds no rows: a list of objects, an object of lists, or one with log_history")


def _objects(text: str, path: str) -> Iterator[Any]:
    lines = text.splitlines()
    broken, broken_at = "", 0
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        if broken:
            raise bad_input(path, broken, broken_at, 1)
        try:
            yield json.loads(line)
        except (ValueError, RecursionError) as error:
            # a run that was ended may leave half of its last line
            broken, broken_at = f"not JSON: {error}", number


def from_objects(objects: Iterable[Any], path: str) -> Table:
    """Return the table of objects, one a row; objects within objects have names with a slash, as W&B's."""
    table = Table(path)
    seen: set[str] = set()
    for row, item in enumerate(objects):
        if not isinstance(item, Mapping):
            raise bad_input(path, f"row {row + 1} is no object with names and numbers")
        for name, value in _flat(item):
            if name not in seen:
                seen.add(name)
                table.names.append(name)
            if isinstance(value, str) and name.lower() in TEXTS:
                table.texts.setdefault(name, {})[row] = value
            number = _number(value)
            if number is not None:
                table.add(row, name, number)
        table.rows = row + 1
    return table


def _flat(item: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in item.items():
        if isinstance(value, Mapping) and before.count("/") < _DEEPEST:
            yield from _flat(value, f"{before}{name}/")
        else:
            yield f"{before}{name}", value


_DEEPEST = 3


def _number(value: Any) -> float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        return _of_text(value)
    if isinstance(value, int | float):
        try:
            return float(value)
        except OverflowError:
            return math.inf
    return None


def _of_text(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
