"""Proofs: a published statement, the code to run, and the judgement of what became of it."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from skillkit.execution.running import Job, Outcome
from skillkit.proof.verdicts import Verdict

SECONDS = 60.0  # for one run; the slowest of ours takes a tenth of it


@dataclass(frozen=True)
class Proof:
    """One statement that a run can refute.

    Args:
        id: The pattern's id, and for its parts `/` and their name.
        kind: `block`, `mistake`, `correction`, `figure`, `names`, `change` or `before`: that something is not yet so.
        pattern: The id of the pattern that publishes the statement, or of the table.
        place: Where the spec states it.
        job: What is run.
        judge: Judges what became of the job.
        requires: Library versions under which the statement is made.
        stated: What the text says of the job: what it does, since when, and what one writes.
        at: The library and the very version of it under which the statement must be run to be proven; empty where
            any that it requires will do.
    """

    id: str
    kind: str
    pattern: str
    place: str
    job: Job
    judge: Callable[[Outcome], Verdict] = field(repr=False)
    requires: Mapping[str, str] = field(default_factory=dict)
    stated: tuple[Any, ...] = ()
    at: tuple[str, str] = ("", "")

    @property
    def code(self) -> str:
        """Everything that is executed."""
        return "\n".join(self.job.get(part, "") for part in ("code", "check", "last", "judge"))

    @cached_property
    def run_hash(self) -> str:
        """A digest of everything that is run."""
        return _digest(self.job)

    @cached_property
    def hash(self) -> str:
        """A digest of everything that is run and stated, and for which versions: evidence is for this alone."""
        return _digest([self.job, self.stated, dict(self.requires)])


def new_job(**parts: Any) -> Job:
    """Return a job of these parts with the time that every run has."""
    return {"seconds": SECONDS, **parts}


def _digest(data: Any) -> str:
    return hashlib.sha256(json.dumps(data, sort_keys=True, default=str).encode()).hexdigest()[:16]
