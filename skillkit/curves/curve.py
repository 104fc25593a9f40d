"""Curves: a learning rate over the updates, in closed form, as what the schedulers of several frameworks share."""

import math
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

Rate = Callable[[int], float]
Schedule = dict[str, Any]
Given = Mapping[str, Any]


@dataclass(frozen=True)
class Curve:
    """A learning rate over the updates.

    Args:
        rate: The rate of each update, counted from 0.
        shape: The configuration's schedule that is thought to be equal in a run of so many updates, or None.
        bends: The updates at which the curve changes its course.
        length: How many updates it is made for, or None where it goes on for ever.
    """

    rate: Rate
    shape: Callable[[int], Schedule | None] = lambda _: None
    bends: tuple[int, ...] = ()
    length: int | None = None


def constant(rate: float) -> Curve:
    """Return the curve of a rate that stays."""
    return Curve(lambda _: rate, lambda total: {"name": "constant", "peak_value": rate, "total_steps": total})


def linear(start: float, end: float, steps: int) -> Curve:
    """Return the curve from one rate to another in so many updates, which stays there."""

    def rate(update: int) -> float:
        return end if update >= steps else start + (end - start) * update / steps

    def shape(total: int) -> Schedule:
        if start < end:
            made = {"name": "constant", "init_value": start, "peak_value": end, "warmup_steps": steps}
            return made | {"total_steps": max(total, steps + 1)}
        return {"name": "linear", "peak_value": start, "end_value": end, "total_steps": steps}

    return Curve(rate, shape, (steps,))


def cosine(start: float, end: float, steps: int, cycles: float = 0.5) -> Curve:
    """Return the curve along a cosine from one rate to another; it goes on as a wave."""

    def rate(update: int) -> float:
        return end + (start - end) * (1 + math.cos(2 * math.pi * cycles * update / steps)) / 2

    def shape(_: int) -> Schedule | None:
        return (
            {"name": "cosine", "peak_value": start, "end_value": end, "total_steps": steps} if cycles == 0.5 else None
        )

    return Curve(rate, shape, (steps,), steps)


def settled(curve: Curve, steps: int) -> Curve:
    """Return the curve that stays from so many updates on."""
    return replace(curve, rate=lambda update: curve.rate(min(update, steps)))


def falling(rate: float, milestones: Sequence[int], gamma: float) -> Curve:
    """Return the curve that is multiplied by a factor at each milestone."""
    ordered, factor = sorted(milestones), float(gamma)  # a whole number's power could have a million digits

    def shape(total: int) -> Schedule | None:
        inside = [milestone for milestone in ordered if 0 < milestone < total]
        if inside != sorted(set(inside)) or len(inside) > MOST:
            return None
        whole = {"name": "step", "peak_value": rate, "boundaries": inside, "scale": gamma, "total_steps": total}
        return whole if inside else {"name": "constant", "peak_value": rate, "total_steps": total}

    return Curve(lambda update: rate * factor ** bisect_right(ordered, update), shape, tuple(ordered))


def stepping(rate: float, size: int, gamma: float) -> Curve:
    """Return the curve that is multiplied by a factor once in so many updates."""
    every, factor = positive(size), float(gamma)

    def shape(total: int) -> Schedule | None:
        return falling(rate, range(every, total, every), factor).shape(total) if total // every <= MOST else None

    return Curve(lambda update: rate * factor ** (update // every), shape, tuple(every * n for n in range(1, MOST)))


MOST = 1000  # boundaries that anybody would read


def polynomial(start: float, end: float, steps: int, power: float) -> Curve:
    """Return the curve along a power of what is left, from one rate to another."""
    straight = linear(start, end, steps)
    if power == 1:
        return straight
    return Curve(lambda update: end + (start - end) * (1 - min(update / steps, 1.0)) ** power, bends=(steps,))


def exponential(rate: float, gamma: float) -> Curve:
    """Return the curve that is multiplied by a factor in each update."""
    factor = float(gamma)

    def shape(total: int) -> Schedule:
        return {"name": "exponential", "peak_value": rate, "end_value": rate * factor**total, "total_steps": total}

    return Curve(lambda update: rate * factor**update, shape)


def warmed(steps: int, curve: Curve, start: float = 0.0) -> Curve:
    """Return the curve that rises from a rate to where another begins, and goes on as that."""
    top = curve.rate(0)
    if steps <= 0:
        return curve

    def rate(update: int) -> float:
        return start + (top - start) * update / steps if update < steps else curve.rate(update - steps)

    def shape(total: int) -> Schedule | None:
        later = curve.shape(max(1, total - steps))
        if later is None or later.get("warmup_steps") or not math.isclose(later["peak_value"], top):
            return None
        moved: Schedule = {"init_value": start, "warmup_steps": steps}
        if "boundaries" in later:
            moved["boundaries"] = [boundary + steps for boundary in later["boundaries"]]
        return later | moved | {"total_steps": later["total_steps"] + steps}

    length = None if curve.length is None else steps + curve.length
    return Curve(rate, shape, (steps, *(bend + steps for bend in curve.bends)), length)


def joined(curves: Sequence[Curve], milestones: Sequence[int]) -> Curve:
    """Return the curves one after another, each counting from its own beginning."""
    starts = [0, *milestones]

    def rate(update: int) -> float:
        index = bisect_right(starts, update) - 1
        return curves[index].rate(update - starts[index])

    first, last = curves[0], curves[-1]
    bends = (*milestones, *(b + start for c, start in zip(curves, starts, strict=True) for b in c.bends))
    length = None if last.length is None else starts[-1] + last.length
    if len(curves) == 2 and milestones[0] > 0:
        rising = warmed(milestones[0], last, first.rate(0))  # equal where the first is a line to where the last begins
        return Curve(rate, rising.shape, bends, length)
    return Curve(rate, bends=bends, length=length)


def product(curves: Sequence[Curve], rate: float) -> Curve:
    """Return the curve of schedulers that multiply the same rate."""
    bends = tuple(bend for curve in curves for bend in curve.bends)
    return Curve(lambda update: rate * math.prod(curve.rate(update) / rate for curve in curves), bends=bends)


def arguments(given: Given, *names: str) -> list[Any]:
    """Return some of a scheduler's arguments in this order."""
    return [given[name] for name in names]


def positive(value: Any) -> int:
    """Return a whole number from 1 on.

    Raises:
        ValueError: It is none.
    """
    if not isinstance(value, int) or value < 1:
        raise ValueError
    return value


Maker = Callable[[Given, float], Curve]  # of a scheduler's arguments and the optimizer's rate
