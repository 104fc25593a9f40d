"""Fitting: the schedule of a configuration that comes nearest to a curve, and how near that is."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from skillkit.configuration.schedules import value
from skillkit.curves.curve import Curve, Schedule

EQUAL = 1e-9  # of the peak: what rounding makes of the same formula
_POINTS = 2000


@dataclass(frozen=True)
class Fit:
    """A schedule beside a curve.

    Args:
        schedule: As a configuration has it.
        difference: The largest difference between both, relative to the curve's highest rate.
        update: Where it is largest.
        compared: At how many updates they were compared.
    """

    schedule: Schedule
    difference: float
    update: int
    compared: int

    @property
    def equal(self) -> bool:
        """Whether both are the same but for rounding."""
        return self.difference <= EQUAL


def fitted(curve: Curve, updates: int) -> Fit:
    """Return the nearest schedule for a run of so many updates.

    Args:
        curve: What it should be.
        updates: The run's length.

    Raises:
        ValueError: The rate is nowhere positive.
    """
    points = _points(curve, updates)
    rates = [curve.rate(point) for point in points]
    peak = max(rates)
    if not peak > 0:
        raise ValueError(f"the rate is {peak:g} at most")
    fits = []
    for candidate in _candidates(curve, updates, points, rates):
        schedule = {key: _tidy(candidate[key]) for key in _ORDER if key in candidate}
        differences = [abs(value(schedule, point) - rate) for point, rate in zip(points, rates, strict=True)]
        worst = max(differences)
        fits.append(Fit(schedule, worst / peak, points[differences.index(worst)], len(points)))
        if fits[-1].equal:
            break
    return min(fits, key=lambda fit: fit.difference)


_ORDER = (
    "name", "init_value", "peak_value", "warmup_steps", "total_steps", "end_value", "decay_steps", "cooldown_steps",
    "timescale", "boundaries", "scale",
)  # fmt: skip


def _tidy(part: Any) -> Any:
    return float(f"{part:.12g}") if isinstance(part, float) else part  # 0.0006 and not 0.0005999999999999998


def _points(curve: Curve, updates: int) -> list[int]:
    """Return every update, or of many some evenly, and those around each bend."""
    spread = range(updates) if updates <= _POINTS else (round(n * (updates - 1) / _POINTS) for n in range(_POINTS + 1))
    near = (bend + offset for bend in curve.bends for offset in (-1, 0, 1))
    return sorted({*spread, *(point for point in near if 0 <= point < updates)})


def _candidates(curve: Curve, updates: int, points: list[int], rates: list[float]) -> Iterator[Schedule]:
    thought = curve.shape(updates)
    if thought and thought["peak_value"] > 0:
        yield _complete(thought, updates)
    peak = max(rates)
    top = points[rates.index(peak)]
    stepped = _stepped(points, rates)
    if stepped:
        yield stepped | {"total_steps": updates}
    warmup = top if top < updates - 1 else 0
    rising = {"init_value": rates[0], "warmup_steps": warmup} if warmup else {}
    yield {"name": "constant", "peak_value": peak, "total_steps": updates, "end_value": peak} | rising
    ends = {(updates, rates[-1])} | {(bend, curve.rate(bend)) for bend in curve.bends if top < bend < updates}
    for total, end in sorted(ends):
        for name in ("linear", "cosine", *(["exponential"] if end > 0 else [])):
            yield {"name": name, "peak_value": peak, "end_value": max(end, 0.0), "total_steps": total} | rising


def _complete(schedule: Schedule, updates: int) -> Schedule:
    made = {"init_value": schedule["peak_value"], "warmup_steps": 0, "end_value": 0.0} | schedule
    if made["name"] == "constant":
        made["end_value"] = made["peak_value"]
    elif made["name"] == "step":
        made["end_value"] = value(made, made["total_steps"])
        made["total_steps"] = max(made["total_steps"], updates)
    return made


def _stepped(points: list[int], rates: list[float]) -> Schedule | None:
    """Return the schedule of a curve that is flat but for drops of one factor, where the points show each drop."""
    drops = [
        (point, rate / before)
        for point, rate, before in zip(points[1:], rates[1:], rates, strict=False)
        if rate != before and before
    ]
    factors = [factor for _, factor in drops]
    if not drops or len(drops) > len(points) / 2 or len(points) < points[-1] + 1:
        return None
    if min(factors) <= 0 or max(factors) - min(factors) > 1e-9 * max(factors):
        return None
    return {"name": "step", "peak_value": rates[0], "boundaries": [point for point, _ in drops], "scale": factors[0]}
