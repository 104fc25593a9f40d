"""Syntax: code as it is searched for forms."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from skillkit.source.forms import ANY, Form, is_any, is_gap


@dataclass(frozen=True)
class Code:
    """Python that forms are looked for in, taken apart once.

    Args:
        expressions: Each kind's, wherever they stand.
        bodies: Every run of statements of one body.
    """

    expressions: Mapping[type, Sequence[ast.expr]]
    bodies: Sequence[Sequence[ast.stmt]]


def taken_apart(tree: ast.AST) -> Code:
    """Return the code of a syntax tree, a single definition's with its header."""
    expressions: dict[type, list[ast.expr]] = {}
    bodies: list[Sequence[ast.stmt]] = [[tree]] if isinstance(tree, ast.stmt) else []
    for node in ast.walk(tree):
        if isinstance(node, ast.expr):
            expressions.setdefault(type(node), []).append(node)
        else:
            parts = (getattr(node, name, None) for name in _BODIES)
            bodies += [part for part in parts if isinstance(part, list)]
    return Code(expressions, bodies)


def find(form: Form, code: Code) -> Iterator[tuple[int, int]]:
    """Yield the first and last line of each place in some code where a form is found."""
    only = form.body[0] if len(form.body) == 1 else None
    if isinstance(only, ast.Expr):
        for node in code.expressions.get(type(only.value), ()):
            if _same(only.value, node):
                yield node.lineno, node.end_lineno or node.lineno
        return
    for statements in code.bodies:
        for start in range(len(statements)):
            end = _run(form.body, statements, start)
            if end is not None:
                yield first_line(statements[start]), statements[end - 1].end_lineno or 0


def may_hold(text: str, form: Form) -> bool:
    """Return whether a text has the names without which a form is not found in what it is parsed to."""
    if not text.isascii():  # an identifier may be written in other letters than it is parsed to
        return True
    return all(name in text for statement in form.body for name in _names(statement))


def _names(node: ast.AST) -> Iterator[str]:
    """Yield the names and attributes that `_same` asks of other code."""
    for name, part in ast.iter_fields(node):
        if isinstance(part, str) and part != ANY and name in ("id", "attr"):
            yield part
        elif name not in _IGNORED:
            for one in part if isinstance(part, list) else [part]:
                if isinstance(one, ast.AST):
                    yield from _names(one)


def telling(form: Form, tree: ast.AST) -> set[int]:
    """Return the lines at which the statements begin that must be reached for a form to have been.

    These are those in which it is found, and those within: that a function or a loop is there says nothing of its body.
    """
    statements = [node for node in ast.walk(tree) if isinstance(node, ast.stmt)]
    lines = set()
    for first, last in find(form, taken_apart(tree)):
        around = [node for node in statements if first_line(node) <= first <= (node.end_lineno or 0)]
        within = [node for node in statements if first <= node.lineno <= last]
        for node in (max(around, key=lambda one: one.lineno), *within):
            if not hasattr(node, "body") or (node.end_lineno or 0) > last:
                lines.add(node.lineno)
    return lines


