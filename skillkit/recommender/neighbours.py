"""Neighbours: what the tables decide a little further along an answer's line, where it is something else."""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from skillkit.questionnaire.questions import Question, Questionnaire
from skillkit.recommender.arithmetic import evaluate
from skillkit.recommender.decisions import Book
from skillkit.recommender.draft import SETTINGS, Draft
from skillkit.recommender.situation import LEAST_TOKENS, Situation

_NEAR = 1.25  # times a number: so far is looked in both directions
_MUCH = 2  # times a setting: less is not spoken of


def neighbours(draft: Draft, book: Book, situation: Situation, questionnaire: Questionnaire) -> list[str]:
    """Return a sentence for each bound near an answer, beyond which a setting is more than twice or half of this one.

    Args:
        draft: What is recommended.
        book: The tables.
        situation: The answers.
        questionnaire: All questions, for the bounds.
    """
    return [*_unit(situation), *_bounds(draft, book, situation, questionnaire)]


def _unit(situation: Situation) -> Iterator[str]:
    batch, unit = situation.answers["batch_size"], situation.answers["batch_unit"]
    if "batch_unit" not in situation.assumed or not LEAST_TOKENS / _NEAR <= batch < LEAST_TOKENS * _NEAR:
        return
    if unit in ("tokens", "sequences") and situation.is_counted_in_tokens:
        yield (
            f"A batch of {batch:,} is taken for {unit}: sequences below {LEAST_TOKENS:,}, as nobody updates on fewer "
            "tokens, and tokens from there on. Say batch_unit."
        )


def _bounds(draft: Draft, book: Book, situation: Situation, questionnaire: Questionnaire) -> Iterator[str]:
    for question in (*questionnaire.questions, *questionnaire.derived):
        value = situation.numbers.get(question.id)
        if not question.ranges or value is None:
            continue
        for bound, label, side in _others(question, value):
            changes = list(_changes(draft, book, situation, {question.id: label}))
            if changes:
                place = f"{bound:,.0f} {question.id.replace('_', ' ')}"
                yield f"{side.format(place)}: {'; '.join(changes)}"


def _others(question: Question, value: float) -> Iterator[tuple[float, str, str]]:
    """Yield the bounds near a number, with the name of the range beyond each."""
    ranges = [(bound, name) for name, bound in question.ranges.items() if bound is not None]
    for (_, before), (bound, after) in pairwise(ranges):
        if bound <= value <= bound * _NEAR:
            yield bound, before, "Below {}"
        elif min(bound / _NEAR, bound - 1) <= value < bound:
            yield bound, after, "From {} on"


def _changes(draft: Draft, book: Book, situation: Situation, other: Mapping[str, str]) -> Iterator[str]:
    said = {reason["because"] for reason in draft.reasons}
    for name, setting in SETTINGS.items():
        here = book.tables[name].decide(situation.labels)
        there = book.tables[name].decide({**situation.labels, **other})
        if here is there or here.because not in said:
            continue
        values = (evaluate(row.then, situation.numbers) for row in (here, there))
        old, new = (dict(_flat(value, setting)) for value in values)
        different = [key for key in old.keys() | new.keys() if _differs(key, old.get(key), new.get(key))]
        if different:
            yield f"{setting} {_shown(there.then, new, setting)} ({there.because.rstrip('.')})"


def _flat(value: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Yield all that a decision says, by names."""
    if isinstance(value, Mapping):
        for key, part in value.items():
            yield from _flat(part, f"{name}.{key}")
    elif isinstance(value, list | tuple):
        for index, part in enumerate(value):
            yield from _flat(part, f"{name}.{index}")
    else:
        yield name, value


def _differs(name: str, old: Any, new: Any) -> bool:
    if not isinstance(old, int | float) or not isinstance(new, int | float) or isinstance(old, bool):
        return bool(old != new)
    if name.endswith((".b1", ".b2")) or name == "ema":
        old, new = 1 - old, 1 - new  # how long it remembers
    return bool(old != new and (min(old, new) <= 0 or max(old, new) / min(old, new) > _MUCH))


def _shown(then: Any, values: Mapping[str, Any], setting: str) -> str:
    if not isinstance(then, Mapping) or "rule" in then:
        return "none" if values.get(setting, 0) is None else f"{values[setting]:g}" if setting in values else "others"
    words = [f"{key.removeprefix(setting + '.')} {value}" for key, value in values.items()]
    return ", ".join(words)
