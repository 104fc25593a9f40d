"""Divergence: a loss that is no number, that rises and stays, or that rises first and recovers."""

import math
from collections.abc import Iterator
from statistics import median

from skillkit.diagnosis.runs import Run
from skillkit.diagnosis.series import Series, loud_scatter, scatter
from skillkit.diagnosis.symptoms import Symptom, at, number

_BLOCKS = 40
_FEWEST = 8


def broken(run: Run) -> Iterator[Symptom]:
    """Yield where the loss is NaN or infinite, and where the gradient's norm is while the loss is not yet."""
    found = run.broken.get("loss", ())
    if not found:
        return
    first, last = found[0][0], found[-1][0]
    what = "NaN" if math.isnan(found[0][1]) else "infinite"
    count = len(found)
    after = run.loss.steps[-1] if len(run.loss) else -math.inf
    if last > after:
        tail = [step for step, _ in found if step > after]
        says = f"The loss is {what} from {at(run.unit, tail[0])} to the end"
        first, last = tail[0], run.last
    elif count == 1:
        says = f"The loss is {what} at {at(run.unit, first)}, and a number again after it"
    else:
        says = f"The loss is {what} at {count} of the rows between {at(run.unit, first)} and {at(run.unit, last)}"
    gradients = [step for step, _ in run.broken.get("gradient", ()) if step < first]
    if gradients and last > after:
        says += f"; the gradient's norm is so from {at(run.unit, gradients[-1])} on"
    yield Symptom("nan", first, last, says + ".", {"rows": count})


def diverged(run: Run) -> Iterator[Symptom]:
    """Yield where the loss rises for good, far above its best."""
    loss = run.loss.grouped
    if len(loss) < _FEWEST:
        return
    blocks = loss.blocks(_BLOCKS)
    size = len(loss) / len(blocks)
    begin = beginning(loss)
    index = min(range(len(blocks)), key=blocks.values.__getitem__)
    best = min(blocks.values[index], begin)
    tail = loss.part(len(loss) - max(3, len(loss) // 10), len(loss))
    end, lowest = median(tail.values), min(tail.blocks(3).values)
    noise = _noise_near(loss, int(index * size)) / max(1.0, size) ** 0.5
    rise = end - best
    scale = max(begin - best, _LEVEL * abs(begin))
    if rise < _RISE * scale or rise < _NOISE * noise or lowest - best < _RISE / 2 * scale:
        yield from _never_fell(run, begin, end)
        return
    # the last moment at which the loss was near its best
    near = [step for step, value in zip(blocks.steps, blocks.values, strict=True) if value <= best + 0.1 * rise]
    start = near[-1] if near else loss.steps[0]
    early = _is_early(run, start)
    where = f"The loss rises from {number(best)} at {at(run.unit, start)} to {number(end)} at the end"
    says = f"{where} and does not come back." if not early else f"{where}: it diverges early."
    evidence = {"best": best, "end": end, "begin": begin, "noise": noise}
    yield Symptom("divergence", start, run.last, says, evidence, "diverges-early" if early else "loss-spikes")


def _never_fell(run: Run, begin: float, end: float) -> Iterator[Symptom]:
    """Yield a loss that rises first and comes down, but not below where it began."""
    loss = run.loss.grouped
    if end < begin - _BELOW * abs(begin):
        return
    noise = loud_scatter(loss.values[len(loss) // 2 :])
    smooth = _smooth(loss, _WIDE)
    if not len(smooth):
        return
    index = max(range(len(smooth)), key=smooth.values.__getitem__)
    peak, step = smooth.values[index], smooth.steps[index]
    if _is_early(run, step) and peak - begin > max(_ABOVE * abs(begin), _NOISE * noise / _WIDE**0.5):
        says = (
            f"The loss rises from {number(begin)} to {number(peak)} at {at(run.unit, step)} and ends at {number(end)}, "
            "hardly below where it began: it diverges early."
        )
        yield Symptom("divergence", loss.steps[0], run.last, says, {"begin": begin, "peak": peak, "end": end})


_WIDE = 9  # rows
_BELOW = 0.03  # of the first loss: hardly below it
_ABOVE = 0.2  # of the first loss

_RISE = 0.35  # of what the loss fell by
_LEVEL = 0.1  # of the first loss, where it never fell
_NOISE = 6.0  # standard deviations of a block's level


def rises_first(run: Run) -> Iterator[Symptom]:
    """Yield a loss that rises above its first values in the first tenth and then comes down, as without warmup."""
    loss = run.loss.grouped
    if len(loss) < 2 * _FEWEST:
        return
    begin, end = loss.values[0], median(loss.values[-max(3, len(loss) // 10) :])
    found = _hump(loss, begin, begin - end)
    if found is None or end >= begin:
        return
    step, height = found
    later = zip(loss.steps, loss.values, strict=True)
    back = next((one for one, value in later if one > step and value <= begin), run.last)
    says = (
        f"The loss rises from {number(begin)} to {number(height)} at {at(run.unit, step)} before it falls, and is back "
        f"at {at(run.unit, back)}: the warmup is too short or the rate too high."
    )
    yield Symptom("early-rise", loss.steps[0], back, says, {"begin": begin, "peak": height})


def _hump(loss: Series, begin: float, fell: float) -> tuple[float, float] | None:
    """Return where the loss is highest in its first fifth, and how high, where that is more than noise."""
    early = loss.part(0, max(_FEWEST, int(_EARLY * len(loss))))
    middle = loss.values[int(_EARLY * len(loss)) : len(loss) // 2]
    # a loss scatters the more, the higher it is; that of a network that only guesses scatters little
    noise = loud_scatter(middle) * max(1.0, begin / (median(middle) or begin or 1.0))
    for width, times in _WIDTHS.items():
        smooth = _smooth(early, width)
        if not len(smooth):
            continue
        peak = max(range(len(smooth)), key=smooth.values.__getitem__)
        if smooth.values[peak] - begin > max(_HUMP * abs(fell), _LEAST * abs(begin), times * noise / width**0.5):
            return smooth.steps[peak], smooth.values[peak]
    return None


_EARLY = 0.2  # of the rows
_WIDTHS = {3: 8.0, 9: 5.0}  # rows that a level is taken from, and how many of its standard deviations it rises by
_HUMP = 0.15  # of the way from the first loss to the last
_LEAST = 0.05  # of the first loss


def beginning(loss: Series) -> float:
    """Return the first level of a loss: the median of its first three values, the first of a short one."""
    return median(loss.values[:3]) if len(loss) >= 60 else loss.values[0]


def _smooth(series: Series, width: int) -> Series:
    """Return the medians of `width` values each, the first of which is no part of any: it may stand alone."""
    values = series.values
    indices = range(1 + width // 2, len(values) - width // 2)
    return Series(
        [series.steps[index] for index in indices],
        [median(values[index - width // 2 : index + width // 2 + 1]) for index in indices],
    )


def _noise_near(loss: Series, index: int) -> float:
    width = max(10, len(loss) // 10)
    return scatter(loss.values[max(0, index - width) : index + width])


def _is_early(run: Run, start: float) -> bool:
    first, last = run.loss.steps[0], run.last
    return start - first <= _SOON * (last - first)


_SOON = 0.2  # of the run
