"""Specs: a YAML file that says what a topic's code shows, read with that code."""

import ast
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from skillkit.catalogue.excerpts import Line
from skillkit.catalogue.figures import Figure, read_figures
from skillkit.catalogue.modules import Module
from skillkit.catalogue.patterns import Mistake, Pattern, Topic
from skillkit.catalogue.requirements import bad_match, bad_requirements
from skillkit.catalogue.slicing import Shelf, Slice, cut
from skillkit.catalogue.syntax import BadForm, find, parse_form, taken_apart
from skillkit.catalogue.values import stated_value
from skillkit.errors import BadInput, Problem, bad_input, did_you_mean
from skillkit.reading import Document, Key, read
from skillkit.shapes import require, schema

RESERVED = ("changes", "names")  # what one can verify beside patterns and topics


def load_topic(path: Path, shelf: Shelf) -> Topic:
    """Read one spec with the code that it names.

    Raises:
        BadInput: With every problem of the spec, or else with every symbol that does not slice.
    """
    if path.stem in RESERVED:
        raise bad_input(path, f"a topic can't be called '{path.stem}': rename the spec and its module")
    document = read(path)
    require(document, schema("pattern"))
    module = shelf.module(path.stem)
    reader = _Reader(document, shelf, path.stem)
    patterns = [reader.pattern(index, entry) for index, entry in enumerate(document.value)]
    if reader.problems:
        raise BadInput(reader.problems)
    title = module.docstring.partition("\n")[0].rstrip(".")
    return Topic(path.stem, title, tuple(pattern for pattern in patterns if pattern))


