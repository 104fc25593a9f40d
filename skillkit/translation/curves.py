"""Curves: the learning rate that a scheduler of another framework gives each update, in closed form."""

import math
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

Rate = Callable[[int], float]
Schedule = dict[str, Any]


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


def held(curve: Curve, every: int, skips: int) -> Curve:
    """Return the curve of a scheduler that steps once in so many updates, and a few times before the first."""
    if every == 1 and not skips:
        return curve

    def shape(total: int) -> Schedule | None:
        made = None if skips else curve.shape(max(1, -(-total // every)))
        return made and _stretched(made, every)

    bends = tuple(every * (bend - skips) for bend in curve.bends if bend > skips)
    length = None if curve.length is None else every * curve.length
    return Curve(lambda update: curve.rate(update // every + skips), shape, bends, length)


def _stretched(schedule: Schedule, every: int) -> Schedule:
    steps = ("warmup_steps", "total_steps", "decay_steps", "cooldown_steps", "timescale")
    longer = {key: schedule[key] * every for key in steps if schedule.get(key)}
    if "boundaries" in schedule:
        longer["boundaries"] = [boundary * every for boundary in schedule["boundaries"]]
    return schedule | longer


# ---- what the schedulers have in common


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


def falling(rate: float, milestones: Sequence[int], gamma: float) -> Curve:
    """Return the curve that is multiplied by a factor at each milestone."""
    ordered, factor = sorted(milestones), float(gamma)  # a whole number's power could have a million digits

    def shape(total: int) -> Schedule | None:
        inside = [milestone for milestone in ordered if 0 < milestone < total]
        if inside != sorted(set(inside)) or len(inside) > _MOST:
            return None
        whole = {"name": "step", "peak_value": rate, "boundaries": inside, "scale": gamma, "total_steps": total}
        return whole if inside else {"name": "constant", "peak_value": rate, "total_steps": total}

    return Curve(lambda update: rate * factor ** bisect_right(ordered, update), shape, tuple(ordered))


_MOST = 1000  # boundaries that anybody would read


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


# ---- the schedulers by their names


def _arguments(given: Mapping[str, Any], *names: str) -> list[Any]:
    return [given[name] for name in names]


def _positive(value: Any) -> int:
    if not isinstance(value, int) or value < 1:
        raise ValueError
    return value


def _linear_lr(given: Mapping[str, Any], rate: float) -> Curve:
    start, end, steps = _arguments(given, "start_factor", "end_factor", "total_iters")
    return linear(rate * start, rate * end, steps)


def _constant_lr(given: Mapping[str, Any], rate: float) -> Curve:
    low, steps = rate * given["factor"], given["total_iters"]
    return replace(falling(low, [steps], 1 / given["factor"]), rate=lambda update: rate if update >= steps else low)


def _step_lr(given: Mapping[str, Any], rate: float) -> Curve:
    size, gamma = _positive(given["step_size"]), float(given["gamma"])

    def shape(total: int) -> Schedule | None:
        return falling(rate, range(size, total, size), gamma).shape(total) if total // size <= _MOST else None

    return Curve(lambda update: rate * gamma ** (update // size), shape, tuple(size * n for n in range(1, _MOST)))


def _polynomial_lr(given: Mapping[str, Any], rate: float) -> Curve:
    steps, power = _arguments(given, "total_iters", "power")
    return _polynomial(rate, 0.0, steps, power)


def _polynomial(start: float, end: float, steps: int, power: float) -> Curve:
    straight = linear(start, end, steps)
    if power == 1:
        return straight
    return Curve(lambda update: end + (start - end) * (1 - min(update / steps, 1.0)) ** power, bends=(steps,))


def _restarts(given: Mapping[str, Any], rate: float) -> Curve:
    first, factor, end = _positive(given["T_0"]), _positive(given["T_mult"]), given["eta_min"]

    def value(update: int) -> float:
        length, since = first, update
        if factor == 1:
            since = update % first
        else:
            while since >= length:  # which doubles at least
                since, length = since - length, length * factor
        return float(end + (rate - end) * (1 + math.cos(math.pi * since / length)) / 2)

    whole = cosine(rate, end, first)
    return Curve(value, whole.shape, (first, first * (1 + factor)), None)


def _one_cycle(given: Mapping[str, Any], _: float) -> Curve:
    total = given["total_steps"] or given["epochs"] * given["steps_per_epoch"]
    top, share = given["max_lr"], given["pct_start"]
    first, last = top / given["div_factor"], top / given["div_factor"] / given["final_div_factor"]
    turn = share * total - 1
    phases = [(turn, first, top), (total - 1, top, last)]
    if given["three_phase"]:
        phases = [(turn, first, top), (2 * share * total - 2, top, first), (total - 1, first, last)]
    anneal = _cosine_between if given["anneal_strategy"] == "cos" else _line_between

    def rate(update: int) -> float:
        begin = 0.0
        for end, low, high in phases:
            if update <= end or end == total - 1:
                return anneal(low, high, (update - begin) / (end - begin))
            begin = end
        raise AssertionError

    def shape(_: int) -> Schedule | None:
        name = {"cos": "cosine", "linear": "linear"}[given["anneal_strategy"]]
        if given["three_phase"] or not 0 < round(turn) < total - 1:
            return None
        made = {"name": name, "init_value": first, "peak_value": top, "end_value": last}
        return made | {"warmup_steps": round(turn), "total_steps": total - 1}

    return Curve(rate, shape, tuple(math.ceil(end) for end, _, _ in phases), total)


def _line_between(start: float, end: float, share: float) -> float:
    return start + (end - start) * share


def _cosine_between(start: float, end: float, share: float) -> float:
    return end + (start - end) / 2 * (1 + math.cos(math.pi * share))


def _cyclic(given: Mapping[str, Any], _: float) -> Curve:
    low, high, up = _arguments(given, "base_lr", "max_lr", "step_size_up")
    down = given["step_size_down"] or up
    whole = up + down
    mode, gamma = given["mode"], float(given["gamma"])

    def rate(update: int) -> float:
        cycle = math.floor(1 + update / whole)
        inside = 1 + update / whole - cycle
        scale = inside * whole / up if inside <= up / whole else (1 - inside) * whole / down
        factor = {"triangular": 1.0, "triangular2": 0.5 ** float(cycle - 1), "exp_range": gamma**update}[mode]
        return float(low + (high - low) * scale * factor)

    return Curve(rate, bends=tuple(n * whole + part for n in range(100) for part in (up, whole)))


def _hard_restarts(given: Mapping[str, Any], rate: float) -> Curve:
    warmup, total, cycles = _arguments(given, "num_warmup_steps", "num_training_steps", "num_cycles")
    left = max(1, total - warmup)

    def value(update: int) -> float:
        if update >= left:
            return 0.0
        return float(rate * max(0.0, 0.5 * (1 + math.cos(math.pi * ((cycles * update / left) % 1.0)))))

    shape = cosine(rate, 0.0, left).shape if cycles == 1 else lambda _: None
    bends = tuple(math.ceil(left * n / cycles) for n in range(1, min(int(cycles), 100) + 1)) if cycles >= 1 else ()
    return warmed(warmup, Curve(value, shape, bends, left))


def _cosine_with_warmup(given: Mapping[str, Any], rate: float) -> Curve:
    warmup, total, cycles = _arguments(given, "num_warmup_steps", "num_training_steps", "num_cycles")
    return warmed(warmup, cosine(rate, 0.0, max(1, total - warmup), cycles))


def _linear_with_warmup(given: Mapping[str, Any], rate: float) -> Curve:
    warmup, total = _arguments(given, "num_warmup_steps", "num_training_steps")
    left = max(1, total - warmup)
    return warmed(warmup, replace(linear(rate, 0.0, left), length=left))


def _polynomial_with_warmup(given: Mapping[str, Any], rate: float) -> Curve:
    warmup, total, end = _arguments(given, "num_warmup_steps", "num_training_steps", "lr_end")
    left = max(1, total - warmup)
    return warmed(warmup, replace(_polynomial(rate, end, left, given["power"]), length=left))


def _inverse_sqrt(given: Mapping[str, Any], rate: float) -> Curve:
    warmup = given["num_warmup_steps"]
    timescale = given["timescale"] or warmup or 10_000  # transformers' own default

    def shape(total: int) -> Schedule:
        return {"name": "rsqrt", "peak_value": rate, "timescale": timescale, "total_steps": total}

    return warmed(warmup, Curve(lambda update: rate / math.sqrt(1 + update / timescale), shape))


Maker = Callable[[Mapping[str, Any], float], Curve]

SCHEDULERS: dict[str, Maker] = {
    "StepLR": _step_lr,
    "MultiStepLR": lambda given, rate: falling(rate, given["milestones"], given["gamma"]),
    "ConstantLR": _constant_lr,
    "LinearLR": _linear_lr,
    "ExponentialLR": lambda given, rate: exponential(rate, given["gamma"]),
    "CosineAnnealingLR": lambda given, rate: cosine(rate, given["eta_min"], given["T_max"]),
    "CosineAnnealingWarmRestarts": _restarts,
    "PolynomialLR": _polynomial_lr,
    "OneCycleLR": _one_cycle,
    "CyclicLR": _cyclic,
    "get_constant_schedule": lambda _, rate: constant(rate),
    "get_constant_schedule_with_warmup": lambda given, rate: warmed(given["num_warmup_steps"], constant(rate)),
    "get_linear_schedule_with_warmup": _linear_with_warmup,
    "get_cosine_schedule_with_warmup": _cosine_with_warmup,
    "get_cosine_with_hard_restarts_schedule_with_warmup": _hard_restarts,
    "get_polynomial_decay_schedule_with_warmup": _polynomial_with_warmup,
    "get_inverse_sqrt_schedule": _inverse_sqrt,
}
