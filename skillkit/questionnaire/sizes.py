"""Sizes: numbers as people write them, `125M`, `7 billion`, `1.5e9`, `128 x 4`."""

import math
import re
from collections.abc import Iterable

_POWERS = {"k": 3, "m": 6, "g": 9, "b": 9, "t": 12, "thousand": 3, "million": 6, "billion": 9, "trillion": 12}
# an exponent or a suffix, not both: `1e9B` is 1e9 to one reader and 1e18 to another
_DIGITS = r"\+?(?:[0-9][0-9_]*\.?[0-9_]*|\.[0-9]+)"
_SCALE = r"(?:[eE][-+]?[0-9]+|\s*(?:[tT]housand|[mM]illion|[bB]illion|[tT]rillion|[kKmMgGbBtT]))?"
_TIMES = r"\s*[x*×]\s*"
_FACTOR = re.compile(rf"({_DIGITS})({_SCALE})")


def pattern(units: Iterable[str] = ()) -> str:
    """Return the regular expression, for JSON Schema too, of a number that perhaps a unit follows."""
    ending = f"(?:\\s*(?:{'|'.join(units)}))?" if units else ""
    return rf"^(?!\s*\+?0x)\s*{_DIGITS}{_SCALE}(?:{_TIMES}{_DIGITS}{_SCALE})*{ending}\s*$"


def parse_size(text: str) -> float | None:
    """Return the number that a text writes, or None where it writes none.

    k, M, G or B, and T stand for powers of 1000, as their words do, and factors are multiplied; a whole number is
    returned as an int.

    Example:
        >>> parse_size("1.5B"), parse_size("7 billion"), parse_size("128 x 4"), parse_size("many")
        (1500000000, 7000000000, 512, None)
    """
    if not re.fullmatch(pattern(), text):
        return None
    number: float = math.prod(_factor(*match.groups()) for match in _FACTOR.finditer(text))
    return int(number) if number.is_integer() else number if math.isfinite(number) else None


def _factor(digits: str, scale: str) -> float:
    scale = scale.strip().lower()
    exponent = _POWERS[scale] if scale in _POWERS else int(scale[1:] or 0)
    # the suffix goes into the exponent, so that 1.1B is 1100000000 and not its neighbour
    return float(f"{digits.replace('_', '')}e{exponent}")


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


def number(value: float) -> str:
    """Return a number without what is not needed, to six digits where it has more and is not whole.

    Example:
        >>> number(0.0001), number(7e9), number(12_515), number(0.9955)
        ('1e-4', '7e9', '12515', '0.9955')
    """
    plain, scientific = f"{value:.6g}", f"{value:.3g}" if "e" in f"{value:.3g}" else f"{value:.2e}"
    mantissa, _, exponent = scientific.partition("e")
    mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    short = f"{mantissa}e{int(exponent or 0)}"
    if float(value).is_integer() and abs(value) < 1e15:
        return min(str(int(value)), short, key=len) if float(short) == value and abs(value) >= 1e6 else str(int(value))
    plain = plain.replace("e-0", "e-").replace("e+0", "e")
    return min(plain, short, key=len) if float(short) == float(plain) else plain


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
