"""Plateaus: a loss that stays where it began, that stops with the schedule, or that is only beginning to fall."""

import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from statistics import median

from skillkit.diagnosis.divergence import beginning
from skillkit.diagnosis.runs import Run
from skillkit.diagnosis.series import Series, loud_scatter, mean, scatter
from skillkit.diagnosis.symptoms import Symptom, at, number

_FEWEST = 20


def stays(run: Run, classes: int | None) -> Iterator[Symptom]:
    """Yield a loss that stays where it began: at that of guessing, still, or with no progress seen in its noise."""
    loss = run.loss.grouped
    if len(loss) < _FEWEST:
        return
    part = max(3, len(loss) // 5)
    level, noise = median(loss.values[-part:]), loud_scatter(loss.values)
    fell = median(loss.values[:part]) - level
    error = noise * (math.pi / part) ** 0.5  # of the difference of two medians of so many points
    moves = max(_STILL * abs(level), _CLEAR * error)
    means = _kept(loss.values[:part]), _kept(loss.values[-part:])
    fell_on_average = mean(means[0]) - mean(means[1])
    off = max(_STILL * abs(level), _CLEAR * (_variance(means[0]) / part + _variance(means[1]) / part) ** 0.5)
    # what fell and rose again did not stay
    if abs(fell) > moves or level - min(loss.blocks(10).values) > _RETURN * moves or fell_on_average > off:
        return
    guessed = _guessing(level) if noise < _EXACT * level else ""
    if not guessed and _fell_at_first(loss.values, level, noise):
        return
    evidence = {"level": level, "noise": noise, "fell": fell}
    chance = math.log(classes) if classes else 0.0
    if classes and abs(level - chance) < _NEAR * chance:
        says = f"The loss stays at {number(level)}, that of guessing among {classes:,} classes ({number(chance)})."
        yield Symptom("chance", loss.steps[0], run.last, says, evidence)
    elif noise > _LOUD * abs(level):
        says = (
            f"The rows scatter by {number(noise)} about {number(level)}, and the loss fell by {number(max(fell, 0.0))} "
            "in the whole run: no progress is seen in the noise."
        )
        yield Symptom("noise", loss.steps[0], run.last, says, evidence)
    else:
        says = f"The loss stays where it began, at {number(level)}: nothing is learned{_guessing(level)}."
        yield Symptom("chance", loss.steps[0], run.last, says, evidence)


_STILL = 0.02  # of the loss, within which it stays
_CLEAR = 3.0  # standard errors, within which it stays
_BEGUN = 2.0  # standard errors, by which the first rows lie above the rest where it fell there
_RETURN = 1.5  # times that, for the lowest of ten parts
_NEAR = 0.03  # of the loss of guessing
_EXACT = 0.01  # of the loss is the scatter of one that may come down to that of guessing in its first rows
_LOUD = 0.05  # of the loss


def _kept(values: Sequence[float]) -> Sequence[float]:
    """Return all but the highest and the lowest hundredth."""
    rest = len(values) // 100 + 1
    return sorted(values)[rest:-rest] if len(values) > 4 * rest else values


def _variance(values: Sequence[float]) -> float:
    middle = mean(values)
    return mean([(value - middle) * (value - middle) for value in values])


def _fell_at_first(values: Sequence[float], level: float, noise: float) -> bool:
    """Return whether the loss fell in its first rows, few as they may be."""
    for width in (3, 6, 12, len(values) // 20, len(values) // 10):
        first = median(values[: max(1, width)]) - level
        if first > max(_STILL * abs(level), _BEGUN * noise * (math.pi / 2 / max(1, width)) ** 0.5):
            return True
    return False


def _guessing(level: float) -> str:
    """Return among how many classes guessing has a loss, where it is one."""
    guess = round(math.exp(level)) if 0 < level < _LARGEST else 0
    if guess < 2 or abs(math.log(guess) - level) > _STILL * level:
        return ""
    return f" (guessing among {guess:,} classes gives {number(math.log(guess))})"


_LARGEST = 5.0


def at_the_floor(run: Run) -> Iterator[Symptom]:
    """Yield where the learning rate has reached its end long before the run, and the loss stopped with it."""
    rate = run.series.get("rate")
    loss = run.loss.grouped
    if rate is None or len(rate) < _FEWEST or len(loss) < _FEWEST:
        return
    rate = rate.grouped
    top, end = max(rate.values), rate.values[-1]
    if end > _FLOOR * top:
        return
    high = [index for index, value in enumerate(rate.values) if value > end + _STEADY * top]
    # a rate that steps down has its last step where others have their floor
    if rate.values[high[-1]] > end + _STEP * top:
        return
    begin = rate.steps[high[-1]]
    share = (run.last - begin) / ((run.last - rate.steps[0]) or 1.0)
    there = loss.between(begin, run.last)
    if share < _LONG or len(there) < _FEWEST // 2:
        return
    half = len(there) // 2
    gain = median(there.values[:half]) - median(there.values[half:])
    fell = beginning(loss) - median(there.values)
    noise = scatter(there.values) * (_ERROR / len(there)) ** 0.5
    if gain > max(_GAIN * fell, 2 * noise):
        return
    says = (
        f"The learning rate is at its floor of {number(end)} from {at(run.unit, begin)} on, the last "
        f"{share:.0%} of the run, in which the loss stays at {number(median(there.values))}."
    )
    yield Symptom("floor", begin, run.last, says, {"rate": end, "share": share, "gain": gain})


_FLOOR = 0.1  # of the highest rate: a decay to a tenth is the usual end
_STEADY = 0.005  # of the highest rate above the end
_STEP = 0.05  # of the highest rate, by which a curve does not fall in one row
_LONG = 0.2  # of the run
_GAIN = 0.02  # of what the loss fell by
_ERROR = 2 * 4 * math.pi / 2  # of the difference of two medians of half the points: 2 * (pi / 2) / (n / 2), in n


def still_falling(run: Run) -> Iterator[Symptom]:
    """Yield a loss that falls as fast at the end as at the beginning: the rate is too small, or the run too short."""
    loss = run.loss.grouped
    if len(loss) < _FEWEST:
        return
    ends = _quarters(loss, run.series.get("rate"))
    width = max(1, len(loss) // 20)
    levels = [median(loss.values[max(0, index - width) : index + width + 1]) for index in ends[1:]]
    levels.insert(0, beginning(loss))
    falls = [before - after for before, after in pairwise(levels)]
    noise = scatter(loss.values) * (math.pi / width) ** 0.5
    if falls[-1] < max(_EVEN * max(falls), 3 * noise) or sum(falls) < _MOVED * abs(levels[0]) or min(falls) < 0:
        return
    says = (
        f"The loss is only beginning to fall: by {number(falls[0])} in the first quarter and by {number(falls[-1])} in "
        f"the last, to {number(levels[-1])}."
    )
    yield Symptom("slow", loss.steps[0], run.last, says, {"first": falls[0], "last": falls[-1]})


def _quarters(loss: Series, rate: Series | None) -> list[int]:
    """Return the indices that divide a loss into quarters of equal distance, the sum of its rates."""
    length = len(loss)
    if rate is None or len(rate) < length // 2 or min(rate.values) < 0 or not sum(rate.values):
        return [0, length // 4, length // 2, 3 * length // 4, length - 1]
    found = [0]
    sums = list(accumulate(rate.values))
    for quarter in (1, 2, 3):
        index = bisect_left(sums, sums[-1] * quarter / 4)
        found.append(min(bisect_left(loss.steps, rate.steps[index]), length - 1))
    return [*found, length - 1]


_EVEN = 0.6  # of the largest fall of a quarter is the last one: a decay that is shorter than its own time scale
_MOVED = 0.01  # of the first loss


def tail_level(loss: Series) -> float:
    """Return the level at the end of a loss."""
    return median(loss.values[-max(3, len(loss) // 10) :])
