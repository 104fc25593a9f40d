"""Resuming: a loss or a learning rate that is another after a stop than it was before."""

from collections.abc import Iterator
from itertools import pairwise

from skillkit.diagnosis.divergence import beginning
from skillkit.diagnosis.ordering import Resume
from skillkit.diagnosis.plateaus import tail_level
from skillkit.diagnosis.runs import Run
from skillkit.diagnosis.series import Series, mean, scatter
from skillkit.diagnosis.symptoms import Symptom, at, number


def lost_state(run: Run) -> Iterator[Symptom]:
    """Yield the resumes after which the loss jumps up or the schedule begins anew."""
    marked = list(run.resumes)
    for step in _begins_anew(run.series.get("rate")):
        near = [resume for resume in marked if abs(resume.step - step) <= 0.02 * run.last]
        says = f"The learning rate begins anew at {at(run.unit, step)}, as if the schedule's count were lost."
        yield Symptom("resume", step, step, says, {"rate": 1.0})
        marked = [resume for resume in marked if resume not in near]
    for resume in marked:
        yield from _jumped(run, resume)


def _jumped(run: Run, resume: Resume) -> Iterator[Symptom]:
    loss = run.loss
    index = next((index for index, step in enumerate(loss.steps) if step >= resume.step), len(loss))
    fell = max(beginning(loss) - tail_level(loss), 0.0)
    around = loss.values[max(0, index - _AROUND) : index] if index > 3 else loss.values[:_AROUND]
    noise = scatter(around)
    best = None
    for width in _WIDTHS:
        after = loss.values[index : index + width]
        if resume.kind == "repeat":
            again = dict(zip(resume.before.steps, resume.before.values, strict=True))
            pairs = [
                (again[step], value)
                for step, value in zip(loss.steps[index : index + width], after, strict=True)
                if step in again
            ]
            before = [pair[0] for pair in pairs] or list(resume.before.values[-width:])
            after = [pair[1] for pair in pairs] or after
        else:
            before = list(loss.values[max(0, index - width) : index])
        if len(after) < _FEWEST or len(before) < _FEWEST:
            continue
        jump = mean(after) - mean(before)
        error = noise * (1 / len(after) + 1 / len(before)) ** 0.5
        if jump > max(_ERRORS * error, _SHARE * fell) and (best is None or jump > best[0]):
            best = jump, mean(before), mean(after)
    if best is None:
        return
    how = {"repeat": "updates are repeated", "gap": "updates are missing", "pause": "time has passed"}[resume.kind]
    says = (
        f"The loss jumps from {number(best[1])} to {number(best[2])} at {at(run.unit, resume.step)}, where {how}: "
        "state was lost at the resume."
    )
    yield Symptom("resume", resume.step, resume.step, says, {"before": best[1], "after": best[2], "noise": noise})


_AROUND = 100
_WIDTHS = (3, 10, 30)
_FEWEST = 2
_ERRORS = 4.0
_SHARE = 0.03


def _begins_anew(rate: Series | None) -> Iterator[float]:
    """Yield where the rate falls at once to nearly nothing and then grows again over several rows."""
    if rate is None:
        return
    rate = rate.grouped
    for index, (before, after) in enumerate(pairwise(rate.values), 1):
        following = rate.values[index : index + 4]
        if 0 <= after < 0.2 * before and len(following) == 4 and all(a < b for a, b in pairwise(following)):
            yield rate.steps[index]
