"""Remarks: what the glossary explains and the advice decides, each shown by a pattern."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skillkit.catalogue.catalogues import Catalogue
from skillkit.catalogue.figures import Figure, Prose, read_figures
from skillkit.errors import BadInput, Problem, did_you_mean
from skillkit.places import Project
from skillkit.reading import Document, Key, read
from skillkit.shapes import require, schema
from skillkit.source.shelf import module_libraries

TABLES = ("glossary", "advice")


@dataclass(frozen=True)
class Remark:
    """A sentence that is published beside the patterns.

    Args:
        text: The sentence, or a few.
        pattern: The id of the pattern that shows it.
        figures: What shows its numbers and comparisons.
        id: Its table and where it stands in that.
        place: Where the table states it.
    """

    text: str
    pattern: str
    figures: tuple[Figure, ...]
    id: str
    place: str


def load_remarks(project: Project, catalogue: Catalogue, asked: Collection[str] = ()) -> tuple[Remark, ...]:
    """Read the remarks of `glossary.yaml` and `advice.yaml` beside the specs; a project may have neither.

    Args:
        project: Whose remarks they are.
        catalogue: Its patterns.
        asked: Ids of patterns; what other patterns show is passed over.

    Raises:
        BadInput: With every problem of both.
    """
    remarks: list[Remark] = []
    problems: list[Problem] = []
    for name in TABLES:
        path = project.reference / f"{name}.yaml"
        if path.exists():
            try:
                remarks += _read(path, name, catalogue, asked)
            except BadInput as error:
                problems += error.problems
    if problems:
        raise BadInput(problems)
    return tuple(remarks)


def _read(path: Path, name: str, catalogue: Catalogue, asked: Collection[str]) -> list[Remark]:
    document = read(path)
    require(document, schema(name))
    remarks: list[Remark] = []
    problems: list[Problem] = []
    for key, entry in _entries(document):
        if asked and entry["pattern"] not in asked:
            continue
        pattern = catalogue.patterns.get(entry["pattern"])
        if pattern is None:
            near = did_you_mean(entry["pattern"], catalogue.patterns)
            problems.append(document.problem((*key, "pattern"), f"no such pattern{near}"))
            continue
        versioned = {*module_libraries(catalogue.shelf, pattern.topic), "python"}
        prose = Prose(document, key, entry, ("text",), [pattern.block.text], versioned)
        figures, faults = read_figures(prose, catalogue.shelf, pattern.topic)
        problems += faults
        label = entry.get("term") or f"{key[0]} {int(key[1]) + 1}"
        remarks.append(Remark(entry["text"], pattern.id, figures, f"{name}/{label}", document.place(key)))
    if problems:
        raise BadInput(problems)
    return remarks


def _entries(document: Document) -> Iterator[tuple[Key, dict[str, Any]]]:
    if isinstance(document.value, list):
        yield from (((index,), entry) for index, entry in enumerate(document.value))
        return
    for table, lines in document.value.items():
        yield from (((table, index), line) for index, line in enumerate(lines))
