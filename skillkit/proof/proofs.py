"""Proofs: for each published statement, the code to run and the judgement of what became of it."""

import ast
import hashlib
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from skillkit.catalogue.changes import Change, load_changes
from skillkit.catalogue.libraries import module_of, only_libraries
from skillkit.catalogue.mentions import Mention, mentioned
from skillkit.catalogue.patterns import Catalogue, Mistake, Pattern, load_catalogue
from skillkit.catalogue.requirements import unmet
from skillkit.catalogue.slicing import Slice, cut
from skillkit.places import Project
from skillkit.proof.running import CHECK, CODE, LAST, Job, Outcome

SECONDS = 60.0  # for one run; the slowest of ours takes a tenth of it


@dataclass(frozen=True)
class Verdict:
    """What one run says of one proof: why it fails, and at which `file:line`; empty where it holds."""

    message: str = ""
    place: str = ""


HOLDS = Verdict()


@dataclass(frozen=True)
class Proof:
    """One statement that a run can refute.

    Args:
        id: The pattern's id, and for its parts `/` and their name.
        kind: `block`, `mistake`, `correction`, `names` or `change`.
        pattern: The id of the pattern that publishes the statement, or of the table.
        place: Where the spec states it.
        job: What is run.
        judge: Judges what became of the job.
        requires: Library versions under which the statement is made.
        stated: What the job is said to do, as the judge takes it.
    """

    id: str
    kind: str
    pattern: str
    place: str
    job: Job
    judge: Callable[[Outcome], Verdict] = field(repr=False)
    requires: Mapping[str, str] = field(default_factory=dict)
    stated: tuple[Any, ...] = ()

    @property
    def code(self) -> str:
        """Everything that is executed."""
        return "\n".join(self.job.get(part, "") for part in ("code", "check", "last", "judge"))

    @property
    def run_hash(self) -> str:
        """A digest of everything that is run."""
        return _digest(self.job)

    @property
    def hash(self) -> str:
        """A digest of everything that is run and stated: evidence is for this alone."""
        return _digest([self.job, self.stated])


def _digest(data: Any) -> str:
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:16]


def project_proofs(project: Project, libraries: Mapping[str, str], ids: Iterable[str] = ()) -> list[Proof]:
    """Return what a project states about code: of these patterns and topics, in `changes`, by `names`, or all.

    Args:
        project: Whose specs and code they are.
        libraries: The installed ones, as for `name_proof`.
        ids: As `skillkit verify` takes them.

    Raises:
        BadInput: The specs or the code cannot be used, or there is no such pattern.
    """
    ids = list(ids)
    chosen: list[Proof] = []
    named = [name for name in ids if name not in ("changes", "names")]
    if named or "names" in ids or not ids:
        catalogue = load_catalogue(project, [] if "names" in ids else named)
    if named or not ids:
        chosen += proofs(catalogue, catalogue.select(named))
    if "changes" in ids or not ids:
        chosen += change_proofs(load_changes(project))
    if "names" in ids or not ids:
        chosen.append(name_proof(project, catalogue, libraries))
    return chosen


def proofs(catalogue: Catalogue, patterns: list[Pattern]) -> Iterator[Proof]:
    """Yield what there is to prove of these patterns."""
    for pattern in patterns:
        yield _block(pattern)
        for mistake in pattern.mistakes:
            yield _mistake(catalogue, pattern, mistake)
            correction = _correction(catalogue, pattern, mistake)
            if correction:
                yield correction


def change_proofs(changes: Iterable[Change]) -> Iterator[Proof]:
    """Yield what there is to prove of a table of changes: each old form fails, each new one runs."""
    for change in changes:
        yield _old_form(change)
        yield _new_form(change)


