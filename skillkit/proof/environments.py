"""Environments: isolated installations of a set of library versions, made once and kept."""

import contextlib
import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement

from skillkit.proof.installers import install

KEPT_SECONDS = 7 * 24 * 3600  # of an environment whose versions are not pinned: newer ones may be out


class NotInstallable(Exception):
    """A set of versions that cannot be installed together."""


@dataclass(frozen=True)
class Wanted:
    """A set of versions that something is to be proven with.

    Args:
        requirements: As pip takes them: `jax==0.7.2 optax==0.2.8`, separated by spaces.
        python: The interpreter, as a path, a command or a version such as `3.12`; this one where it is empty.
    """

    requirements: str
    python: str = ""

    @property
    def label(self) -> str:
        """The set in words."""
        return self.requirements + (f" ({self.python})" if self.python else "")


def interpreter(
    wanted: Wanted, folder: Path, extra: Sequence[str] = (), tell: Callable[[str], None] = lambda _: None
) -> Path:
    """Return the interpreter of an environment with these versions, making it where there is none.

    Args:
        wanted: The set.
        folder: Where environments are kept, each under a name derived from its content.
        extra: Libraries to install beside the set, at versions that go with it.
        tell: Called with what is being done where that takes long.

    Raises:
        NotInstallable: The installer's last words.
    """
    python = found(wanted.python) if wanted.python else sys.executable
    requirements = [*wanted.requirements.split(), *extra]
    for word in wanted.requirements.split() or [""]:
        if not (word == "-e" or os.path.isdir(word) or _is_requirement(word)):
            raise NotInstallable(f"'{word}' is neither a requirement such as jax==0.10.2 nor a folder")
    name = hashlib.sha256("\n".join([python, *map(_resolved, requirements)]).encode()).hexdigest()[:12]
    home = folder / name
    try:
        with _locked(folder, name):
            if not _is_usable(home, requirements):
                beside = f" and {', '.join(extra)}" if extra else ""
                tell(f"installing {wanted.label}{beside} into {home}, which takes minutes")
                _make(home, python, requirements)
    except OSError as error:
        raise NotInstallable(f"{folder} cannot be made: {error.strerror}") from error
    return home / "bin" / "python"


@contextlib.contextmanager
def _locked(folder: Path, name: str) -> Iterator[None]:
    """Keep other processes from making the same environment at the same time."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / f".{name}.lock", "w", encoding="ascii") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _make(home: Path, python: str, requirements: Sequence[str]) -> None:
    shutil.rmtree(home, ignore_errors=True)
    if message := install(home, python, requirements):
        shutil.rmtree(home, ignore_errors=True)
        raise NotInstallable(message)
    (home / "complete").touch()


def _is_requirement(word: str) -> bool:
    try:
        Requirement(word)
    except InvalidRequirement:
        return False
    return True


def _resolved(word: str) -> str:
    return os.path.abspath(word) if os.path.isdir(word) else word


def _is_usable(home: Path, requirements: Sequence[str]) -> bool:
    """Return whether an environment is whole, its interpreter still there, and what may have moved on not old."""
    made = home / "complete"
    if not made.exists() or not (home / "bin" / "python").exists():
        return False
    if any(os.path.isdir(word) for word in requirements):
        return False
    return "==" in requirements[0] or time.time() - made.stat().st_mtime < KEPT_SECONDS


def found(name: str) -> str:
    """Return the path of an interpreter that runs; a version manager's stand-in may be on the path and not run."""
    for path in _candidates(f"python{name}" if name[:1].isdigit() else name):
        if _runs(path):
            return os.path.abspath(path)
    raise NotInstallable(f"there is no interpreter '{name}' here that runs: give its path")


def _runs(path: str) -> bool:
    """Return whether a file is an interpreter of Python 3 that answers."""
    try:
        done = subprocess.run([path, "-c", "print(3 / 2)"], capture_output=True, timeout=_PATIENCE, check=False)
    except (OSError, ValueError, subprocess.TimeoutExpired):  # a folder, text, or another program
        return False
    return done.stdout.strip() == b"1.5"


_PATIENCE = 60  # seconds


def _candidates(command: str) -> Iterator[str]:
    """Yield what may be meant: what is on the path, then what pyenv and uv keep, newest first."""
    path = shutil.which(command) if "\0" not in command else None
    if path:
        yield path
    if not re.fullmatch(r"[\w.+-]{1,100}", command):
        return
    pyenv = os.environ.get("PYENV_ROOT") or os.path.expanduser("~/.pyenv")
    if path and Path(path).parent.name == "shims":
        pyenv = str(Path(path).parent.parent)
    uv = os.environ.get("UV_PYTHON_INSTALL_DIR") or os.path.expanduser("~/.local/share/uv/python")
    for folder in (Path(pyenv) / "versions", Path(uv)):
        yield from sorted(map(str, folder.glob(f"*/bin/{command}")), reverse=True)
