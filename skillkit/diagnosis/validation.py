"""Validation: a loss on other data that rises while the training loss falls."""

from collections.abc import Iterator
from statistics import median

from skillkit.diagnosis.runs import Run
from skillkit.diagnosis.series import Series, scatter
from skillkit.diagnosis.symptoms import Symptom, at, number

_FEWEST = 4


def overfits(run: Run) -> Iterator[Symptom]:
    """Yield where the validation loss was best, when it rose for good after that while training went on to improve."""
    validation = run.series.get("validation")
    if validation is None or len(validation) < _FEWEST:
        return
    validation = validation.blocks(_BLOCKS)
    values = validation.values
    index = min(range(len(values)), key=values.__getitem__)
    best, end = values[index], median(values[-max(1, len(values) // 10) :])
    rise = end - best
    noise = _noise(validation)
    later = len(values) - 1 - index
    if later < max(2, _LATER * len(values)) or rise < max(_SHARE * abs(best), _NOISE * noise):
        return
    ups = sum(value > best + rise / 4 for value in values[-max(2, later // 2) :])
    if ups < max(2, later // 2) or not _trained(run, validation.steps[index]):
        return
    says = (
        f"The validation loss is best at {at(run.unit, validation.steps[index])}, {number(best)}, and rises to "
        f"{number(end)} at the end, while the training loss falls."
    )
    yield Symptom("overfitting", validation.steps[index], run.last, says, {"best": best, "end": end, "noise": noise})


_BLOCKS = 60
_LATER = 0.2  # of the evaluations lie after the best one
_SHARE = 0.03  # of the best loss
_NOISE = 3.0


def _noise(validation: Series) -> float:
    """Return the scatter about the trend: of second differences, which a steady rise does not enter."""
    values = validation.values
    bends = [values[index] - (values[index - 1] + values[index + 1]) / 2 for index in range(1, len(values) - 1)]
    return 1.4826 * median(map(abs, bends)) / 1.5**0.5 if bends else 0.0


def _trained(run: Run, best: float) -> bool:
    """Return whether the training loss is lower at the end than where the validation was best."""
    loss = run.loss.grouped
    before, after = loss.between(loss.steps[0], best), loss.between(best, run.last)
    if len(before) < 1 or len(after) < 2:
        return True
    width = max(1, min(len(before), len(after) // 4, 50))
    fall = median(before.values[-width:]) - median(after.values[-width:])
    lower: bool = fall > -2 * scatter(after.values) / width**0.5
    return lower
