"""Aftermath: what a program does after its last line, as its interpreter would, and what outlives that."""

import atexit
import contextlib
import signal
import sys
import threading
import traceback
from collections.abc import Collection, Iterator
from pathlib import PurePath
from typing import Any

PATIENCE = 2.0  # seconds for threads that were asked to end; a pool's do so at once


class _TooLate(BaseException):
    """A thread did not end in time."""


def handlers() -> int:
    """Return how many exit handlers are registered."""
    return atexit._ncallbacks()


def note_failures(names: Collection[str]) -> list[str]:
    """Return a list to which is added what fails from now on where nothing can catch it: in threads and finalizers.

    Args:
        names: Of the files whose code must not fail so; what libraries do is theirs.
    """
    failing: list[str] = []

    def note(kind: str, what: Any) -> None:
        frames = traceback.extract_tb(what.exc_traceback)
        if any(PurePath(frame.filename).name in names for frame in frames):
            failing.append(f"{kind} that fails: {_words(what)}")

    def of_thread(what: Any) -> None:
        if what.exc_type is not SystemExit:  # which ends a thread quietly
            note("a thread", what)
        threading.__excepthook__(what)

    def of_finalizer(what: Any) -> None:
        note("a finalizer", what)
        sys.__unraisablehook__(what)

    threading.excepthook, sys.unraisablehook = of_thread, of_finalizer
    return failing


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
        failing.append(f"an exit handler that fails: {_words(what)}")

    sys.unraisablehook = note
    atexit._run_exitfuncs()
    return failing


def _words(what: Any) -> str:
    return f"{type(what.exc_value).__name__}: {what.exc_value}"


def _others() -> list[threading.Thread]:
    """Return the threads that this program started; a dummy stands for one of a library's own."""
    return [
        thread
        for thread in threading.enumerate()
        if thread is not threading.main_thread() and not isinstance(thread, threading._DummyThread)
    ]
