"""Outcomes: what earlier runs gave, by the content of the job and the versions that it ran under."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import skillkit
from skillkit.execution.serving import UNSURE
from skillkit.kept import keep, kept

KEPT = 10_000  # outcomes in a file: ten times what this project has


class Outcomes:
    """A file of outcomes for one set of versions.

    Args:
        folder: Where such files lie; None to forget everything.
        versions: Of the interpreter that jobs run under.
        anew: Whether to know nothing at first; what is learnt replaces what was.
    """

    def __init__(self, folder: Path | None, versions: Mapping[str, str], anew: bool = False) -> None:
        self._path = folder / f"{_digest(versions)}.kept" if folder else None
        self._known = {} if anew or not self._path else _load(self._path)
        self._learnt: dict[str, Any] = {}

    def known(self, job: str) -> dict[str, Any] | None:
        """Return the outcome of the job with this hash, or None."""
        found = self._known.get(job)
        return found if _is_outcome(found) else None

    def learn(self, job: str, outcome: dict[str, Any]) -> None:
        """Keep an outcome that another run would give again."""
        if not any(key in outcome for key in UNSURE):
            self._known[job] = self._learnt[job] = outcome

    def save(self) -> None:
        """Write what was learnt; a folder that cannot be written is no error, since nothing is lost but time."""
        if self._path and self._learnt:
            found = list({**_load(self._path), **self._learnt}.items())[-KEPT:]  # others may have written meanwhile
            keep(self._path, dict(found))


def _digest(versions: Mapping[str, str]) -> str:
    """Return a name for the versions and the code that runs jobs under them."""
    package = Path(skillkit.__file__).parent / "execution"
    sources = [path.read_text("utf-8") for path in sorted(package.glob("*.py"))]
    return hashlib.sha256(json.dumps([dict(versions), sources], sort_keys=True).encode()).hexdigest()[:16]


def _load(path: Path) -> dict[str, Any]:
    known = kept(path)
    return known if isinstance(known, dict) else {}


def _is_outcome(found: Any) -> bool:
    """Return whether this is one: a file may have been changed by whatever else runs with the user's rights."""
    if not isinstance(found, dict):
        return False
    kinds = _OF_NAMES if "names" in found else _OF_RUNS
    return all(isinstance(found.get(name), kind) for name, kind in kinds.items())


_OF_BOTH = {"stdout": str, "seconds": int | float}
_OF_RUNS = {**_OF_BOTH, "stage": str, "error": dict | None, "warnings": list}
_OF_NAMES = {**_OF_BOTH, "names": dict}
