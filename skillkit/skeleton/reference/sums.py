"""Sums: adding floating-point numbers."""

import math


def mean(values: list[float]) -> float:
    """Return the mean, rounded once; of no values, nan."""
    return math.fsum(values) / len(values) if values else math.nan


def example_mean() -> None:
    """End the published block."""
    assert mean([1e16, 1.0, -1e16]) == 1.0 / 3.0


def check_mean() -> None:
    """Hold more than the block shows."""
    assert mean([0.1] * 10) == 0.1
    assert math.isnan(mean([]))


def total() -> float:
    """Return the right value beside the wrong one."""
    return math.fsum([1e16, 1.0, -1e16])
