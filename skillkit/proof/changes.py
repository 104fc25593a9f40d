"""Changes: for each row of the table, the proofs that the old form fails from its version on, and the new one runs."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePath

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from skillkit.catalogue.changes import Change, Stage
from skillkit.catalogue.values import agrees, written
from skillkit.execution.running import CODE, LAST, Job, Outcome
from skillkit.proof.figures import change_figures
from skillkit.proof.proofs import Proof, new_job
from skillkit.proof.verdicts import HOLDS, Verdict, broken, is_stated


def change_proofs(changes: Iterable[Change]) -> Iterator[Proof]:
    """Yield what there is to prove of a table of changes.

    Each old form does what is stated from a version on, and not in the last one before; each new form runs.
    """
    for change in changes:
        others = [next(stage_proofs(other)) for other in change.alike.values()]
        for shown in [*stage_proofs(change), *others]:
            yield shown.later
            if shown.earlier:
                yield shown.earlier
        yield new_form(change)
        yield from change_figures(change, {change.library: f">={change.since}", **change.requires})


@dataclass(frozen=True)
class Shown:
    """A stage of a change with its proofs at both sides.

    Args:
        stage: What the old form does from a version on.
        later: That it does so from that version on.
        earlier: That it did not in the last one before; None where that version is not known.
    """

    stage: Stage
    later: Proof
    earlier: Proof | None


def stage_proofs(change: Change) -> Iterator[Shown]:
    """Yield the stages of a change with their proofs, the newest first."""
    newer = [None, *change.stages]
    older = [*change.stages[1:], None]
    for stage, next_one, last_one in zip(change.stages, newer, older, strict=False):
        yield Shown(stage, _later(change, stage, next_one), _earlier(change, stage, last_one) if stage.before else None)


def _later(change: Change, stage: Stage, newer: Stage | None) -> Proof:
    """Return the proof that an old form does what a stage states, until a newer stage begins."""

    def judge(outcome: Outcome) -> Verdict:
        if message := _cut_short(outcome):
            return Verdict(message, change.place)
        if _does(stage, outcome):
            return HOLDS
        message = f"does not fail as stated ({stage.kind} {written(stage.stated)}): {_found(outcome)}"
        return Verdict(message, change.place)

    wanted = f">={stage.since}" + (f",<{newer.since}" if newer else "")
    requires = {change.library: wanted, **change.requires}
    name = f"{change.id}/{stage.since}" if newer else change.id
    job, stated = _expecting(change, stage), (stage.kind, stage.stated, stage.match)
    return Proof(name, "change", "changes", change.place, job, judge, requires, stated, (change.library, stage.since))


def _earlier(change: Change, stage: Stage, older: Stage | None) -> Proof:
    """Return the proof that an old form was right in the last version before a stage, or failed as an older one."""
    expected = older if older and older.kind != "returns" else stage

    def judge(outcome: Outcome) -> Verdict:
        if message := _cut_short(outcome) or _early(stage, older, outcome):
            return Verdict(f"under {change.library} {stage.before}: {message}", change.place)
        return HOLDS

    requires = {change.library: f"=={stage.before}", **change.requires}
    stated = (stage.kind, stage.stated, stage.match, stage.was, older and (older.kind, older.stated, older.match))
    name, job, at = f"{change.id}/before {stage.since}", _expecting(change, expected), (change.library, stage.before)
    return Proof(name, "before", "changes", change.place, job, judge, requires, stated, at)


def _early(stage: Stage, older: Stage | None, outcome: Outcome) -> str:
    """Return how an old form was not yet right, or not yet wrong, before a stage began."""
    if older:
        wrong = f"does not do as stated ({older.kind} {written(older.stated)}): {_found(outcome)}"
        return "" if _does(older, outcome) else wrong
    if outcome["error"]:
        return f"fails already: {_found(outcome)}"
    if stage.kind == "warns" and _does(stage, outcome):
        return f"warns already: {stage.stated}"
    if stage.kind == "returns" and agrees(outcome["value"], stage.stated):
        return f"gives {written(stage.stated)} already"
    if stage.was is not None and not agrees(outcome["value"], stage.was):
        return f"gives {outcome['value']!r}, not {written(stage.was)}"
    return ""


def new_form(change: Change) -> Proof:
    """Return the proof that a new form runs, without a warning, from the first version on for which it is stated."""

    def judge(outcome: Outcome) -> Verdict:
        if message := broken(outcome):
            return Verdict(message, change.place)
        if error := outcome["error"]:
            return Verdict(f"'{change.instead}' fails: {error['type']}: {error['message']}", change.place)
        for warning in outcome["warnings"]:
            if warning["deprecation"] and PurePath(warning["file"]).name in (CODE, LAST):
                return Verdict(f"'{change.instead}' warns: {warning['message']}", change.place)
        return HOLDS

    first = _first(change)
    requires = {**change.requires, **change.needs, change.library: f">={first}"}
    name, job = f"{change.id}/instead", _change_job(change, change.instead)
    return Proof(name, "correction", "changes", change.place, job, judge, requires, (), (change.library, first))


def _first(change: Change) -> str:
    """Return the first version of the library under which the new form is stated."""
    floors = [one.version for one in SpecifierSet(change.needs.get(change.library, "")) if one.operator == ">="]
    return max([change.since, *floors], key=Version)


def _expecting(change: Change, stage: Stage) -> Job:
    job = _change_job(change, change.writes)
    if stage.kind in ("raises", "warns"):
        job[stage.kind] = stage.stated
    return job


def _change_job(change: Change, last: str) -> Job:
    return new_job(code=change.given.rstrip() + "\n", last=last.rstrip() + "\n")


def _cut_short(outcome: Outcome) -> str:
    if message := broken(outcome):
        return message
    return f"fails in what is given: {_found(outcome)}" if outcome["error"] and outcome["stage"] != "call" else ""


def _found(outcome: Outcome) -> str:
    error = outcome["error"]
    return f"{error['type']}: {error['message']}" if error else f"gives {outcome['value']!r}"


def _does(stage: Stage, outcome: Outcome) -> bool:
    """Return whether an old form did what a stage states."""
    error = outcome["error"]
    if stage.kind == "raises":
        return bool(error and error["expected"] and re.search(stage.match, error["message"]))
    if error:
        return False
    if stage.kind == "warns":
        return any(is_stated(one, stage.match) for one in outcome["warnings"])
    return agrees(outcome["value"], stage.stated)
