"""Blocks: the proof that a published block runs as pasted, and that its check holds."""

import ast

from skillkit.catalogue.patterns import Pattern
from skillkit.catalogue.slicing import Slice
from skillkit.proof.proofs import Proof, new_job
from skillkit.proof.running import Outcome
from skillkit.proof.verdicts import HOLDS, Verdict, fault, origin


def block_proof(pattern: Pattern) -> Proof:
    """Return the proof of a pattern's block."""
    job = new_job(code=pattern.block.text)
    if pattern.check:
        job["check"] = pattern.check.text

    def judge(outcome: Outcome) -> Verdict:
        return fault(outcome, pattern.block, pattern.check) or _idle(pattern.block, outcome) or HOLDS

    return Proof(pattern.id, "block", pattern.id, pattern.place, job, judge, pattern.requires)


def _idle(code: Slice, outcome: Outcome) -> Verdict | None:
    asserts = any(isinstance(node, ast.Assert) for node in ast.walk(ast.parse(code.text)))
    if asserts or outcome["stdout"].strip():
        return None
    return Verdict("the block neither asserts nor prints: nothing shows that it works", origin(code, len(code.lines)))