def name_proof(project: Project, catalogue: Catalogue, libraries: Mapping[str, str]) -> Proof:
    """Return the proof that every dotted name in the patterns' prose is what the prose takes it for.

    Args:
        project: Whose specs they are.
        catalogue: Its patterns.
        libraries: The installed ones; names of others are passed over.
    """
    modules = map(module_of, only_libraries(libraries))
    mentions = [one for one in mentioned(catalogue, modules) if not unmet(one.requires, libraries)]
    job: Job = {"names": sorted({one.name for one in mentions}), "seconds": SECONDS}

    def judge(outcome: Outcome) -> Verdict:
        if message := _broken(outcome):
            return Verdict(message)
        faults = list(_faulty_names(mentions, outcome["names"]))
        return Verdict("\n".join(faults)) if faults else HOLDS

    return Proof("names", "names", "names", str(project.reference), job, judge)


def _faulty_names(mentions: Iterable[Mention], found: Mapping[str, str]) -> Iterator[str]:
    for mention in mentions:
        state = found[mention.name]
        if mention.gone and state == "fine":
            yield f"{mention.place}: {mention.name} is said to be gone, and is there"
        if not mention.gone and state == "absent":
            yield f"{mention.place}: there is no {mention.name}: correct it, or list it under 'gone'"
        if not mention.gone and state not in ("fine", "absent"):
            yield f"{mention.place}: {mention.name} is deprecated: {state}"


def _old_form(change: Change) -> Proof:
    job = _change_job(change, change.writes)
    if change.kind in ("raises", "warns"):
        job[change.kind] = change.stated

    def judge(outcome: Outcome) -> Verdict:
        return _refuted_change(change, outcome)

    stated = (change.kind, change.stated, change.match)
    return Proof(change.id, "change", "changes", change.place, job, judge, _since(change), stated)


def _new_form(change: Change) -> Proof:
    def judge(outcome: Outcome) -> Verdict:
        if message := _broken(outcome):
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
    return {"code": change.given.rstrip() + "\n", "last": last.rstrip() + "\n", "seconds": SECONDS}


def _refuted_change(change: Change, outcome: Outcome) -> Verdict:
    if message := _broken(outcome):
        return Verdict(message, change.place)
    error = outcome["error"]
    found = f"{error['type']}: {error['message']}" if error else f"gives {outcome['value']!r}"
    if error and outcome["stage"] != "call":
        return Verdict(f"fails in what is given: {found}", change.place)
    if change.kind == "raises" and error and error["expected"] and re.search(change.match, error["message"]):
        return HOLDS
    if change.kind == "warns" and not error and any(_is_stated(one, change.match) for one in outcome["warnings"]):
        return HOLDS
    if change.kind == "returns" and not error and same_value(outcome["value"], change.stated):
        return HOLDS
    return Verdict(f"does not fail as stated ({change.kind} {change.stated}): {found}", change.place)


def _is_stated(warning: Mapping[str, Any], match: str) -> bool:
    return warning["expected"] and re.search(match, warning["message"]) is not None


def _block(pattern: Pattern) -> Proof:
    job: Job = {"code": pattern.block.text, "seconds": SECONDS}
    if pattern.check:
        job["check"] = pattern.check.text

    def judge(outcome: Outcome) -> Verdict:
        return _fault(outcome, pattern.block, pattern.check) or _idle(pattern.block, outcome) or HOLDS

    return Proof(pattern.id, "block", pattern.id, pattern.place, job, judge, pattern.requires)


def _mistake(catalogue: Catalogue, pattern: Pattern, mistake: Mistake) -> Proof:
    code = cut(catalogue.shelf, f"mistakes.{pattern.topic}", [mistake.symbol])
    job = _expecting(catalogue, pattern, mistake) | {"code": code.text, "call": mistake.symbol}

    def judge(outcome: Outcome) -> Verdict:
        return _refuted(mistake, outcome, code, pattern.topic)

    name = f"{pattern.id}/{mistake.symbol}"
    requires = {**pattern.requires, **mistake.requires}
    return Proof(name, "mistake", pattern.id, mistake.place, job, judge, requires, _stated(mistake))


