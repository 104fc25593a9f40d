"""The fence: what a run may read and write while it lasts."""

import os
import sys
from collections.abc import Iterable
from typing import Any


class Fence:
    """Keeps Python's own writes in the scratch folder, and its reads off the user's files; no fence against malice.

    Args:
        hidden: Folders of which nothing may be read but what is installed, code, and the folders of packages.
        sealed: Folders of which that may not be read either.
    """

    def __init__(self, hidden: list[str], sealed: list[str]) -> None:
        self.hidden = _folders(path for path in hidden if os.path.realpath(path) != os.sep)
        self.sealed = _folders(sealed)
        self.installed = _folders([sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix])
        self.devices = ("/dev/", "/proc/")
        self.scratch = os.sep

    def close(self, scratch: str) -> None:
        """Put up the fence around a scratch folder, until this process ends."""
        self.scratch = os.path.realpath(scratch) + os.sep
        sys.addaudithook(self.audit)

    def audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Judge one event of Python's."""
        if event == "open" and isinstance(arguments[0], str | bytes):
            if _writes(arguments[1], arguments[2]):
                self.hold(arguments[0])
            else:
                self.look(arguments[0])
        elif event in ("os.listdir", "os.scandir") and isinstance(arguments[0], str | bytes):
            self.look(arguments[0], is_folder=True)
        elif event in _CHANGES:
            for position, folder in _CHANGES[event]:
                path = arguments[position]
                if isinstance(path, str | bytes):
                    self.hold(path, arguments[folder] if folder else -1)

    def look(self, path: str | bytes, is_folder: bool = False) -> None:
        """Refuse to read a hidden path, unless it is installed, is code, or lies in a package."""
        full = os.path.abspath(os.fsdecode(path))
        inside = full + os.sep
        if not inside.startswith(self.hidden + self.sealed) or inside.startswith(self.scratch):
            return
        if inside.startswith(self.sealed) or not (inside.startswith(self.installed) or _is_code(full, is_folder)):
            raise PermissionError(f"reads what its readers do not have: {full}")

    def hold(self, path: str | bytes, folder: int = -1) -> None:
        """Refuse to write outside the scratch folder; a path may be relative to an open folder."""
        base = "" if folder < 0 else f"/proc/self/fd/{folder}"
        real = os.path.realpath(os.path.join(base, os.fsdecode(path)))
        if not (real + os.sep).startswith((self.scratch, *self.devices)):
            raise PermissionError(f"writes outside its scratch folder: {real}")


_CODE = (".py", ".pyc", ".so")
_CHANGES = {  # where the paths stand among an event's arguments, each with the open folder that it is relative to
    "os.mkdir": ((0, 2),),
    "os.rename": ((0, 2), (1, 3)),
    "os.remove": ((0, 1),),
    "os.rmdir": ((0, 1),),
    "os.link": ((0, 2), (1, 3)),
    "os.symlink": ((1, 2),),  # the first is a text, which may lead anywhere
    "os.truncate": ((0, 0),),
    "os.chmod": ((0, 2),),
    "os.chown": ((0, 3),),
    "os.utime": ((0, 3),),
    "shutil.rmtree": ((0, 0),),
}


def _is_code(path: str, is_folder: bool) -> bool:
    """Return whether a path is code, or belongs to a package, or is a folder that is searched for them."""
    if path.endswith(_CODE) or (is_folder and path in sys.path):
        return True
    return os.path.exists(os.path.join(path if is_folder else os.path.dirname(path), "__init__.py"))


def _folders(paths: Iterable[str]) -> tuple[str, ...]:
    """Return paths, and what they are links to, in a form that the paths of their content start with."""
    return tuple(
        {one.rstrip(os.sep) + os.sep for path in paths for one in (os.path.abspath(path), os.path.realpath(path))}
    )


def _writes(mode: object, flags: object) -> bool:
    if isinstance(mode, str):
        return any(letter in mode for letter in "wax+")
    return isinstance(flags, int) and bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))
