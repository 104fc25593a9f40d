"""Tables: the numbers of a log by the names of its columns."""

from array import array
from dataclasses import dataclass, field

# what tells several runs or metrics of a table apart
TEXTS = ("run", "run_id", "run_name", "run id", "experiment", "name", "tag", "metric", "key")


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