def _correction(catalogue: Catalogue, pattern: Pattern, mistake: Mistake) -> Proof | None:
    """Run the right code under the mistake's flags; without flags the pattern's own proof has said it already."""
    name = f"{pattern.id}/{mistake.symbol}/instead"
    requires = {**pattern.requires, **mistake.requires}
    if mistake.instead and catalogue.shelf.module(pattern.topic).runs_alone(mistake.instead):
        code = cut(catalogue.shelf, pattern.topic, [mistake.instead])
        job = _expecting(catalogue, pattern, mistake) | {"code": code.text, "call": mistake.instead}

        def judge(outcome: Outcome) -> Verdict:
            return _fault(outcome, code, None) or _same(mistake, outcome) or HOLDS

        return Proof(name, "correction", pattern.id, mistake.place, job, judge, requires, _stated(mistake))
    if mistake.under:
        block = _block(pattern)
        job = block.job | {"flags": dict(mistake.under)}
        return Proof(name, "correction", pattern.id, mistake.place, job, block.judge, requires)
    return None


def _stated(mistake: Mistake) -> tuple[Any, ...]:
    return mistake.kind, mistake.stated, mistake.match, mistake.right


def _expecting(catalogue: Catalogue, pattern: Pattern, mistake: Mistake) -> Job:
    job: Job = {"flags": dict(mistake.under), "seconds": SECONDS}
    if mistake.kind in ("raises", "warns"):
        job[mistake.kind] = mistake.stated
    if mistake.kind == "shows":
        predicate = cut(catalogue.shelf, f"mistakes.{pattern.topic}", [mistake.stated])
        job |= {"judge": predicate.text, "predicate": mistake.stated}
    return job


def _broken(outcome: Outcome) -> str:
    """Return how a run ended before its time, or an empty string."""
    if "timeout" in outcome:
        return f"still running after {outcome['timeout']:g} s, and was ended"
    if "died" in outcome:
        last = outcome.get("stderr", "").strip().rpartition("\n")[2]
        return f"the process died ({outcome['died']}) {last}".rstrip()
    if "left" in outcome:
        return f"left {outcome['left']} process(es) running, which were ended"
    return ""


def _fault(outcome: Outcome, code: Slice, check: Slice | None) -> Verdict | None:
    """Judge code that is to run through: no error, no deprecation warning about its own calls."""
    if message := _broken(outcome):
        return Verdict(message, _origin(code, 1))
    if error := outcome["error"]:
        return Verdict(f"{error['type']}: {error['message']}".rstrip(": "), _own_place(error["frames"], code, check))
    for warning in outcome["warnings"]:
        if warning["deprecation"] and PurePath(warning["file"]).name == CODE:
            return Verdict(f"{warning['type']}: {warning['message']}", _origin(code, warning["line"]))
    return None


def _idle(code: Slice, outcome: Outcome) -> Verdict | None:
    asserts = any(isinstance(node, ast.Assert) for node in ast.walk(ast.parse(code.text)))
    if asserts or outcome["stdout"].strip():
        return None
    return Verdict("the block neither asserts nor prints: nothing shows that it works", _origin(code, len(code.lines)))


def _refuted(mistake: Mistake, outcome: Outcome, code: Slice, topic: str) -> Verdict:
    """Judge code that is to fail as stated, and in no other way."""
    start = _origin(code, len(code.lines))
    if message := _broken(outcome):
        return Verdict(message, start)
    error = outcome["error"]
    found = f"{error['type']}: {error['message']}" if error else ""
    place = _own_place(error["frames"], code, None) if error else start
    if error and outcome["stage"] != "call":
        return Verdict(f"fails in its {_STAGES[outcome['stage']]}, not in its own lines: {found}", place)
    if mistake.kind == "raises":
        return _refuted_error(mistake, error, found, place, topic)
    if error:
        return Verdict(f"fails in another way: {found}", place)
    if mistake.kind == "warns":
        return _refuted_warning(mistake, outcome, start)
    if mistake.kind == "returns" and not same_value(outcome["value"], mistake.stated):
        return Verdict(f"returns {outcome['value']!r}, not {mistake.stated!r}: {_RESTATE}", start)
    if mistake.kind == "shows" and not outcome["holds"]:
        return Verdict(f"'{mistake.stated}' does not hold any longer: {_RESTATE}", start)
    return HOLDS


