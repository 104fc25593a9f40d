"""Overlays: what the horizon, priority, precision and known issues change in a choice."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from skillkit.arithmetic import three_digits
from skillkit.choices import ADAMS, Choice
from skillkit.decisions import Book
from skillkit.facts import Facts
from skillkit.reading import read

_ENDING = ("cosine", "linear", "exponential", "step")


def overlay(choice: Choice, book: Book, facts: Facts, issues: list[Mapping[str, Any]]) -> Choice:
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
        choice = _issue(choice, issue, facts)
    return choice


def read_issues(folder: Path, names: list[str]) -> list[Mapping[str, Any]]:
    """Return the entries of a folder's `issues.yaml` for some issues."""
    if not names:
        return []
    return [entry for entry in read(folder / "issues.yaml").value if entry["issue"] in names]


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
    return _replaced(choice, row.then["all"], row.because, row.source)


def _replaced(choice: Choice, optimizer: Any, because: str, source: str) -> Choice:
    if optimizer == "nadamw":
        if choice.name != "adamw":
            return choice
        optimizer = {"name": "nadamw"}
    if "name" not in optimizer or optimizer["name"] == "nadamw":
        return choice.because(because, source, ["optimizer"], optimizer={**choice.optimizer, **optimizer})
    decay = choice.decay and {**choice.decay, "kind": "per_step", "value": _per_step(choice)}
    return choice.because(because, source, ["optimizer"], optimizer=optimizer, decay=decay)


def _per_step(choice: Choice) -> float:
    assert choice.decay is not None
    assert choice.rate is not None
    return three_digits(choice.decay["value"] * choice.rate)


def _precision(choice: Choice, facts: Facts) -> Choice:
    eps = choice.optimizer.get("eps")
    if facts.answers["precision"] != "float16" or choice.name not in ADAMS or eps >= 1e-6:
        return choice
    because = "1e-8 is zero in float16, and Adam then divides by zero; the smallest normal float16 is 6e-5."
    optimizer = {**choice.optimizer, "eps": 1e-6}
    return choice.because(because, "measured on Optax 0.2.8", ["eps"], optimizer=optimizer)


def _issue(choice: Choice, issue: Mapping[str, Any], facts: Facts) -> Choice:
    for setting, change in issue["change"].items():
        choice = _CHANGES[setting](choice, change, issue, facts)
    return choice


def _change_warmup(choice: Choice, change: Any, issue: Mapping[str, Any], facts: Facts) -> Choice:
    if choice.schedule["name"] == "none" or "warmup_steps" in facts.answers:
        return choice
    warmup = {name: value * change["times"] for name, value in choice.schedule["warmup"].items() if name != "at_most"}
    if not any(warmup.values()):
        warmup = {"fraction": change["at_least"]}
    limit = {"at_most": max(choice.schedule["warmup"].get("at_most", 0.1), 0.1)}
    return _because(choice, issue, "warmup_steps", schedule={**choice.schedule, "warmup": warmup | limit})


def _change_clip(choice: Choice, limit: Any, issue: Mapping[str, Any], facts: Facts) -> Choice:
    possible = choice.clip is None or choice.clip["kind"] == "global_norm"
    if not possible or choice.rate is None or (choice.clip and choice.clip["max_norm"] <= limit):
        return choice
    return _because(choice, issue, "clip", clip={"kind": "global_norm", "max_norm": limit})


def _change_b1(choice: Choice, change: Any, issue: Mapping[str, Any], facts: Facts) -> Choice:
    b1 = choice.optimizer.get("b1")
    if choice.name not in ADAMS or b1 is None or b1 >= change["at_least"]:
        return choice
    return _because(choice, issue, "b1", optimizer={**choice.optimizer, "b1": change["at_least"]})


def _change_b2(choice: Choice, change: Any, issue: Mapping[str, Any], facts: Facts) -> Choice:
    b2 = choice.optimizer.get("b2")
    if choice.name not in ADAMS or b2 is None or b2 <= change["at_most"]:
        return choice
    return _because(choice, issue, "b2", optimizer={**choice.optimizer, "b2": change["at_most"]})


def _change_decay(choice: Choice, change: Any, issue: Mapping[str, Any], facts: Facts) -> Choice:
    if choice.decay is None:
        return choice
    decay = {**choice.decay, "value": three_digits(choice.decay["value"] * change["times"])}
    return _because(choice, issue, "weight_decay", decay=decay)


def _change_mu_dtype(choice: Choice, dtype: Any, issue: Mapping[str, Any], facts: Facts) -> Choice:
    if choice.name not in ADAMS or choice.optimizer.get("mu_dtype") == dtype:
        return choice
    return _because(choice, issue, "mu_dtype", optimizer={**choice.optimizer, "mu_dtype": dtype})


def _change_accumulation(choice: Choice, change: Any, issue: Mapping[str, Any], facts: Facts) -> Choice:
    micro_batch = facts.numbers["examples_per_update"] / facts.answers["devices"] / choice.accumulation
    if micro_batch < change["times"] or choice.rate is None:
        return choice
    return _because(choice, issue, "accumulation", accumulation=choice.accumulation * change["times"])


def _change_ema(choice: Choice, decay: Any, issue: Mapping[str, Any], facts: Facts) -> Choice:
    if choice.ema is not None or choice.rate is None or facts.answers["stage"] == "adapter":
        return choice
    return _because(choice, issue, "ema", ema=decay)


def _change_optimizer(choice: Choice, name: Any, issue: Mapping[str, Any], facts: Facts) -> Choice:
    return _replaced(choice, name, issue["because"], issue["source"])


def _because(choice: Choice, issue: Mapping[str, Any], setting: str, **changes: Any) -> Choice:
    because = f"{issue['issue']}: {issue['because']}"
    return choice.because(because, issue["source"], [setting], **changes)


_CHANGES = {
    "warmup": _change_warmup,
    "clip": _change_clip,
    "b1": _change_b1,
    "b2": _change_b2,
    "decay": _change_decay,
    "mu_dtype": _change_mu_dtype,
    "accumulation": _change_accumulation,
    "ema": _change_ema,
    "optimizer": _change_optimizer,
}
