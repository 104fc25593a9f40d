"""Claims: the numbers and comparisons that prose makes, and whether a value bears them out."""

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any

from skillkit.catalogue.values import is_rounded

_NUMBER = r"\d+(?:,\d{3})*(?:\.\d+)?(?:[eE][-+]?\d+)?(?:\*\*\d+)?"
_WORDS = {
    word: number
    for number, word in [
        *enumerate(["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"], 2),
        *[(20, "twenty"), (30, "thirty"), (40, "forty"), (50, "fifty"), (60, "sixty"), (80, "eighty"), (90, "ninety")],
        *[(70, "seventy"), (15, "fifteen"), (16, "sixteen"), (100, "hundred"), (1000, "thousand"), (10**6, "million")],
    ]
}
_COMPARISONS = (
    r"twice|thrice|half|halves|double[sd]?|triple[sd]?|quarters?|thirds|tenths?|dozens?|hundreds|thousands|millions?|"
    r"billions?|times (?:as|more|less|larger|smaller)|faster|fastest|slower|slowest|quicker|cheaper|cheapest|costlier|"
    r"larger|smaller|bigger|fewer|(?:more|less) (?:memory|time|space|bytes|work|compute|precise|accurate)|"
    r"as (?:large|small|big|much|many|fast|slow|long|cheap|precise|accurate) as|an? order of magnitude"
)
_CLAIM = re.compile(rf"(?<![\w./-])(?:{_NUMBER}(?![\w])|(?:{'|'.join(_WORDS)}|{_COMPARISONS})(?!\w))", re.IGNORECASE)
_ONE = re.compile(rf"(?<![\w.])(?:-?{_NUMBER}|{'|'.join(_WORDS)})(?!\w)", re.IGNORECASE)
_COMPARED = re.compile(rf"\b(?:{_COMPARISONS})\b", re.IGNORECASE)
_CODE = re.compile(r"(`+)(.+?)\1", re.DOTALL)
_NO_CLAIM = re.compile(
    r"https?://\S+"
    r"|\d+(?:\.\d+){2,}"  # a version in three parts
    r"|(?:before|since|until|after|from|in|of|al\.) (?:19[89]\d|20[0-2]\d)\b"  # a year
    r"|\b\d+-?(?:bit|[dD])\b"  # names of kinds, as dtypes are
)


def claims(text: str, code: Iterable[str] = (), versioned: Iterable[str] = ()) -> Iterator[tuple[int, int]]:
    """Yield where prose says a number or compares.

    Args:
        text: The prose.
        code: Code that stands beside it; numbers in code spans that stand in that are no claims.
        versioned: Names that a version may follow, in any case.
    """
    beside = [_tight(one) for one in code]
    spans = [found.span() for found in _NO_CLAIM.finditer(text)]
    names = "|".join(map(re.escape, versioned))
    spans += [found.span() for found in re.finditer(rf"\b(?:{names}) \d[\d.]*", text, re.IGNORECASE)] if names else []
    spans += [one.span() for one in _CODE.finditer(text) if any(_tight(one[2]) in whole for whole in beside)]
    for found in _CLAIM.finditer(text):
        if not _covered(found.span(), spans):
            yield found.span()


def open_claims(
    text: str, stated: Iterable[str], code: Iterable[str] = (), versioned: Iterable[str] = ()
) -> Iterator[tuple[int, int]]:
    """Yield where prose says a number or compares, and none of the stated words covers it."""
    spans = [found.span() for words in stated for found in re.finditer(re.escape(words), text)]
    return (span for span in claims(text, code, versioned) if not _covered(span, spans))


def bears_out(words: str, value: Any) -> bool:
    """Return whether a value is what words say.

    Words with a single number and no comparison say that: a value equals it once it is rounded to as many digits, and
    exactly where none stand after the point. Any others say that something is so: the value is True.

    Args:
        words: As printed.
        value: What the run returned.
    """
    numbers = [found[0] for found in _ONE.finditer(words)]
    if len(numbers) != 1 or _COMPARED.search(words):
        return value is True
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    spelt = _WORDS.get(numbers[0].lower())
    return value == spelt if spelt else _is_printed(value, numbers[0].replace(",", ""))


def _is_printed(value: float, printed: str) -> bool:
    base, _, power = printed.partition("**")
    if power or printed.lstrip("-").isdigit():
        return bool(value == int(base) ** int(power or 1))
    return is_rounded(value, Decimal(printed))


def _covered(span: tuple[int, int], spans: Iterable[tuple[int, int]]) -> bool:
    return any(first <= span[0] and span[1] <= last for first, last in spans)


def _tight(code: str) -> str:
    return "".join(code.split())
