"""Tuning: which numbers to search, in which range and order, for the trials that one can afford."""

from typing import Any

from skillkit.recommender.arithmetic import three_digits
from skillkit.recommender.choices import ADAMS, Choice
from skillkit.recommender.decisions import Book
from skillkit.recommender.facts import Facts

_LANGUAGE_MODELS = ("decoder-lm", "moe-lm")


def tuning(choice: Choice, book: Book, facts: Facts) -> dict[str, Any]:
    """Return the search space, the most important number first.

    Each range has a scale: `log`, `linear`, or `one-minus-log` where 1 - x is uniform in its logarithm.
    """
    row = book.tables["tuning"].decide(facts.labels)
    names = row.then if choice.rate is not None else []
    found = [one for name in names if (one := _RANGES[name](choice, facts)) is not None]
    return {
        "trials": facts.answers["tuning_trials"],
        "parameters": found,
        "because": row.because,
        "source": row.source,
    }


def _rate(choice: Choice, facts: Facts) -> dict[str, Any] | None:
    assert choice.rate is not None
    answers = facts.answers
    small = answers["family"] in _LANGUAGE_MODELS and answers["parameters"] <= 600e6
    # small language models have optima far above the published rates, and large ones a cliff there
    factor = 10 if small and answers["stage"] == "from-scratch" else 3
    return _range("peak_value", choice.rate / 3, choice.rate * factor, "log")


def _momentum(choice: Choice, _: Facts) -> dict[str, Any] | None:
    if choice.optimizer.get("b1") and choice.name in ADAMS:
        return _range("b1", 0.5, 0.98, "one-minus-log")
    return _range("momentum", 0.7, 0.995, "one-minus-log") if choice.optimizer.get("momentum") else None


def _decay(choice: Choice, _: Facts) -> dict[str, Any] | None:
    if choice.decay is None or choice.decay["value"] < 1e-7:
        return None
    value = choice.decay["value"]
    return _range("weight_decay", value / 10, value * 5, "log")


def _warmup(_: Choice, facts: Facts) -> dict[str, Any] | None:
    most = facts.updates // 10
    return _range("warmup_steps", max(1, most // 20), most, "log") if most > 20 else None


def _eps(choice: Choice, _: Facts) -> dict[str, Any] | None:
    return _range("eps", 1e-10, 1e-5, "log") if choice.name in ADAMS else None


def _b2(choice: Choice, _: Facts) -> dict[str, Any] | None:
    return _range("b2", 0.9, 0.999, "one-minus-log") if choice.name in ADAMS else None


_RANGES = {"rate": _rate, "momentum": _momentum, "decay": _decay, "warmup": _warmup, "eps": _eps, "b2": _b2}


def _range(setting: str, low: float, high: float, scale: str) -> dict[str, Any]:
    return {"setting": setting, "low": three_digits(low), "high": three_digits(high), "scale": scale}
