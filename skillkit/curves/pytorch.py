"""PyTorch's schedulers: the rate of each update, as `torch.optim.lr_scheduler` gives it in closed form."""

import math
from dataclasses import replace

from skillkit.curves.curve import (
    Curve,
    Given,
    Maker,
    Schedule,
    arguments,
    cosine,
    exponential,
    falling,
    linear,
    polynomial,
    positive,
    stepping,
)


def _linear_lr(given: Given, rate: float) -> Curve:
    start, end, steps = arguments(given, "start_factor", "end_factor", "total_iters")
    return linear(rate * start, rate * end, steps)


def _constant_lr(given: Given, rate: float) -> Curve:
    low, steps = rate * given["factor"], given["total_iters"]
    return replace(falling(low, [steps], 1 / given["factor"]), rate=lambda update: rate if update >= steps else low)


def _polynomial_lr(given: Given, rate: float) -> Curve:
    steps, power = arguments(given, "total_iters", "power")
    return polynomial(rate, 0.0, steps, power)


def _restarts(given: Given, rate: float) -> Curve:
    first, factor, end = positive(given["T_0"]), positive(given["T_mult"]), given["eta_min"]

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


def _one_cycle(given: Given, _: float) -> Curve:
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


def _cyclic(given: Given, _: float) -> Curve:
    low, high, up = arguments(given, "base_lr", "max_lr", "step_size_up")
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


SCHEDULERS: dict[str, Maker] = {
    "StepLR": lambda given, rate: stepping(rate, given["step_size"], given["gamma"]),
    "MultiStepLR": lambda given, rate: falling(rate, given["milestones"], given["gamma"]),
    "ConstantLR": _constant_lr,
    "LinearLR": _linear_lr,
    "ExponentialLR": lambda given, rate: exponential(rate, given["gamma"]),
    "CosineAnnealingLR": lambda given, rate: cosine(rate, given["eta_min"], given["T_max"]),
    "CosineAnnealingWarmRestarts": _restarts,
    "PolynomialLR": _polynomial_lr,
    "OneCycleLR": _one_cycle,
    "CyclicLR": _cyclic,
}
