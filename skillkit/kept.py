"""Kept: what can be made again, in files under a seal, so that what was spoilt or is another's is made again."""

import hashlib
import json
import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from skillkit.writing import write


def keep(path: Path, data: Any) -> None:
    """Keep plain data in a file; where it cannot be written, nothing is lost but time."""
    text = json.dumps(data)
    try:
        write(path, f"{_seal(path, text)}\n{text}\n")
    except OSError:
        return


def kept(path: Path) -> Any:
    """Return what was kept in a file of this name, or None where it is not there, not whole, or another user's.

    The seal tells what was cut, edited, or copied from another name. Whoever can write a whole one has the user's own
    rights, and could as well change the code that reads this.
    """
    try:
        if not _is_own(path):
            return None
        seal, _, text = path.read_text("utf-8").rstrip("\n").partition("\n")
        return json.loads(text) if seal == _seal(path, text) else None
    except (OSError, ValueError):
        return None


def keep_made(path: Path, made_of: str, data: Any) -> None:
    """Keep plain data with a name for what they were made of."""
    keep(path, {"of": made_of, "data": data})


def kept_made(path: Path, made_of: str, kind: type) -> Any:
    """Return the data that were kept, or None where they were made of something else, or are of another kind."""
    found = kept(path)
    same = isinstance(found, dict) and found.get("of") == made_of
    return found["data"] if same and isinstance(found.get("data"), kind) else None


def digest(text: str, files: Iterable[Path] = ()) -> str:
    """Return a name for a text and the content of files."""
    found = hashlib.sha256(text.encode("utf-8", errors="surrogatepass"))
    for path in files:
        found.update(f"\0{path}\0".encode("utf-8", errors="surrogatepass"))
        found.update(path.read_bytes())
    return found.hexdigest()[:24]


def _seal(path: Path, text: str) -> str:
    return hashlib.sha256(f"{path.name}\n{text}".encode()).hexdigest()


def _is_own(path: Path) -> bool:
    """Return whether this is a file that nobody else may write: not a pipe, which would be waited for, either."""
    found = path.stat()
    same_user = not hasattr(os, "geteuid") or found.st_uid == os.geteuid()
    return stat.S_ISREG(found.st_mode) and same_user and not found.st_mode & stat.S_IWOTH
