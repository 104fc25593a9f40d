"""Runs: the curves of each training run of a log, in the order of their updates."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

from skillkit.diagnosis.columns import ROLES, chosen
from skillkit.diagnosis.series import Series
from skillkit.diagnosis.tables import Column, Table
from skillkit.errors import bad_input


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
    broken: Mapping[str, Sequence[tuple[float, float]]] = field(default_factory=dict)
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
    parts = _parts(table)
    if len(parts) == 1:
        (part,) = parts.values()
        parts = _begun_anew(part, chosen(part, said))
    return [_run(name if len(parts) > 1 else "", part, chosen(part, said)) for name, part in parts.items()]


def _parts(table: Table) -> dict[str, Table]:
    """Return the tables of the runs that a table holds, by name."""
    table = _widened(table)
    exported = {name: name.rsplit(" - ", 1) for name in table.columns if " - " in name}
    if exported:
        return _exported(table, exported)
    for name in table.names:
        if name.lower() in ("run", "run_id", "run_name", "run id", "experiment"):
            labels = table.texts.get(name) or _labels(table.columns.get(name))
            if len(set(labels.values())) > 1:
                return _split(table, labels)
    return {"": table}


def _labels(column: Column | None) -> dict[int, str]:
    return {row: f"{value:g}" for row, value in zip(column.rows, column.values, strict=True)} if column else {}


def _exported(table: Table, names: Mapping[str, Sequence[str]]) -> dict[str, Table]:
    """Return the runs of a file that W&B exported, whose columns are called `run - metric`."""
    shared = {name: column for name, column in table.columns.items() if name not in names}
    parts: dict[str, Table] = {}
    for name, (run, metric) in names.items():
        if metric.endswith(("__MIN", "__MAX")) or metric == "_step":
            continue
        part = parts.setdefault(run, Table(table.path, list(shared), dict(shared), {}, table.rows))
        part.names.append(metric)
        part.columns[metric] = table.columns[name]
    return parts or {"": table}


def _split(table: Table, labels: Mapping[int, str]) -> dict[str, Table]:
    parts: dict[str, Table] = {}
    for name, column in table.columns.items():
        for row, value in zip(column.rows, column.values, strict=True):
            if row in labels:
                part = parts.setdefault(labels[row], Table(table.path, table.names, {}, {}, table.rows))
                part.add(row, name, value)
    return parts


def _begun_anew(table: Table, columns: Mapping[str, str]) -> dict[str, Table]:
    """Return the runs of a table whose updates return to the first one, as where a file is appended to."""
    name = columns.get("step") or columns.get("epoch")
    if name is None or ("step" in columns and "epoch" in columns):
        return {"": table}
    column = table.columns[name]
    starts, first, before, falls = [column.rows[0]], column.values[0], column.values[0], 0
    for row, step in zip(column.rows, column.values, strict=True):
        falls += step < before
        if step < before and step <= first:
            starts.append(row)
            first = step
        before = step
    parts = len(starts)
    if parts == 1 or falls > parts - 1 + max(3, _RESUMES * table.rows) or table.rows < _FEWEST * parts:
        return {"": table}
    bounds = [*starts[1:], table.rows]
    labels: dict[int, str] = {}
    begin = 0
    for number, end in enumerate(bounds, 1):
        labels |= dict.fromkeys(range(begin, end), str(number))
        begin = end
    return _split(table, labels)


_FEWEST = 3  # rows of a run, else the rows are out of order


def _widened(table: Table) -> Table:
    """Return a table with a column for each metric where it has a row for each, as MLflow's and TensorBoard's."""
    values = next((name for name in table.columns if name.lower() == "value"), None)
    tags = next((name for name in table.texts if name.lower() in ("tag", "metric", "key", "name")), None)
    if values is None or tags is None:
        return table
    labels = table.texts[tags]
    wide = Table(table.path, [name for name in table.names if name not in (values, tags)], {}, dict(table.texts))
    wide.rows = table.rows
    wide.columns = {name: column for name, column in table.columns.items() if name != values}
    for row, value in zip(table.columns[values].rows, table.columns[values].values, strict=True):
        if row in labels:
            if labels[row] not in wide.columns:
                wide.names.append(labels[row])
            wide.add(row, labels[row], value)
    return wide


def _run(name: str, table: Table, columns: Mapping[str, str]) -> Run:
    used = {role: columns[role] for role in ROLES if role in columns}
    unit, steps, notes = _steps(table, used)
    series: dict[str, Series] = {}
    broken: dict[str, list[tuple[float, float]]] = {}
    resumes: list[Resume] = []
    held = {role: _kept(table, used, role) for role in ("loss", "validation", "gradient", "rate") if role in used}
    for role, rows in held.items():
        points = [(steps[row], value) for row, value in rows if row in steps]
        ordered, found, said = _ordered(points)
        if role == "loss":
            notes += said
            resumes = [*found, *_gaps(ordered, found)]
        series[role] = Series(*_columns(point for point in ordered if math.isfinite(point[1])))
        broken[role] = [point for point in ordered if not math.isfinite(point[1])]
    if not len(series["loss"]) and not broken["loss"]:
        raise bad_input(table.path, f"no row has a number in the column '{used['loss']}'")
    return Run(name, unit, used, series, broken, sorted(resumes, key=lambda one: one.step), notes)


def _columns(points: Iterator[tuple[float, float]]) -> tuple[list[float], list[float]]:
    listed = list(points)
    return [step for step, _ in listed], [value for _, value in listed]


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
        found = {row: step for row, step in zip(column.rows, column.values, strict=True) if math.isfinite(step)}
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


def _ordered(
    points: list[tuple[float, float]],
) -> tuple[list[tuple[float, float]], list[Resume], list[str]]:
    """Return points in the order of their steps, each once; a resumed run's later ones win."""
    drops = [index for index in range(1, len(points)) if points[index][0] < points[index - 1][0]]
    equal = sum(before[0] == after[0] for before, after in pairwise(points))
    notes: list[str] = []
    resumes: list[Resume] = []
    if drops and len(drops) <= max(3, _RESUMES * len(points)) and _overlap(points, drops):
        points, resumes = _resumed(points, drops)
        notes.append(f"updates are repeated after {_many(len(resumes), 'resume')}: the later rows count")
    elif drops:
        points = sorted(points, key=lambda point: point[0])
        notes.append("the rows are out of order: they were sorted by their update")
    merged: dict[float, float] = {}
    for step, value in points:
        # of equal steps, as of several processes, the last counts, but a number before none
        if step not in merged or not math.isnan(value):
            merged[step] = value
    if not drops and equal > 0.02 * len(points):
        notes.append(f"{equal:,} rows have the update of the row before: the last of each counts")
    return list(merged.items()), resumes, notes


