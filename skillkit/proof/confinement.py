"""Confinement: a forked child with a folder, limits and an end of its own."""

import contextlib
import io
import json
import os
import resource
import select
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from typing import Any

MEMORY_LIMIT = 16 * 2**30  # bytes of data: XLA reserves much more than it uses
FILE_LIMIT = 2**30  # bytes written to one file
GRACE = 1.0  # seconds for what a run started to end after it


def alone(work: Callable[[], Any], seconds: float, fence: "Fence") -> dict[str, Any]:
    """Run a function in a forked child: in a new folder, for a limited time, with nothing left running.

    Args:
        work: What to run; its result is plain data.
        seconds: When it is ended.
        fence: What it may read and write.

    Returns:
        What the function returned, with `stdout`, `stderr`, `seconds`, and, where that happened, `timeout`,
        `died` (the signal or exit code) or `left` (the number of processes that it had left running).
    """
    folder = os.path.realpath(tempfile.mkdtemp(prefix="skillkit-"))
    reader, writer = os.pipe()
    began = time.monotonic()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _child(work, folder, writer, fence)
    os.close(writer)
    try:
        outcome = _collect(child, reader, seconds)
        outcome["seconds"] = time.monotonic() - began
        for stream in ("stdout", "stderr"):
            outcome[stream] = _text(os.path.join(folder, stream))
    except BaseException:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child, signal.SIGKILL)
        raise
    finally:
        os.close(reader)
        shutil.rmtree(folder, ignore_errors=True)
    return outcome


def _child(work: Callable[[], Any], folder: str, writer: int, fence: "Fence") -> None:
    code = 1
    try:
        os.setsid()
        _prctl(_END_WITH_PARENT, signal.SIGKILL)
        _confine(folder, fence)
        answer = json.dumps(work())
        sys.stdout.flush()
        sys.stderr.flush()
        with os.fdopen(writer, "w", encoding="utf-8") as pipe:
            pipe.write(answer)
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def _confine(folder: str, fence: "Fence") -> None:
    for name, mode in (("stdout", 1), ("stderr", 2)):
        file = os.open(os.path.join(folder, name), os.O_WRONLY | os.O_CREAT)
        os.dup2(file, mode)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    scratch = os.path.join(folder, "scratch")
    os.mkdir(scratch)
    os.chdir(scratch)
    os.environ |= {"HOME": scratch, "TMPDIR": scratch, "XDG_CACHE_HOME": scratch}
    tempfile.tempdir = scratch
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_LIMIT, MEMORY_LIMIT))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_LIMIT, FILE_LIMIT))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    fence.close(scratch)


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


def _collect(child: int, reader: int, seconds: float) -> dict[str, Any]:
    buffer = io.BytesIO()
    deadline = time.monotonic() + seconds
    late = False
    while not late:
        ready, _, _ = select.select([reader], [], [], max(0.0, deadline - time.monotonic()))
        part = os.read(reader, 65536) if ready else b""
        late = not ready
        if ready and not part:
            break
        buffer.write(part)
    status = _ended(child, late, deadline)
    left = _end_children(child)
    try:
        outcome: dict[str, Any] = json.loads(buffer.getvalue())
    except ValueError:
        outcome = {"timeout": seconds} if late else {"died": os.waitstatus_to_exitcode(status)}
    return outcome | ({"left": left} if left and not late else {})


def _ended(child: int, late: bool, deadline: float) -> int:
    while not late:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return status
        late = time.monotonic() > deadline
        time.sleep(0.001)
    os.kill(child, signal.SIGKILL)
    return os.waitpid(child, 0)[1]


def _end_children(group: int) -> int:
    """Kill what a child left running: its process group, and orphans, which this process adopts as their reaper.

    What ends by itself at once, as the resource tracker of `multiprocessing` does, was not left running.
    """
    patience = time.monotonic() + GRACE
    while (left := set(_orphans())) and time.monotonic() < patience:
        time.sleep(0.01)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)
    for pid in left:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, 0)[0]:
            pass
    return len(left)


def _orphans() -> Iterator[int]:
    try:
        with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as file:
            children = [int(pid) for pid in file.read().split()]
    except OSError:  # not Linux
        return
    for pid in children:
        with contextlib.suppress(OSError), open(f"/proc/{pid}/stat", encoding="ascii") as file:
            if file.read().rpartition(")")[2].split()[0] != "Z":
                yield pid


def adopt_orphans() -> None:
    """Make this process the parent of what its children leave behind, so that it can be found and ended."""
    _prctl(_ADOPT_ORPHANS, 1)


_END_WITH_PARENT, _ADOPT_ORPHANS = 1, 36  # linux/prctl.h: PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER


def _prctl(option: int, value: int) -> None:
    import ctypes

    with contextlib.suppress(OSError, AttributeError):  # not Linux
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _text(path: str) -> str:
    with contextlib.suppress(OSError), open(path, encoding="utf-8", errors="replace") as file:
        return file.read(100_000)
    return ""
