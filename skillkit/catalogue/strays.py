"""Strays: files that look like specs and are none, so that nobody takes what they state for proven."""

from collections.abc import Iterator
from pathlib import Path

from skillkit.errors import BadInput, Problem
from skillkit.reading import read

_TABLES = ("changes", "glossary", "advice")  # what a catalogue holds beside specs
_OF_A_SPEC = {"rule", "symbols", "example", "check", "mistakes"}


def strays(folder: Path) -> Iterator[Problem]:
    """Yield the files of a folder of specs that would be passed over though they seem to be specs or tables."""
    for path in sorted(folder.glob("*.yml")):
        yield Problem(str(path), 0, 0, f"is not read: rename it to {path.stem}.yaml")
    for path in sorted(folder.glob("*.yaml")):
        if path.stem not in _TABLES and not path.with_suffix(".py").exists() and _is_spec(path):
            message = f"there is no module {path.stem}.py beside it, so nothing of it can be shown or proven"
            yield Problem(str(path), 0, 0, message)


def _is_spec(path: Path) -> bool:
    """Return whether a file holds patterns; one that cannot be read is taken for such."""
    try:
        value = read(path).value
    except BadInput:
        return True
    entries = value if isinstance(value, list) else []
    return any(isinstance(entry, dict) and "id" in entry and _OF_A_SPEC & entry.keys() for entry in entries)
