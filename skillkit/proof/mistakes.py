"""Mistakes: the proofs that wrong code fails as stated, and that its correction does not."""

import ast
import re
from pathlib import PurePath
from typing import Any

from skillkit.catalogue.catalogues import Catalogue
from skillkit.catalogue.patterns import Mistake, Pattern
from skillkit.catalogue.values import agrees, written
from skillkit.execution.running import CODE, Job, Outcome
from skillkit.proof.blocks import block_proof
from skillkit.proof.proofs import Proof, new_job
from skillkit.proof.verdicts import HOLDS, Verdict, broken, fault, is_stated, origin, own_place
from skillkit.source.forms import parse_form
from skillkit.source.shelf import runs_alone
from skillkit.source.slicing import Slice, cut
from skillkit.source.syntax import find, taken_apart, telling


def mistake_proof(catalogue: Catalogue, pattern: Pattern, mistake: Mistake) -> Proof:
    """Return the proof that a mistake fails as stated, and in no other way."""
    code = cut(catalogue.shelf, f"mistakes.{pattern.topic}", [mistake.symbol])
    job = _expecting(catalogue, pattern, mistake) | {"code": code.text, "call": mistake.symbol}

    def judge(outcome: Outcome) -> Verdict:
        return _refuted(mistake, outcome, code, pattern.topic)

    name = f"{pattern.id}/{mistake.symbol}"
    requires = {**pattern.requires, **mistake.requires}
    return Proof(name, "mistake", pattern.id, mistake.place, job, judge, requires, _stated(mistake))


def correction_proof(catalogue: Catalogue, pattern: Pattern, mistake: Mistake) -> Proof | None:
    """Run the right code under the mistake's flags; without flags the pattern's own proof has said it already."""
    name = f"{pattern.id}/{mistake.symbol}/instead"
    requires = {**pattern.requires, **mistake.requires}
    if mistake.instead and runs_alone(catalogue.shelf, pattern.topic, mistake.instead):
        code = cut(catalogue.shelf, pattern.topic, [mistake.instead])
        job = _expecting(catalogue, pattern, mistake) | {"code": code.text, "call": mistake.instead}

        def judge(outcome: Outcome) -> Verdict:
            return fault(outcome, code, None) or _same(mistake, outcome) or HOLDS

        return Proof(name, "correction", pattern.id, mistake.place, job, judge, requires, _stated(mistake))
    if mistake.under:
        block = block_proof(pattern)
        job = block.job | {"flags": dict(mistake.under)}
        return Proof(name, "correction", pattern.id, mistake.place, job, block.judge, requires)
    return None


def _stated(mistake: Mistake) -> tuple[Any, ...]:
    said = mistake.writes or mistake.words, mistake.value
    return mistake.kind, mistake.stated, mistake.match, mistake.right, *said


def _expecting(catalogue: Catalogue, pattern: Pattern, mistake: Mistake) -> Job:
    job = new_job(flags=dict(mistake.under))
    if mistake.kind in ("raises", "warns"):
        job[mistake.kind] = mistake.stated
    if mistake.kind == "shows":
        predicate = cut(catalogue.shelf, f"mistakes.{pattern.topic}", [mistake.stated])
        job |= {"judge": predicate.text, "predicate": mistake.stated}
    return job


def _refuted(mistake: Mistake, outcome: Outcome, code: Slice, topic: str) -> Verdict:
    """Judge code that is to fail as stated, and in no other way."""
    start = origin(code, len(code.lines))
    if message := broken(outcome):
        return Verdict(message, start)
    error = outcome["error"]
    found = f"{error['type']}: {error['message']}" if error else ""
    place = own_place(error["frames"], code, None) if error else start
    if error and outcome["stage"] != "call":
        return Verdict(f"fails in its {_STAGES[outcome['stage']]}, not in its own lines: {found}", place)
    if mistake.kind == "raises":
        return _refuted_error(mistake, error, found, place, topic) or _elsewhere(mistake, code, error["frames"], place)
    if error:
        return Verdict(f"fails in another way: {found}", place)
    if mistake.writes and not telling(parse_form(mistake.writes), ast.parse(code.text)).intersection(
        outcome["reached"]
    ):
        return Verdict(f"does not reach what one must not write: {mistake.writes}", start)
    if mistake.kind == "warns":
        frames = [[one["file"], one["line"], ""] for one in outcome["warnings"] if is_stated(one, mistake.match)]
        return _refuted_warning(mistake, outcome, start) or _elsewhere(mistake, code, frames, start)
    if mistake.kind == "returns" and not agrees(outcome["value"], mistake.stated):
        return Verdict(f"returns {outcome['value']!r}, not {written(mistake.stated)}: {_RESTATE}", start)
    if mistake.kind == "shows" and not outcome["holds"]:
        return Verdict(f"'{mistake.stated}' does not hold any longer: {_RESTATE}", start)
    return HOLDS


_STAGES = {"flags": "flags", "code": "import", "check": "check", "predicate": "predicate"}
_RESTATE = "restate the mistake, or delete it"


def _refuted_error(mistake: Mistake, error: Any, found: str, place: str, topic: str) -> Verdict | None:
    if not error:
        return Verdict(f"no longer raises {mistake.stated}: {_RESTATE}", place)
    if not error["expected"]:
        return Verdict(f"fails in another way, not by {mistake.stated}: {found}", place)
    if not re.search(mistake.match, error["message"]):
        return Verdict(f"fails with another message, in which '{mistake.match}' is not found: {found}", place)
    if f"mistakes/{topic}.py:" not in PurePath(place).as_posix():
        return Verdict(f"fails in a line that is not its own: {found}", place)
    return None


def _refuted_warning(mistake: Mistake, outcome: Outcome, start: str) -> Verdict | None:
    if any(is_stated(warning, mistake.match) for warning in outcome["warnings"]):
        return None
    others = "; ".join(f"{one['type']}: {one['message']}" for one in outcome["warnings"])
    return Verdict(
        f"no longer warns with {mistake.stated}: {_RESTATE}" + (f" (it warns: {others})" if others else ""),
        start,
    )


def _elsewhere(mistake: Mistake, code: Slice, frames: list[Any], place: str) -> Verdict:
    """Judge where a failure comes from: its way leads through what one must not write."""
    lines = [line for file, line, _ in frames if PurePath(file).name == CODE]  # none where a library warns of itself
    if not mistake.writes or not lines:
        return HOLDS
    spans = list(find(parse_form(mistake.writes), taken_apart(ast.parse(code.text))))
    if any(first <= line <= last for first, last in spans for line in lines):
        return HOLDS
    return Verdict(f"fails elsewhere than in what one must not write: {mistake.writes}", place)


def _same(mistake: Mistake, outcome: Outcome) -> Verdict | None:
    """Judge the correction: it must not do what the mistake does."""
    place = mistake.place
    if mistake.kind == "shows" and outcome["holds"]:
        return Verdict(f"'{mistake.stated}' holds of '{mistake.instead}' too, so it shows nothing", place)
    if mistake.kind == "returns" and agrees(outcome["value"], mistake.stated):
        return Verdict(f"'{mistake.instead}' returns the wrong value too: {written(mistake.stated)}", place)
    if mistake.right is not None and not agrees(outcome["value"], mistake.right):
        return Verdict(
            f"'{mistake.instead}' returns {outcome['value']!r}, not the right {written(mistake.right)}", place
        )
    if mistake.kind == "warns" and any(warning["expected"] for warning in outcome["warnings"]):
        return Verdict(f"'{mistake.instead}' warns too", place)
    return None
