"""Symptoms: what is seen in a run, where, and which known issue it belongs to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Symptom:
    """One thing that is wrong with a run.

    Args:
        kind: What is seen: a key of `ISSUES`.
        first: The update at which it begins.
        last: The update at which it ends; the run's last one where it does not.
        says: What is seen, in a sentence.
        evidence: The numbers that it was told by.
        issue: The known issue that it belongs to, which says what to change; that of its kind if empty.
        at: The updates of the single events, where there are several.
    """

    kind: str
    first: float
    last: float
    says: str
    evidence: Mapping[str, float] = field(default_factory=dict)
    issue: str = ""
    at: Sequence[float] = ()

    @property
    def known_as(self) -> str:
        """The entry of `issues.yaml` that it belongs to."""
        return self.issue or ISSUES[self.kind]

    def as_data(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "kind": self.kind,
            "issue": self.known_as,
            "first": self.first,
            "last": self.last,
            "says": self.says,
            "at": list(self.at) or [self.first],
            "evidence": dict(self.evidence),
        }


# of each kind the entry of reference/decisions/issues.yaml, in the order in which they are told: what ends a run
# first, what only costs time last
ISSUES: Mapping[str, str] = {
    "nan": "nan",
    "divergence": "diverges-early",
    "early-rise": "diverges-early",
    "resume": "resume-is-worse",
    "chance": "chance",
    "overfitting": "overfitting",
    "spikes": "loss-spikes",
    "floor": "plateau",
    "noise": "noisy-gradients",
    "slow": "slow-convergence",
}


def number(value: float) -> str:
    """Return a number as it is said: three digits, whole updates with commas."""
    if 1000 <= abs(value) < 1e15 and value == int(value):
        return f"{int(value):,}"
    return f"{value:.3g}"


def at(unit: str, step: float) -> str:
    """Return an update as it is said: `update 1,200`, `epoch 3.5`."""
    return f"{unit} {step:,.0f}" if step == int(step) else f"{unit} {step:,.6g}"
