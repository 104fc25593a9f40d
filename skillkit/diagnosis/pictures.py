"""Pictures: a loss over its updates in block characters, with marks where something is seen."""

import math
from collections.abc import Iterator, Sequence
from string import ascii_lowercase

from skillkit.diagnosis.runs import Run
from skillkit.diagnosis.symptoms import Symptom, number

_BLOCKS = " ▁▂▃▄▅▆▇█"
_WIDE = 30.0  # times the lowest level, from which on the axis is logarithmic


def picture(run: Run, symptoms: Sequence[Symptom], width: int = 64, height: int = 6) -> str:
    """Return the loss of a run as a chart, each symptom marked by its letter below.

    Args:
        run: With a loss of at least one row.
        symptoms: Those that are told, in the order of their letters.
        width: Of the chart in characters, without its axis.
        height: In lines.
    """
    return "\n".join(_lines(run, symptoms, width, height))


def _lines(run: Run, symptoms: Sequence[Symptom], width: int, height: int) -> Iterator[str]:
    first, last = _span(run)
    columns = _columns(run, first, last, width)
    known = [value for value in columns if value is not None]
    if not known:
        return
    low, top = min(known), max(known)
    logarithmic = low > 0 and top > _WIDE * low
    scale = math.log if logarithmic else float
    bottom = scale(low) if logarithmic or low < 0 or low > top / 2 else 0.0
    reach = (scale(top) - bottom) or 1.0
    # the lowest column keeps a mark of an eighth, so that it is told from where there is no number
    eighths = [0 if value is None else max(1, round((scale(value) - bottom) / reach * height * 8)) for value in columns]
    said = f"loss ({run.columns['loss']})" + (", logarithmic" if logarithmic else "")
    yield f"{said}: {number(run.loss.values[0])} at first, {number(run.loss.values[-1])} at the end"
    floor = low if logarithmic or bottom else 0.0
    for line in range(height - 1, -1, -1):
        axis = f"{top:>9.3g}" if line == height - 1 else f"{floor:>9.3g}" if line == 0 else " " * 9
        yield f"{axis} │" + "".join(_BLOCKS[min(max(level - 8 * line, 0), 8)] for level in eighths).rstrip()
    yield " " * 10 + "└" + "─" * len(columns)
    for letter, symptom in zip(ascii_lowercase, symptoms, strict=False):
        yield " " * 10 + letter + _mark(symptom, first, last, len(columns))
    begin, end = f"{first:,.6g}" if first != int(first) else f"{int(first):,}", _end(last, run.unit)
    yield " " * 11 + begin + end.rjust(len(columns) - len(begin))


def _end(last: float, unit: str) -> str:
    return (f"{int(last):,}" if last == int(last) else f"{last:,.6g}") + f" {unit}s"


def _span(run: Run) -> tuple[float, float]:
    starts = [series.steps[0] for role, series in run.series.items() if len(series) and role == "loss"]
    starts += [found[0][0] for role, found in run.broken.items() if found and role == "loss"]
    return min(starts), run.last


def _columns(run: Run, first: float, last: float, width: int) -> list[float | None]:
    """Return the highest loss of each of at most `width` equal parts of the updates, None where there is none."""
    rows = max(len(run.loss) + len(run.broken.get("loss", ())), 2)
    count = rows * (width // rows) if rows < width else width  # a row takes several columns where there are few
    reach = (last - first) or 1.0
    columns: list[float | None] = [None] * count
    for step, value in zip(run.loss.steps, run.loss.values, strict=True):
        column = min(int((step - first) / reach * count), count - 1)
        known = columns[column]
        columns[column] = value if known is None else max(known, value)
    broken = {min(int((step - first) / reach * count), count - 1) for step, _ in run.broken.get("loss", ())}
    # between sparse rows a column repeats the one before, but not where the loss is no number
    for column in range(1, count):
        if columns[column] is None and column not in broken and column - 1 not in broken:
            columns[column] = columns[column - 1]
    return columns


def _mark(symptom: Symptom, first: float, last: float, width: int) -> str:
    reach = (last - first) or 1.0

    def column(step: float) -> int:
        return min(max(int((step - first) / reach * width), 0), width - 1)

    if symptom.at:
        marked = {column(step) for step in symptom.at}
        return "".join("^" if index in marked else " " for index in range(max(marked) + 1))
    begin, end = column(symptom.first), column(symptom.last)
    return " " * begin + ("^" * (end - begin + 1) if end - begin < 2 else "^" + "─" * (end - begin - 1) + "^")
