"""Blocks: the proof that a published block runs as pasted, and that its check holds."""

from skillkit.catalogue.assertions import Assertion, assertions, defines
from skillkit.catalogue.patterns import Pattern
from skillkit.execution.running import CHECK, CODE, Outcome
from skillkit.proof.proofs import Proof, new_job
from skillkit.proof.verdicts import HOLDS, Verdict, fault, origin
from skillkit.source.slicing import Slice


def block_proof(pattern: Pattern) -> Proof:
    """Return the proof of a pattern's block."""
    job = new_job(code=pattern.block.text)
    if pattern.check:
        job["check"] = pattern.check.text

    def judge(outcome: Outcome) -> Verdict:
        return fault(outcome, pattern.block, pattern.check) or _idle(pattern, outcome) or HOLDS

    return Proof(
        pattern.id, "block", pattern.id, pattern.place, job, judge, pattern.requires, (pattern.changed, pattern.writes)
    )


def _idle(pattern: Pattern, outcome: Outcome) -> Verdict | None:
    """Judge what was asserted: all of it was reached, and can fail; some of it is about what the block defines."""
    stated = assertions(pattern.block.text)
    verdict = _vacuous(pattern.block, stated, outcome["asserted"][CODE])
    if not verdict and defines(pattern.block.text) and not any(one.is_own for one in stated):
        verdict = Verdict("asserts nothing of what it defines", origin(pattern.block, stated[-1].line))
    if not verdict and pattern.check:
        verdict = _vacuous(pattern.check, assertions(pattern.check.text), outcome["asserted"][CHECK])
    return verdict


def _vacuous(code: Slice, stated: list[Assertion], reached: list[int]) -> Verdict | None:
    for one in stated:
        if one.is_hollow:
            return Verdict(f"'assert {one.text}' holds whatever is computed", origin(code, one.line))
        if one.line not in reached:
            return Verdict(
                f"'assert {one.text}' was not reached, did not hold, or asserts no value", origin(code, one.line)
            )
    if not stated:
        return Verdict("asserts nothing, so it shows nothing", origin(code, len(code.lines)))
    return None
