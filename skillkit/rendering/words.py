"""Words: what templates say of a pattern, a mistake or a change."""

from typing import Any

from skillkit.catalogue.changes import Change
from skillkit.catalogue.patterns import Mistake, Pattern


def failure(mistake: Mistake | Change) -> str:
    """Return what a mistake or an old form does, in a few words of Markdown."""
    if mistake.kind in ("raises", "warns"):
        return f"{mistake.kind} `{mistake.stated.rpartition('.')[2]}`"
    if mistake.kind == "returns":
        right = mistake.right if isinstance(mistake, Mistake) else None
        if isinstance(mistake.stated, str):
            return f"silently: {mistake.stated}" + (f", not {right}" if right is not None else "")
        return f"silently gives `{_literal(mistake.stated)}`" + (
            f", not `{_literal(right)}`" if right is not None else ""
        )
    return f"silently: {mistake.stated.replace('_', ' ')}"


def _literal(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def oneline(code: str) -> str:
    """Return code of several lines as one."""
    return "; ".join(line.strip() for line in code.strip().splitlines())


def cell(text: str) -> str:
    """Return text that may stand in a cell of a Markdown table."""
    return text.replace("|", "\\|")


def minimum(pattern: Pattern) -> str:
    """Return the versions that a pattern requires, in words, or an empty string."""
    return ", ".join(f"{library} {versions}" for library, versions in pattern.requires.items())
