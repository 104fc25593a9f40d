"""Diagnosing: all that is seen in a run, without what only follows from something else."""

from collections.abc import Iterator
from dataclasses import replace
from statistics import median

from skillkit.diagnosis.divergence import broken, diverged, rises_first
from skillkit.diagnosis.plateaus import at_the_floor, stays, still_falling
from skillkit.diagnosis.resuming import lost_state
from skillkit.diagnosis.runs import Run
from skillkit.diagnosis.spikes import spiked
from skillkit.diagnosis.symptoms import ISSUES, Symptom, number
from skillkit.diagnosis.validation import overfits

# what explains what: where the first is seen, the others are not told of the updates that it takes
_EXPLAINS = {
    "divergence": ("early-rise", "spikes", "floor", "noise", "overfitting", "slow", "chance"),
    "chance": ("floor", "slow", "overfitting"),
    "noise": ("floor", "slow"),
    "floor": ("slow",),
    "early-rise": ("slow", "noise"),
}


def diagnose(run: Run, classes: int | None = None) -> list[Symptom]:
    """Return what is wrong with a run, the most important first.

    Args:
        run: The run.
        classes: Among how many the model chooses, where the loss is a cross-entropy.
    """
    found = sorted(_symptoms(run, classes), key=lambda symptom: list(ISSUES).index(symptom.kind))
    kinds = {symptom.kind for symptom in found}
    explained = {kind for cause in kinds for kind in _EXPLAINS.get(cause, ())}
    told = [symptom for symptom in found if symptom.kind not in explained]
    told = [symptom for symptom in told if not _follows(symptom, told, run)]
    return [_with_gradient(symptom, run) for symptom in told]


def _symptoms(run: Run, classes: int | None) -> Iterator[Symptom]:
    yield from broken(run)
    if not len(run.loss):
        return
    yield from diverged(run)
    yield from rises_first(run)
    yield from lost_state(run)
    yield from stays(run, classes)
    yield from overfits(run)
    yield from spiked(run)
    yield from at_the_floor(run)
    yield from still_falling(run)


def _follows(symptom: Symptom, others: list[Symptom], run: Run) -> bool:
    """Return whether a spike or a rise is the jump of a resume, or the rise that a run begins with."""
    if symptom.kind not in ("spikes", "divergence") or len(symptom.at) > 1:
        return False
    width = _NEAR * (run.last - run.loss.steps[0])
    return any(
        other.kind in ("resume", "early-rise") and other.first - width <= symptom.first <= other.last + width
        for other in others
    )


_NEAR = 0.03  # of the run


def _with_gradient(symptom: Symptom, run: Run) -> Symptom:
    """Return a symptom with what the gradient's norm was there, where it is another than before."""
    gradient = run.series.get("gradient")
    if gradient is None or symptom.kind not in ("spikes", "divergence", "nan", "early-rise", "resume", "chance"):
        return symptom
    if symptom.kind == "chance":
        usual = median(gradient.values)
        says = f"{symptom.says} The gradient's norm is {number(usual)}."
        return replace(symptom, says=says, evidence={**symptom.evidence, "gradient": usual})
    there = gradient.between(symptom.first, symptom.last)
    before = gradient.between(gradient.steps[0], symptom.first).values[-51:-1] if len(gradient) else []
    if not len(there) or not before or max(there.values) < _LARGER * median(before):
        return symptom
    most, usual = max(there.values), median(before)
    says = f"{symptom.says} The gradient's norm reaches {number(most)} there, {number(usual)} before."
    return replace(symptom, says=says, evidence={**symptom.evidence, "gradient": most, "gradient_before": usual})


_LARGER = 3.0  # times the usual norm
