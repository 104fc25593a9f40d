"""Trials: an input is given, and what takes it must end with 0, 1 or 2, in time, and say why."""

import contextlib
import io
import random
import signal
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from unittest import mock

from skillkit.cli import _run
from skillkit.cli.endings import ended

SECONDS = 10  # of processor time for one input; the slowest of ours takes a fifth of it


class Hang(BaseException):
    """An input took longer than anybody waits."""


@dataclass(frozen=True)
class Kind:
    """One kind of input.

    Args:
        count: How many are tried in full.
        made: Makes one.
        file: The name of the file that holds it, as an example is kept.
        given: Gives what lies in the working directory, and raises where it ends otherwise than it may.
    """

    count: int
    made: Callable[[random.Random], bytes]
    file: str
    given: Callable[[bytes], None]


@contextlib.contextmanager
def within_time() -> Iterator[None]:
    """Raise Hang in what takes too long."""

    def stop(_: int, __: FrameType | None) -> None:
        raise Hang

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def call(*arguments: str, stdin: bytes = b"") -> tuple[str, str]:
    """Return what a command printed; it must end with 0, 1 or 2, and say why where it is not 0."""
    streams = [io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2)]
    given = io.TextIOWrapper(io.BytesIO(stdin), "utf-8")
    with (
        mock.patch.object(sys, "stdin", given),
        contextlib.redirect_stdout(streams[0]),
        contextlib.redirect_stderr(streams[1]),
    ):
        code = ended(lambda: _run(arguments))
        written, said = (stream.buffer.getvalue().decode("utf-8") for stream in streams)
    assert code in (0, 1, 2), f"exit code {code}"
    assert code != 2 or said, "exit code 2 without a word"
    assert "Traceback" not in said
    return written, said


@contextlib.contextmanager
def held(name: str, raw: bytes) -> Iterator[None]:
    """Put bytes into a file of the small project while something looks at it."""
    path = Path(name)
    before = path.read_bytes() if path.exists() else None
    path.write_bytes(raw)
    try:
        yield
    finally:
        path.unlink() if before is None else path.write_bytes(before)
