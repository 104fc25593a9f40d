"""Sums: adding floating-point numbers."""

import math


def mean(values: list[float]) -> float:
    """Return the mean of at least one number, rounded once."""
    return math.fsum(values) / len(values)


def example_mean() -> None:
    """End the published block."""
    assert mean([0.1] * 10) == 0.1


def check_mean() -> None:
    """Hold more than the block shows."""
    assert mean([1e16, 1.0, -1e16]) == 1.0 / 3.0
