"""Confinement: a forked child with a folder, limits and an end of its own."""

import contextlib
import json
import mmap
import os
import resource
import select
import signal
import struct
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any

from skillkit.execution import forks
from skillkit.execution.aftermath import handlers, note_failures, take_last_steps
from skillkit.execution.cells import Cell
from skillkit.execution.processes import end_group, end_with_parent
from skillkit.execution.running import CHECK, CODE, LAST

MEMORY_LIMIT = 16 * 2**30  # bytes of data: XLA reserves much more than it uses
FILE_LIMIT = 2**30  # bytes written to one file
ANSWER_LIMIT = 2**26  # bytes, of which the system gives what is used


def alone(work: Callable[[], Any], seconds: float, cell: Cell) -> dict[str, Any]:
    """Run a function in a forked child: in an empty folder, for a limited time, with nothing left running.

    The child answers in memory that it shares with this process, and that no file descriptor leads to.

    Args:
        work: What to run; its result is plain data.
        seconds: When it is ended.
        cell: Where it runs.

    Returns:
        What the function returned, with `stdout`, `stderr`, `seconds`, and, where that happened, `timeout`,
        `died` (the signal or exit code) or `left`, in words what it had left behind.
    """
    began = time.monotonic()
    with mmap.mmap(-1, ANSWER_LIMIT) as answer:
        child = os.fork()
        if child == 0:
            _child(work, answer, cell)
        status = _ended(child, began + seconds)
        printed = cell.printed()
        left = _in_words(end_group(child, forks.living))
        outcome = _read(answer) if status == 0 else {}
    if status is None:
        outcome = {"timeout": seconds}
    elif not outcome:
        outcome = {"died": os.waitstatus_to_exitcode(status)}
    else:
        left = outcome.pop("left") + left + (["what prints after the end"] if cell.printed() != printed else [])
        outcome |= {"left": left} if left else {}
    outcome["seconds"] = time.monotonic() - began
    return outcome | cell.empty()


def _child(work: Callable[[], Any], answer: mmap.mmap, cell: Cell) -> None:
    code, process, registered = 1, os.getpid(), handlers()
    try:
        os.setsid()
        end_with_parent()
        for end in forks.pipes:
            os.close(end)
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_LIMIT, MEMORY_LIMIT))
        resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_LIMIT, FILE_LIMIT))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        cell.close()
        failing = note_failures((CODE, CHECK, LAST))
        outcome = work()
        if os.getpid() == process:  # code that forks comes here twice
            outcome["left"] = take_last_steps(registered) + failing
            sys.stdout.flush()
            sys.stderr.flush()
            _write(answer, outcome)
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


_SIZE = struct.Struct("<Q")  # of the answer, which stands behind it


def _write(answer: mmap.mmap, outcome: dict[str, Any]) -> None:
    data = json.dumps(outcome).encode()
    answer[_SIZE.size : _SIZE.size + len(data)] = data
    answer[: _SIZE.size] = _SIZE.pack(len(data))


def _read(answer: mmap.mmap) -> dict[str, Any]:
    (size,) = _SIZE.unpack(answer[: _SIZE.size])
    outcome: dict[str, Any] = json.loads(answer[_SIZE.size : _SIZE.size + size] or b"{}")
    return outcome


def _in_words(processes: int) -> list[str]:
    return [f"{processes} process{'es' if processes > 1 else ''}"] if processes else []


def _ended(child: int, deadline: float) -> int | None:
    """Return the status of a child once it has ended, or None where it had to be ended at the deadline."""
    watch = _watch(child)
    try:
        while True:
            pid, status = os.waitpid(child, os.WNOHANG)
            if pid:
                return status
            rest = deadline - time.monotonic()
            if rest <= 0:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                return None
            select.select(watch, [], [], rest if watch else min(rest, 0.002))
    finally:
        for descriptor in watch:
            os.close(descriptor)


def _watch(child: int) -> list[int]:
    """Return a descriptor that can be read once a child has ended, where the system has such."""
    with contextlib.suppress(AttributeError, OSError):
        return [os.pidfd_open(child)]
    return []
