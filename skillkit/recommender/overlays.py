"""Overlays: what the horizon, priority and known issues change in a draft."""

from collections.abc import Iterable

from skillkit.recommender.decisions import Book
from skillkit.recommender.draft import ADAMS, Draft, replaced
from skillkit.recommender.issues import Issue, treat
from skillkit.recommender.situation import Situation

_ENDING = ("cosine", "linear", "exponential", "step")


def overlay(draft: Draft, book: Book, situation: Situation, issues: Iterable[Issue]) -> Draft:
    """Return the draft that the answers beyond family, stage and sizes ask for.

    Args:
        draft: What the family's tables say.
        book: The tables.
        situation: The answers.
        issues: The entries of `issues.yaml` that the user has.
    """
    draft = _horizon(draft, book, situation)
    draft = _priority(draft, book, situation)
    for issue in issues:
        draft = treat(draft, issue, situation)
    return draft


def _horizon(draft: Draft, book: Book, situation: Situation) -> Draft:
    if situation.answers["horizon"] == "fixed" or draft.schedule["name"] not in _ENDING:
        return draft
    row = book.tables["horizon"].decide(situation.labels)
    schedule = {"warmup": draft.schedule["warmup"]} | row.then
    return draft.because(row.because, row.source, ["schedule"], schedule=schedule)


def _priority(draft: Draft, book: Book, situation: Situation) -> Draft:
    priority = situation.answers["priority"]
    ordinary = situation.answers["privacy"] == "none" and situation.answers["stage"] != "adapter"
    if priority == "default" or draft.name not in ADAMS or not ordinary:
        return draft
    row = book.tables[priority].decide(situation.labels)
    if "hidden" in row.then:
        groups = [
            {"name": "hidden", "parameters": "matrices", "optimizer": row.then["hidden"]},
            {"name": "rest", "parameters": "rest"},
        ]
        networks = tuple({**network, "groups": groups} for network in draft.networks)
        return draft.because(row.because, row.source, ["optimizer"], networks=networks, has_priority=True)
    changed = replaced(draft, row.then["all"])
    if not changed or changed.get("optimizer") == draft.optimizer:
        return draft
    return draft.because(row.because, row.source, ["optimizer"], has_priority=True, **changed)
