"""Summary: what a log holds of a run, and what it is too little for."""

from typing import Any

from skillkit.diagnosis.runs import Run
from skillkit.diagnosis.symptoms import number
from skillkit.errors import counted

FEWEST = 20  # rows, below which only a loss that is no number or far above its best is seen

_NEEDED = {
    "validation": "overfitting (no validation loss)",
    "rate": "the schedule's floor (no learning rate)",
}


def summary(run: Run) -> dict[str, Any]:
    """Return what a log holds of a run, as plain data."""
    values = run.loss.values
    known = len(values) > 0
    return {
        "run": run.name,
        "rows": len(values) + len(run.broken.get("loss", ())),
        "unit": run.unit,
        "first": run.loss.steps[0] if known else run.broken["loss"][0][0],
        "last": run.last,
        "columns": dict(run.columns),
        "loss": {"first": values[0], "lowest": min(values), "last": values[-1]} if known else None,
        "notes": list(run.notes),
        "not_looked_for": unseen(run),
    }


def in_words(run: Run) -> str:
    """Return what a log holds of a run, in one line."""
    data = summary(run)
    return f"{counted(data['rows'], 'row')}, {run.unit}s {number(data['first'])} to {number(data['last'])}"


def unseen(run: Run) -> list[str]:
    """Return what is not looked for, with the reason."""
    rows = len(run.loss)
    if rows < FEWEST:
        return [f"anything that shows in {FEWEST} rows or more (here {counted(rows, 'row')})"]
    return [words for role, words in _NEEDED.items() if not len(run.series.get(role, ()))]
