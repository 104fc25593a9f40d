"""Outcomes: what earlier runs gave, by the content of the job and the versions that it ran under."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import skillkit
from skillkit.execution.serving import UNSURE
from skillkit.writing import write


class Outcomes:
    """A file of outcomes for one set of versions.

    Args:
        folder: Where such files lie; None to forget everything.
        versions: Of the interpreter that jobs run under.
    """

    def __init__(self, folder: Path | None, versions: Mapping[str, str]) -> None:
        self._path = folder / f"{_digest(versions)}.json" if folder else None
        self._known: dict[str, Any] = _load(self._path) if self._path else {}
        self._changed = False

    def known(self, job: str) -> dict[str, Any] | None:
        """Return the outcome of the job with this hash, or None."""
        return self._known.get(job)

    def learn(self, job: str, outcome: dict[str, Any]) -> None:
        """Keep an outcome that another run would give again."""
        if not any(key in outcome for key in UNSURE):
            self._known[job] = outcome
            self._changed = True

    def save(self) -> None:
        """Write what was learnt; a folder that cannot be written is no error, since nothing is lost but time."""
        if self._path and self._changed:
            try:
                write(self._path, json.dumps(self._known))
            except OSError:
                return


def _digest(versions: Mapping[str, str]) -> str:
    """Return a name for the versions and the code that runs jobs under them."""
    package = Path(skillkit.__file__).parent / "execution"
    sources = [path.read_text("utf-8") for path in sorted(package.glob("*.py"))]
    return hashlib.sha256(json.dumps([dict(versions), sources], sort_keys=True).encode()).hexdigest()[:16]


def _load(path: Path) -> dict[str, Any]:
    try:
        known: dict[str, Any] = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}
