"""Demands: what a spec owes its readers beyond its shape."""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skillkit.catalogue.catalogues import Catalogue
from skillkit.catalogue.claims import open_claims
from skillkit.catalogue.patterns import Pattern
from skillkit.catalogue.syntax import BadForm, Code, Form, find, parse_form, taken_apart
from skillkit.errors import Problem
from skillkit.reading import Document, Key


@dataclass(frozen=True)
class Right:
    """Right code that what is wrong must not be found in.

    Args:
        label: What it is, for a message.
        code: What is looked through.
    """

    label: str
    code: Code


def core_rights(catalogue: Catalogue) -> list[Right]:
    """Return the blocks of the core, beside which every mistake may be read."""
    return [_block(pattern) for pattern in catalogue.patterns.values() if pattern.core is True]


def topic_demands(
    document: Document, catalogue: Catalogue, core: Sequence[Right], versioned: Sequence[str]
) -> Iterator[Problem]:
    """Yield what a topic's spec lacks: right forms, context, values, corrections, figures.

    Args:
        document: The spec.
        catalogue: What was read of it and of the others.
        core: As `core_rights` returns them.
        versioned: Names that a version may follow in prose.
    """
    for index, entry in enumerate(document.value):
        pattern = catalogue.patterns.get(entry["id"])
        if pattern:
            walk = _Walk(document, catalogue, pattern, core, versioned)
            yield from walk.pattern((index,), entry)


def prose_demands(
    document: Document,
    key: Key,
    entry: dict[str, Any],
    names: Iterable[str],
    code: Sequence[str],
    versioned: Sequence[str],
) -> Iterator[Problem]:
    """Yield where the texts of an entry say a number, or compare, and neither figures nor cited words say so too.

    Args:
        document: The file that holds the entry.
        key: Where it stands there.
        entry: What has the texts, and may have `figures` and `cited`.
        names: Of the texts.
        code: What stands beside them as code.
        versioned: Names that a version may follow.
    """
    stated = [*entry.get("figures", {}), *entry.get("cited", {})]
    for name in names:
        text = entry.get(name, "")
        for first, last in open_claims(text, stated, code, versioned):
            line, column = _place(document, (*key, name), text, first, last)
            message = f"nothing shows '{text[first:last]}': a symbol in 'figures', a source in 'cited', or other words"
            yield Problem(document.path, line, column, message)


def form_demands(document: Document, key: Key, text: str, rights: Iterable[Right]) -> Iterator[Problem]:
    """Yield where a wrong form stands in right code."""
    form = _form(text)
    if form is None:
        yield document.problem(key, f"is not Python that code can be searched for: '{text}'")
        return
    for right in rights:
        if any(True for _ in find(form, right.code)):
            yield document.problem(
                key, f"this is found in {right.label} too: add what makes it wrong, or say that in 'words'"
            )


class _Walk:
    def __init__(
        self,
        document: Document,
        catalogue: Catalogue,
        pattern: Pattern,
        core: Sequence[Right],
        versioned: Sequence[str],
    ) -> None:
        self.document = document
        self.catalogue = catalogue
        self.of = pattern
        self.rights = {one.label: one for one in (_block(pattern), *core)}
        if form := _form(pattern.writes):
            self.rights["the right form"] = Right("the right form", taken_apart(ast.Module(list(form.body), [])))
        self.versioned = versioned

    def pattern(self, key: Key, entry: dict[str, Any]) -> Iterator[Problem]:
        if self.of.core and not self.of.writes:
            yield self.document.problem((*key, "core"), "what is in the core shows what to write: add 'writes'")
        if self.of.writes and not _is_found(self.of.writes, _block(self.of).code):
            yield self.document.problem((*key, "writes"), "this is not found in the block as syntax")
        code = [self.of.block.text, self.of.writes, *(one.writes for one in self.of.mistakes)]
        yield from prose_demands(self.document, key, entry, ("title", "when", "rule", "why"), code, self.versioned)
        for at, one in enumerate(entry.get("mistakes", ())):
            yield from self.mistake((*key, "mistakes", at), one, code)

    def mistake(self, key: Key, entry: dict[str, Any], code: list[str]) -> Iterator[Problem]:
        wrong = self.catalogue.shelf.module(f"mistakes.{self.of.topic}")
        if "writes" in entry:
            codes = [taken_apart(wrong.definitions[name]) for name in wrong.closure(entry["symbol"])]
            if _form(entry["writes"]) and not any(_is_found(entry["writes"], code) for code in codes):
                yield self.document.problem((*key, "writes"), f"this is not found in '{entry['symbol']}' as syntax")
            yield from form_demands(self.document, (*key, "writes"), entry["writes"], self.rights.values())
        elif "words" not in entry:
            yield self.document.problem((*key, "symbol"), "says not what one must not write: add 'writes' or 'words'")
        if "returns" in entry or "shows" in entry:
            yield from self.silent(key, entry)
        first, last = wrong.span(entry["symbol"])
        beside = [*code, "\n".join(wrong.lines[first - 1 : last])]
        yield from prose_demands(self.document, key, entry, ("why",), beside, self.versioned)

    def silent(self, key: Key, entry: dict[str, Any]) -> Iterator[Problem]:
        kind = "returns" if "returns" in entry else "shows"
        if "value" not in entry:
            what = "of what that is the value" if kind == "returns" else "what is so"
            yield self.document.problem((*key, kind, "#key"), f"says not {what}: add 'value'")
        if "instead" not in entry:
            yield self.document.problem((*key, kind, "#key"), "says not what does not do so: add 'instead'")
        elif not self.catalogue.shelf.module(self.of.topic).runs_alone(entry["instead"]):
            yield self.document.problem((*key, "instead"), f"can't be proven: '{entry['instead']}' needs arguments")
        elif kind == "returns" and "right" not in entry:
            yield self.document.problem((*key, kind, "#key"), "says not what is right: add 'right'")


def _block(pattern: Pattern) -> Right:
    return Right(f"the block of '{pattern.id}'", taken_apart(ast.parse(pattern.block.text)))


def _form(text: str) -> Form | None:
    try:
        return parse_form(text)
    except BadForm:
        return None


def _is_found(text: str, code: Code) -> bool:
    form = _form(text)
    return form is not None and any(True for _ in find(form, code))


def _place(document: Document, key: Key, text: str, first: int, last: int) -> tuple[int, int]:
    """Return the line and column of some words of a value; of the value itself where they are broken over lines."""
    start = document.places[key]
    words = re.compile(rf"(?<!\w){re.escape(text[first:last])}(?!\w)")
    skipped = len(words.findall(text[:first]))
    lines = Path(document.path).read_text("utf-8").split("\n")
    for number, line in enumerate(lines[start[0] - 1 :], start[0]):
        for found in words.finditer(line, start[1] - 1 if number == start[0] else 0):
            if skipped == 0:
                return number, found.start() + 1
            skipped -= 1
    return start
