"""Sums, wrongly: every function here must fail as the spec states."""


def plain_sum() -> float:
    values = [1e16, 1.0, -1e16]
    return sum(values) / len(values)


def mean_of_nothing() -> float:
    values: list[float] = []
    return sum(values) / len(values)
