"""Figures: words of the prose, each with the symbol that shows them."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skillkit.catalogue.claims import open_claims
from skillkit.errors import BadInput, Problem, did_you_mean
from skillkit.files import read_text
from skillkit.reading import Document, Key
from skillkit.source.shelf import Shelf
from skillkit.source.slicing import Slice, cut


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


@dataclass(frozen=True)
class Prose:
    """The texts of an entry, with what stands beside them.

    Args:
        document: The file that holds the entry.
        key: Where it stands there.
        entry: What has the texts, and may have `figures` and `cited`.
        names: Of the texts.
        code: What is shown beside them.
        versioned: Names that a version may follow.
    """

    document: Document
    key: Key
    entry: Mapping[str, Any]
    names: Sequence[str]
    code: Sequence[str] = ()
    versioned: Collection[str] = ()


def read_figures(prose: Prose, shelf: Shelf, topic: str) -> tuple[tuple[Figure, ...], list[Problem]]:
    """Read the figures of an entry; they and the words that it cites cover all that it says in numbers.

    Args:
        prose: Its texts.
        shelf: The modules of the project.
        topic: Whose symbols are meant where a figure names no topic.

    Returns:
        The figures, and every problem of theirs.
    """
    document, key, entry = prose.document, prose.key, prose.entry
    problems = [*_loose_words(prose), *_open_claims(prose)]
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


def _loose_words(prose: Prose) -> Iterator[Problem]:
    texts = [prose.entry.get(name, "") for name in prose.names]
    for name in ("figures", "cited"):
        for words in prose.entry.get(name, {}):
            if not any(words in text for text in texts):
                message = "these words do not stand in the prose beside them"
                yield prose.document.problem((*prose.key, name, words, "#key"), message)


def _open_claims(prose: Prose) -> Iterator[Problem]:
    """Yield where a text says a number, or compares, and nothing that is stated or cited says so too."""
    stated = [*prose.entry.get("figures", {}), *prose.entry.get("cited", {})]
    for name in prose.names:
        text = prose.entry.get(name, "")
        for first, last in open_claims(text, stated, prose.code, prose.versioned):
            line, column = _place(prose.document, (*prose.key, name), text, first, last)
            message = f"nothing shows '{text[first:last]}': a symbol in 'figures', a source in 'cited', or other words"
            yield Problem(prose.document.path, line, column, message)


def _place(document: Document, key: Key, text: str, first: int, last: int) -> tuple[int, int]:
    """Return the line and column of some words of a text; of the text itself where they are broken over lines."""
    start = document.places[key]
    words = re.compile(rf"(?<!\w){re.escape(text[first:last])}(?!\w)")
    skipped = len(words.findall(text[:first]))
    lines = read_text(Path(document.path)).split("\n")
    for number, line in enumerate(lines[start[0] - 1 :], start[0]):
        for found in words.finditer(line, start[1] - 1 if number == start[0] else 0):
            if skipped == 0:
                return number, found.start() + 1
            skipped -= 1
    return start


def _module(shelf: Shelf, topic: str, symbol: str) -> str:
    """Return the module on the shelf whose symbol can be run alone."""
    known: list[str] = []
    for name in _modules(shelf, topic):
        module = shelf.module(name)
        if symbol in module.definitions:
            if message := module.uncallable(symbol):
                raise LookupError(f"shows nothing: {message}")
            if not module.computes(symbol):
                raise LookupError(f"shows nothing: '{symbol}' calls nothing, so what it returns was typed")
            return name
        known += module.definitions
    raise LookupError(f"no '{symbol}' in the modules of '{topic}'{did_you_mean(symbol, known)}")


def _modules(shelf: Shelf, topic: str) -> Iterator[str]:
    for name in (topic, f"mistakes.{topic}"):
        if shelf.folder.joinpath(*name.split(".")).with_suffix(".py").exists():
            yield name