_STAGES = {"flags": "flags", "code": "import", "check": "check", "predicate": "predicate"}
_RESTATE = "restate the mistake, or delete it"


def _refuted_error(mistake: Mistake, error: Any, found: str, place: str, topic: str) -> Verdict:
    if not error:
        return Verdict(f"no longer raises {mistake.stated}: {_RESTATE}", place)
    if not error["expected"]:
        return Verdict(f"fails in another way, not by {mistake.stated}: {found}", place)
    if not re.search(mistake.match, error["message"]):
        return Verdict(f"fails with another message, in which '{mistake.match}' is not found: {found}", place)
    if f"mistakes/{topic}.py:" not in PurePath(place).as_posix():
        return Verdict(f"fails in a line that is not its own: {found}", place)
    return HOLDS


def _refuted_warning(mistake: Mistake, outcome: Outcome, start: str) -> Verdict:
    if any(_is_stated(warning, mistake.match) for warning in outcome["warnings"]):
        return HOLDS
    others = "; ".join(f"{one['type']}: {one['message']}" for one in outcome["warnings"])
    return Verdict(
        f"no longer warns with {mistake.stated}: {_RESTATE}" + (f" (it warns: {others})" if others else ""),
        start,
    )


def _same(mistake: Mistake, outcome: Outcome) -> Verdict | None:
    """Judge the correction: it must not do what the mistake does."""
    place = mistake.place
    if mistake.kind == "shows" and outcome["holds"]:
        return Verdict(f"'{mistake.stated}' holds of '{mistake.instead}' too, so it shows nothing", place)
    if mistake.kind == "returns" and same_value(outcome["value"], mistake.stated):
        return Verdict(f"'{mistake.instead}' returns the wrong value too: {mistake.stated!r}", place)
    if mistake.right is not None and not same_value(outcome["value"], mistake.right):
        return Verdict(f"'{mistake.instead}' returns {outcome['value']!r}, not the right {mistake.right!r}", place)
    if mistake.kind == "warns" and any(warning["expected"] for warning in outcome["warnings"]):
        return Verdict(f"'{mistake.instead}' warns too", place)
    return None


def same_value(found: Any, stated: Any) -> bool:
    """Return whether two plain values are equal; floats to a relative 1e-4, NaN equal to NaN."""
    if isinstance(found, list) and isinstance(stated, list):
        return len(found) == len(stated) and all(map(same_value, found, stated))
    if isinstance(found, dict) and isinstance(stated, dict):
        return found.keys() == stated.keys() and all(same_value(found[key], stated[key]) for key in found)
    if isinstance(found, bool) or isinstance(stated, bool):
        return found is stated
    if isinstance(found, int | float) and isinstance(stated, int | float):
        return math.isclose(found, stated, rel_tol=1e-4) or (math.isnan(found) and math.isnan(stated))
    return bool(found == stated)


def _own_place(frames: list[Any], code: Slice, check: Slice | None) -> str:
    """Return the place of the innermost frame that lies in the code that was run."""
    for file, line, _ in reversed(frames):
        name = PurePath(file).name
        if name == CODE:
            return _origin(code, line)
        if name == CHECK and check:
            return _origin(check, line)
    return _origin(code, 1)


def _origin(code: Slice, number: int) -> str:
    lines = code.lines[: max(number, 1)]
    line = next((one for one in reversed(lines) if one.number), code.lines[0])
    return f"{line.path}:{line.number}"
