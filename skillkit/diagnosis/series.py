"""Series: numbers over updates, with their level and their noise."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from statistics import median

MOST = 4000  # points are grouped beyond that, so that a million rows take seconds
_NORMAL = 1.4826  # the median absolute deviation of a normal distribution, to its standard deviation


@dataclass(frozen=True)
class Series:
    """Finite numbers by update, in order.

    Args:
        steps: The updates, growing.
        values: One for each.
    """

    steps: Sequence[float]
    values: Sequence[float]

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.values)

    def between(self, first: float, last: float) -> "Series":
        """Return the part from one update to another, both included."""
        kept = [(step, value) for step, value in zip(self.steps, self.values, strict=True) if first <= step <= last]
        return Series([step for step, _ in kept], [value for _, value in kept])

    def part(self, first: int, last: int) -> "Series":
        """Return the points from one index to another, which is not included."""
        return Series(self.steps[first:last], self.values[first:last])

    @cached_property
    def size(self) -> int:
        """How many points each group of `grouped` has."""
        return -(-len(self) // MOST)

    @cached_property
    def grouped(self) -> "Series":
        """The medians of groups of points, at most `MOST`; itself where there are no more."""
        if self.size <= 1:
            return self
        groups = range(0, len(self), self.size)
        return Series(
            [self.steps[index] for index in groups],
            [median(self.values[index : index + self.size]) for index in groups],
        )

    @cached_property
    def peaks(self) -> "Series":
        """The highest points of the groups of `grouped`."""
        if self.size <= 1:
            return self
        best = [
            max(range(index, min(index + self.size, len(self))), key=self.values.__getitem__)
            for index in range(0, len(self), self.size)
        ]
        return Series([self.steps[index] for index in best], [self.values[index] for index in best])

    @cached_property
    def noise(self) -> float:
        """The standard deviation of a point about its neighbours, robust to outliers and to the trend."""
        return scatter(self.values)

    def blocks(self, count: int) -> "Series":
        """Return the medians of at most `count` parts of equal length, each at its first update."""
        length = len(self)
        count = min(count, length)
        bounds = [length * index // count for index in range(count + 1)] if count else []
        return Series(
            [self.steps[first] for first, _ in pairwise(bounds)],
            [median(self.values[first:last]) for first, last in pairwise(bounds)],
        )


def mean(values: Sequence[float]) -> float:
    """Return the mean of some numbers, quicker than exactly."""
    return sum(values) / len(values)


def loud_scatter(values: Sequence[float]) -> float:
    """Return the standard deviation about the neighbours, also where most rows are alike and some are far away."""
    steps = sorted(abs(after - before) for before, after in pairwise(values))
    if not steps:
        return 0.0
    return max(scatter(values), steps[int(0.95 * (len(steps) - 1))] / (1.96 * 2**0.5))


def scatter(values: Sequence[float]) -> float:
    """Return the standard deviation of some numbers about their neighbours, robust to outliers and to a trend."""
    if len(values) < 2:
        return 0.0
    steps = [abs(after - before) for before, after in pairwise(values)]
    middle = median(steps)
    if middle == 0:  # most are equal, as where they were rounded
        return sum(steps) / len(steps)
    return _NORMAL * middle / 2**0.5
