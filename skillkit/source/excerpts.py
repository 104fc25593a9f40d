"""Excerpts: the lines of a definition, or of a function's body, as they are published."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from skillkit.errors import bad_input, did_you_mean
from skillkit.source.modules import Module, own_nodes
from skillkit.source.syntax import first_line


@dataclass(frozen=True)
class Line:
    """A line of a slice and the place in the reference code that it comes from; line 0 where it was made up."""

    text: str
    path: Path
    number: int


def definition_lines(module: Module, symbol: str) -> list[Line]:
    """Return the lines of a definition, with docstrings cut to their first line."""
    first, last = module.span(symbol)
    lines = {number: module.lines[number - 1] for number in range(first, last + 1)}
    for statement in _long_docstrings(module.definitions[symbol]):
        lines[statement.lineno] = _first_line(module, statement)
        for number in range(statement.lineno + 1, (statement.end_lineno or 0) + 1):
            del lines[number]
    return [Line(text, module.path, number) for number, text in lines.items()]


def _long_docstrings(node: ast.AST) -> Iterator[ast.stmt]:
    """Yield the docstrings of more than one line that nothing else shares a line with."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and ast.get_docstring(inner):
            statement, *rest = inner.body
            is_alone = not rest or rest[0].lineno > (statement.end_lineno or 0)
            if (statement.end_lineno or 0) > statement.lineno and is_alone:
                yield statement


_OPENING = re.compile(r"""([rRuU]*)(\"{3}|'{3}|["'])(.*)""", re.DOTALL)


def _first_line(module: Module, statement: ast.stmt) -> str:
    """Return the line that begins a docstring, as a docstring of its own."""
    source = module.lines[statement.lineno - 1].encode()
    before, text = source[: statement.col_offset].decode(), source[statement.col_offset :].decode()
    opening = _OPENING.match(text)
    assert opening
    prefix, quotes, words = opening.groups()
    if not words.strip(" \t\\"):
        words = module.lines[statement.lineno].strip()
    words = words.rstrip("\\ \t").removesuffix(quotes)
    gap = " " if words.endswith(quotes[0]) else ""  # four quotes in a row would not end it
    return f"{before}{prefix}{quotes}{words}{gap}{quotes}"


def body_lines(module: Module, name: str) -> list[Line]:
    """Return the lines of a function's body, dedented, without its docstring.

    Raises:
        BadInput: There is no such function, or its body can't stand by itself.
    """
    node = module.definitions.get(name)
    if not isinstance(node, ast.FunctionDef):
        raise bad_input(module.path, f"no function '{name}'{did_you_mean(name, module.definitions)}")
    arguments = node.args
    if arguments.args or arguments.posonlyargs or arguments.kwonlyargs or arguments.vararg or arguments.kwarg:
        message = f"'{name}' ends a published block, so it can't have parameters"
        raise bad_input(module.path, message, node.lineno, 1)
    for inner in own_nodes(node):
        if isinstance(inner, ast.Return | ast.Yield | ast.YieldFrom):
            message = f"'{name}' ends a published block, so it can't return"
            raise bad_input(module.path, message, inner.lineno, inner.col_offset + 1)
    return _dedented(module, node)


def _dedented(module: Module, node: ast.FunctionDef) -> list[Line]:
    header, *rest = node.body
    statements = rest if ast.get_docstring(node) else node.body
    if not statements:
        raise bad_input(module.path, f"'{node.name}' has no body to publish", node.lineno, 1)
    above = (header.end_lineno or 0) if statements is rest else _last_of_header(node)
    first = first_line(statements[0])
    if first <= above:
        message = f"'{node.name}' ends a published block: give its body lines of its own"
        raise bad_input(module.path, message, first, 1)
    while first - 1 > above and module.lines[first - 2].strip()[:1] in ("", "#"):
        first -= 1
    width, strings = statements[0].col_offset, _string_lines(module, node)
    lines = []
    for number in range(first, (node.end_lineno or 0) + 1):
        text = module.lines[number - 1]
        if number not in strings:
            text = text[min(width, len(text) - len(text.lstrip(" \t"))) :].rstrip()
        lines.append(Line(text, module.path, number))
    while lines and not lines[0].text:
        del lines[0]
    return lines


def _last_of_header(node: ast.FunctionDef) -> int:
    return (node.returns.end_lineno or 0) if node.returns else node.lineno


def _string_lines(module: Module, node: ast.FunctionDef) -> set[int]:
    """Return the lines that begin within a text, whose margin belongs to it."""
    code = "\n".join(module.lines[node.lineno - 1 : node.end_lineno])
    numbers: set[int] = set()
    begun = 0
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        first, last = token.start[0], token.end[0]
        kind = tokenize.tok_name[token.type]
        if kind == "FSTRING_START":  # since Python 3.12 a text with braces comes in parts
            begun = first
        if kind == "FSTRING_END":
            first = begun
        if kind in ("STRING", "FSTRING_END"):
            numbers |= {node.lineno + offset for offset in range(first, last)}
    return numbers
