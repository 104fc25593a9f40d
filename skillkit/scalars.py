"""Scalars: the plain values of YAML 1.2's core schema, as Python has them."""

import math
import re
import sys
from typing import Any

CORE = {
    "null": r"~|null|Null|NULL|",
    "bool": r"true|True|TRUE|false|False|FALSE",
    "int": r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+",
    "float": r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)",
}
# what terminals obey, XML cannot hold and nobody sees; and halves of characters, which are none
UNSEEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_LARGEST = int(sys.float_info.max)


def is_number(value: Any) -> bool:
    """Return whether a plain value is a number: true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_finite(value: Any) -> bool:
    """Return whether a plain value is a number, and no infinity."""
    return is_number(value) and abs(value) < math.inf


def scalar(kind: str, text: str) -> Any:
    """Return the value that a text stands for.

    Args:
        kind: `str`, or one of `CORE`.
        text: As it stands in the file, without quotes.

    Raises:
        KeyError: There is no such kind.
        ValueError: It is none; the message says why.
    """
    if kind == "int":
        return _int(text)
    if kind == "float":
        return _float(text.lower())
    if kind == "str" and (unseen := UNSEEN.search(text)):
        raise ValueError(f"holds the control character U+{ord(unseen.group()):04X}: remove it")
    return {"str": text, "null": None, "bool": text.lower() == "true"}[kind]


def _int(text: str) -> int:
    try:
        number = int(text, 0) if text[:2] in ("0o", "0x") else int(text)
    except ValueError as error:
        raise ValueError(f"not a number: {str(error).partition('; use sys.')[0]}") from error
    if abs(number) > _LARGEST:
        raise ValueError("not a number: it lies beyond what a float can hold, 1.8e308")
    return number


def _float(text: str) -> float:
    if text.endswith("inf"):
        return -math.inf if text[0] == "-" else math.inf
    try:
        return math.nan if text == ".nan" else float(text)
    except ValueError as error:
        raise ValueError(f"not a number: {error}") from error
