"""Changes: a table of what a model writes, what happens, since when, and what to write instead."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from packaging.version import Version

from skillkit.catalogue.figures import Figure, Prose, read_figures
from skillkit.catalogue.requirements import bad_match, bad_requirements
from skillkit.catalogue.values import stated_value
from skillkit.errors import BadInput, Problem
from skillkit.places import Project
from skillkit.reading import Document, Key, read
from skillkit.shapes import require, schema
from skillkit.source.binding import bad_code
from skillkit.source.forms import bad_form
from skillkit.source.shelf import Shelf

KINDS = ("raises", "warns", "returns")
_STAGE = ("since", "before", "match", "was", *KINDS)


@dataclass(frozen=True)
class Stage:
    """What an old form does from one version on.

    Args:
        since: The version.
        kind: `raises`, `warns` or `returns`.
        stated: The exception's or warning's class, or the value.
        match: What is found in the message.
        before: The last version before, in which the old form does not do so; empty where that is not known.
        was: The value that it gave then.
    """

    since: str
    kind: str
    stated: Any
    match: str = ""
    before: str = ""
    was: Any = None


@dataclass(frozen=True)
class Change:
    """One row of the table.

    Args:
        library: Whose change it is.
        writes: The old form: code, whose last expression is its value.
        instead: The new form.
        stages: What the old form does, the newest first: at first it may only warn.
        likewise: Other old forms that fail so, since the same version: what texts call each, with its code.
        given: The code that both forms stand after.
        value: What a silent old form's value is, as a noun phrase.
        core: Whether it belongs in the one-file skill.
        note: What else one must know.
        requires: Versions of other libraries under which this is stated.
        needs: Versions that the new form needs, where it came later than the failure of the old one.
        source: Where it is said.
        figures: What shows the numbers and comparisons of the note.
        cited: Words of the note that no run shows, each with the source that says them.
        place: Where the table states it.
    """

    library: str
    writes: str
    instead: str
    stages: tuple[Stage, ...]
    likewise: Mapping[str, str] = field(default_factory=dict)
    given: str = ""
    value: str = ""
    core: bool = False
    note: str = ""
    requires: Mapping[str, str] = field(default_factory=dict)
    needs: Mapping[str, str] = field(default_factory=dict)
    source: str = ""
    figures: tuple[Figure, ...] = ()
    cited: Mapping[str, str] = field(default_factory=dict)
    place: str = ""

    @property
    def id(self) -> str:
        """The row's name in reports: its library and old form."""
        return f"changes/{self.library}: {' '.join(self.writes.split())}"

    @property
    def since(self) -> str:
        """The version since which the old form does what it does now."""
        return self.stages[0].since

    @property
    def kind(self) -> str:
        """How the old form fails now."""
        return self.stages[0].kind

    @property
    def stated(self) -> Any:
        """The class or the value that the old form gives now."""
        return self.stages[0].stated

    @property
    def match(self) -> str:
        """What is found in the message that the old form gives now."""
        return self.stages[0].match

    @property
    def was(self) -> Any:
        """The value that the old form gave before."""
        return self.stages[0].was

    @property
    def alike(self) -> dict[str, "Change"]:
        """The other old forms that fail so, as changes, by what texts call them."""
        return {name: replace(self, writes=code, likewise={}) for name, code in self.likewise.items()}

    def at(self, version: str) -> "Change | None":
        """Return the row as it is under a version of its library, or None where the old form is still right."""
        known = tuple(stage for stage in self.stages if Version(stage.since) <= Version(version))
        return replace(self, stages=known) if known else None


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
        code = [row.get(name, "") for name in ("given", "writes", "instead")]
        prose = Prose(document, (index,), row, ("note",), code, {row["library"].partition("-")[0], "python"})
        found, faults = read_figures(prose, shelf, "changes")
        figures.append(found)
        problems += faults
    if problems:
        raise BadInput(problems)
    return tuple(_change(document, index, figures[index]) for index in range(len(document.value)))


def _problems(document: Document) -> Iterator[Problem]:
    first: dict[tuple[str, str], int] = {}
    for index, row in enumerate(document.value):
        for name in ("requires", "needs"):
            for library, message in bad_requirements(row.get(name, {})):
                yield document.problem((index, name, library), message)
        if row["library"] in row.get("requires", {}):
            message = f"'since' says of which versions of {row['library']} this is so"
            yield document.problem((index, "requires", row["library"]), message)
        if message := bad_form(row["writes"]):
            yield document.problem((index, "writes"), message)
        for name in ("given", "instead"):
            if message := bad_code(row.get(name, "")):
                yield document.problem((index, name), message)
        yield from _bad_stages(document, index)
        old = first.setdefault((row["library"], row["writes"]), index)
        if old != index:
            yield document.problem((index, "writes"), f"this old form is stated at {document.place((old,))} too")


def _bad_stages(document: Document, index: int) -> Iterator[Problem]:
    """Yield what is wrong with the order of a row's versions, and with its messages."""
    row = document.value[index]
    limit = ""
    for number, stage in enumerate((row, *row.get("earlier", ()))):
        place: tuple[str | int, ...] = (index, "earlier", number - 1) if number else (index,)
        if message := bad_match(stage.get("match", "")):
            yield document.problem((*place, "match"), message)
        for name in ("since", "before"):
            if name in stage and limit and Version(stage[name]) >= Version(limit):
                yield document.problem((*place, name), f"must be older than {limit}, which is stated above it")
            limit = stage.get(name, limit)


def _change(document: Document, index: int, figures: tuple[Figure, ...]) -> Change:
    row = document.value[index]
    places: list[Key] = [(index,), *((index, "earlier", number) for number in range(len(row.get("earlier", ()))))]
    stages = tuple(_stage(document, place) for place in places)
    rest = {name: value for name, value in row.items() if name not in (*_STAGE, "earlier", "figures")}
    return Change(**rest, stages=stages, figures=figures, place=document.place((index,)))


def _stage(document: Document, place: Key) -> Stage:
    row = document.value[place[0]] if len(place) == 1 else document.value[place[0]]["earlier"][place[2]]
    kind = next(name for name in KINDS if name in row)
    rest = {name: row[name] for name in ("since", "before", "match") if name in row}
    stated, was = (stated_value(document, (*place, name), row.get(name)) for name in (kind, "was"))
    return Stage(**rest, kind=kind, stated=stated, was=was)