class _Reader:
    def __init__(self, document: Document, shelf: Shelf, topic: str) -> None:
        self.document = document
        self.shelf = shelf
        self.topic = topic
        self.problems: list[Problem] = []

    def pattern(self, index: int, entry: dict[str, Any]) -> Pattern | None:
        before = len(self.problems)
        symbols, tail = entry.get("symbols", []), entry.get("example") or entry.get("check")
        for position, symbol in enumerate(symbols):
            self.known(self.topic, symbol, (index, "symbols", position))
        for key in ("example", "check"):
            if key in entry:
                self.callable(self.topic, entry[key], (index, key))
        if tail is None:
            self.add((index,), "needs an 'example' or a 'check', or its block does nothing")
        if ("mistakes" in entry) == ("no_mistake" in entry):
            self.add((index,), "needs either 'mistakes' or 'no_mistake' with the reason")
        self.versions(entry, (index,))
        self.reserved(entry["id"], (index, "id"))
        mistakes = [self.mistake((index, "mistakes", at), one) for at, one in enumerate(entry.get("mistakes", []))]
        prose = "\n".join(entry.get(name, "") for name in ("title", "when", "rule", "why"))
        figures = self.figures((index,), entry, prose)
        self.repeated([one.symbol for one in mistakes], (index, "mistakes"))
        if len(self.problems) > before:
            return None
        try:
            block = cut(self.shelf, self.topic, symbols, tail)
            check = self.check(entry["check"], block) if "check" in entry else None
        except BadInput as error:
            self.problems += error.problems
            return None
        form = entry.get("writes", "")
        if not (_is_found(form, [ast.parse(block.text)]) or _stands_in(form, block.text)):
            self.add((index, "writes"), "this is not found in the block")
            return None
        texts: dict[str, Any] = {key: entry[key] for key in _COPIED & entry.keys()}
        lists: dict[str, Any] = {key: tuple(entry[key]) for key in ("changed", "gone", "sources") if key in entry}
        place = self.document.place((index,))
        return Pattern(
            **texts,
            **lists,
            topic=self.topic,
            block=block,
            check=check,
            mistakes=tuple(mistakes),
            figures=figures,
            place=place,
        )

    def reserved(self, name: str, key: Key) -> None:
        if name in RESERVED:
            self.add(key, f"'{name}' means something else to 'skillkit verify': choose another")

    def repeated(self, symbols: list[str], key: Key) -> None:
        for at, symbol in enumerate(symbols):
            if symbol in symbols[:at]:
                self.add((*key, at, "symbol"), f"'{symbol}' is stated twice: give each mistake a function of its own")

    def check(self, symbol: str, block: Slice) -> Slice:
        code = cut(self.shelf, self.topic, [symbol], known=block.names - {symbol})
        return replace(code, lines=(*code.lines, Line(f"{symbol}()", code.lines[-1].path, 0)))

    def mistake(self, key: Key, entry: dict[str, Any]) -> Mistake:
        kind = next(name for name in ("raises", "warns", "returns", "shows") if name in entry)
        if message := bad_match(entry.get("match", "")):
            self.add((*key, "match"), message)
        if module := self.module(f"mistakes.{self.topic}"):
            self.callable(f"mistakes.{self.topic}", entry["symbol"], (*key, "symbol"))
            if kind == "shows":
                self.callable(f"mistakes.{self.topic}", entry["shows"], (*key, "shows"), arguments=1)
            self.written(module, entry, key)
        if kind in ("raises", "warns") and entry[kind] in _ANYTHING:
            self.add((*key, kind), f"'{entry[kind]}' is what anything is: name the class that is meant")
        if "instead" in entry:
            self.callable(self.topic, entry["instead"], (*key, "instead"))
        if "writes" in entry and "words" in entry:
            self.add((*key, "words"), "is for what has no 'writes': remove one of them")
        if "value" in entry and kind in ("raises", "warns"):
            self.add((*key, "value"), f"'{kind}' has no value")
        self.versions(entry, key)
        figures = self.figures(key, entry, entry["why"])
        texts = {name: entry[name] for name in _COPIED_OF_MISTAKE & entry.keys()}
        values = {
            name: stated_value(self.document, (*key, name), entry[name]) for name in (kind, "right") if name in entry
        }
        place = self.document.place(key)
        return Mistake(**texts, kind=kind, stated=values[kind], right=values.get("right"), figures=figures, place=place)

    def figures(self, key: Key, entry: dict[str, Any], prose: str) -> tuple[Figure, ...]:
        figures, problems = read_figures(self.document, key, entry, prose, self.shelf, self.topic)
        self.problems += problems
        return figures

    def written(self, module: Module, entry: dict[str, Any], key: Key) -> None:
        if "writes" in entry and entry["symbol"] in module.definitions:
            first, last = module.span(entry["symbol"])
            trees = [module.definitions[name] for name in module.closure(entry["symbol"])]
            if _is_found(entry["writes"], trees):
                return
            if not _stands_in(entry["writes"], "".join(module.lines[first - 1 : last])):
                self.add((*key, "writes"), f"this is not found in '{entry['symbol']}' ({module.path}:{first})")

    def versions(self, entry: dict[str, Any], key: Key) -> None:
        for library, message in bad_requirements(entry.get("requires", {})):
            self.add((*key, "requires", library), message)

    def module(self, name: str) -> Module | None:
        try:
            return self.shelf.module(name)
        except BadInput as error:
            self.problems += error.problems
            return None

    def known(self, name: str, symbol: str, key: Key) -> bool:
        module = self.module(name)
        if module and symbol not in module.definitions:
            near = did_you_mean(symbol, module.definitions)
            self.add(key, f"no '{symbol}' at top level of {module.path}{near}")
            return False
        return module is not None

    def callable(self, name: str, symbol: str, key: Key, arguments: int = 0) -> None:
        if self.known(name, symbol, key) and (message := self.shelf.module(name).uncallable(symbol, arguments)):
            self.add(key, f"proves nothing: {message}")

    def add(self, key: Key, message: str) -> None:
        self.problems.append(self.document.problem(key, message))


_ANYTHING = ("object", "BaseException", "Warning")
_COPIED = {"id", "title", "when", "rule", "why", "writes", "core", "no_mistake", "requires", "cited"}
_COPIED_OF_MISTAKE = {*("symbol", "why", "match", "writes", "words", "value", "under", "instead", "requires", "cited")}


def _is_found(text: str, trees: Iterable[ast.AST]) -> bool:
    try:
        form = parse_form(text)
    except BadForm:
        return False
    return any(True for tree in trees for _ in find(form, taken_apart(tree)))


def _stands_in(words: str, code: str) -> bool:
    """Return whether some words stand in code, however either is broken into lines."""
    return "".join(words.split()) in "".join(code.split())
