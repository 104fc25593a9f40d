"""Finding: the entries that answer some words, or an error's message, the best first."""

import math
import re
from collections.abc import Iterable, Sequence

from skillkit.catalogue.entries import Entry

_WORD = re.compile(r"[A-Za-z]+|\d+")
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_BEGUN = 0.6  # what a word counts that only begins as one that is looked for
_QUOTED = 12.0  # what it counts that an entry explains the very message
_ENOUGH = 0.5  # of what is looked for, by weight, an entry must hold
_LONG = 8  # words make a message, most of which is about somebody's own program
_EMPTY = frozenset(
    re.findall(r"\w+", "a an and are as at be by do for from has have how i in is it my not of on or the to with")
)


def find(entries: Sequence[Entry], query: str) -> list[Entry]:
    """Return the entries that hold most of what is looked for, the best first.

    A word that is rare among the entries counts more, and so does one in a title or an old form. An entry whose
    `match` finds the message that the query quotes comes before all others.

    Args:
        entries: Where to look.
        query: Words, names of functions, or an error's message.
    """
    fields = [[(weight, _words(text)) for weight, text in entry.texts] for entry in entries]
    known = [set().union(*(words for _, words in field)) for field in fields]
    words = sorted(_words(query) - _EMPTY)
    wanted = {word: _rarity(word, known) for word in words}
    unknown = math.log(1 + len(entries)) * sum(not rarity for rarity in wanted.values())
    total = sum(wanted.values()) + (unknown if len(words) < _LONG else unknown / 4)
    scores: list[tuple[float, int]] = []
    for number, entry in enumerate(entries):
        held = {word: _best(word, fields[number]) for word in wanted}
        share = sum(rarity for word, rarity in wanted.items() if held[word]) / total if total else 0.0
        score = sum(rarity * held[word] for word, rarity in wanted.items()) if share >= _ENOUGH else 0.0
        score += _QUOTED * _quotes(entry, query) * (total or 1.0)
        if score:
            scores.append((-score, number))
    return [entries[number] for _, number in sorted(scores)]


def _words(text: str) -> set[str]:
    """Return a text's words in lower case, `tree_map` and `KeyReuseError` whole and in their parts."""
    found = set()
    for name in re.findall(r"\w+", text):
        found |= {name.casefold(), *(part.casefold() for part in _PARTS.findall(name) if len(part) > 1)}
    return found


def _rarity(word: str, known: Iterable[set[str]]) -> float:
    """Return how much a word tells: nothing where no entry has it, most where one has."""
    known = list(known)
    count = sum(any(_fits(word, other) for other in words) for words in known)
    return math.log(1 + len(known) / count) if count else 0.0


def _best(word: str, field: Iterable[tuple[float, set[str]]]) -> float:
    return max(
        (weight * (1.0 if word in words else _BEGUN if any(_fits(word, other) for other in words) else 0.0))
        for weight, words in field
    )


def _fits(word: str, other: str) -> bool:
    return word == other or (len(word) > 3 and other.startswith(word))


def _quotes(entry: Entry, query: str) -> float:
    """Return how much of a message that an entry explains stands in the query: its words, and its error's class."""
    best = 0.0
    for match, name in entry.matches:
        if len(match) > 5 and re.search(match, query, re.IGNORECASE):
            best = max(best, 1.0 + (name.casefold() in query.casefold()) + min(len(match), 60) / 60)
    return best
