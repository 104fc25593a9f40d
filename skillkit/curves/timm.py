"""timm's schedulers: the rate at each of their steps, an epoch or an update, as `timm.scheduler` gives it."""

import math
from bisect import bisect_right
from collections.abc import Callable

from skillkit.curves.curve import MOST, Curve, Given, Maker, Rate, Schedule, arguments


def _warmed(given: Given, rate: float, later: Rate, shape: Callable[[int], Schedule | None], bends: list[int]) -> Curve:
    """Return the curve that warms up; without `warmup_prefix` what comes after it has counted meanwhile."""
    warmup, first, prefix = arguments(given, "warmup_t", "warmup_lr_init", "warmup_prefix")
    shift = warmup if prefix else 0
    top = rate if prefix or warmup == 0 else later(warmup)  # as tanh has it; the others begin at the rate itself

    def value(step: int) -> float:
        if step < warmup:
            return float(first + step * ((top if given.get("meets") else rate) - first) / warmup)
        return later(step - shift)

    def shifted(total: int) -> Schedule | None:
        made = shape(max(1, total - shift)) if prefix or not warmup or not given.get("falls") else None
        if not made or not warmup:
            return made
        if any(bend + shift <= warmup for bend in made.get("boundaries", ())):
            return None  # it falls while it warms up
        more = {"boundaries": [bend + shift for bend in made["boundaries"]]} if "boundaries" in made else {}
        rising: Schedule = {"init_value": first, "warmup_steps": warmup}
        return made | more | rising | {"total_steps": made["total_steps"] + shift}

    return Curve(value, shifted, (warmup, *(bend + shift for bend in bends)))


def _in_cycles(given: Given, rate: float, wave: Callable[[float, float, float], float]) -> Rate:
    """Return what falls from a rate to the lowest one in each cycle: of the rate, its step and its length."""
    length, lowest, limit = arguments(given, "t_initial", "lr_min", "cycle_limit")
    longer, lower = arguments(given, "cycle_mul", "cycle_decay")

    def later(step: int) -> float:
        cycle, since, long = step // length, step % length, float(length)
        if longer != 1:
            cycle = math.floor(math.log(1 - step / length * (1 - longer), longer))
            long = longer**cycle * length
            since = step - (1 - longer**cycle) / (1 - longer) * length
        return float(wave(rate * lower**cycle, since, long)) if cycle < limit else float(lowest)

    return later


def _cosine(given: Given, rate: float) -> Curve:
    lowest, power, length = arguments(given, "lr_min", "k_decay", "t_initial")

    def wave(top: float, since: float, long: float) -> float:
        return float(lowest + 0.5 * (top - lowest) * (1 + math.cos(math.pi * since**power / long**power)))

    return _cycled(given, rate, wave, "cosine" if power == 1 else "", length)


def _poly(given: Given, rate: float) -> Curve:
    lowest, power, curl, length = arguments(given, "lr_min", "power", "k_decay", "t_initial")

    def wave(top: float, since: float, long: float) -> float:
        return float(lowest + (top - lowest) * (1 - since**curl / long**curl) ** power)

    return _cycled(given, rate, wave, "linear" if power == curl == 1 else "", length)


def _tanh(given: Given, rate: float) -> Curve:
    lowest, length = arguments(given, "lr_min", "t_initial")

    def wave(top: float, since: float, long: float) -> float:
        share = since / long
        if share == 0 and top == rate and not given["warmup_t"]:
            return rate  # which the optimizer has before the scheduler's first step
        return float(lowest + 0.5 * (top - lowest) * (1 - math.tanh(-7.0 * (1 - share) + 3.0 * share)))

    return _cycled({**given, "meets": True}, rate, wave, "", length)


def _cycled(given: Given, rate: float, wave: Callable[[float, float, float], float], name: str, length: int) -> Curve:
    def shape(_: int) -> Schedule | None:
        if not name or given["cycle_limit"] > 1:
            return None
        return {"name": name, "peak_value": rate, "end_value": given["lr_min"], "total_steps": length}

    return _warmed({**given, "falls": True}, rate, _in_cycles(given, rate, wave), shape, [length])


def _step(given: Given, rate: float) -> Curve:
    every, factor = given["decay_t"], given["decay_rate"]

    def shape(total: int) -> Schedule | None:
        count = math.ceil(total / every) - 1
        drops = [math.ceil(every * number) for number in range(1, count + 1)] if count <= MOST else []
        return _falling(rate, drops, factor, total)

    return _warmed(given, rate, lambda step: float(rate * factor ** (step // every)), shape, [])


def _multistep(given: Given, rate: float) -> Curve:
    milestones, factor = sorted(given["decay_t"]), given["decay_rate"]

    def later(step: int) -> float:
        return float(rate * factor ** bisect_right(milestones, step + 1))  # each takes place a step before its number

    drops = [milestone - 1 for milestone in milestones]
    return _warmed(given, rate, later, lambda total: _falling(rate, drops, factor, total), drops)


def _falling(rate: float, drops: list[int], factor: float, total: int) -> Schedule | None:
    inside = [drop for drop in drops if 0 < drop < total]
    if factor == 1 or not drops:
        return {"name": "constant", "peak_value": rate, "total_steps": total}
    if inside != sorted(set(inside)) or not inside:
        return None
    return {"name": "step", "peak_value": rate, "boundaries": inside, "scale": factor, "total_steps": total}


def _warmup_stable_decay(given: Given, rate: float) -> Curve:
    whole, decay, lowest, kind = arguments(given, "t_initial", "decay_t", "lr_min", "decay_fn")

    def later(step: int) -> float:
        stable = rate
        if given["stable_fn"] == "rsqrt":
            stable = max(rate * (1 + step / given["stable_timescale"]) ** -0.5, lowest)
        share = min(max(step - (whole - decay), 0) / decay, 1.0)
        left = {"linear": 1 - share, "1-sqrt": 1 - math.sqrt(share), "cosine": (1 + math.cos(math.pi * share)) / 2}
        return float(lowest + (stable - lowest) * left[kind])

    def shape(_: int) -> Schedule | None:
        if kind != "linear" or given["stable_fn"] != "constant":
            return None
        return {
            "name": "wsd",
            "peak_value": rate,
            "end_value": lowest,
            "decay_steps": decay,
            "total_steps": whole,
        }

    return _warmed({**given, "warmup_prefix": True}, rate, later, shape, [whole - decay, whole])


SCHEDULERS: dict[str, Maker] = {
    "CosineLRScheduler": _cosine,
    "PolyLRScheduler": _poly,
    "TanhLRScheduler": _tanh,
    "StepLRScheduler": _step,
    "MultiStepLRScheduler": _multistep,
    "WSDLRScheduler": _warmup_stable_decay,
}
