"""Reading: a YAML document as plain data that remembers the place of everything in it."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from skillkit.errors import BadInput, Problem, bad_input
from skillkit.files import read_text
from skillkit.scalars import CORE, UNSEEN, scalar

Key = tuple[str | int, ...]
Place = tuple[int, int]


@dataclass(frozen=True)
class Document:
    """The content of one YAML file.

    Args:
        path: The file's name, for messages.
        value: Dicts, lists, strings, numbers, booleans and None.
        places: Line and column (from 1) of each value by its path of keys and indices, and, under the same
            path with `"#key"` appended, of each mapping's key.
        literals: How each fraction is written, by its path.
    """

    path: str
    value: Any
    places: dict[Key, Place] = field(repr=False)
    literals: dict[Key, str] = field(default_factory=dict, repr=False)

    def problem(self, key: Key, message: str) -> Problem:
        """Return the problem at the value `key`, or at the nearest enclosing value that has a place."""
        while key and key not in self.places:
            key = key[:-1]
        return Problem(self.path, *self.places.get(key, (0, 0)), message)

    def place(self, key: Key) -> str:
        """Return `file:line:column` of the value `key`."""
        line, column = self.places[key]
        return f"{self.path}:{line}:{column}"


def read(path: Path) -> Document:
    """Read a YAML or JSON file.

    Scalars follow YAML 1.2's core schema: `1e-3` is a number, `no` and `on` are strings. Equal keys, aliases,
    tags, control characters, numbers beyond a float's range and what is nested deeper than `DEEPEST` are refused.

    Raises:
        BadInput: The file is missing, unreadable, empty, not UTF-8, or not such a document.
    """
    return parse(read_text(path), str(path))


def parse(text: str, path: str) -> Document:
    """Read the text of a YAML or JSON file; `path` names it in messages.

    Raises:
        BadInput: As for `read`.
    """
    text = _PAIR.sub(_joined, text) if text.lstrip().startswith(("{", "[", '"')) else text
    try:
        node = yaml.compose(text, _CoreLoader)
    except RecursionError as error:
        raise bad_input(path, _TOO_DEEP) from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (0, 0)
        raise bad_input(path, _syntax(text, line, error), line, column) from error
    except yaml.YAMLError as error:
        raise bad_input(path, f"not YAML: {error}".replace("\n", " ")) from error
    if node is None:
        raise bad_input(path, "the file is empty")
    builder = _Builder(path)
    value = builder.build(node, ())
    if builder.problems:
        raise BadInput(builder.problems)
    return Document(path, value, builder.places, builder.literals)


_PAIR = re.compile(r"(?<!\\)(?:\\\\)*\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}")


def _joined(match: re.Match[str]) -> str:
    """Return the one character that JSON writes as a pair, which YAML does not know."""
    text = match.group()
    pair = bytes.fromhex(text[-10:-6] + text[-4:])
    return text[:-12] + pair.decode("utf-16-be")


def _syntax(text: str, line: int, error: yaml.MarkedYAMLError) -> str:
    lines = text.splitlines()
    near = lines[line - 1] if 0 < line <= len(lines) else ""
    if "\t" in near[: len(near) - len(near.lstrip())]:
        return "a tab in the indentation: YAML indents with spaces"
    words = ", ".join(part for part in (error.context, error.problem) if part)
    if "maximum nesting depth" in words:
        return _TOO_DEEP
    return f"not YAML: {words}{_hint(near, words)}"


def _hint(line: str, words: str) -> str:
    """Return what to do about the commonest errors, whose own words say nothing to who does not know YAML."""
    if "mapping values are not allowed" in words:
        quotes = line.count(": ") > 1
        return " (a text with ': ' in it must stand in quotes)" if quotes else " (is this line indented as its kin?)"
    if "did not find expected key" in words and line.count("'") % 2:
        return " (within single quotes, write '' for a single quote)"
    if "could not find expected ':'" in words:
        return " (a key needs ': ' behind it; a text of several lines begins with '|')"
    if "found character" in words and "that cannot start any token" in words:
        return " (a text that begins with @, ` or % must stand in quotes)"
    return ""


DEEPEST = 60  # of lists and mappings in each other; our own formats need 8
_TOO_DEEP = f"lists and mappings are nested deeper than {DEEPEST}"


class _CoreLoader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]  # chosen at import
    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - PyYAML's own class attribute


for _name, _pattern in CORE.items():
    _CoreLoader.add_implicit_resolver(f"tag:yaml.org,2002:{_name}", re.compile(f"^(?:{_pattern})$"), None)


@dataclass
class _Builder:
    path: str
    places: dict[Key, Place] = field(default_factory=dict)
    literals: dict[Key, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    seen: set[int] = field(default_factory=set)

    def build(self, node: yaml.Node, key: Key) -> Any:
        self.places[key] = place = _place(node)
        if id(node) in self.seen:
            self.problems.append(Problem(self.path, *place, "aliases (*name) are not supported: repeat the value"))
            return None
        self.seen.add(id(node))
        if len(key) > DEEPEST:
            self.problems.append(Problem(self.path, *place, _TOO_DEEP))
            return None
        if isinstance(node, yaml.MappingNode):
            return dict(self._pairs(node, key))
        if isinstance(node, yaml.SequenceNode):
            return [self.build(child, (*key, index)) for index, child in enumerate(node.value)]
        assert isinstance(node, yaml.ScalarNode)
        if node.tag.endswith(":float"):
            self.literals[key] = node.value
        try:
            return scalar(node.tag.removeprefix("tag:yaml.org,2002:"), node.value)
        except KeyError:
            self.problems.append(Problem(self.path, *place, f"the tag {node.tag} is not supported: remove it"))
        except ValueError as error:
            self.problems.append(Problem(self.path, *place, str(error)))
        return None

    def _pairs(self, node: yaml.MappingNode, key: Key) -> Iterator[tuple[str, Any]]:
        first: dict[str, Place] = {}
        for name_node, child in node.value:
            name, place = str(name_node.value), _place(name_node)
            if not isinstance(name_node, yaml.ScalarNode) or UNSEEN.search(name):
                self.problems.append(Problem(self.path, *place, "a key must be a plain word"))
                continue
            if name in first:
                message = f"duplicate key '{name}': first given in line {first[name][0]}"
                self.problems.append(Problem(self.path, *place, message))
                continue
            first[name] = self.places[(*key, name, "#key")] = place
            yield name, self.build(child, (*key, name))


def _place(node: yaml.Node) -> Place:
    return node.start_mark.line + 1, node.start_mark.column + 1


def shown(value: Any) -> str:
    """Return a value as a message shows it: JSON, at most 60 characters."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:57] + "..."
