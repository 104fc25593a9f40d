"""Separated values: the table of a log in CSV, whatever stands between its cells."""

import csv
import io
from collections.abc import Iterator, Sequence

from skillkit.diagnosis.tables import TEXTS, Column, Table
from skillkit.errors import bad_input

_MISSING = frozenset(("", "-", "na", "n/a", "null", "none", "<na>"))
_DELIMITERS = ",;\t|"


def from_csv(text: str, path: str) -> Table:
    """Return the table of CSV with names in its first line; without any, columns are called by their number.

    Raises:
        BadInput: It is not CSV, or two columns have one name.
    """
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
        raise bad_input(path, NO_LOG)
    table = Table(path, [name for name in header if name])
    columns = [(index, name, Column()) for index, name in enumerate(header) if name]
    texts = {index: name for index, name, _ in columns if name.lower() in TEXTS}
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


def _cell(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


NO_LOG = (
    "is no log that can be read: CSV with the names of the columns in the first line, JSON lines, trainer_state.json "
    "or TensorBoard's event files are"
)
