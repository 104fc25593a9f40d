"""Spikes: a loss that jumps far above its neighbours, and whether it comes back."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median

from skillkit.diagnosis.divergence import beginning
from skillkit.diagnosis.runs import Run
from skillkit.diagnosis.series import Series, scatter
from skillkit.diagnosis.symptoms import Symptom, at, number

_BEFORE = 10  # points that the level before a spike is taken from
_AROUND = 60  # points on each side that say how the rest scatters
_FEWEST = 20


@dataclass(frozen=True)
class Spike:
    """One jump: indices of its first point, its highest one and the one at which it is back, or None."""

    first: int
    peak: int
    back: int | None
    height: float
    level: float


def spiked(run: Run) -> Iterator[Symptom]:
    """Yield the spikes of a loss, those that come back and those that do not, as one symptom."""
    found = spikes(run.loss)
    if not found:
        return
    steps, values = run.loss.peaks.steps, run.loss.peaks.values
    worst = max(found, key=lambda spike: spike.height)
    open_ones = [spike for spike in found if spike.back is None]
    last = run.last if open_ones else steps[found[-1].back or found[-1].peak]
    most = f"from {number(worst.level)} to {number(values[worst.peak])} at {at(run.unit, steps[worst.peak])}"
    firsts = [steps[spike.first] for spike in found]
    if open_ones:
        ends = f"and does not come back from {at(run.unit, steps[open_ones[-1].first])} on"
    elif len(found) == 1:
        ends = f"and is back at {at(run.unit, last)}"
    else:
        ends = "and comes back each time"
    where = most if len(found) == 1 else f"at {run.unit}s {_listed(firsts)}, most {most},"
    says = f"The loss jumps {where} {ends}."
    evidence = {"spikes": len(found), "recovered": len(found) - len(open_ones), "height": worst.height}
    yield Symptom("spikes", firsts[0], last, says, evidence, at=firsts)


def _listed(steps: list[float]) -> str:
    said = [f"{step:,.6g}" if step != int(step) else f"{int(step):,}" for step in steps[:_SAID]]
    more = len(steps) - len(said)
    return ", ".join(said) + f" and {more} more" if more else ", ".join(said[:-1]) + f" and {said[-1]}"


_SAID = 6


def spikes(loss: Series) -> list[Spike]:
    """Return the spikes of a loss in order."""
    level, peaks = list(loss.grouped.values), list(loss.peaks.values)
    if len(level) < _FEWEST:
        return []
    begin = max(loss.grouped.values[0], beginning(loss.grouped))
    size = max(begin - median(level[-max(3, len(level) // 10) :]), 0.0)
    before = [median(level[max(0, index - _BEFORE) : index] or level[:1]) for index in range(len(level))]
    excess = [peak - base for peak, base in zip(peaks, before, strict=True)]
    found: list[Spike] = []
    index = max(_BEFORE, len(level) // 50)
    while index < len(level):
        spike = _spike(index, level, before, excess, size) if excess[index] > _SIZE * size else None
        if spike is None:
            index += 1
            continue
        found.append(spike)
        index = (spike.back or len(level)) + 1
    return _apart(found, excess)


def _apart(found: list[Spike], excess: list[float]) -> list[Spike]:
    """Return the spikes that last, and of those of a row or two, as odd batches make, the ones far above all else."""
    inside = {index for spike in found for index in range(spike.first, (spike.back or len(excess)) + 1)}
    others = max((value for index, value in enumerate(excess) if index not in inside and index >= _BEFORE), default=0.0)
    brief = sorted(spike.height for spike in found if _is_brief(spike))
    for height in brief:
        # from the lowest on, each that is not far above what lies below it is one of these
        if height < _APART * others:
            others = max(others, height)
    apart = sum(height >= _APART * others for height in brief)
    often = apart > max(_FEW, _OFTEN * len(excess))  # these are how the rows scatter
    return [spike for spike in found if not _is_brief(spike) or (spike.height >= _APART * others and not often)]


_FEW = 5
_OFTEN = 0.005  # of the rows
_APART = 2.5  # times the highest row that is no spike


def _is_brief(spike: Spike) -> bool:
    return spike.back is not None and spike.back - spike.first < _BRIEF


_BRIEF = 3


_SIZE = 0.15  # of what the loss fell by over the run
_SHARE = 0.1  # of the level before
_FALSE = 0.01  # of runs whose rows scatter exponentially would have a row beyond what is wanted
_NOISE = 6.0  # standard deviations of the neighbours


def _spike(index: int, level: list[float], before: list[float], excess: list[float], size: float) -> Spike | None:
    around = sorted(excess[max(0, index - _AROUND) : index] + excess[index + 1 : index + 1 + _AROUND])
    middle, high = around[len(around) // 2], around[int(0.9 * (len(around) - 1))]
    noise = scatter(level[max(0, index - _AROUND) : index])
    base = before[index]
    wanted = max(_SIZE * size, _SHARE * abs(base), middle + _tail(len(level)) * (high - middle), _NOISE * noise)
    if excess[index] < wanted:
        return None
    peak, height = index, excess[index]
    for later in range(index + 1, len(level)):
        following = level[later : later + 3]
        if median(following) <= base + _BACK * height:
            return Spike(index, peak, later, height, base)
        if level[later] - base > height:
            peak, height = later, level[later] - base
    return Spike(index, peak, None, height, base)


def _tail(count: int) -> float:
    """Return how many times as far as from the middle to the 90th percentile one of `count` rows hardly ever lies."""
    return (math.log(count / _FALSE) - math.log(2)) / math.log(5)


_BACK = 0.25  # of its height, below which a spike is over
