"""Specs: a YAML file that says what a topic's code shows, read with that code."""

import ast
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from skillkit.catalogue.figures import Figure, Prose, read_figures
from skillkit.catalogue.patterns import Mistake, Pattern, Topic
from skillkit.catalogue.requirements import bad_match, bad_requirements
from skillkit.catalogue.values import stated_value
from skillkit.errors import BadInput, Problem, bad_input, did_you_mean
from skillkit.reading import Document, Key, read
from skillkit.shapes import require, schema
from skillkit.source.excerpts import Line
from skillkit.source.forms import bad_form, parse_form
from skillkit.source.modules import Module
from skillkit.source.shelf import Shelf, module_libraries
from skillkit.source.slicing import Slice, cut
from skillkit.source.syntax import find, taken_apart

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
        if entry.get("core") and "writes" not in entry:
            self.add((index, "core"), "what is in the core shows what to write: add 'writes'")
        self.repeated([one["symbol"] for one in entry.get("mistakes", [])], (index, "mistakes"))
        if len(self.problems) > before:
            return None
        try:
            block = cut(self.shelf, self.topic, symbols, tail)
            check = self.check(entry["check"], block) if "check" in entry else None
        except BadInput as error:
            self.problems += error.problems
            return None
        self.form((index, "writes"), entry.get("writes"), [ast.parse(block.text)], "the block")
        shown = [block.text, *(one["writes"] for one in (entry, *entry.get("mistakes", [])) if "writes" in one)]
        figures = self.figures((index,), entry, ("title", "when", "rule", "why"), shown)
        mistakes = [
            self.mistake((index, "mistakes", at), one, shown) for at, one in enumerate(entry.get("mistakes", []))
        ]
        if len(self.problems) > before:
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

    def mistake(self, key: Key, entry: dict[str, Any], shown: list[str]) -> Mistake:
        kind = next(name for name in ("raises", "warns", "returns", "shows") if name in entry)
        if message := bad_match(entry.get("match", "")):
            self.add((*key, "match"), message)
        if module := self.module(f"mistakes.{self.topic}"):
            self.callable(f"mistakes.{self.topic}", entry["symbol"], (*key, "symbol"))
            if kind == "shows":
                self.callable(f"mistakes.{self.topic}", entry["shows"], (*key, "shows"), arguments=1)
            self.wrong(key, entry, module)
        if kind in ("raises", "warns") and entry[kind] in _ANYTHING:
            self.add((*key, kind), f"'{entry[kind]}' is what anything is: name the class that is meant")
        if "instead" in entry:
            self.callable(self.topic, entry["instead"], (*key, "instead"))
        self.said(key, entry, kind)
        self.versions(entry, key)
        source = _source(module, entry["symbol"]) if module else ""
        figures = self.figures(key, entry, ("why",), [*shown, source])
        texts = {name: entry[name] for name in _COPIED_OF_MISTAKE & entry.keys()}
        values = {
            name: stated_value(self.document, (*key, name), entry[name]) for name in (kind, "right") if name in entry
        }
        place = self.document.place(key)
        return Mistake(**texts, kind=kind, stated=values[kind], right=values.get("right"), figures=figures, place=place)

    def said(self, key: Key, entry: dict[str, Any], kind: str) -> None:
        """Hold that a mistake says what one must not write, and a silent one of what it gives the wrong value."""
        if ("writes" in entry) == ("words" in entry):
            self.add(key, "says in either 'writes' or 'words' what one must not do")
        if kind in ("raises", "warns"):
            if "value" in entry:
                self.add((*key, "value"), f"'{kind}' has no value")
            return
        needed = {
            "value": "of what it is said" if kind == "returns" else "what is so",
            "instead": "what does not do so",
        }
        if kind == "returns":
            needed["right"] = "what is right"
        for name, what in needed.items():
            if name not in entry:
                self.add((*key, kind, "#key"), f"needs '{name}' beside it: {what}")

    def figures(
        self, key: Key, entry: dict[str, Any], names: Sequence[str], shown: Sequence[str]
    ) -> tuple[Figure, ...]:
        versioned = {*module_libraries(self.shelf, self.topic), "python"}
        prose = Prose(self.document, key, entry, names, shown, versioned)
        figures, problems = read_figures(prose, self.shelf, self.topic)
        self.problems += problems
        return figures

    def wrong(self, key: Key, entry: dict[str, Any], module: Module) -> None:
        if entry["symbol"] in module.definitions:
            trees = [module.definitions[name] for name in module.closure(entry["symbol"])]
            place = f"'{entry['symbol']}' ({module.path}:{module.span(entry['symbol'])[0]})"
            self.form((*key, "writes"), entry.get("writes"), trees, place)

    def form(self, key: Key, text: str | None, trees: Iterable[ast.AST], place: str) -> None:
        """Hold that what is written is a form that is found in some code."""
        if text is None:
            return
        if message := bad_form(text):
            self.add(key, message)
        elif not any(True for tree in trees for _ in find(parse_form(text), taken_apart(tree))):
            self.add(key, f"this is not found in {place}")

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


def _source(module: Module, symbol: str) -> str:
    if symbol not in module.definitions:
        return ""
    first, last = module.span(symbol)
    return "\n".join(module.lines[first - 1 : last])
