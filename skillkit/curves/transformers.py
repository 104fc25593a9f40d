"""Schedulers of transformers: the rate of each update, as `transformers.optimization` gives it in closed form."""

import math
from dataclasses import replace

from skillkit.curves.curve import (
    Curve,
    Given,
    Maker,
    Schedule,
    arguments,
    constant,
    cosine,
    linear,
    polynomial,
    warmed,
)


def _hard_restarts(given: Given, rate: float) -> Curve:
    warmup, total, cycles = arguments(given, "num_warmup_steps", "num_training_steps", "num_cycles")
    left = max(1, total - warmup)

    def value(update: int) -> float:
        if update >= left:
            return 0.0
        return float(rate * max(0.0, 0.5 * (1 + math.cos(math.pi * ((cycles * update / left) % 1.0)))))

    shape = cosine(rate, 0.0, left).shape if cycles == 1 else lambda _: None
    bends = tuple(math.ceil(left * n / cycles) for n in range(1, min(int(cycles), 100) + 1)) if cycles >= 1 else ()
    return warmed(warmup, Curve(value, shape, bends, left))


def _cosine_with_warmup(given: Given, rate: float) -> Curve:
    warmup, total, cycles = arguments(given, "num_warmup_steps", "num_training_steps", "num_cycles")
    return warmed(warmup, cosine(rate, 0.0, max(1, total - warmup), cycles))


def _linear_with_warmup(given: Given, rate: float) -> Curve:
    warmup, total = arguments(given, "num_warmup_steps", "num_training_steps")
    left = max(1, total - warmup)
    return warmed(warmup, replace(linear(rate, 0.0, left), length=left))


def _polynomial_with_warmup(given: Given, rate: float) -> Curve:
    warmup, total, end = arguments(given, "num_warmup_steps", "num_training_steps", "lr_end")
    left = max(1, total - warmup)
    return warmed(warmup, replace(polynomial(rate, end, left, given["power"]), length=left))


def _inverse_sqrt(given: Given, rate: float) -> Curve:
    warmup = given["num_warmup_steps"]
    timescale = given["timescale"] or warmup or 10_000  # transformers' own default

    def shape(total: int) -> Schedule:
        return {"name": "rsqrt", "peak_value": rate, "timescale": timescale, "total_steps": total}

    return warmed(warmup, Curve(lambda update: rate / math.sqrt(1 + update / timescale), shape))


def _cosine_with_floor(given: Given, rate: float) -> Curve:
    warmup, total = arguments(given, "num_warmup_steps", "num_training_steps")
    floor = given["min_lr"] if given["min_lr"] is not None else rate * given["min_lr_rate"]
    return warmed(warmup, cosine(rate, floor, max(1, total - warmup), given["num_cycles"]))


def _warmed_to_floor(given: Given, rate: float) -> Curve:
    warmup, total = arguments(given, "num_warmup_steps", "num_training_steps")
    floor = given["min_lr"] / rate if given["min_lr"] is not None else given["min_lr_rate"]
    first = given["warmup_lr_rate"]
    left = max(1, total - warmup)

    def value(update: int) -> float:
        if update < warmup:
            if first is None:
                return float(rate * (update + 1) / max(1, warmup))
            return float(rate * (first + (1 - first) * update / max(1, warmup - 1)))
        share = (update - warmup + 1) / left
        wave = 0.5 * (1 + math.cos(math.pi * given["num_cycles"] * 2 * share))
        return float(rate * max(0.0, wave * (1 - floor) + floor))

    return Curve(value, bends=(warmup, total), length=total)


def _warmup_stable_decay(given: Given, rate: float) -> Curve:
    warmup, decay, total, stable = arguments(
        given, "num_warmup_steps", "num_decay_steps", "num_training_steps", "num_stable_steps"
    )
    stable = total - warmup - decay if stable is None else stable
    floor, kind = given["min_lr_ratio"], str(given["decay_type"])

    def falls(share: float) -> float:
        wave = 0.5 * (1 + math.cos(math.pi * given["num_cycles"] * 2 * share))
        return {"linear": 1 - share, "cosine": wave, "1-sqrt": 1 - math.sqrt(share)}[kind]

    def rises(share: float) -> float:
        wave = 0.5 * (1 - math.cos(math.pi * share))
        return {"linear": share, "cosine": wave, "1-sqrt": 1 - math.sqrt(1 - share)}[str(given["warmup_type"])]

    def value(update: int) -> float:
        if update < warmup:
            factor = rises(update / warmup)
        elif update < warmup + stable:
            return rate
        elif update < warmup + stable + decay:
            factor = falls((update - warmup - stable) / decay)
        else:
            return float(rate * floor)
        return float(rate * max(0.0, factor * (1 - floor) + floor))

    def shape(_: int) -> Schedule | None:
        made = {"name": "wsd", "peak_value": rate, "end_value": rate * floor, "decay_steps": decay}
        rising = {"init_value": rate * floor, "warmup_steps": warmup} if warmup else {}
        return made | rising | {"total_steps": warmup + stable + decay}

    return Curve(value, shape, (warmup, warmup + stable, warmup + stable + decay), warmup + stable + decay)


SCHEDULERS: dict[str, Maker] = {
    "get_constant_schedule": lambda _, rate: constant(rate),
    "get_constant_schedule_with_warmup": lambda given, rate: warmed(given["num_warmup_steps"], constant(rate)),
    "get_linear_schedule_with_warmup": _linear_with_warmup,
    "get_cosine_schedule_with_warmup": _cosine_with_warmup,
    "get_cosine_with_hard_restarts_schedule_with_warmup": _hard_restarts,
    "get_polynomial_decay_schedule_with_warmup": _polynomial_with_warmup,
    "get_inverse_sqrt_schedule": _inverse_sqrt,
    "get_cosine_with_min_lr_schedule_with_warmup": _cosine_with_floor,
    "get_cosine_with_min_lr_schedule_with_warmup_lr_rate": _warmed_to_floor,
    "get_wsd_schedule": _warmup_stable_decay,
}
