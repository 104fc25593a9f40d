"""Watching: code that notes which of its asserts held of a value, and which of its statements were reached."""

import ast
import types
from typing import Any

_ASSERTED, _REACHED = "__asserted__", "__reached__"
_ALWAYS_TRUE = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.ModuleType, type)


def watch_asserts(tree: ast.Module, space: dict[str, Any], lines: list[int]) -> None:
    """Let each assert of some code note its line once it held of a value; one that ever fails is not noted.

    Args:
        tree: The code, which is changed in place; what is added has the place of what it is about.
        space: Where it will be executed.
        lines: What is noted.
    """
    failed: set[int] = set()

    def note(line: int, value: Any) -> bool:
        holds = bool(value)
        if not holds:  # whoever catches that may hide it
            failed.add(line)
            lines[:] = [one for one in lines if one != line]
        elif line not in lines and line not in failed and not isinstance(value, _ALWAYS_TRUE):
            lines.append(line)
        return holds

    space[_ASSERTED] = note
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert):
            node.test = _call(_ASSERTED, node.lineno, node.test, node.test)


def watch_statements(tree: ast.Module, space: dict[str, Any], lines: list[int]) -> None:
    """Let each statement of some code note its line as it is reached, without a trace function, which slows all code.

    Args:
        tree: The code, which is changed in place, but not ahead of docstrings and of what is from the future.
        space: Where it will be executed.
        lines: What is noted.
    """

    def note(line: int) -> None:
        if line not in lines:
            lines.append(line)

    space[_REACHED] = note
    for body in [part for node in ast.walk(tree) for part in _bodies(node)]:
        for index in reversed(range(len(body))):
            one = body[index]
            if not _stands_first(one):
                body.insert(index, ast.copy_location(ast.Expr(_call(_REACHED, one.lineno, one)), one))


def _bodies(node: ast.AST) -> list[list[ast.stmt]]:
    parts = (getattr(node, name, None) for name in ("body", "orelse", "finalbody"))
    return [part for part in parts if isinstance(part, list)]  # a lambda's is no list


def _stands_first(node: ast.stmt) -> bool:
    if isinstance(node, ast.ImportFrom):
        return node.module == "__future__"
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _call(name: str, line: int, place: ast.stmt | ast.expr, *arguments: ast.expr) -> ast.Call:
    call = ast.Call(ast.Name(name, ast.Load()), [ast.Constant(line), *arguments], [])
    return ast.fix_missing_locations(ast.copy_location(call, place))
