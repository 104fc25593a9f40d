"""Dividing: a log of several runs as a table for each."""

from collections.abc import Mapping, Sequence

from skillkit.diagnosis.tables import Column, Table


def divided(table: Table) -> dict[str, Table]:
    """Return the tables of the runs that a table holds, by their names in it; its own where there is one run."""
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


def begun_anew(table: Table, columns: Mapping[str, str]) -> dict[str, Table]:
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
    if parts == 1 or falls > parts - 1 + max(3, _RETURNS * table.rows) or table.rows < _FEWEST * parts:
        return {"": table}
    bounds = [*starts[1:], table.rows]
    labels: dict[int, str] = {}
    begin = 0
    for number, end in enumerate(bounds, 1):
        labels |= dict.fromkeys(range(begin, end), str(number))
        begin = end
    return _split(table, labels)


_RETURNS = 0.01  # of the rows may return to earlier updates beside these
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
