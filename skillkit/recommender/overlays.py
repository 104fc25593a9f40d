"""Overlays: what the horizon, priority, precision and known issues change in a choice."""

from collections.abc import Iterable

from skillkit.recommender.choices import ADAMS, Choice, replaced
from skillkit.recommender.decisions import Book
from skillkit.recommender.facts import Facts
from skillkit.recommender.issues import Issue, treat

_ENDING = ("cosine", "linear", "exponential", "step")


def overlay(choice: Choice, book: Book, facts: Facts, issues: Iterable[Issue]) -> Choice:
    """Return the choice that the answers beyond family, stage and sizes ask for.

    Args:
        choice: What the family's tables say.
        book: The tables.
        facts: The answers.
        issues: The entries of `issues.yaml` that the user has.
    """
    choice = _horizon(choice, book, facts)
    choice = _priority(choice, book, facts)
    choice = _precision(choice, facts)
    for issue in issues:
        choice = treat(choice, issue, facts)
    return choice


def _horizon(choice: Choice, book: Book, facts: Facts) -> Choice:
    if facts.answers["horizon"] == "fixed" or choice.schedule["name"] not in _ENDING:
        return choice
    row = book.tables["horizon"].decide(facts.labels)
    schedule = {"warmup": choice.schedule["warmup"]} | row.then
    return choice.because(row.because, row.source, ["schedule"], schedule=schedule)


def _priority(choice: Choice, book: Book, facts: Facts) -> Choice:
    priority = facts.answers["priority"]
    ordinary = facts.answers["privacy"] == "none" and facts.answers["stage"] != "adapter"
    if priority == "default" or choice.name not in ADAMS or not ordinary:
        return choice
    row = book.tables[priority].decide(facts.labels)
    if "hidden" in row.then:
        groups = [
            {"name": "hidden", "parameters": "matrices", "optimizer": row.then["hidden"]},
            {"name": "rest", "parameters": "rest"},
        ]
        networks = tuple({**network, "groups": groups} for network in choice.networks)
        return choice.because(row.because, row.source, ["optimizer"], networks=networks)
    changed = replaced(choice, row.then["all"])
    return choice.because(row.because, row.source, ["optimizer"], **changed) if changed else choice


def _precision(choice: Choice, facts: Facts) -> Choice:
    eps: float = choice.optimizer.get("eps", 1.0)
    if facts.answers["precision"] != "float16" or choice.name not in ADAMS or eps >= 1e-6:
        return choice
    because = "1e-8 is zero in float16, and Adam then divides by zero; the smallest normal float16 is 6e-5."
    optimizer = {**choice.optimizer, "eps": 1e-6}
    return choice.because(because, "measured on Optax 0.2.8", ["eps"], optimizer=optimizer)
