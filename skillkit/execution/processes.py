"""Processes: what this one has started, found and ended."""

import contextlib
import ctypes
import os
import signal
import time
from collections.abc import Collection, Iterator

GRACE = 1.0  # seconds for what a run started to end after it
_END_WITH_PARENT, _ADOPT_ORPHANS = 1, 36  # linux/prctl.h: PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER


def adopt_orphans() -> None:
    """Make this process the parent of what its children leave behind, so that it can be found and ended."""
    _prctl(_ADOPT_ORPHANS, 1)


def end_with_parent() -> None:
    """Have this process killed when the one that forked it ends."""
    _prctl(_END_WITH_PARENT, signal.SIGKILL)


def _prctl(option: int, value: int) -> None:
    with contextlib.suppress(OSError, AttributeError, TypeError):  # not Linux
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def end_group(group: int, kept: Collection[int]) -> int:
    """Kill what a child left running: its process group, and orphans, which this process adopts as their reaper.

    What ends by itself at once, as the resource tracker of `multiprocessing` does, was not left running.

    Args:
        group: The child's.
        kept: Children of this process that are not to be ended.

    Returns:
        How many were left.
    """
    patience = time.monotonic() + GRACE
    while (left := set(_running(kept))) and time.monotonic() < patience:
        time.sleep(0.01)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)
    for pid in left:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    for pid in children():
        if pid not in kept:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)
    return len(left)


def end_all() -> None:
    """Kill all that this process has started, and what these have, as it is left to this one."""
    while pids := children():
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)


def children() -> list[int]:
    """Return the children of this process, dead ones that nobody has waited for included."""
    try:
        with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as file:
            return [int(pid) for pid in file.read().split()]
    except OSError:  # not Linux
        return []


def _running(kept: Collection[int]) -> Iterator[int]:
    for pid in children():
        if pid in kept:
            continue
        with contextlib.suppress(OSError), open(f"/proc/{pid}/stat", encoding="ascii") as file:
            if file.read().rpartition(")")[2].split()[0] != "Z":
                yield pid
