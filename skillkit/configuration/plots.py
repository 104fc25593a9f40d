"""Plots: the learning rates of configurations over their updates, as a picture and as text."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

from skillkit.configuration.schedules import value
from skillkit.configuration.transformations import split_groups
from skillkit.errors import bad_input

FORMATS = (".png", ".svg")
_POINTS = 400
_BLOCKS = " ▁▂▃▄▅▆▇█"


@dataclass(frozen=True)
class Curve:
    """One group's learning rate.

    Args:
        label: What tells it from the others.
        updates: Some of the updates from the first to the last.
        rates: The learning rate of each.
    """

    label: str
    updates: tuple[int, ...]
    rates: tuple[float, ...]

    def as_data(self) -> dict[str, Any]:
        """Return the curve as plain data."""
        return {"label": self.label, "updates": list(self.updates), "rates": list(self.rates)}


def curves(configuration: Mapping[str, Any], points: int = _POINTS) -> list[Curve]:
    """Return the different learning rates of a configuration; an optimizer without any has no curve."""
    found: dict[tuple[int, ...] | str, Curve] = {}
    for network in configuration["networks"]:
        for group in split_groups(network["groups"]):
            schedule = group["schedule"]
            if schedule["name"] == "none":
                continue
            label = " ".join([network["name"]] + ([] if group["parameters"] == "all" else [group["parameters"]]))
            updates = tuple(_updates(schedule, points))
            known = found.get(repr(schedule))
            label = f"{known.label}, {label}" if known else label
            found[repr(schedule)] = Curve(label, updates, tuple(value(schedule, update) for update in updates))
    return list(found.values())


def terminal_chart(configuration: Mapping[str, Any], width: int = 64, height: int = 6) -> str:
    """Return the learning rates as a chart of block characters, `height` lines for each.

    Args:
        configuration: One that `skillkit.configuration.format` accepts.
        width: Of the chart in characters, without its axis.
        height: In lines.
    """
    charts = ["\n".join(_chart(curve, height)) for curve in curves(configuration, width)]
    return "\n\n".join(charts) if charts else "no learning rate: the optimizer finds its own step"


def save(configurations: Mapping[str, Any] | Sequence[Mapping[str, Any]], path: str | Path) -> None:
    """Draw the learning rates of one configuration, or of several alternatives, as PNG or SVG.

    Raises:
        BadInput: The file's name ends otherwise, it cannot be written, or matplotlib is not installed.
    """
    kind = Path(path).suffix.lower()
    if kind not in FORMATS:
        raise bad_input(path, "the name of a plot must end in .png or .svg")
    several = [configurations] if isinstance(configurations, Mapping) else configurations
    picture = _drawn(several, kind.removeprefix("."))
    try:
        Path(path).write_bytes(picture)
    except OSError as error:
        raise bad_input(path, f"cannot be written: {error.strerror}") from error


def _named(configurations: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, Curve]]:
    for configuration in configurations:
        optimizer = configuration["networks"][0]["groups"][0]["optimizer"]["name"]
        for curve in curves(configuration):
            yield (f"{optimizer}: {curve.label}" if len(configurations) > 1 else curve.label), curve


def _updates(schedule: Mapping[str, Any], points: int) -> Iterator[int]:
    """Yield `points` updates, evenly spaced, or all where there are fewer."""
    last = max((schedule.get("total_steps") or 1) - 1, 0)
    count = min(points, last + 1)
    return (round(index * last / max(count - 1, 1)) for index in range(count))


def _chart(curve: Curve, height: int) -> Iterator[str]:
    top = max(curve.rates) or 1.0
    eighths = [round(rate / top * height * 8) for rate in curve.rates]
    yield f"learning rate of {curve.label}"
    for line in range(height - 1, -1, -1):
        axis = f"{top:>9.3g}" if line == height - 1 else f"{0:>9}" if line == 0 else " " * 9
        yield f"{axis} │" + "".join(_BLOCKS[min(max(level - 8 * line, 0), 8)] for level in eighths).rstrip()
    yield " " * 10 + "└" + "─" * len(curve.rates)
    last = f"{curve.updates[-1]:,} updates".replace(",", " ")
    yield " " * 11 + "0" + last.rjust(len(curve.rates) - 1)


def _drawn(configurations: Sequence[Mapping[str, Any]], kind: str) -> bytes:
    try:
        import matplotlib
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise bad_input("--plot", "needs matplotlib: pip install 'jax-skillkit[plots]'") from error
    # text stays text, and ids come from a fixed salt, so that the same schedule gives the same file
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "skillkit"}):
        figure = Figure(figsize=(7, 4), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.add_subplot(xlabel="optimizer update", ylabel="learning rate")
        lines = [axes.plot(curve.updates, curve.rates, label=label) for label, curve in _named(configurations)]
        if len(lines) > 1:
            axes.legend(frameon=False)
        axes.set_ylim(bottom=0)
        axes.spines[["top", "right"]].set_visible(False)
        buffer = BytesIO()
        figure.savefig(buffer, format=kind, dpi=150, metadata={"Date": None} if kind == "svg" else None)
    return buffer.getvalue()
