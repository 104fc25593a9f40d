"""Ordering: points in the order of their updates, each once, and where a run was resumed."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from skillkit.diagnosis.series import Series
from skillkit.errors import counted

Point = tuple[float, float]


@dataclass(frozen=True)
class Resume:
    """Where a run seems to have been stopped and resumed.

    Args:
        step: The first update after it.
        kind: `repeat` where updates are logged again, `gap` where some are missing, `pause` where only time passed.
        before: The losses of the repeated updates as they were the first time; those just before for another kind.
    """

    step: float
    kind: str
    before: Series


def ordered(
    points: list[Point],
) -> tuple[list[Point], list[Resume], list[str]]:
    """Return points in the order of their steps, each once; a resumed run's later ones win."""
    drops = [index for index in range(1, len(points)) if points[index][0] < points[index - 1][0]]
    equal = sum(before[0] == after[0] for before, after in pairwise(points))
    notes: list[str] = []
    resumes: list[Resume] = []
    if drops and len(drops) <= max(3, _RESUMES * len(points)) and _overlap(points, drops):
        points, resumes = _resumed(points, drops)
        notes.append(f"updates are repeated after {counted(len(resumes), 'resume')}: the later rows count")
    elif drops:
        points = sorted(points, key=lambda point: point[0])
        notes.append("the rows are out of order: they were sorted by their update")
    merged: dict[float, float] = {}
    for step, value in points:
        # of equal steps, as of several processes, the last counts, but a number before none
        if step not in merged or not math.isnan(value):
            merged[step] = value
    if not drops and equal > 0.02 * len(points):
        notes.append(f"the update of the row before stands in {counted(equal, 'row')}: the last of each counts")
    return list(merged.items()), resumes, notes


_RESUMES = 0.01  # of all rows may be a return to an earlier update, else the rows are out of order


def _overlap(points: list[Point], drops: list[int]) -> bool:
    """Return whether what follows each return grows on from there past what was before, as a resumed run does."""
    bounds = [0, *drops, len(points)]
    parts = [points[first:last] for first, last in pairwise(bounds)]
    return all(after[0][0] > before[0][0] and len(after) > 1 for before, after in pairwise(parts)) and (
        parts[-1][-1][0] >= max(part[-1][0] for part in parts) * 0.5
    )


def _resumed(points: list[Point], drops: list[int]) -> tuple[list[Point], list[Resume]]:
    kept = points[: drops[0]]
    resumes = []
    for first, last in pairwise([*drops, len(points)]):
        step = points[first][0]
        again = [point for point in kept if point[0] >= step]
        resumes.append(Resume(step, "repeat", finite_series(again)))
        kept = [point for point in kept if point[0] < step] + points[first:last]
    return kept, resumes


def gaps(points: list[Point], known: Sequence[Resume]) -> Iterator[Resume]:
    """Yield resumes where updates are missing."""
    if len(points) < _FEW:
        return
    intervals = [after[0] - before[0] for before, after in pairwise(points)]
    usual = median(intervals)
    resumed = {resume.step for resume in known}
    for index, interval in enumerate(intervals, 1):
        # the first rows are often denser; and a log that grows sparser by plan has no gap
        if index > 2 and interval > _GAP * usual and points[index][0] not in resumed:
            later = intervals[index : index + 5]
            if later and median(later) < interval / 2:
                yield Resume(points[index][0], "gap", finite_series(points[max(0, index - 20) : index]))


_FEW = 10
_GAP = 2.5  # times the usual interval; a row that was lost leaves a gap of 2


def is_finite(value: float) -> bool:
    """Return whether a number is one that can be reckoned with."""
    return abs(value) < _LARGEST


_LARGEST = 1e150  # what is larger has no square, and no float32 is


def finite_series(points: Iterable[Point]) -> Series:
    """Return the series of those points that are numbers."""
    kept = [point for point in points if is_finite(point[1])]
    return Series([step for step, _ in kept], [value for _, value in kept])
