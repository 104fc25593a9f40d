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

from skillkit.proof.fence import Fence

MEMORY_LIMIT = 16 * 2**30  # bytes of data: XLA reserves much more than it uses
FILE_LIMIT = 2**30  # bytes written to one file
GRACE = 1.0  # seconds for what a run started to end after it


def alone(work: Callable[[], Any], seconds: float, fence: Fence) -> dict[str, Any]:
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


def _child(work: Callable[[], Any], folder: str, writer: int, fence: Fence) -> None:
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


def _confine(folder: str, fence: Fence) -> None:
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
