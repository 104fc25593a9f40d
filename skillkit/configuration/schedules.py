"""Schedules: a configuration's learning rate as Optax calls, and its value at each update without jax."""

import math
from collections.abc import Mapping
from typing import Any

from skillkit.configuration.expressions import Call, Setting

NAMES = ("constant", "linear", "cosine", "exponential", "rsqrt", "wsd", "step", "none")


def call(schedule: Mapping[str, Any]) -> Call:
    """Return the Optax schedule of a configuration; it counts optimizer updates."""
    plain = {**schedule, "warmup_steps": schedule.get("warmup_steps") or 0}
    warmup, total = plain["warmup_steps"], plain.get("total_steps")
    peak = _setting(plain, "peak_value")
    if plain["name"] == "cosine":
        return Call(
            "optax.warmup_cosine_decay_schedule",
            {
                "init_value": _setting(plain, "init_value"),
                "peak_value": peak,
                "warmup_steps": _setting(plain, "warmup_steps"),
                "decay_steps": Setting(total, "total_steps"),
                "end_value": _setting(plain, "end_value"),
            },
        )
    parts = [(0, _warmup(plain))] if warmup else []
    parts += [(warmup, _main(plain, peak))]
    tail = _tail(plain)
    return _joined([*parts, *tail])


def value(schedule: Mapping[str, Any], update: int) -> float:
    """Return the learning rate of an update, counted from 0."""
    warmup, total = schedule.get("warmup_steps") or 0, schedule.get("total_steps") or 0
    peak = schedule.get("peak_value") or 0.0
    init, end = _first(schedule), schedule.get("end_value") or 0.0
    if update < warmup:
        return float(init + (peak - init) * update / warmup)
    start, length = _tail_span(schedule)
    if length and update >= start:
        top = _top(schedule, start - warmup)
        return float(top + (end - top) * min((update - start) / length, 1.0))
    return _after_warmup(schedule, min(update, max(total, warmup)) - warmup if total else update - warmup)


def _after_warmup(schedule: Mapping[str, Any], count: int) -> float:
    name, peak, end = schedule["name"], schedule.get("peak_value") or 0.0, schedule.get("end_value") or 0.0
    left = max((schedule.get("total_steps") or 1) - (schedule.get("warmup_steps") or 0), 1)
    share = min(count / left, 1.0)
    if name == "cosine":
        return float(end + (peak - end) * 0.5 * (1 + math.cos(math.pi * share)))
    if name == "linear":
        return float(peak + (end - peak) * share)
    if name == "exponential":
        return float(peak * (end / peak) ** share)
    if name == "rsqrt":
        return float(peak / math.sqrt(1 + count / schedule["timescale"]))
    if name == "step":
        passed = sum(count >= boundary - (schedule.get("warmup_steps") or 0) for boundary in schedule["boundaries"])
        return float(peak * schedule["scale"] ** passed)
    return float(peak)


def _main(schedule: Mapping[str, Any], peak: Setting) -> Call:
    name, warmup = schedule["name"], schedule["warmup_steps"]
    if name == "linear":
        left = Setting(schedule["total_steps"] - warmup, "transition_steps")
        return _linear(peak, _setting(schedule, "end_value"), left)
    if name == "exponential":
        left = Setting(schedule["total_steps"] - warmup, "transition_steps")
        rate = Setting(schedule["end_value"] / schedule["peak_value"], "decay_rate")
        return Call(
            "optax.exponential_decay",
            {
                "init_value": peak,
                "transition_steps": left,
                "decay_rate": rate,
                "end_value": _setting(schedule, "end_value"),
            },
        )
    if name == "rsqrt":
        return Call("inverse_sqrt_schedule", {"peak_value": peak, "timescale": _setting(schedule, "timescale")})
    if name == "step":
        scales = {boundary - warmup: schedule["scale"] for boundary in schedule["boundaries"]}
        return Call(
            "optax.piecewise_constant_schedule",
            {"init_value": peak, "boundaries_and_scales": Setting(scales, "boundaries")},
        )
    return Call("optax.constant_schedule", {"value": peak})


def _warmup(schedule: Mapping[str, Any]) -> Call:
    end = _setting(schedule, "peak_value")
    return _linear(Setting(_first(schedule), "init_value"), end, _setting(schedule, "warmup_steps"))


def _tail(schedule: Mapping[str, Any]) -> list[tuple[int, Call]]:
    start, length = _tail_span(schedule)
    if not length:
        return []
    top = _top(schedule, start - schedule["warmup_steps"])
    setting = "decay_steps" if schedule["name"] == "wsd" else "cooldown_steps"
    return [(start, _linear(Setting(top, "peak_value"), _setting(schedule, "end_value"), Setting(length, setting)))]


def _top(schedule: Mapping[str, Any], count: int) -> float:
    return float(f"{_after_warmup(schedule, count):.6g}")  # it is printed


def _tail_span(schedule: Mapping[str, Any]) -> tuple[int, int]:
    length = {"wsd": schedule.get("decay_steps"), "rsqrt": schedule.get("cooldown_steps")}.get(schedule["name"]) or 0
    return (schedule.get("total_steps") or 0) - length, length


def _linear(start: Any, end: Any, steps: Any) -> Call:
    return Call("optax.linear_schedule", {"init_value": start, "end_value": end, "transition_steps": steps})


def _joined(parts: list[tuple[int, Call]]) -> Call:
    if len(parts) == 1:
        return parts[0][1]
    boundaries = [start for start, _ in parts[1:]]
    return Call("optax.join_schedules", {"schedules": [part for _, part in parts], "boundaries": boundaries})


def _setting(schedule: Mapping[str, Any], key: str) -> Setting:
    if key == "init_value":
        return Setting(_first(schedule), key)
    return Setting(schedule.get(key) or 0.0 if key == "end_value" else schedule[key], key)


def _first(schedule: Mapping[str, Any]) -> float:
    first = schedule.get("init_value")
    return (
        float(schedule.get("peak_value") or 0.0) if first is None or not schedule.get("warmup_steps") else float(first)
    )
