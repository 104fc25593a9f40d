"""Writing: files that are replaced whole, and left alone where nothing changed."""

import os
import tempfile
from pathlib import Path


def write(path: Path, text: str) -> bool:
    """Write a text file atomically, making its folder; an equal file is not touched.

    Returns:
        Whether anything was written.

    Raises:
        OSError: The folder or the file cannot be written; what was there before is still there.
    """
    data = text.encode("utf-8")
    if path.is_file() and path.read_bytes() == data:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(temporary, path.stat().st_mode if path.exists() else 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
    return True


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
