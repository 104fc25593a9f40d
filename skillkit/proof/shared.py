"""Shared programs: where a project's runs keep what they compile, for each set of versions."""

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from skillkit.places import Programs, cache_folder

LARGEST = 2**29  # bytes kept for one set of versions: fifty times what this project's take


def shared_programs(programs: Programs, versions: Mapping[str, str]) -> dict[str, Any] | None:
    """Return what servers take as `programs`, or None where a project shares none, or there is no place for them.

    Args:
        programs: The project's settings.
        versions: Of the interpreter, the platform and the libraries.
    """
    if not programs.files:
        return None
    parts = [dict(versions), _processor(), dict(programs.environment), list(programs.files)]
    name = hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]
    folder = cache_folder() / "programs" / name
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        _shrink(folder)
    except OSError:
        return None
    return {"folder": str(folder.resolve()), "files": list(programs.files), "environment": dict(programs.environment)}


def _shrink(folder: Path) -> None:
    """Remove the oldest files where there are too many."""
    found = sorted(((one.stat().st_mtime, one.stat().st_size, one.path) for one in os.scandir(folder)), reverse=True)
    size = 0
    for _, bytes_of_one, path in found:
        size += bytes_of_one
        if size > LARGEST:
            os.unlink(path)


def _processor() -> list[str]:
    """Return what this processor can do: a program that was compiled for another may not run on it."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8", errors="replace").splitlines()
    except OSError:  # not Linux
        return [os.uname().machine]
    return sorted({line for line in lines if line.partition("\t")[0].strip() in ("flags", "Features", "model name")})
