"""Events: the numbers in TensorBoard's files, by TensorBoard's own reader."""

import importlib.util
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
    points: dict[str, list[tuple[int, float]]] = {}
    tags = events.Tags()
    for tag in tags["scalars"]:
        points[tag] = [(event.step, event.value) for event in events.Scalars(tag)]
    for tag in tags.get("tensors", ()):  # as jax's and TensorFlow 2's writers keep scalars
        points[tag] = [
            (event.step, event.tensor_proto.float_val[0])
            for event in events.Tensors(tag)
            if len(event.tensor_proto.float_val) == 1 and not event.tensor_proto.tensor_shape.dim
        ]
    table = Table(path, ["step"])
    # a row for each number: what is logged twice, as after a resume, stays in its order
    for tag, found in points.items():
        for step, value in found:
            table.add(table.rows, "step", float(step))
            table.add(table.rows, tag, value)
            table.rows += 1
        if found:
            table.names.append(tag)
    return table
