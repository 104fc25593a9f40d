"""Changes: a table of what a model writes, what happens, since when, and what to write instead."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from skillkit.catalogue.figures import Figure, read_figures
from skillkit.catalogue.requirements import bad_match, bad_requirements
from skillkit.catalogue.slicing import Shelf
from skillkit.catalogue.values import stated_value
from skillkit.errors import BadInput, Problem
from skillkit.places import Project
from skillkit.reading import Document, read
from skillkit.shapes import require, schema

KINDS = ("raises", "warns", "returns")


@dataclass(frozen=True)
class Change:
    """One row of the table.

    Args:
        library: Whose change it is.
        since: The library's version since which the old form fails.
        given: The code that both forms stand after.
        writes: The old form: code, whose last expression is its value.
        instead: The new form.
        kind: `raises`, `warns` or `returns`: what the old form does.
        stated: The exception's or warning's class, or the value.
        match: What is found in the message.
        core: Whether it belongs in the one-file skill.
        note: What else one must know.
        requires: Library versions under which the old form fails so.
        source: Where it is said.
        figures: What shows the numbers and comparisons of the note.
        cited: Words of the note that no run shows, each with the source that says them.
        place: Where the table states it.
    """

    library: str
    since: str
    writes: str
    instead: str
    kind: str
    stated: Any
    given: str = ""
    match: str = ""
    core: bool = False
    note: str = ""
    requires: Mapping[str, str] = field(default_factory=dict)
    source: str = ""
    figures: tuple[Figure, ...] = ()
    cited: Mapping[str, str] = field(default_factory=dict)
    place: str = ""

    @property
    def id(self) -> str:
        """The row's name in reports: its library and old form."""
        return f"changes/{self.library}: {' '.join(self.writes.split())}"


def load_changes(project: Project) -> tuple[Change, ...]:
    """Read `changes.yaml` beside the specs; a project without one has no changes.

    Raises:
        BadInput: With every problem of the table.
    """
    path = project.reference / "changes.yaml"
    if not path.exists():
        return ()
    document = read(path)
    require(document, schema("changes"))
    shelf = Shelf(project.reference)
    problems = list(_problems(document))
    figures: list[tuple[Figure, ...]] = []
    for index, row in enumerate(document.value):
        found, faults = read_figures(document, (index,), row, row.get("note", ""), shelf, "changes")
        figures.append(found)
        problems += faults
    if problems:
        raise BadInput(problems)
    return tuple(_changes(document, figures))


def _problems(document: Document) -> Iterator[Problem]:
    first: dict[tuple[str, str], int] = {}
    for index, row in enumerate(document.value):
        for library, message in bad_requirements(row.get("requires", {})):
            yield document.problem((index, "requires", library), message)
        if message := bad_match(row.get("match", "")):
            yield document.problem((index, "match"), message)
        old = first.setdefault((row["library"], row["writes"]), index)
        if old != index:
            yield document.problem((index, "writes"), f"this old form is stated at {document.place((old,))} too")


def _changes(document: Document, figures: list[tuple[Figure, ...]]) -> Iterator[Change]:
    for index, row in enumerate(document.value):
        kind = next(name for name in KINDS if name in row)
        rest = {name: value for name, value in row.items() if name not in (kind, "figures")}
        place = document.place((index,))
        yield Change(
            **rest,
            kind=kind,
            stated=stated_value(document, (index, kind), row[kind]),
            figures=figures[index],
            place=place,
        )
