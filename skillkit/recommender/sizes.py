"""Sizes: numbers as people write them, `125M`, `1.5e9`, `4k`."""

import math
import re

_SUFFIXES = {"": 0, "k": 3, "m": 6, "g": 9, "b": 9, "t": 12}
PATTERN = r"^\s*\+?([0-9][0-9_]*\.?[0-9_]*|\.[0-9]+)([eE][-+]?[0-9]+)?\s*([kKmMgGbBtT]?)\s*$"


def parse_size(text: str) -> float | None:
    """Return the number that a text writes, or None where it writes none.

    k, M, G or B, and T stand for powers of 1000; a whole number is returned as an int.

    Example:
        >>> parse_size("1.5B"), parse_size("4k"), parse_size("many")
        (1500000000, 4000, None)
    """
    match = re.fullmatch(PATTERN, text)
    if not match:
        return None
    digits, exponent, suffix = match.groups()
    # the suffix goes into the exponent, so that 1.1B is 1100000000 and not its neighbour
    number = float(f"{digits.replace('_', '')}e{int((exponent or 'e0')[1:]) + _SUFFIXES[suffix.lower()]}")
    return int(number) if number.is_integer() else number if math.isfinite(number) else None


def write_size(number: float) -> str:
    """Return a number as people write it; `parse_size` reads the same number back.

    Example:
        >>> write_size(125_000_000), write_size(0.5), write_size(1_281_167)
        ('125M', '0.5', '1281167')
    """
    for suffix, power in (("T", 12), ("B", 9), ("M", 6), ("k", 3)):
        scaled = number / 10**power
        if scaled >= 1 and len(f"{scaled:g}") <= 4 and parse_size(f"{scaled:g}{suffix}") == number:
            return f"{scaled:g}{suffix}"
    return f"{number:.0f}" if float(number).is_integer() else repr(float(number))


def write_bytes(size: float) -> str:
    """Return a number of bytes to three digits, in the largest unit of which there is one.

    Example:
        >>> write_bytes(512), write_bytes(2**20 * 1.5), write_bytes(0)
        ('512 B', '1.5 MiB', '0')
    """
    for unit, power in (("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if size >= 2**power:
            scaled = size / 2**power
            return f"{scaled:.0f} {unit}" if scaled >= 1000 else f"{scaled:.3g} {unit}"
    return f"{size:.0f} B" if size else "0"
