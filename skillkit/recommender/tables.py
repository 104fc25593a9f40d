"""Tables: what is done with each parameter, a line for those that differ by the index of their layer alone."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from skillkit.errors import counted
from skillkit.questionnaire.sizes import write_bytes

Row = Mapping[str, Any]
_STATE = ("optimizer_state", "ema", "accumulator", "master_copy")


def parameter_table(recommendation: Mapping[str, Any], rows: Iterable[Row], most: int | None = None) -> str:
    """Return the table for a terminal.

    Args:
        recommendation: Which these rows belong to.
        rows: From `skillkit.configuration.assignments`.
        most: How many lines at most; None for all.
    """
    found = list(rows)
    configuration = recommendation["configuration"]
    lines = [_titles(configuration), *(_cells(row, configuration) for row in found[:most]), _total(recommendation)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    texts = [_aligned(line, widths) for line in lines]
    if most is not None and len(found) > most:
        texts.insert(-1, f"… and {counted(len(found) - most, 'more line')}: --format table shows all")
    return "\n".join(text.rstrip() for text in texts) + "\n"


def markdown_table(recommendation: Mapping[str, Any], rows: Iterable[Row]) -> Iterator[str]:
    """Yield the lines of the table in Markdown."""
    configuration = recommendation["configuration"]
    titles = _titles(configuration)
    yield f"| {' | '.join(titles)} |"
    yield f"| {' | '.join('---' for _ in titles)} |"
    for row in [*(_cells(row, configuration) for row in rows), _total(recommendation)]:
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |"


def _titles(configuration: Mapping[str, Any]) -> tuple[str, ...]:
    split = ("on devices",) if configuration["devices"] > 1 else ()
    return ("path", "shape", "dtype", "optimizer", "weight decay", *split, "parameters", "gradients", "state")


def _cells(row: Row, configuration: Mapping[str, Any]) -> tuple[str, ...]:
    devices, several = configuration["devices"], len(configuration["networks"]) > 1
    shape = "x".join(map(str, row["shape"])) or "scalar"
    each = row["per_device"]
    return (
        f"{row['network']}/{row['paths']}" if several else row["paths"],
        f"{row['members']} of {shape}" if row["members"] > 1 else shape,
        row["dtype"],
        _optimizer(row),
        f"{row['weight_decay']:g}" if row["weight_decay"] else f"no: {row['undecayed'] or 'nowhere'}",
        *((_split(row, devices),) if devices > 1 else ()),
        write_bytes(each["parameters"]),
        write_bytes(each["gradients"]),
        write_bytes(sum(each[part] for part in _STATE)),
    )


def _optimizer(row: Row) -> str:
    if row["muon"]:
        inputs, outputs = row["muon"]["reduction_axis"], row["muon"]["output_axis"]
        return f"{row['optimizer']}, axes {_axes(inputs)} by {_axes(outputs)}"
    return row["optimizer"] if row["group"] == "all" else f"{row['optimizer']}: {row['is']}"


def _axes(axes: list[int]) -> str:
    return "+".join(map(str, axes)) or "none"


def _split(row: Row, devices: int) -> str:
    return "whole on each" if row["sharding"] is None else f"axis {row['sharding'].index('data')} over {devices}"


def _total(recommendation: Mapping[str, Any]) -> tuple[str, ...]:
    devices, each = recommendation["configuration"]["devices"], recommendation["memory"]["per_device"]["bytes"]
    name, blank = ("all, on each device", 5) if devices > 1 else ("all", 4)
    state = sum(each[part] for part in _STATE)
    return (name, *("",) * blank, *map(write_bytes, (each["parameters"], each["gradients"], state)))


def _aligned(line: tuple[str, ...], widths: list[int]) -> str:
    words = len(line) - 3  # what follows are numbers
    cells = [cell.ljust(width) for cell, width in zip(line[:words], widths[:words], strict=True)]
    return "  ".join([*cells, *(cell.rjust(width) for cell, width in zip(line[words:], widths[words:], strict=True))])
