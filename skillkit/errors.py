"""Errors of the user's input: what is wrong, where, and what to do."""

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches


@dataclass(frozen=True, order=True)
class Problem:
    """One thing that is wrong with one place of the input.

    Args:
        path: The file, as the user would write it; `<stdin>` or an option's name where there is no file.
        line: Counted from 1; 0 where the problem concerns the file as a whole.
        column: Counted from 1; 0 where there is no line.
        message: What is wrong and what to do, in one sentence without a full stop.
    """

    path: str
    line: int
    column: int
    message: str

    def __str__(self) -> str:
        """Return `file:line:column: message`, without the parts that are unknown."""
        place = f"{self.path}:{self.line}:{self.column}" if self.line else self.path
        return f"{place}: {self.message}"


class BadInput(Exception):
    """Input that cannot be used, with every problem that was found in it.

    Args:
        problems: At least one.
    """

    exit_code = 2

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(sorted(set(problems)))
        super().__init__("\n".join(map(str, self.problems)))


def bad_input(path: object, message: str, line: int = 0, column: int = 0) -> BadInput:
    """Return the error for a single problem, ready to be raised."""
    return BadInput([Problem(str(path), line, column, message)])


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return ` (did you mean 'x'?)` for the nearest known word, or an empty string."""
    words = list(known)
    if len(word) > _LONGEST:  # nobody mistyped that, and comparing it takes long
        return ""
    longer = [one for one in words if one.startswith(f"{word}-")]
    close = longer or get_close_matches(word, words, n=1, cutoff=0.6)
    return f" (did you mean '{close[0]}'?)" if close else ""


_LONGEST = 100


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: `1 pattern`, `1,200 patterns`."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"
