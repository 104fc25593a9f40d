"""Values: what is stated of a result, to the digits in which it is written, and whether a result is that."""

import math
from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation
from typing import Any

from skillkit.reading import Document, Key


def stated_value(document: Document, key: Key, value: Any) -> Any:
    """Return a value of a document in which fractions are decimal, with the digits that stand there.

    Args:
        document: The file that states it.
        key: Where it stands there.
        value: The value, as it was read.
    """
    if isinstance(value, float) and math.isfinite(value):
        return Decimal(document.literals[key])
    if isinstance(value, list):
        return [stated_value(document, (*key, index), item) for index, item in enumerate(value)]
    if isinstance(value, dict):
        return {name: stated_value(document, (*key, name), item) for name, item in value.items()}
    return value


def agrees(found: Any, stated: Any) -> bool:
    """Return whether a result is what is stated of it.

    Whole numbers, texts and truth values are equal; a decimal one is equal to the result rounded to its last digit,
    or zero like it; NaN is NaN; lists and mappings agree in each element.

    Args:
        found: A result as plain data.
        stated: As `stated_value` returns it.
    """
    if isinstance(found, list) and isinstance(stated, list):
        return len(found) == len(stated) and all(map(agrees, found, stated))
    if isinstance(found, dict) and isinstance(stated, dict):
        return found.keys() == stated.keys() and all(agrees(found[key], stated[key]) for key in found)
    if isinstance(found, bool) or isinstance(stated, bool):
        return found is stated
    if isinstance(stated, Decimal):
        return isinstance(found, int | float) and is_rounded(found, stated)
    if isinstance(found, float) and isinstance(stated, float) and math.isnan(found):
        return math.isnan(stated)
    return bool(found == stated)


def is_rounded(found: float, stated: Decimal) -> bool:
    """Return whether a number, rounded to the last digit of a decimal one, is that; what is zero is not rounded."""
    if stated == 0:
        return found == 0
    try:
        exact = Decimal(found)
        return exact.quantize(Decimal(1).scaleb(int(stated.as_tuple().exponent)), ROUND_HALF_EVEN) == stated
    except (InvalidOperation, ValueError):  # not finite, or far too large for these digits
        return False


def written(value: Any) -> str:
    """Return a stated value as Python writes it, with the digits that were stated."""
    if isinstance(value, Decimal):
        return str(value).lower()
    if isinstance(value, list):
        return f"[{', '.join(map(_inner, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key!r}: {_inner(item)}' for key, item in value.items())}}}"
    return str(value)


def _inner(value: Any) -> str:
    return repr(value) if isinstance(value, str) else written(value)


def as_numbers(value: Any) -> Any:
    """Return a stated value with numbers that JSON knows."""
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, list):
        return [as_numbers(item) for item in value]
    if isinstance(value, dict):
        return {name: as_numbers(item) for name, item in value.items()}
    return value
