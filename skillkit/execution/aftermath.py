"""Aftermath: what a program does after its last line, as its interpreter would, and what outlives that."""

import atexit
import contextlib
import signal
import sys
import threading
from collections.abc import Iterator
from typing import Any

PATIENCE = 2.0  # seconds for threads that were asked to end; a pool's do so at once


class _TooLate(BaseException):
    """A thread did not end in time."""


def handlers() -> int:
    """Return how many exit handlers are registered."""
    return atexit._ncallbacks()


def take_last_steps(registered: int) -> list[str]:
    """Wait for the threads of this program and call its exit handlers; return what went wrong or goes on.

    Args:
        registered: How many exit handlers there were before it began: those of libraries, which then need no call.
    """
    left = list(_late_threads())
    if handlers() != registered:
        left += _failing_handlers()
    left += [f"the thread '{thread.name}'" for thread in _others() if thread.daemon]
    return left


def _late_threads() -> Iterator[str]:
    """End as the interpreter does: pools are told to stop, and every thread that is no daemon is waited for."""
    try:
        with _alarm(PATIENCE):
            threading._shutdown()  # type: ignore[attr-defined]  # what an interpreter calls first of all
    except _TooLate:
        yield from (f"the thread '{thread.name}'" for thread in _others() if not thread.daemon)


@contextlib.contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    def ring(*_: Any) -> None:
        raise _TooLate

    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _failing_handlers() -> list[str]:
    """Call the exit handlers, the last one first, and return those that fail."""
    failing: list[str] = []

    def note(what: Any) -> None:
        failing.append(f"an exit handler that fails: {type(what.exc_value).__name__}: {what.exc_value}")

    sys.unraisablehook = note
    atexit._run_exitfuncs()
    return failing


def _others() -> list[threading.Thread]:
    """Return the threads that this program started; a dummy stands for one of a library's own."""
    return [
        thread
        for thread in threading.enumerate()
        if thread is not threading.main_thread() and not isinstance(thread, threading._DummyThread)
    ]
