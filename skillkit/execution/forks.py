"""Forks: children of this process that answer requests, one JSON object a line, until they are ended."""

import contextlib
import json
import os
import select
import signal
from collections.abc import Callable
from typing import Any, TextIO

from skillkit.execution.processes import adopt_orphans, end_with_parent

Answer = Callable[[dict[str, Any]], dict[str, Any]]

living: set[int] = set()  # the forks among the children of this process, which no run has started
pipes: set[int] = set()  # file descriptors that are not for runs


class Fork:
    """A forked child that answers requests.

    Args:
        begin: Called in the child; returns what answers, or None where nothing can.
    """

    def __init__(self, begin: Callable[[], Answer | None]) -> None:
        (theirs, requests), (answers, ours) = os.pipe(), os.pipe()
        pipes.update((theirs, requests, answers, ours))
        self.pid = os.fork()
        if self.pid == 0:
            _live(begin, os.fdopen(theirs, encoding="utf-8"), os.fdopen(ours, "w", encoding="utf-8"))
        for end in (theirs, ours):
            os.close(end)
            pipes.discard(end)
        living.add(self.pid)
        self.requests = os.fdopen(requests, "w", encoding="utf-8")
        self.answers = os.fdopen(answers, encoding="utf-8")
        self.is_ready = bool(self.answers.readline())
        if not self.is_ready:
            self.end()

    @property
    def is_alive(self) -> bool:
        """Whether it can be asked."""
        return self.pid in living

    def ask(self, request: dict[str, Any], unless: int | None = None) -> dict[str, Any]:
        """Return the answer to a request, or that the child died.

        Args:
            request: Plain data.
            unless: A file descriptor; when something comes from it, or it is closed, nobody waits any longer.

        Raises:
            InterruptedError: Nobody waits any longer.
        """
        with contextlib.suppress(BrokenPipeError):
            self.requests.write(json.dumps(request) + "\n")
            self.requests.flush()
        if unless is not None:
            came = self.answers.fileno()
            if came not in select.select([came, unless], [], [])[0]:
                raise InterruptedError
        if line := self.answers.readline():
            answer: dict[str, Any] = json.loads(line)
            return answer
        return {"died": self.end(), "stdout": "", "stderr": "the server ended", "seconds": 0.0}

    def end(self) -> int:
        """Kill the child, and return how it ended; what it was running ends with it."""
        if self.pid not in living:
            return 0
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        status = os.waitpid(self.pid, 0)[1]
        living.discard(self.pid)
        for end in (self.requests, self.answers):
            pipes.discard(end.fileno())
            with contextlib.suppress(BrokenPipeError):
                end.close()
        return os.waitstatus_to_exitcode(status)


def _live(begin: Callable[[], Answer | None], requests: TextIO, answers: TextIO) -> None:
    try:
        end_with_parent()
        adopt_orphans()
        living.clear()
        answer = begin()
        if answer:
            answers.write("ready\n")
            answers.flush()
            for line in requests:
                answers.write(json.dumps(answer(json.loads(line))) + "\n")
                answers.flush()
    finally:
        os._exit(0)
