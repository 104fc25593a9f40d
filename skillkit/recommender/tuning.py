"""Tuning: which numbers to search, in which range and order, for the trials that one can afford."""

from typing import Any

from skillkit.recommender.arithmetic import three_digits
from skillkit.recommender.decisions import Book
from skillkit.recommender.draft import ADAMS, Draft
from skillkit.recommender.situation import Situation

_LANGUAGE_MODELS = ("decoder-lm", "moe-lm")


def tuning(draft: Draft, book: Book, situation: Situation) -> dict[str, Any]:
    """Return the search space, the most important number first.

    Each range has a scale: `log`, `linear`, or `one-minus-log` where 1 - x is uniform in its logarithm.
    """
    row = book.tables["tuning"].decide(situation.labels)
    names = row.then if draft.rate is not None else []
    found = [one for name in names if (one := _RANGES[name](draft, situation)) is not None]
    return {
        "trials": situation.answers["tuning_trials"],
        "parameters": found,
        "because": row.because,
        "source": row.source,
    }


def _rate(draft: Draft, situation: Situation) -> dict[str, Any] | None:
    assert draft.rate is not None
    answers = situation.answers
    small = answers["family"] in _LANGUAGE_MODELS and answers["parameters"] <= 600e6
    # small language models have optima far above the published rates, and large ones a cliff there
    factor = 10 if small and answers["stage"] == "from-scratch" else 3
    return _range("peak_value", draft.rate / 3, draft.rate * factor, "log")


def _momentum(draft: Draft, _: Situation) -> dict[str, Any] | None:
    if draft.optimizer.get("b1") and draft.name in ADAMS:
        return _range("b1", 0.5, 0.98, "one-minus-log")
    return _range("momentum", 0.7, 0.995, "one-minus-log") if draft.optimizer.get("momentum") else None


def _decay(draft: Draft, _: Situation) -> dict[str, Any] | None:
    if draft.decay is None or draft.decay["value"] < 1e-7:
        return None
    value = draft.decay["value"]
    return _range("weight_decay", value / 10, value * 5, "log")


def _warmup(_: Draft, situation: Situation) -> dict[str, Any] | None:
    most = situation.updates // 10
    return _range("warmup_steps", max(1, most // 20), most, "log") if most > 20 else None


def _eps(draft: Draft, _: Situation) -> dict[str, Any] | None:
    return _range("eps", 1e-10, 1e-5, "log") if draft.name in ADAMS else None


def _b2(draft: Draft, _: Situation) -> dict[str, Any] | None:
    return _range("b2", 0.9, 0.999, "one-minus-log") if draft.name in ADAMS else None


_RANGES = {"rate": _rate, "momentum": _momentum, "decay": _decay, "warmup": _warmup, "eps": _eps, "b2": _b2}


def _range(setting: str, low: float, high: float, scale: str) -> dict[str, Any]:
    return {"setting": setting, "low": three_digits(low), "high": three_digits(high), "scale": scale}
