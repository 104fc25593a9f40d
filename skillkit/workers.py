"""Workers: servers under one interpreter that share a list of jobs."""

import json
import os
import queue
import subprocess
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from skillkit.serving import server_command

_HIDDEN = ("PYTHON", "JAX_", "XLA_", "TF_", "LIBTPU")


@dataclass(frozen=True)
class Workers:
    """Servers of one interpreter.

    Args:
        python: The interpreter.
        warm: Libraries that the servers import once.
        count: How many run at a time.
    """

    python: str
    warm: tuple[str, ...]
    count: int

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the answer to a single request."""
        return next(answer for _, answer in self.ask_all([request]))

    def ask_all(self, requests: Sequence[dict[str, Any]]) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield each request's index and answer as they come."""
        waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
        for index in range(len(requests)):
            waiting.put(index)
        done: queue.SimpleQueue[tuple[int, dict[str, Any]] | BaseException] = queue.SimpleQueue()
        servers = [_Server(self) for _ in range(min(self.count, len(requests)))]
        for server in servers:
            threading.Thread(target=server.work, args=(requests, waiting, done), daemon=True).start()
        try:
            for _ in requests:
                answer = done.get()
                if isinstance(answer, BaseException):
                    raise answer
                yield answer
        finally:
            for server in servers:
                server.stop()


class _Server:
    def __init__(self, workers: Workers) -> None:
        self.workers = workers
        self.process: subprocess.Popen[str] | None = None

    def work(self, requests: Sequence[dict[str, Any]], waiting: Any, done: Any) -> None:
        try:
            while True:
                index = waiting.get_nowait()
                done.put((index, self.ask(requests[index])))
        except queue.Empty:
            self.stop()
        except BaseException as error:
            done.put(error)

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        if self.process is None:
            self.process = subprocess.Popen(
                server_command(self.workers.python, list(self.workers.warm)),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                env=_environment(),
            )
        process = self.process
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(request) + "\n")
        process.stdin.flush()
        line = process.stdout.readline()
        if line:
            answer: dict[str, Any] = json.loads(line)
            return answer
        self.process = None
        return {"died": process.wait(), "stdout": "", "stderr": "the server ended", "seconds": 0.0}

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def _environment() -> dict[str, str]:
    """Return the variables of a machine without accelerators and without the user's settings of Python and JAX."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_HIDDEN)}
    return kept | {"JAX_PLATFORMS": "cpu"}
