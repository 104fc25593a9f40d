"""Literals: the value of Python syntax that is literals and arithmetic on them, which is never run."""

import ast
import math
import operator
from collections.abc import Callable
from typing import Any

Look = Callable[[ast.expr], Any]

_LARGEST = 1e18  # beyond any number of a training run
_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
_COMPARED: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_CALLED: dict[str, Callable[..., Any]] = {
    "int": int,
    "float": float,
    "round": round,
    "abs": abs,
    "min": min,
    "max": max,
    "math.ceil": math.ceil,
    "math.floor": math.floor,
    "math.sqrt": math.sqrt,
    "math.cos": math.cos,
    "math.exp": math.exp,
    "math.log": math.log,
}
_CONSTANTS = {"math.pi": math.pi, "math.e": math.e, "float('inf')": math.inf}


class NotLiteral(Exception):
    """An expression whose value is not known without running it; its words say which part."""


def evaluate(node: ast.expr, look: Look) -> Any:
    """Return an expression's value.

    Args:
        node: The expression.
        look: Returns the value of a name, an attribute or an item, or raises NotLiteral.

    Raises:
        NotLiteral: Something in it is no literal, no known name and no arithmetic on these.
    """
    try:
        value = _value(node, look)
    except (ArithmeticError, ValueError, TypeError, IndexError, KeyError) as error:
        raise NotLiteral(ast.unparse(node)) from error
    return value


def _value(node: ast.expr, look: Look) -> Any:
    if isinstance(node, ast.Constant):
        if node.value is not None and not isinstance(node.value, bool | int | float | str):
            raise NotLiteral(ast.unparse(node))
        return _bounded(node.value, node)
    if isinstance(node, ast.List | ast.Tuple):
        return [_value(part, look) for part in node.elts]
    if isinstance(node, ast.Dict):
        return {_value(key, look): _value(part, look) for key, part in _pairs(node)}
    if isinstance(node, ast.UnaryOp):
        return _unary(node, look)
    if isinstance(node, ast.BinOp):
        return _binary(node, look)
    if isinstance(node, ast.IfExp):
        return _value(node.body if _value(node.test, look) else node.orelse, look)
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _COMPARED:
        return _COMPARED[type(node.ops[0])](_value(node.left, look), _value(node.comparators[0], look))
    if isinstance(node, ast.Call):
        return _called(node, look)
    if isinstance(node, ast.Attribute) and ast.unparse(node) in _CONSTANTS:
        return _CONSTANTS[ast.unparse(node)]
    if isinstance(node, ast.Name | ast.Attribute | ast.Subscript):
        return look(node)
    raise NotLiteral(ast.unparse(node))


def _pairs(node: ast.Dict) -> list[tuple[ast.expr, ast.expr]]:
    pairs = [(key, part) for key, part in zip(node.keys, node.values, strict=True) if key is not None]
    if len(pairs) < len(node.keys):
        raise NotLiteral("**")
    return pairs


def _unary(node: ast.UnaryOp, look: Look) -> Any:
    value = _value(node.operand, look)
    if isinstance(node.op, ast.Not):
        return not value
    if isinstance(node.op, ast.USub | ast.UAdd) and _is_number(value):
        return -value if isinstance(node.op, ast.USub) else value
    raise NotLiteral(ast.unparse(node))


def _binary(node: ast.BinOp, look: Look) -> Any:
    left, right = _value(node.left, look), _value(node.right, look)
    if type(node.op) not in _BINARY or not _is_number(left) or not _is_number(right):
        raise NotLiteral(ast.unparse(node))
    if isinstance(node.op, ast.Pow):
        left = float(left) if abs(right) > 60 else left  # a whole number of a million digits takes minutes
    return _bounded(_BINARY[type(node.op)](left, right), node)


def _called(node: ast.Call, look: Look) -> Any:
    name = ast.unparse(node.func)
    if name not in _CALLED or node.keywords or not node.args:
        raise NotLiteral(ast.unparse(node))
    parts = [_value(part, look) for part in node.args]
    if not all(_is_number(part) for part in parts):
        raise NotLiteral(ast.unparse(node))
    return _bounded(_CALLED[name](*parts), node)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float)


def _bounded(value: Any, node: ast.expr) -> Any:
    if isinstance(value, complex):
        raise NotLiteral(ast.unparse(node))
    if isinstance(value, int) and abs(value) > _LARGEST:
        raise NotLiteral(f"{str(float(value)) if abs(value) < 10**300 else 'a number'} beyond {_LARGEST:g}")
    return value


def curve(node: ast.Lambda, look: Look) -> Callable[[int], float]:
    """Return the function of one number that a lambda of arithmetic is.

    Raises:
        NotLiteral: It takes more than one argument, or is more than arithmetic. The function raises ArithmeticError
            where it has no value for a later number.
    """
    names = [one.arg for one in (*node.args.posonlyargs, *node.args.args)]
    if len(names) != 1 or node.args.vararg or node.args.kwonlyargs:
        raise NotLiteral(ast.unparse(node))

    def rate(count: int) -> float:

        def inner(part: ast.expr) -> Any:
            return count if isinstance(part, ast.Name) and part.id == names[0] else look(part)

        value = evaluate(node.body, inner)
        if not _is_number(value) or not math.isfinite(value):
            raise NotLiteral(ast.unparse(node))
        return float(value)

    rate(0)

    def known(count: int) -> float:
        try:
            return rate(count)
        except NotLiteral as error:
            raise ArithmeticError(f"{ast.unparse(node)} gives none at {count:,}") from error

    return known
