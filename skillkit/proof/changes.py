"""Changes: for each row of the table, the proofs that the old form fails as stated and that the new one runs."""

import re
from collections.abc import Iterable, Iterator
from pathlib import PurePath

from skillkit.catalogue.changes import Change
from skillkit.catalogue.values import agrees, written
from skillkit.execution.running import CODE, LAST, Job, Outcome
from skillkit.proof.figures import change_figures
from skillkit.proof.proofs import Proof, new_job
from skillkit.proof.verdicts import HOLDS, Verdict, broken, is_stated


def change_proofs(changes: Iterable[Change]) -> Iterator[Proof]:
    """Yield what there is to prove of a table of changes: each old form fails, each new one runs."""
    for change in changes:
        yield _old_form(change)
        yield _new_form(change)
        yield from change_figures(change, _since(change))


def _old_form(change: Change) -> Proof:
    job = _change_job(change, change.writes)
    if change.kind in ("raises", "warns"):
        job[change.kind] = change.stated

    def judge(outcome: Outcome) -> Verdict:
        return _refuted_change(change, outcome)

    stated = (change.kind, change.stated, change.match, change.since)
    return Proof(change.id, "change", "changes", change.place, job, judge, _since(change), stated)


def _new_form(change: Change) -> Proof:
    def judge(outcome: Outcome) -> Verdict:
        if message := broken(outcome):
            return Verdict(message, change.place)
        if error := outcome["error"]:
            return Verdict(f"'{change.instead}' fails: {error['type']}: {error['message']}", change.place)
        for warning in outcome["warnings"]:
            if warning["deprecation"] and PurePath(warning["file"]).name in (CODE, LAST):
                return Verdict(f"'{change.instead}' warns: {warning['message']}", change.place)
        return HOLDS

    job = _change_job(change, change.instead)
    return Proof(f"{change.id}/instead", "correction", "changes", change.place, job, judge, _since(change))


def _since(change: Change) -> dict[str, str]:
    """Return the versions under which the change is stated: from its own version on, unless it says more."""
    return {change.library: f">={change.since}", **change.requires}


def _change_job(change: Change, last: str) -> Job:
    return new_job(code=change.given.rstrip() + "\n", last=last.rstrip() + "\n")


def _refuted_change(change: Change, outcome: Outcome) -> Verdict:
    if message := broken(outcome):
        return Verdict(message, change.place)
    error = outcome["error"]
    found = f"{error['type']}: {error['message']}" if error else f"gives {outcome['value']!r}"
    if error and outcome["stage"] != "call":
        return Verdict(f"fails in what is given: {found}", change.place)
    if change.kind == "raises" and error and error["expected"] and re.search(change.match, error["message"]):
        return HOLDS
    if change.kind == "warns" and not error and any(is_stated(one, change.match) for one in outcome["warnings"]):
        return HOLDS
    if change.kind == "returns" and not error and agrees(outcome["value"], change.stated):
        return HOLDS
    return Verdict(f"does not fail as stated ({change.kind} {written(change.stated)}): {found}", change.place)
