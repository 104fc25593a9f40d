"""Workers: servers under one interpreter that share a list of jobs."""

import contextlib
import json
import os
import queue
import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from skillkit.places import Project
from skillkit.proof.serving import server_command

_HIDDEN = (
    "PYTHON",
    "JAX_",
    "XLA_",
    "TF_",
    "LIBTPU",
    "XDG_",
    "MPL",
)  # settings of the user's that would change what is proven


class Workers:
    """Servers of one interpreter, started when they are needed; they end with this process.

    Args:
        python: The interpreter.
        warm: Libraries that the servers import once.
        count: How many run at a time.
        project: Whose files what runs may not see.
    """

    def __init__(self, python: str, warm: Sequence[str], count: int, project: Project | None = None) -> None:
        hidden = [os.path.expanduser("~"), *([str(project.root.resolve())] if project else [])]
        sealed = [str(project.reference.resolve())] if project else []
        command = server_command(python, list(warm), hidden, sealed)
        self._servers = [_Server(command) for _ in range(count)]

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the answer to a single request."""
        return self._servers[0].ask(request)

    def ask_all(self, requests: Sequence[dict[str, Any]]) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield each request's index and answer as they come."""
        waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
        for index in range(len(requests)):
            waiting.put(index)
        answers: queue.SimpleQueue[tuple[int, dict[str, Any]] | BaseException] = queue.SimpleQueue()
        for server in self._servers[: len(requests)]:
            threading.Thread(target=server.work, args=(requests, waiting, answers), daemon=True).start()
        try:
            for _ in requests:
                answer = answers.get()
                if isinstance(answer, BaseException):
                    raise answer
                yield answer
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End the servers at once, with whatever they are running."""
        for server in self._servers:
            server.close()


class _Server:
    def __init__(self, command: list[str]) -> None:
        self.command = command
        self.process: subprocess.Popen[str] | None = None
        self.busy = False

    def work(self, requests: Sequence[dict[str, Any]], waiting: Any, answers: Any) -> None:
        try:
            while True:
                index = waiting.get_nowait()
                answers.put((index, self.ask(requests[index])))
        except queue.Empty:
            return
        except BaseException as error:
            answers.put(error)

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        process = self.process = self.process or self.start()
        assert process.stdin is not None
        assert process.stdout is not None
        self.busy = True
        process.stdin.write(json.dumps(request) + "\n")
        process.stdin.flush()
        line = process.stdout.readline()
        self.busy = False
        if line:
            answer: dict[str, Any] = json.loads(line)
            return answer
        self.process = None
        return {"died": process.wait(), "stdout": "", "stderr": "the server ended", "seconds": 0.0}

    def start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=clean_environment(os.environ),
        )

    def close(self) -> None:
        if self.process:
            if self.busy:
                self.process.send_signal(signal.SIGINT)  # it ends what it runs, and what that has started
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self.process.wait(timeout=2)
            self.process.kill()
            self.process.wait()
            for pipe in (self.process.stdin, self.process.stdout):
                with contextlib.suppress(OSError):
                    if pipe:
                        pipe.close()
            self.process = None


def clean_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables for a run on the CPU, without the user's settings of Python and JAX."""
    kept = {name: value for name, value in environment.items() if not name.startswith(_HIDDEN)}
    return kept | {"JAX_PLATFORMS": "cpu"}
