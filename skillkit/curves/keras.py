"""Keras' schedules: the rate of each update, as `keras.optimizers.schedules` gives it in closed form."""

import math
from bisect import bisect_right

from skillkit.curves.curve import (
    Curve,
    Given,
    Maker,
    arguments,
    cosine,
    exponential,
    polynomial,
    settled,
    stepping,
    warmed,
)


def _cosine(given: Given, _: float) -> Curve:
    first, steps, target = arguments(given, "initial_learning_rate", "decay_steps", "warmup_target")
    top = first if target is None else target
    fallen = settled(cosine(top, top * given["alpha"], steps), steps)
    return fallen if target is None else warmed(given["warmup_steps"], fallen, first)


def _restarts(given: Given, _: float) -> Curve:
    rate, first, factor = arguments(given, "initial_learning_rate", "first_decay_steps", "t_mul")
    lower, floor = given["m_mul"], given["alpha"]

    def value(update: int) -> float:
        share = update / first
        turn = math.floor(share) if factor == 1 else math.floor(math.log(1 - share * (1 - factor)) / math.log(factor))
        begun = turn if factor == 1 else (1 - float(factor) ** turn) / (1 - factor)
        inside = (share - begun) / float(factor) ** turn
        height = 0.5 * float(lower) ** turn * (1 + math.cos(math.pi * inside))
        return float(rate * ((1 - floor) * height + floor))

    bends = (first, round(first * (1 + factor)))
    return Curve(value, cosine(rate, rate * floor, first).shape, bends)


def _exponential(given: Given, _: float) -> Curve:
    rate, steps, factor = arguments(given, "initial_learning_rate", "decay_steps", "decay_rate")
    if given["staircase"]:
        return stepping(rate, steps, factor)
    return exponential(rate, factor ** (1 / steps))


def _polynomial(given: Given, _: float) -> Curve:
    rate, steps, end, power = arguments(given, "initial_learning_rate", "decay_steps", "end_learning_rate", "power")
    if not given["cycle"]:
        return polynomial(rate, end, steps, power)

    def value(update: int) -> float:
        longer = steps * max(1, math.ceil(update / steps))
        return float((rate - end) * (1 - update / longer) ** power + end)

    return Curve(value, polynomial(rate, end, steps, power).shape, (steps,))


def _piecewise(given: Given, _: float) -> Curve:
    boundaries, values = given["boundaries"], given["values"]
    if len(values) != len(boundaries) + 1:
        raise ValueError
    falls = [boundary + 1 for boundary in boundaries]  # in Keras the boundary itself still has the rate before
    return Curve(lambda update: float(values[bisect_right(falls, update)]), bends=tuple(falls))


def _inverse_time(given: Given, _: float) -> Curve:
    rate, steps, factor = arguments(given, "initial_learning_rate", "decay_steps", "decay_rate")

    def value(update: int) -> float:
        share = update // steps if given["staircase"] else update / steps
        return float(rate / (1 + factor * share))

    return Curve(value)


SCHEDULERS: dict[str, Maker] = {
    "CosineDecay": _cosine,
    "CosineDecayRestarts": _restarts,
    "ExponentialDecay": _exponential,
    "PolynomialDecay": _polynomial,
    "PiecewiseConstantDecay": _piecewise,
    "InverseTimeDecay": _inverse_time,
}