def first_line(node: ast.stmt) -> int:
    """Return the line at which a statement begins, with its decorators."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(one.lineno for one in decorators)])


def _run(forms: Sequence[ast.stmt], statements: Sequence[ast.stmt], start: int) -> int | None:
    """Return where the statements end that are found from `start` on, or None."""
    if not forms:
        return start
    if is_gap(forms[0]):
        ends = (_run(forms[1:], statements, at) for at in range(start, len(statements) + 1))
        return next((end for end in ends if end is not None), None)
    if start < len(statements) and _same_statement(forms[0], statements[start]):
        return _run(forms[1:], statements, start + 1)
    return None


def _held(forms: Sequence[ast.stmt], statements: Sequence[ast.stmt]) -> bool:
    """Return whether a body holds the statements in this order, whatever stands between them."""
    rest = iter(statements)
    return all(any(_same_statement(form, one) for one in rest) for form in forms if not is_gap(form))


def _same_statement(form: ast.stmt, node: ast.stmt) -> bool:
    if isinstance(form, ast.Expr):
        return any(_same(form.value, inner) for inner in ast.walk(node) if isinstance(inner, ast.expr))
    return _same(form, node)


_BODIES = ("body", "orelse", "finalbody")
_LEFT_OUT = ("annotation", "returns", "decorator_list")  # a form without them says nothing of them
_IGNORED = ("ctx", "type_comment", "kind", "type_params")


def _same(form: ast.AST, node: ast.AST) -> bool:
    if is_any(form):
        return isinstance(node, ast.expr)
    if type(form) is not type(node):
        return False
    if isinstance(form, ast.Constant) and isinstance(node, ast.Constant):
        return type(form.value) is type(node.value) and form.value == node.value
    if isinstance(form, ast.Call) and isinstance(node, ast.Call):
        return _same(form.func, node.func) and _same_arguments(form, node)
    if isinstance(form, ast.Dict) and isinstance(node, ast.Dict):
        return _same_items(form, node)
    if isinstance(form, ast.arguments) and isinstance(node, ast.arguments):
        return _same_parameters(form, node)
    return all(
        _same_part(name, part, getattr(node, name, None))
        for name, part in ast.iter_fields(form)
        if name not in _IGNORED
    )


def _same_part(name: str, form: object, part: object) -> bool:
    if name in _LEFT_OUT and not form:
        return True
    if isinstance(form, list) and isinstance(part, list):
        if name in _BODIES or name in ("handlers", "decorator_list"):
            return _held(form, part) if name in _BODIES else _in_order(form, part)
        return len(form) == len(part) and all(_same_part("", one, other) for one, other in zip(form, part, strict=True))
    if isinstance(form, ast.AST):
        return isinstance(part, ast.AST) and _same(form, part)
    return form in (ANY, part)


def _in_order(forms: Sequence[ast.AST], nodes: Sequence[ast.AST]) -> bool:
    rest = iter(nodes)
    return all(any(_same(form, node) for node in rest) for form in forms)


def _same_arguments(form: ast.Call, node: ast.Call) -> bool:
    given, keywords = list(form.args), [one for one in form.keywords if not (one.arg is None and is_any(one.value))]
    is_open = len(keywords) < len(form.keywords)
    if given and is_any(given[-1]):
        given, is_open = given[:-1], True
    enough = len(given) <= len(node.args) and len(keywords) <= len(node.keywords)
    if not enough or not (is_open or (len(given) == len(node.args) and len(keywords) == len(node.keywords))):
        return False
    found = all(map(_same, given, node.args))
    return found and all(any(_same(one, other) for other in node.keywords) for one in keywords)


def _same_items(form: ast.Dict, node: ast.Dict) -> bool:
    wanted = [one for one in zip(form.keys, form.values, strict=True) if one[0] or not is_any(one[1])]
    given = list(zip(node.keys, node.values, strict=True))
    if len(wanted) == len(form.keys) and len(wanted) != len(given):
        return False
    return all(any(_same_part("", key, other) and _same(value, item) for other, item in given) for key, value in wanted)


def _same_parameters(form: ast.arguments, node: ast.arguments) -> bool:
    wanted, given = list(_parameters(form)), list(_parameters(node))
    if wanted and wanted[-1][1].arg == ANY:
        del wanted[-1]
        given = given[: len(wanted)]
    return len(wanted) == len(given) and all(
        kind == other
        and _same(one, parameter)
        and (default is None) == (value is None)
        and _same_part("", default, value)
        for (kind, one, default), (other, parameter, value) in zip(wanted, given, strict=True)
    )


def _parameters(node: ast.arguments) -> Iterator[tuple[str, ast.arg, ast.expr | None]]:
    """Yield the kind, name and default of each parameter."""
    plain = [*node.posonlyargs, *node.args]
    defaults = [None] * (len(plain) - len(node.defaults)) + node.defaults
    yield from (("plain", one, default) for one, default in zip(plain, defaults, strict=True))
    if node.vararg:
        yield "*", node.vararg, None
    yield from (("keyword", one, default) for one, default in zip(node.kwonlyargs, node.kw_defaults, strict=True))
    if node.kwarg:
        yield "**", node.kwarg, None
