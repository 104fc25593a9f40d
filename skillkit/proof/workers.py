"""Workers: servers under one interpreter that share a list of jobs."""

import contextlib
import json
import os
import queue
import select
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from skillkit.execution.beginnings import Groups, beginning, together
from skillkit.execution.serving import server_command
from skillkit.places import Project
from skillkit.proof.shared import shared_programs

PATIENCE = 120.0  # seconds beyond a job's own, for the imports of a server that begins
_KEPT = ("PATH", "LANG", "TZ", "USER", "LOGNAME", "SHELL", "TERM", "SYSTEMROOT", "LD_LIBRARY_PATH", "SSL_CERT_FILE")
_KEPT_ENDINGS = ("_NUM_THREADS",)  # a machine with many cores may need them; they change no result that is stated
_END = 20.0  # seconds for a server to end what it has started


class Workers:
    """Servers of one interpreter, started when they are needed; they end with this process.

    Args:
        python: The interpreter.
        warm: Modules that servers import ahead of what begins by importing any.
        count: How many run at a time.
        project: Whose files what runs may not see, and whose settings they have.
        versions: For which compiled programs are shared; None to share none.
        slots: How many runs at a time there may be of these and others; None for as many as there are servers.
    """

    def __init__(
        self,
        python: str,
        warm: Sequence[str],
        count: int,
        project: Project | None = None,
        versions: Mapping[str, str] | None = None,
        slots: threading.Semaphore | None = None,
    ) -> None:
        hidden = [os.path.expanduser("~"), *([str(project.root.resolve())] if project else [])]
        sealed = [str(project.reference.resolve())] if project else []
        programs = shared_programs(project.programs, versions) if project and versions else None
        command = server_command(python, {"hidden": hidden, "sealed": sealed, "programs": programs})
        environment = clean_environment(os.environ) | dict(project.environment if project else {})
        self._servers = [_Server(command, environment, slots or threading.Semaphore(count)) for _ in range(count)]
        self._warm = warm
        self._apart = project.programs.apart if project else ()

    def ask(self, job: dict[str, Any]) -> dict[str, Any]:
        """Return the answer to a single job."""
        return self._servers[0].ask(self._request(job))

    def ask_all(self, jobs: Sequence[dict[str, Any]]) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield each job's index and answer as they come: those that begin alike one after the other."""
        requests = [self._request(job) for job in jobs]
        waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
        for index in sorted(range(len(jobs)), key=lambda index: (requests[index]["apart"], requests[index]["warm"])):
            waiting.put(index)
        answers: queue.SimpleQueue[tuple[int, dict[str, Any]] | BaseException] = queue.SimpleQueue()
        for server in self._servers[: len(jobs)]:
            threading.Thread(target=server.work, args=(requests, waiting, answers), daemon=True).start()
        try:
            for _ in jobs:
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
            server.has_ended = True
            server.tell_to_end()
        for server in self._servers:
            server.end()

    def _request(self, job: dict[str, Any]) -> dict[str, Any]:
        return {**job, "warm": self._ahead(job), "apart": is_apart(job, self._apart)}

    def _ahead(self, job: dict[str, Any]) -> Groups:
        """Return what may be imported ahead of a job: what flags are set before need not be what is imported after."""
        if "code" not in job or job.get("flags"):
            return together(self._warm)
        first = beginning(job["code"])
        return [*together(self._warm), *first] if first else []


def is_apart(job: Mapping[str, Any], words: Sequence[str]) -> bool:
    """Return whether a job speaks of compiling itself, so that programs from elsewhere would change what it shows."""
    text = json.dumps([job.get(part) for part in ("flags", "code", "check", "last", "judge")])
    return any(word in text for word in words)


class _Server:
    def __init__(self, command: list[str], environment: dict[str, str], slots: threading.Semaphore) -> None:
        self.command = command
        self.slots = slots
        self.environment = environment
        self.process: subprocess.Popen[bytes] | None = None
        self.has_ended = False

    def work(self, requests: Sequence[dict[str, Any]], waiting: Any, answers: Any) -> None:
        try:
            while True:
                index = waiting.get_nowait()
                with self.slots:
                    if self.has_ended:
                        raise InterruptedError
                    answers.put((index, self.ask(requests[index])))
        except queue.Empty:
            return
        except BaseException as error:
            answers.put(error)

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        if self.has_ended:
            raise InterruptedError
        process = self.process = self.process or self.start()
        seconds = request.get("seconds", 0.0) + PATIENCE
        line = _exchange(process, json.dumps(request).encode() + b"\n", seconds)
        if line.endswith(b"\n"):
            answer: dict[str, Any] = json.loads(line)
            return answer
        if self.has_ended:
            raise InterruptedError
        said = "the server ended" if process.poll() is not None else f"the server did not answer for {seconds:g} s"
        self.tell_to_end()
        self.end()
        return {"died": process.returncode, "stdout": "", "stderr": said, "seconds": 0.0}

    def start(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=self.environment,
            start_new_session=True,  # an interrupt at the terminal is for this process, which then ends its servers
            bufsize=0,
        )

    def tell_to_end(self) -> None:
        process = self.process  # which another thread may end meanwhile
        if process and process.stdin:
            with contextlib.suppress(OSError):
                process.stdin.close()
            process.send_signal(signal.SIGCONT)  # it may have been stopped

    def end(self) -> None:
        process, self.process = self.process, None
        if process:
            try:
                process.wait(timeout=_END)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            if process.stdout:
                process.stdout.close()


def _exchange(process: subprocess.Popen[bytes], line: bytes, seconds: float) -> bytes:
    """Return a line for a line; what there is of it where the process ends, or takes longer."""
    assert process.stdin is not None
    assert process.stdout is not None
    answer = b""
    deadline = time.monotonic() + seconds
    with contextlib.suppress(OSError, ValueError):  # it ended, or was ended by another thread
        while line:
            line = line[process.stdin.write(line) or 0 :]
        while not answer.endswith(b"\n"):
            if not select.select([process.stdout], [], [], max(0.0, deadline - time.monotonic()))[0]:
                break
            part = os.read(process.stdout.fileno(), 2**20)
            if not part:
                break
            answer += part
    return answer


def clean_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables for a run: those of the system, and none that set up a library for its user."""
    return {
        name: value
        for name, value in environment.items()
        if name in _KEPT or name.startswith("LC_") or name.endswith(_KEPT_ENDINGS)
    }