_RESUMES = 0.01  # of all rows may be a return to an earlier update, else the rows are out of order


def _many(number: int, noun: str) -> str:
    return f"{number} {noun}s" if number != 1 else f"a {noun}"


def _overlap(points: list[tuple[float, float]], drops: list[int]) -> bool:
    """Return whether what follows each return grows on from there past what was before, as a resumed run does."""
    bounds = [0, *drops, len(points)]
    parts = [points[first:last] for first, last in pairwise(bounds)]
    return all(after[0][0] > before[0][0] and len(after) > 1 for before, after in pairwise(parts)) and (
        parts[-1][-1][0] >= max(part[-1][0] for part in parts) * 0.5
    )


def _resumed(points: list[tuple[float, float]], drops: list[int]) -> tuple[list[tuple[float, float]], list[Resume]]:
    kept = points[: drops[0]]
    resumes = []
    for first, last in pairwise([*drops, len(points)]):
        step = points[first][0]
        again = [point for point in kept if point[0] >= step and math.isfinite(point[1])]
        resumes.append(Resume(step, "repeat", Series(*_columns(iter(again)))))
        kept = [point for point in kept if point[0] < step] + points[first:last]
    return kept, resumes


def _gaps(points: list[tuple[float, float]], known: Sequence[Resume]) -> Iterator[Resume]:
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
                before = [point for point in points[max(0, index - 20) : index] if math.isfinite(point[1])]
                yield Resume(points[index][0], "gap", Series(*_columns(iter(before))))


_FEW = 10
_GAP = 2.5  # times the usual interval; a row that was lost leaves a gap of 2
