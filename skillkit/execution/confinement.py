"""Confinement: a forked child with a folder, limits and an end of its own."""

import io
import json
import os
import resource
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any

from skillkit.execution import forks
from skillkit.execution.cells import Cell
from skillkit.execution.processes import end_group, end_with_parent

MEMORY_LIMIT = 16 * 2**30  # bytes of data: XLA reserves much more than it uses
FILE_LIMIT = 2**30  # bytes written to one file


def alone(work: Callable[[], Any], seconds: float, cell: Cell) -> dict[str, Any]:
    """Run a function in a forked child: in an empty folder, for a limited time, with nothing left running.

    Args:
        work: What to run; its result is plain data.
        seconds: When it is ended.
        cell: Where it runs.

    Returns:
        What the function returned, with `stdout`, `stderr`, `seconds`, and, where that happened, `timeout`,
        `died` (the signal or exit code) or `left` (the number of processes that it had left running).
    """
    reader, writer = os.pipe()
    began = time.monotonic()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _child(work, writer, cell)
    os.close(writer)
    try:
        outcome = _collect(child, reader, seconds)
    finally:
        os.close(reader)
    outcome["seconds"] = time.monotonic() - began
    return outcome | cell.empty()


def _child(work: Callable[[], Any], writer: int, cell: Cell) -> None:
    code = 1
    try:
        os.setsid()
        end_with_parent()
        for end in forks.pipes:
            os.close(end)
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_LIMIT, MEMORY_LIMIT))
        resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_LIMIT, FILE_LIMIT))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        cell.close()
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
    left = end_group(child, forks.living)
    outcome = _read(buffer.getvalue())
    if outcome is None:
        outcome = {"timeout": seconds} if late else {"died": os.waitstatus_to_exitcode(status)}
    return outcome | ({"left": left} if left and not late else {})


def _read(answer: bytes) -> dict[str, Any] | None:
    """Return the answer; None where there is none, or where the run itself wrote into the pipe."""
    try:
        outcome = json.loads(answer)
    except ValueError:
        return None
    return outcome if isinstance(outcome, dict) else None


def _ended(child: int, late: bool, deadline: float) -> int:
    while not late:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return status
        late = time.monotonic() > deadline
        time.sleep(0.001)
    os.kill(child, signal.SIGKILL)
    return os.waitpid(child, 0)[1]
