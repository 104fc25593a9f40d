"""Events: the numbers in TensorBoard's files, by TensorBoard's own reader."""

import importlib.util
from collections import Counter
from collections.abc import Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any

from skillkit.diagnosis.tables import Table
from skillkit.errors import bad_input

PREFIX = "events.out.tfevents."


def are_events(path: Path) -> bool:
    """Return whether a path is an event file of TensorBoard's, or a folder with some below it."""
    if path.is_dir():
        return next(path.rglob(f"{PREFIX}*"), None) is not None
    return path.name.startswith(PREFIX)


def read_events(path: Path) -> dict[str, Table]:
    """Return the scalars of each run below a path, by the folder it lies in.

    Raises:
        BadInput: TensorBoard is not installed, or its reader finds no number.
    """
    if importlib.util.find_spec("tensorboard") is None:
        raise bad_input(path, "is TensorBoard's: pip install tensorboard reads it, or export the curve as CSV")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    folders = sorted({file.parent for file in path.rglob(f"{PREFIX}*")}) if path.is_dir() else [path]
    tables = {}
    for folder in folders:
        events = EventAccumulator(str(folder), size_guidance={"scalars": 0, "tensors": 0})
        events.Reload()
        table = _table(events, str(path))
        if table.columns:
            tables[str(folder.relative_to(path)) if folder != path else ""] = table
    if not tables:
        raise bad_input(path, "has no scalars that TensorBoard's reader finds")
    return tables


def _table(events: Any, path: str) -> Table:
    found: dict[str, list[tuple[float, int, float]]] = {}
    tags = events.Tags()
    for tag in tags["scalars"]:
        found[tag] = [(event.wall_time, event.step, event.value) for event in events.Scalars(tag)]
    for tag in tags.get("tensors", ()):  # as jax's and TensorFlow 2's writers keep scalars
        tensors = [(event.wall_time, event.step, event.tensor_proto) for event in events.Tensors(tag)]
        found[tag] = [(time, step, one.float_val[0]) for time, step, one in tensors if len(one.float_val) == 1]
    return _joined(found, path)


def _joined(found: Mapping[str, Sequence[tuple[float, int, float]]], path: str) -> Table:
    """Return a row for each step; a step that was logged again, as after a resume, has a row for each time."""
    rows: dict[tuple[int, int], dict[str, float]] = {}
    times: dict[tuple[int, int], float] = {}
    for tag, points in found.items():
        seen: Counter[int] = Counter()
        for time, step, value in sorted(points, key=itemgetter(0)):
            key = step, seen[step]
            seen[step] += 1
            rows.setdefault(key, {})[tag] = value
            times[key] = min(time, times.get(key, time))
    table = Table(path, ["step", *(tag for tag, points in found.items() if points)])
    for key in sorted(rows, key=lambda key: (times[key], key[0])):
        for name, value in {"step": float(key[0]), **rows[key]}.items():
            table.add(table.rows, name, value)
        table.rows += 1
    return table
