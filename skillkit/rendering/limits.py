"""Limits: what filling a template may take, so that one that never ends is an error and not a hang."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

SECONDS = 30.0  # of processor time, for one file; our largest takes one
MEMORY = 2 << 30  # bytes beyond what is in use; our largest takes a hundredth
DIGITS = 10_000  # of a number
CHARACTERS = 10_000_000  # of a text or a list that is repeated


class Exceeded(Exception):
    """A template takes more than it may."""


class Endless(BaseException):
    """A template takes more time than it may; no Exception, which Jinja would take for a constant that is none."""


@contextmanager
def limited() -> Iterator[None]:
    """Hold what runs inside to the processor time and the memory that it may take, where the system can.

    Raises:
        Endless: It took more time.
        MemoryError: It took more memory.
    """
    with _time(), _memory():
        yield


def power(base: Any, exponent: Any) -> Any:
    """Return `base ** exponent`, unless it has more digits than anybody reads."""
    if isinstance(base, int) and isinstance(exponent, int) and base.bit_length() * exponent > 3.4 * DIGITS:
        raise Exceeded(f"a number of more than {DIGITS:,} digits")
    return base**exponent


def product(left: Any, right: Any) -> Any:
    """Return `left * right`, unless it repeats something for ever."""
    for one, times in ((left, right), (right, left)):
        if isinstance(times, int) and hasattr(one, "__len__") and len(one) * times > CHARACTERS:
            raise Exceeded(f"a repetition of more than {CHARACTERS:,} parts")
    return left * right


@contextmanager
def _time() -> Iterator[None]:
    alarm = getattr(signal, "SIGVTALRM", None)
    if alarm is None or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(_: int, __: FrameType | None) -> None:
        raise Endless(f"takes more than {SECONDS:g} s, and was ended")

    before: Callable[..., Any] | int | None = signal.signal(alarm, stop)
    # more than once: what is raised while the collector or a destructor runs is lost
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS, _AGAIN)
    try:
        yield
    finally:
        _disarm(alarm, before)


_AGAIN = 0.2  # seconds


def _disarm(alarm: int, before: Any) -> None:
    while True:
        try:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            signal.signal(alarm, before)
            return
        except Endless:  # it rang once more on the way here
            continue


@contextmanager
def _memory() -> Iterator[None]:
    try:
        import resource

        with open("/proc/self/statm", encoding="ascii") as file:
            used = int(file.read().split()[0]) * resource.getpagesize()
    except (ImportError, OSError):  # not Linux: only time is limited
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    room = used + MEMORY
    if soft != resource.RLIM_INFINITY and soft <= room:
        yield
        return
    resource.setrlimit(resource.RLIMIT_AS, (room, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
