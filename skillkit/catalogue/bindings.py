"""Bindings: what the names of some code are bound to, wherever in it, as far as its text tells."""

import ast
from collections.abc import Iterator


def bindings(tree: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Yield each name that an expression is bound to, or whose elements are."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            yield from ((name, node.value) for target in node.targets for name in targets(target))
        elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value:
            yield from ((name, node.value) for name in targets(node.target))
        elif isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
            yield from ((name, node.iter) for name in targets(node.target))
        elif isinstance(node, ast.withitem) and node.optional_vars:
            yield from ((name, node.context_expr) for name in targets(node.optional_vars))
        elif isinstance(node, ast.AugAssign):
            yield from ((name, node.value) for name in targets(node.target))


def changing(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield what may change whatever it names: calls, and bodies with their contexts or handlers."""
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call | ast.With | ast.AsyncWith | ast.Try))


def imported(tree: ast.AST) -> Iterator[str]:
    """Yield the names that imports bind."""
    return (
        (one.asname or one.name).partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for one in node.names
    )


def targets(node: ast.AST) -> Iterator[str]:
    """Yield the names that a target binds, or whose content it changes, or those of any code."""
    yield from (inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name))


def unknown(tree: ast.AST) -> Iterator[str]:
    """Yield names of which the text does not say what they are bound to."""
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.AugAssign | ast.withitem):
            target = node.target if isinstance(node, ast.AugAssign) else node.optional_vars
            yield from targets(target) if target else ()
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            yield node.name


def used(tree: ast.AST) -> Iterator[str]:
    """Yield the names that something else than an assert reads, and may change."""
    asserted = {inner for node in ast.walk(tree) if isinstance(node, ast.Assert) for inner in ast.walk(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node not in asserted:
            yield node.id
