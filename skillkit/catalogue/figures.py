"""Figures: words of the prose, each with the symbol that shows them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from skillkit.catalogue.slicing import Shelf, Slice, cut
from skillkit.errors import BadInput, Problem, did_you_mean
from skillkit.reading import Document, Key


@dataclass(frozen=True)
class Figure:
    """A number or comparison in prose that a run shows.

    Args:
        words: As they stand in the prose.
        symbol: A function without required parameters; what it returns must bear the words out.
        code: The function with all that it needs.
        place: Where the spec states it.
    """

    words: str
    symbol: str
    code: Slice
    place: str


def read_figures(
    document: Document, key: Key, entry: Mapping[str, Any], prose: str, shelf: Shelf, topic: str
) -> tuple[tuple[Figure, ...], list[Problem]]:
    """Read the `figures` of an entry, and hold that these and the `cited` words stand in its prose.

    Args:
        document: The file that holds the entry.
        key: Where it stands there.
        entry: What may have `figures` and `cited`.
        prose: Every text of the entry that they may speak of.
        shelf: The modules of the project.
        topic: Whose symbols are meant where a figure names no topic.

    Returns:
        The figures, and every problem of theirs.
    """
    problems = [
        document.problem((*key, name, words, "#key"), "these words do not stand in the prose beside them")
        for name in ("figures", "cited")
        for words in entry.get(name, {})
        if words not in prose
    ]
    figures = []
    for words, name in entry.get("figures", {}).items():
        where = (*key, "figures", words)
        head, _, symbol = name.rpartition(".")
        try:
            code = cut(shelf, _module(shelf, head or topic, symbol), [symbol])
            figures.append(Figure(words, symbol, code, document.place(where)))
        except LookupError as error:
            problems.append(document.problem(where, str(error.args[0])))
        except BadInput as error:
            problems += error.problems
    return tuple(figures), problems


def _module(shelf: Shelf, topic: str, symbol: str) -> str:
    """Return the module on the shelf whose symbol can be run alone."""
    known: list[str] = []
    for name in _modules(shelf, topic):
        module = shelf.module(name)
        if symbol in module.definitions:
            if message := module.uncallable(symbol):
                raise LookupError(f"shows nothing: {message}")
            return name
        known += module.definitions
    raise LookupError(f"no '{symbol}' in the modules of '{topic}'{did_you_mean(symbol, known)}")


def _modules(shelf: Shelf, topic: str) -> Iterator[str]:
    for name in (topic, f"mistakes.{topic}"):
        if shelf.folder.joinpath(*name.split(".")).with_suffix(".py").exists():
            yield name
