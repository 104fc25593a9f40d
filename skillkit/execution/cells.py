"""Cells: the folder in which the runs of one server take place, one after the other, and what is shared around it."""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping

from skillkit.execution.fence import Fence
from skillkit.execution.namespaces import SHARED_MEMORY


class Cell:
    """A folder with a scratch folder in it, which each run finds empty.

    All runs of a server have the same path, so that what a library keeps of it at its import is true of them all.

    Args:
        fence: What runs may read and write.
        has_own_memory: Whether `/dev/shm` is this server's alone.
    """

    def __init__(self, fence: Fence, has_own_memory: bool) -> None:
        self.folder = os.path.realpath(tempfile.mkdtemp(prefix="skillkit-"))
        self.scratch = os.path.join(self.folder, "scratch")
        self.streams = tuple(os.path.join(self.folder, name) for name in ("stdout", "stderr"))
        self.fence = fence
        self.has_own_memory = has_own_memory
        self.programs = os.path.join(self.folder, "programs")
        self.shared: tuple[str, ...] = ()
        os.mkdir(self.scratch)

    def enter(self, environment: Mapping[str, str], shared: tuple[str, ...] = ()) -> None:
        """Have this process, and what is forked from it, take the scratch folder for the user's own.

        Args:
            environment: Further variables.
            shared: Other folders that runs may write to.
        """
        self.shared = shared
        os.chdir(self.scratch)
        os.environ |= {"HOME": self.scratch, "TMPDIR": self.scratch, "XDG_CACHE_HOME": self.scratch, **environment}
        tempfile.tempdir = self.scratch
        self.fence.warm(self.folder)

    def close(self) -> None:
        """Direct this process's output into the cell, and fence it in, until it ends."""
        for mode, stream in enumerate(self.streams, 1):
            file = os.open(stream, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(file, mode)
            os.close(file)
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.close(null)
        os.chdir(self.scratch)
        self.fence.close(self.scratch, self.streams, self.shared)

    @contextlib.contextmanager
    def output(self) -> Iterator[Callable[[], str]]:
        """Catch what this process writes; the value tells it afterwards."""
        kept = [os.dup(1), os.dup(2)]
        path = os.path.join(self.folder, "output")
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        try:
            os.dup2(file, 1)
            os.dup2(file, 2)
            yield lambda: _text(path)
        finally:
            for mode, one in enumerate(kept, 1):
                os.dup2(one, mode)
                os.close(one)
            os.close(file)

    def printed(self) -> list[int]:
        """Return how much a run has written to each stream so far."""
        return [os.path.getsize(stream) if os.path.exists(stream) else 0 for stream in self.streams]

    def is_used(self) -> bool:
        """Return whether there is anything in the scratch folder."""
        return bool(os.listdir(self.scratch))

    def empty(self) -> dict[str, str]:
        """Return what a run wrote to its `stdout` and `stderr`, and remove all that it left."""
        os.makedirs(self.scratch, exist_ok=True)
        said = {os.path.basename(stream): _text(stream) for stream in self.streams}
        for folder in (self.scratch, *([SHARED_MEMORY] if self.has_own_memory else [])):
            for entry in list(os.scandir(folder)):
                if entry.is_dir(follow_symlinks=False):
                    shutil.rmtree(entry.path, ignore_errors=True)
                else:
                    with contextlib.suppress(OSError):
                        os.unlink(entry.path)
        return said

    def remove(self) -> None:
        """Remove the cell."""
        shutil.rmtree(self.folder, ignore_errors=True)


def _text(path: str) -> str:
    with contextlib.suppress(OSError), open(path, encoding="utf-8", errors="replace") as file:
        return file.read(100_000)
    return ""
