"""Runs: the curves of each training run of a log, in the order of their updates."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from skillkit.diagnosis.columns import ROLES, chosen
from skillkit.diagnosis.dividing import begun_anew, divided
from skillkit.diagnosis.ordering import Point, Resume, finite_series, gaps, is_finite, ordered
from skillkit.diagnosis.series import Series
from skillkit.diagnosis.tables import Column, Table
from skillkit.errors import bad_input


@dataclass(frozen=True)
class Run:
    """One training run.

    Args:
        name: What tells it from others of the log; empty where there is one.
        unit: What is counted: `update`, `epoch` or `row`.
        columns: The name of the column of each role.
        series: The finite numbers by role: `loss`, `validation`, `gradient`, `rate`.
        broken: Where a number is NaN or infinite, by role: updates and what stands there.
        resumes: Where it was resumed.
        notes: What was done to the rows, for the user.
    """

    name: str
    unit: str
    columns: Mapping[str, str]
    series: Mapping[str, Series]
    broken: Mapping[str, Sequence[Point]] = field(default_factory=dict)
    resumes: Sequence[Resume] = ()
    notes: Sequence[str] = ()

    @property
    def loss(self) -> Series:
        """The training loss."""
        return self.series["loss"]

    @property
    def last(self) -> float:
        """The last update of which anything is known."""
        ends = [series.steps[-1] for series in self.series.values() if len(series)]
        ends += [found[-1][0] for found in self.broken.values() if found]
        return max(ends)


def read_runs(table: Table, said: Mapping[str, str]) -> list[Run]:
    """Return the runs of a log.

    Args:
        table: The log.
        said: The columns that the user named, by role.

    Raises:
        BadInput: A column is missing, or no row has a loss.
    """
    parts = divided(table)
    if len(parts) == 1:
        (part,) = parts.values()
        parts = begun_anew(part, chosen(part, said))
    return [_run(name if len(parts) > 1 else "", part, chosen(part, said)) for name, part in parts.items()]


def _run(name: str, table: Table, columns: Mapping[str, str]) -> Run:
    used = {role: columns[role] for role in ROLES if role in columns}
    unit, steps, notes = _steps(table, used)
    series: dict[str, Series] = {}
    broken: dict[str, list[Point]] = {}
    resumes: list[Resume] = []
    held = {role: _kept(table, used, role) for role in ("loss", "validation", "gradient", "rate") if role in used}
    for role, rows in held.items():
        points, found, said = ordered([(steps[row], value) for row, value in rows if row in steps])
        if role == "loss":
            notes += said
            resumes = [*found, *gaps(points, found)]
        series[role] = finite_series(points)
        broken[role] = [point for point in points if not is_finite(point[1])]
    if not len(series["loss"]) and not broken["loss"]:
        raise bad_input(table.path, f"no row has a number in the column '{used['loss']}'")
    return Run(name, unit, used, series, broken, sorted(resumes, key=lambda one: one.step), notes)


def _kept(table: Table, columns: Mapping[str, str], role: str) -> list[tuple[int, float]]:
    """Return the rows and numbers of a column, without NaNs that stand for nothing being there."""
    column = table.columns[columns[role]]
    points = list(zip(column.rows, column.values, strict=True))
    missing = [row for row, value in points if math.isnan(value)]
    if not missing:
        return points
    # where the other curve has its numbers, a table of rows for both writes NaN in the place of nothing
    others: set[int] = set()
    for other in ("validation", "loss"):
        if other != role and other in columns:
            known = table.columns[columns[other]]
            others |= {row for row, value in zip(known.rows, known.values, strict=True) if math.isfinite(value)}
    finite = [row for row, value in points if not math.isnan(value)]
    interleaved = bool(finite) and sum(row < finite[-1] for row in missing) > 0.5 * len(missing)
    if interleaved and (len(missing) > 0.3 * len(points) or all(row in others for row in missing)):
        return [(row, value) for row, value in points if not math.isnan(value)]
    return points


def _steps(table: Table, columns: Mapping[str, str]) -> tuple[str, Mapping[int, float], list[str]]:
    """Return what is counted, and the count of each row that has one."""
    for role, unit in (("step", "update"), ("epoch", "epoch")):
        if role not in columns:
            continue
        column = table.columns[columns[role]]
        found = {row: step for row, step in zip(column.rows, column.values, strict=True) if is_finite(step)}
        if len(set(found.values())) < max(2, len(found) // 100):
            continue  # the same everywhere, or nearly: it counts something else
        if role == "step" and "epoch" in columns:
            return unit, *_whole(found, table.columns[columns["epoch"]])
        return unit, found, []
    return "row", _rows(table.rows), []


def _rows(count: int) -> Mapping[int, float]:
    return {row: float(row + 1) for row in range(count)}


def _whole(steps: dict[int, float], epochs: Column) -> tuple[Mapping[int, float], list[str]]:
    """Return steps that go on, where they are counted anew in each epoch."""
    epoch = dict(zip(epochs.rows, epochs.values, strict=True))
    rows = sorted(steps)
    drops = [(before, after) for before, after in pairwise(rows) if steps[after] < steps[before]]
    anew = [after for before, after in drops if epoch.get(after, 0.0) > epoch.get(before, math.inf)]
    if len(anew) < 2 or len(anew) < len(drops):
        return steps, []
    starts = set(anew)
    offset, before, whole = 0.0, 0.0, {}
    for row in rows:
        if row in starts:
            offset += before + 1 - min(steps[row], 1)
        before = steps[row]
        whole[row] = offset + before
    return whole, [f"the steps begin anew in each of {len(anew) + 1} epochs: they are added up"]
