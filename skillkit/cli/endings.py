"""Endings: the exit code and the words for each way in which a command can end."""

import os
import select
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO

import click

from skillkit.errors import BadInput

CLOSED = 141  # as a shell says of a program that wrote to a closed pipe
INTERRUPTED = 130  # as a shell says of one that was interrupted


def ended(run: Callable[[], Any]) -> int:
    """Run a command and return its exit code; whatever is wrong with its input or output is said on standard error.

    Args:
        run: Does it; it may return, exit, or raise what click and skillkit raise.
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # what a terminal cannot show is replaced, not refused
            stream.reconfigure(errors="replace")
    try:
        code = _code(run)
        _flush()
    except OSError as error:
        closed = any(map(_is_closed, (sys.stdout, sys.stderr)))
        _drop()
        if closed:
            return CLOSED
        _say([f"{error.filename or 'the output'}: {error.strerror or error}"])
        return 2
    return code


@contextmanager
def problems_as(form: str) -> Iterator[None]:
    """Print also in a form for programs why the input cannot be used.

    Args:
        form: One of `findings.FORMATS`; the first is what everybody is told.
    """
    try:
        yield
    except BadInput as error:
        if form != "text":
            from skillkit.findings import Finding, written

            click.echo(written((Finding("bad-input", problem) for problem in error.problems), form), nl=False)
        raise


def colour() -> bool | None:
    """Return whether to write in colour, by NO_COLOR and FORCE_COLOR; None leaves it to what is written to."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return True if os.environ.get("FORCE_COLOR", "0") not in ("", "0") else None


def _code(run: Callable[[], Any]) -> int:
    try:
        run()
    except BadInput as error:
        _say(map(str, error.problems))
        return error.exit_code
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.ClickException as error:
        error.show()
        return 2
    except click.Abort as error:
        if isinstance(error.__context__, EOFError):
            _say(["<stdin>: ended before the questions did: --no-input asks none"])
            return 2
        return INTERRUPTED
    except KeyboardInterrupt:
        return INTERRUPTED
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0 if end.code is None else 2
    return 0


def _say(messages: Any) -> None:
    for message in messages:
        click.echo(f"{click.style('Error:', fg='red', bold=True)} {message}", err=True, color=colour())


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()


def _is_closed(stream: TextIO | None) -> bool:
    """Return whether nobody reads any longer what a stream writes to."""
    if stream is None or not hasattr(select, "poll"):
        return False
    poll = select.poll()
    try:
        poll.register(stream.fileno(), 0)
    except OSError:  # it is no file of the system's
        return False
    return any(event & select.POLLERR for _, event in poll.poll(0))


def _drop() -> None:
    """Let what is still to be written go nowhere, where writing it has failed."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
