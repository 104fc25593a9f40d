"""Plots: the learning rates of configurations over their updates, as a picture and as text."""

import importlib.util
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

from skillkit.configuration.groups import split_groups
from skillkit.configuration.schedules import value
from skillkit.errors import bad_input, counted

FORMATS = (".png", ".svg")
_POINTS = 400
_BLOCKS = " ▁▂▃▄▅▆▇█"


@dataclass(frozen=True)
class Curve:
    """One group's learning rate.

    Args:
        label: What tells it from the others.
        updates: Some of the updates from the first to the last, those among them at which the curve bends.
        rates: The learning rate of each.
        warmup: In how many updates it rises to its peak.
    """

    label: str
    updates: tuple[int, ...]
    rates: tuple[float, ...]
    warmup: int = 0

    @property
    def peak(self) -> tuple[int, float]:
        """The first update with the highest learning rate, and that rate."""
        rate = max(self.rates)
        return self.updates[self.rates.index(rate)], rate

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
            updates = tuple(sorted({*_updates(schedule, points), *_bends(schedule)}))
            known = found.get(repr(schedule))
            label = f"{known.label}, {label}" if known else label
            rates = tuple(value(schedule, update) for update in updates)
            found[repr(schedule)] = Curve(label, updates, rates, schedule.get("warmup_steps") or 0)
    return list(found.values())


def terminal_chart(configuration: Mapping[str, Any], width: int = 64, height: int = 6) -> str:
    """Return the learning rates as a chart of block characters, `height` lines for each.

    Args:
        configuration: One that `skillkit.configuration.format` accepts.
        width: Of the chart in characters, without its axis.
        height: In lines.
    """
    charts = ["\n".join(_chart(curve, width, height)) for curve in curves(configuration, _POINTS)]
    return "\n\n".join(charts) if charts else "no learning rate: the optimizer finds its own step"


def require(path: str | Path) -> None:
    """Refuse a plot that could not be drawn.

    Raises:
        BadInput: The file's name ends otherwise than in .png or .svg, or matplotlib is not installed.
    """
    if Path(path).suffix.lower() not in FORMATS:
        raise bad_input(path, "the name of a plot must end in .png or .svg")
    if importlib.util.find_spec("matplotlib") is None:
        raise bad_input("--plot", "needs matplotlib, which is not installed: pip install matplotlib")


def save(configuration: Mapping[str, Any], path: str | Path) -> None:
    """Draw the learning rates of a configuration as PNG or SVG.

    Raises:
        BadInput: As for `require`, or the file cannot be written.
    """
    require(path)
    picture = _drawn(configuration, Path(path).suffix.lower().removeprefix("."))
    try:
        Path(path).write_bytes(picture)
    except OSError as error:
        raise bad_input(path, f"cannot be written: {error.strerror}") from error


def _title(configuration: Mapping[str, Any]) -> str:
    """Return what distinguishes a configuration's curves from others'."""
    groups = [group for network in configuration["networks"] for group in network["groups"]]
    names = dict.fromkeys(group["optimizer"]["name"] for group in groups)
    schedules = dict.fromkeys(group["schedule"]["name"] for group in groups if group["schedule"]["name"] != "none")
    return f"Learning rate: {', '.join(names)}; {', '.join(schedules) or 'no schedule'}"


def _updates(schedule: Mapping[str, Any], points: int) -> Iterator[int]:
    """Yield `points` updates, evenly spaced, or all where there are fewer."""
    last = max((schedule.get("total_steps") or 1) - 1, 0)
    count = min(points, last + 1)
    return (round(index * last / max(count - 1, 1)) for index in range(count))


def _bends(schedule: Mapping[str, Any]) -> Iterator[int]:
    """Yield the updates at which a schedule turns, so that its peak is among those that are shown."""
    total, warmup = schedule.get("total_steps") or 1, schedule.get("warmup_steps") or 0
    last, tails = max(total - 1, 0), (schedule.get("decay_steps"), schedule.get("cooldown_steps"))
    ends = [warmup, *(total - tail for tail in tails if tail), *(schedule.get("boundaries") or ())]
    yield from (update for end in ends for update in (end - 1, end) if 0 <= update <= last)


def _chart(curve: Curve, width: int, height: int) -> Iterator[str]:
    update, top = curve.peak
    columns = _columns(curve, width)
    eighths = [round(rate / (top or 1.0) * height * 8) for rate in columns]
    yield f"learning rate of {curve.label}: at most {top:.3g}, at update {update:,}"
    for line in range(height - 1, -1, -1):
        axis = f"{top:>9.3g}" if line == height - 1 else f"{0:>9}" if line == 0 else " " * 9
        yield f"{axis} │" + "".join(_BLOCKS[min(max(level - 8 * line, 0), 8)] for level in eighths).rstrip()
    yield " " * 10 + "└" + "─" * len(columns)
    yield " " * 11 + "0" + counted(curve.updates[-1], "update").rjust(len(columns) - 1)


def _columns(curve: Curve, width: int) -> list[float]:
    """Return the highest rate of each of at most `width` equal parts of the updates."""
    last = curve.updates[-1]
    count = min(width, last + 1)
    highest = [0.0] * count
    for update, rate in zip(curve.updates, curve.rates, strict=True):
        column = min(update * count // (last + 1), count - 1)
        highest[column] = max(highest[column], rate)
    return highest


def _drawn(configuration: Mapping[str, Any], kind: str) -> bytes:
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    # text stays text, and ids come from a fixed salt, so that the same schedule gives the same file
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "skillkit"}):
        figure = Figure(figsize=(7, 4), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.add_subplot(xlabel="optimizer update", ylabel="learning rate", title=_title(configuration))
        shown = curves(configuration)
        for curve in shown:
            (line,) = axes.plot(curve.updates, curve.rates, label=curve.label)
            update, rate = curve.peak
            axes.plot([update], [rate], "o", color=line.get_color())
            axes.annotate(
                f"{rate:.3g} at {update:,}", (update, rate), xytext=(6, 4), textcoords="offset points", fontsize="small"
            )
            if curve.warmup:
                axes.axvspan(0, curve.warmup, color=line.get_color(), alpha=0.1, linewidth=0)
                axes.annotate("warmup", (0, 0), xytext=(4, 4), textcoords="offset points", fontsize="small")
        if len(shown) > 1:
            axes.legend(frameon=False)
        axes.margins(y=0.1)
        axes.set_ylim(bottom=0)
        axes.spines[["top", "right"]].set_visible(False)
        buffer = BytesIO()
        figure.savefig(buffer, format=kind, dpi=150, metadata={"Date": None} if kind == "svg" else None)
    return buffer.getvalue()
