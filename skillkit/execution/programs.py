"""Programs: what runs compile, kept for other runs that would compile the same.

A library that keeps what it compiles in a folder, under a name that its content gives, may be pointed at one that all
runs read. Each server has a folder of its own with links to what is there. A run may add to that; once it has ended by
itself, the server moves what it added, if it looks like a program, to where all find it. So no run changes what
another has added, none meets half a file, and nothing else that one leaves is there for the next. What a program does
is not checked: a run that computes another's key, and writes a wrong program there before it, is believed.
"""

import contextlib
import fnmatch
import os
import shutil
import stat
from collections.abc import Mapping, Sequence

LARGEST = 2**26  # bytes of one program


class Programs:
    """The programs that one server's runs share with those of others.

    Args:
        folder: Where all find them.
        files: Patterns of their names.
        environment: Variables that make libraries look for them; `{folder}` in a value stands for where they are.
        view: The server's own folder, with links to them.
    """

    def __init__(self, folder: str, files: Sequence[str], environment: Mapping[str, str], view: str) -> None:
        self.folder = folder
        self.files = files
        self.view = view
        self.environment = {name: value.replace("{folder}", view) for name, value in environment.items()}
        self.seen = (0, 0)
        os.makedirs(view, exist_ok=True)
        self.gather(trusted=False)

    def gather(self, trusted: bool) -> None:
        """Take up what a run and other servers have added.

        Args:
            trusted: Whether the run ended by itself; what another has written may be unfinished.
        """
        if self.seen == self._now():
            return
        known = {name for name in os.listdir(self.folder) if self._is_named(name)}
        linked = set()
        for entry in list(os.scandir(self.view)):
            if entry.is_symlink() and os.readlink(entry.path) == os.path.join(self.folder, entry.name):
                linked.add(entry.name)
                continue
            if trusted and entry.name not in known and self._is_named(entry.name):
                self._keep(entry.name)
            self._remove(entry)
        for name in {name for name in os.listdir(self.folder) if self._is_named(name)} - linked:
            with contextlib.suppress(FileExistsError):
                os.symlink(os.path.join(self.folder, name), os.path.join(self.view, name))
        self.seen = self._now()

    def _now(self) -> tuple[int, int]:
        return os.stat(self.folder).st_mtime_ns, os.stat(self.view).st_mtime_ns

    def _is_named(self, name: str) -> bool:
        return any(fnmatch.fnmatchcase(name, pattern) for pattern in self.files)

    def _keep(self, name: str) -> None:
        path = os.path.join(self.view, name)
        kind = os.lstat(path)
        if not stat.S_ISREG(kind.st_mode) or kind.st_size > LARGEST:
            return
        temporary = os.path.join(self.folder, f".{os.getpid()}")
        with contextlib.suppress(OSError):  # nothing is lost but time
            shutil.copyfile(path, temporary)
            os.link(temporary, os.path.join(self.folder, name))
        with contextlib.suppress(OSError):
            os.unlink(temporary)

    def _remove(self, entry: "os.DirEntry[str]") -> None:
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path, ignore_errors=True)
        else:
            with contextlib.suppress(OSError):
                os.unlink(entry.path)
