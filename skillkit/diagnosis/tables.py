"""Tables: the numbers of a log by the names of its columns, from CSV, JSON lines, JSON and TensorBoard's files."""

import csv
import io
import json
import math
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from skillkit.errors import bad_input

_MISSING = frozenset(("", "-", "na", "n/a", "null", "none", "<na>"))
_DELIMITERS = ",;\t|"
_TEXTS = ("run", "run_id", "run_name", "run id", "experiment", "name", "tag", "metric", "key")


@dataclass
class Column:
    """The numbers of one column.

    Args:
        rows: In which rows it has any, counted from 0.
        values: Its numbers there; NaN and infinities are kept.
    """

    rows: "array[int]" = field(default_factory=lambda: array("q"))
    values: "array[float]" = field(default_factory=lambda: array("d"))

    def add(self, row: int, value: float) -> None:
        """Add a number."""
        self.rows.append(row)
        self.values.append(value)


@dataclass
class Table:
    """A log as columns.

    Args:
        path: Its name, for messages.
        names: Of all columns, in the order of the file.
        columns: Those with numbers, by name.
        texts: Cells of columns that may tell several runs or metrics apart, by name and row.
        rows: How many rows it has.
    """

    path: str
    names: list[str] = field(default_factory=list)
    columns: dict[str, Column] = field(default_factory=dict)
    texts: dict[str, dict[int, str]] = field(default_factory=dict)
    rows: int = 0

    def add(self, row: int, name: str, value: float) -> None:
        """Add the number of a row in a column."""
        column = self.columns.get(name)
        if column is None:
            column = self.columns[name] = Column()
        column.add(row, value)


def parsed(text: str, path: str) -> Table:
    """Return the table of a text, whose form is seen from how it begins.

    Args:
        text: CSV (with commas, semicolons, tabs or bars), JSON lines, or JSON: a list of objects, an object of lists,
            or an object with such under `log_history` (Hugging Face's `trainer_state.json`) or `history`.
        path: Its name in messages.

    Raises:
        BadInput: It is empty, or none of these.
    """
    if not text.strip():
        raise bad_input(path, "is empty: a log has a row for each update or so, with the loss")
    if "\0" in text:
        raise bad_input(path, _NO_LOG)
    begin = text.lstrip()[:1]
    if begin in ("{", "["):
        return _from_json(text, path)
    return _from_csv(text, path)


_NO_LOG = (
    "is no log that can be read: CSV with the names of the columns in the first line, JSON lines, trainer_state.json "
    "or TensorBoard's event files are"
)


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
            if isinstance(value, str) and name.lower() in _TEXTS:
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
        return _cell(value)
    if isinstance(value, int | float):
        try:
            return float(value)
        except OverflowError:
            return math.inf
    return None


def _cell(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _from_json(text: str, path: str) -> Table:
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


def _from_csv(text: str, path: str) -> Table:
    lines = _without_comments(text)
    delimiter = _delimiter(lines)
    reader = csv.reader(io.StringIO(text[len(text) - len(lines) :], newline=""), delimiter=delimiter)
    try:
        header = [name.strip() for name in next(reader)]
        return _filled(reader, header, path, comma=delimiter != ",")
    except csv.Error as error:
        raise bad_input(path, f"not CSV: {error}", reader.line_num, 1) from error


def _without_comments(text: str) -> str:
    while text.lstrip()[:1] == "#" and "\n" in text:
        text = text[text.index("\n") + 1 :] if text.lstrip() is text or text[:1] == "#" else text.lstrip()
    return text.lstrip("\r\n")


def _delimiter(text: str) -> str:
    head = text[: text.index("\n")] if "\n" in text else text
    return max(_DELIMITERS, key=head.count)


def _filled(reader: Iterator[list[str]], header: Sequence[str], path: str, comma: bool) -> Table:
    numeric = [_cell(name) is not None for name in header]
    rows = iter(reader)
    if all(numeric):  # no names: the first line is a row, and the columns are called by their number
        rows, header = _first(header, rows), [str(number) for number in range(1, len(header) + 1)]
    doubled = sorted({name for name in header if name and list(header).count(name) > 1})
    if doubled:
        raise bad_input(path, f"has two columns called {doubled[0]}")
    if len(header) == 1 and (" " in header[0] or len(header[0]) > _LONGEST):
        raise bad_input(path, _NO_LOG)
    table = Table(path, [name for name in header if name])
    columns = [(index, name, Column()) for index, name in enumerate(header) if name]
    texts = {index: name for index, name, _ in columns if name.lower() in _TEXTS}
    row = -1
    for row, cells in enumerate(one for one in rows if one):
        count = len(cells)
        for index, name, column in columns:
            if index >= count:
                break
            cell = cells[index]
            if not cell:
                continue
            try:
                number = float(cell)
            except ValueError:
                found = _otherwise(cell, comma)
                if found is None:
                    if index in texts:
                        table.texts.setdefault(name, {})[row] = cell.strip()
                    continue
                number = found
            column.rows.append(row)
            column.values.append(number)
    table.columns = {name: column for _, name, column in columns if column.rows}
    table.rows = row + 1
    return table


_LONGEST = 60


def _first(header: Sequence[str], rows: Iterator[list[str]]) -> Iterator[list[str]]:
    yield list(header)
    yield from rows


def _otherwise(cell: str, comma: bool) -> float | None:
    cell = cell.strip()
    if cell.lower() in _MISSING:
        return None
    if comma and cell.count(",") == 1:
        return _cell(cell.replace(",", "."))
    return _cell(cell.strip("'\"[]").removeprefix("tensor(").removesuffix(")"))
