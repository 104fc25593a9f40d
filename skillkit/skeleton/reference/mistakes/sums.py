"""Sums, wrongly: every function here must fail as the spec states."""


def loop_total() -> float:
    total = 0.0
    for value in [1e16, 1.0, -1e16]:
        total += value
    return total


def mean_of_nothing() -> float:
    values: list[float] = []
    return sum(values) / len(values)
