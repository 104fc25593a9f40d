"""Loops: how often a script steps its schedulers, and for how many updates, told by the loops around the calls."""

import ast
from dataclasses import dataclass

from skillkit.translation.literals import NotLiteral
from skillkit.translation.script import Script


@dataclass(frozen=True)
class Stepping:
    """How a scheduler is stepped.

    Args:
        each_update: Whether once in each update, rather than after a loop of them.
        skips: How many steps it takes before the first update.
        found: Whether the script shows it.
    """

    each_update: bool = True
    skips: int = 0
    found: bool = False


def stepping(script: Script, optimizer: str, scheduler: str) -> Stepping:
    """Return how a scheduler is stepped, by the variables that hold both."""
    update, step = _step(script, optimizer), _step(script, scheduler)
    if update is None or step is None:
        return Stepping()
    inner, outer = loops(script, update), loops(script, step)
    if inner == outer:
        return Stepping(True, int(step.lineno < update.lineno), True)
    if len(outer) < len(inner) and inner[len(inner) - len(outer) :] == outer:
        return Stepping(False, int(_first_in(outer, step, inner)), True)
    return Stepping()


def _first_in(outer: list[ast.AST], step: ast.Call, inner: list[ast.AST]) -> bool:
    # the loop of updates that stands in the scheduler's own loop, or in the module
    entered = inner[len(inner) - len(outer) - 1]
    return step.lineno < getattr(entered, "lineno", 0)


def _step(script: Script, variable: str) -> ast.Call | None:
    for call in script.calls():
        function = call.func
        if isinstance(function, ast.Attribute) and function.attr == "step" and variable:
            if ast.unparse(function.value) == variable:
                return call
            # GradScaler.step(optimizer)
            if call.args and ast.unparse(call.args[0]) == variable:
                return call
    return None


def loops(script: Script, node: ast.AST) -> list[ast.AST]:
    """Return the loops around a node, the innermost first, up to the function that it stands in."""
    found: list[ast.AST] = []
    while (parent := script.parents.get(node)) is not None and not isinstance(node, ast.FunctionDef):
        if isinstance(parent, ast.For | ast.While | ast.AsyncFor):
            found.append(parent)
        node = parent
    return found


def lengths(script: Script, optimizer: str) -> tuple[int | None, int | None]:
    """Return how many updates a script takes, and in how many epochs, each None where no literal says it."""
    update = _step(script, optimizer)
    counts = [_count(script, loop) for loop in loops(script, update)] if update else []
    if len(counts) == 1:
        return (counts[0], None)
    if len(counts) == 2 and counts[0] and counts[1]:
        return counts[0] * counts[1], counts[1]
    return None, counts[1] if len(counts) == 2 else None


def _count(script: Script, loop: ast.AST) -> int | None:
    """Return how often `for x in range(...)` runs, also in `enumerate`, `tqdm` and the like."""
    if not isinstance(loop, ast.For):
        return None
    over = loop.iter
    while isinstance(over, ast.Call) and script.name(over.func) != "range" and len(over.args) >= 1:
        over = over.args[0]
    if not isinstance(over, ast.Call) or script.name(over.func) != "range" or not 1 <= len(over.args) <= 2:
        return None
    try:
        bounds = [script.value(part).plain for part in over.args]
    except NotLiteral:
        return None
    if not all(isinstance(bound, int) and not isinstance(bound, bool) for bound in bounds):
        return None
    count = bounds[0] if len(bounds) == 1 else bounds[1] - bounds[0]
    return count if count > 0 else None


def nth(script: Script, optimizer: str) -> ast.expr | None:
    """Return the `% n` under which alone the optimizer steps, or None."""
    node: ast.AST | None = _step(script, optimizer)
    while node is not None and not isinstance(node, ast.For | ast.While | ast.FunctionDef):
        node = script.parents.get(node)
        if isinstance(node, ast.If):
            for part in ast.walk(node.test):
                if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Mod):
                    return part.right
    return None
