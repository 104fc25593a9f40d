"""Assertions: which asserts of published code can fail at all, and which depend on what it defines."""

import ast
import builtins
from dataclasses import dataclass

from skillkit.catalogue.bindings import bindings, changing, imported, targets, unknown, used


@dataclass(frozen=True)
class Assertion:
    """An assert statement.

    Args:
        line: Where it begins, counted from 1 in the code.
        text: What is asserted.
        is_hollow: Whether it holds whatever the code computes.
        is_own: Whether it depends on a function or class that the code defines.
    """

    line: int
    text: str
    is_hollow: bool
    is_own: bool


def defines(code: str) -> bool:
    """Return whether some code defines functions or classes at top level."""
    return any(isinstance(node, _DEFINITIONS) for node in ast.parse(code).body)


def assertions(code: str) -> list[Assertion]:
    """Return the asserts of some code, in order."""
    tree = ast.parse(code)
    names = _Names(tree)
    found = [
        Assertion(
            node.lineno,
            ast.unparse(node.test),
            names.is_constant(node.test) or names.is_true(node.test),
            names.is_own(node.test) or names.is_inside(node),
        )
        for node in ast.walk(tree)
        if isinstance(node, ast.Assert)
    ]
    return sorted(found, key=lambda one: one.line)


class _Names:
    """What the names of a piece of code are bound to, wherever in it, as far as its text tells."""

    def __init__(self, tree: ast.Module) -> None:
        definitions = [node for node in ast.walk(tree) if isinstance(node, _DEFINITIONS)]
        self.defined = {node.name for node in definitions}
        self.values: dict[str, list[ast.expr]] = {}
        self.unknown = {*unknown(tree), *imported(tree)}
        self.inside = {inner for node in definitions for inner in ast.walk(node)}
        self.changing = list(changing(tree))
        self.imported = {*imported(tree), *_BUILTINS}
        for name, value in bindings(tree):
            self.values.setdefault(name, []).append(value)
        self.constant = self._constant(set(used(tree)))
        self.own = self._own()

    def _constant(self, used: set[str]) -> set[str]:
        """Return the names that are bound to nothing but constants, and not changed in place."""
        found = {name for name in self.values if name not in self.unknown | self.defined}
        found -= {name for name in found if name in used and any(map(_is_mutable, self.values[name]))}
        while True:
            self.constant = found
            kept = {name for name in found if all(map(self.is_constant, self.values[name]))}
            if kept == found:
                return found
            found = kept

    def _own(self) -> set[str]:
        """Return the names whose values may come from a definition, and those that definitions share with others."""
        found = self.defined | ({node.id for node in self.inside if isinstance(node, ast.Name)} & self.values.keys())
        while True:
            self.own = found
            more = {name for name, values in self.values.items() if any(map(self.is_own, values))}
            more |= {name for node in self.changing if self.is_own(node) for name in targets(node)} - self.imported
            if more <= found:
                return found
            found = found | more

    def is_inside(self, node: ast.AST) -> bool:
        return node in self.inside

    def is_own(self, node: ast.AST) -> bool:
        return any(isinstance(inner, ast.Name) and inner.id in self.own for inner in ast.walk(node))

    def is_constant(self, node: ast.AST) -> bool:
        """Return whether an expression reads nothing but constants, and calls nothing but what Python has."""
        return all(
            inner.id in self.constant or inner.id in _BUILTINS
            for inner in ast.walk(node)
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load)
        )

    def is_true(self, node: ast.expr) -> bool:
        """Return whether an expression is true whatever its parts are."""
        if isinstance(node, ast.Constant):
            return bool(node.value)
        if isinstance(node, ast.Tuple | ast.List | ast.Set):
            return bool(node.elts)
        if isinstance(node, ast.Dict):
            return bool(node.keys)
        if isinstance(node, ast.JoinedStr):
            return any(isinstance(part, ast.Constant) for part in node.values)
        if isinstance(node, ast.Lambda | ast.GeneratorExp):
            return True
        if isinstance(node, ast.Name):
            return node.id in self.defined and node.id not in self.values
        if isinstance(node, ast.BoolOp):
            parts = map(self.is_true, node.values)
            return any(parts) if isinstance(node.op, ast.Or) else all(parts)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return self.is_false(node.operand)
        if isinstance(node, ast.NamedExpr):
            return self.is_true(node.value)
        return isinstance(node, ast.Compare) and _is_reflexive(node)

    def is_false(self, node: ast.expr) -> bool:
        """Return whether an expression is false whatever its parts are."""
        if isinstance(node, ast.Constant):
            return not node.value
        if isinstance(node, ast.BoolOp):
            parts = map(self.is_false, node.values)
            return all(parts) if isinstance(node.op, ast.Or) else any(parts)
        return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not) and self.is_true(node.operand)


_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_OUTWARD = {"open", "input", "eval", "exec", "__import__", "globals", "locals", "vars", "id", "hash"}  # no constants
_BUILTINS = frozenset(dir(builtins)) - _OUTWARD
_REFLEXIVE = (ast.Eq, ast.Is, ast.LtE, ast.GtE)


def _is_reflexive(node: ast.Compare) -> bool:
    """Return whether one thing is compared with itself, or a length with zero."""
    (operator, *more), (right, *_) = node.ops, node.comparators
    if more:
        return False
    if isinstance(operator, ast.GtE) and ast.unparse(right) == "0":
        return isinstance(node.left, ast.Call) and ast.unparse(node.left.func) == "len"
    calls = any(isinstance(inner, ast.Call) for inner in ast.walk(node))  # which may give another result each time
    return isinstance(operator, _REFLEXIVE) and not calls and ast.dump(node.left) == ast.dump(right)


def _is_mutable(node: ast.expr) -> bool:
    return not isinstance(node, ast.Constant | ast.Tuple | ast.UnaryOp | ast.BinOp | ast.JoinedStr)
