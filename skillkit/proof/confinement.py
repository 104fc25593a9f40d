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
from collections.abc import Callable, Iterator
from typing import Any

MEMORY_LIMIT = 16 * 2**30  # bytes of data: XLA reserves much more than it uses
FILE_LIMIT = 2**30  # bytes written to one file


def alone(work: Callable[[], Any], seconds: float) -> dict[str, Any]:
    """Run a function in a forked child: in a new folder, for a limited time, with nothing left running.

    Returns:
        What the function returned, with `stdout`, `stderr`, `seconds`, and, where that happened, `timeout`,
        `died` (the signal or exit code) or `left` (the number of processes that it had left running).
    """
    folder = tempfile.mkdtemp(prefix="skillkit-")
    reader, writer = os.pipe()
    began = time.monotonic()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _child(work, folder, writer)
    os.close(writer)
    try:
        outcome = _collect(child, reader, seconds)
        outcome["seconds"] = time.monotonic() - began
        for stream in ("stdout", "stderr"):
            outcome[stream] = _text(os.path.join(folder, stream))
    finally:
        os.close(reader)
        shutil.rmtree(folder, ignore_errors=True)
    return outcome


def _child(work: Callable[[], Any], folder: str, writer: int) -> None:
    code = 1
    try:
        os.setsid()
        _confine(folder)
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


def _confine(folder: str) -> None:
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
    sys.addaudithook(_Fence(scratch).audit)


class _Fence:
    """Refuses writes outside the scratch folder, and reading the checkout; no fence against malice."""

    def __init__(self, scratch: str) -> None:
        self.scratch = os.path.realpath(scratch) + os.sep
        self.devices = ("/dev/", "/proc/")

    def audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(arguments[0], str | bytes) and _writes(arguments[1], arguments[2]):
            self.hold(arguments[0])
        elif event in _CHANGES:
            for path in arguments[: _CHANGES[event]]:
                if isinstance(path, str | bytes):
                    self.hold(path)

    def hold(self, path: str | bytes) -> None:
        real = os.path.realpath(os.fsdecode(path))
        if not (real + os.sep).startswith((self.scratch, *self.devices)):
            raise PermissionError(f"writes outside its scratch folder: {real}")


_CHANGES = {
    "os.mkdir": 1,
    "os.rename": 2,
    "os.remove": 1,
    "os.rmdir": 1,
    "os.link": 2,
    "os.symlink": 2,
    "os.truncate": 1,
    "os.chmod": 1,
}


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
    """Kill what a child left running: its process group, and orphans, which this process adopts as their reaper."""
    left = set(_orphans())
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
    import ctypes

    set_child_subreaper = 36  # linux/prctl.h
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(set_child_subreaper, 1, 0, 0, 0)


def _text(path: str) -> str:
    with contextlib.suppress(OSError), open(path, encoding="utf-8", errors="replace") as file:
        return file.read(100_000)
    return ""
