"""Usage: the words of a project's code, by which to tell what does not concern it."""

import re
from collections.abc import Iterator
from pathlib import Path

_WORD = re.compile(r"[^\W\d]\w*")
_OTHERS = ("node_modules", "site-packages", "build", "dist")  # folders that hold nobody's own code
_MOST = 5_000  # files; a project of more is looked at in part


def words_of_code(folder: Path) -> frozenset[str]:
    """Return every identifier that the Python files and notebooks of a folder hold, comments and texts included."""
    words: set[str] = set()
    for number, path in enumerate(_code(folder)):
        if number == _MOST:
            break
        try:
            words.update(_WORD.findall(path.read_text("utf-8", errors="replace")))
        except OSError:  # a link into nowhere, or another's file
            continue
    return frozenset(words)


def telltales(old: str, new: str) -> frozenset[str]:
    """Return the identifiers that an old form has and the new one has not."""
    return frozenset(_WORD.findall(old)) - frozenset(_WORD.findall(new))


def _code(folder: Path) -> Iterator[Path]:
    """Yield a folder's own code, without what is hidden, installed or built."""
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return
    for entry in entries:
        if entry.is_dir():
            environment = (entry / "pyvenv.cfg").exists()
            if not entry.name.startswith(".") and entry.name not in _OTHERS and not environment:
                yield from [] if entry.is_symlink() else _code(entry)
        elif entry.suffix in (".py", ".ipynb"):
            yield entry
