"""Workers: whatever becomes of a server, there is an answer, and nothing is left running."""

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from itertools import pairwise

import pytest

from skillkit.proof import workers as module
from skillkit.proof.workers import Workers, clean_environment

SLEEPING = "import time\n\nprint('began', flush=True)\ntime.sleep({})\n"


@pytest.fixture
def workers() -> Iterator[Workers]:
    servers = Workers(sys.executable, (), count=1)
    yield servers
    servers.close()


def server(workers: Workers) -> int:
    process = workers._servers[0].process
    assert process
    return process.pid


def family(pid: int) -> list[int]:
    """Return a process and all that it has started."""
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return [pid, *(one for child in file.read().split() for one in family(int(child)))]


def runs(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def ended(found: list[int]) -> bool:
    """Return whether none of these processes runs any more; the system takes a moment to end them."""
    deadline = time.monotonic() + 20
    while any(map(runs, found)) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not any(map(runs, found))


def until(count: int, workers: Workers) -> list[int]:
    """Return the server's family once it has so many members."""
    deadline = time.monotonic() + 20
    while len(found := family(server(workers))) < count and time.monotonic() < deadline:
        time.sleep(0.05)
    assert len(found) == count
    return found


@pytest.mark.parametrize("sign", [signal.SIGSTOP, signal.SIGKILL])
def test_a_server_that_is_stopped_is_no_end_of_it(
    workers: Workers, sign: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PATIENCE", 1.0)
    assert workers.ask({"code": "print(1)\n", "seconds": 20.0})["stdout"] == "1\n"
    found = family(server(workers))
    os.kill(found[0], sign)
    answer = workers.ask({"code": "print(2)\n", "seconds": 1.0})
    assert "died" in answer
    assert answer["stderr"].startswith("the server")
    assert ended(found)
    assert workers.ask({"code": "print(3)\n", "seconds": 20.0})["stdout"] == "3\n"


def test_to_close_them_ends_what_they_run_and_what_that_has_started(workers: Workers) -> None:
    code = "import subprocess\n\nsubprocess.run(['setsid', 'sleep', '60'])\n"
    jobs = [{"code": code, "seconds": 60.0}] * 3
    answers: list[object] = []

    def ask() -> None:
        try:
            answers.extend(workers.ask_all(jobs))
        except InterruptedError as error:
            answers.append(error)

    thread = threading.Thread(target=ask)
    workers.ask({"code": "", "seconds": 20.0})
    thread.start()
    found = until(4, workers)  # the server, the interpreter that runs are forked from, the run, and its program
    folder = [name for name in os.listdir("/tmp") if name.startswith("skillkit-")]
    began = time.monotonic()
    workers.close()
    thread.join(10)
    assert not thread.is_alive()
    assert time.monotonic() - began < 10
    assert ended(found)
    assert [type(one) for one in answers if not isinstance(one, tuple)] == [InterruptedError]
    assert folder != [name for name in os.listdir("/tmp") if name.startswith("skillkit-")]


def test_a_server_ends_with_what_it_runs_when_nobody_waits_any_longer(workers: Workers) -> None:
    workers.ask({"code": "", "seconds": 20.0})
    thread = threading.Thread(target=workers.ask, args=({"code": SLEEPING.format(60), "seconds": 60.0},))
    thread.start()
    found = until(3, workers)
    process = workers._servers[0].process
    assert process
    assert process.stdin
    process.stdin.close()
    thread.join(10)
    assert not thread.is_alive()
    assert ended(found)


def test_runs_of_several_never_exceed_their_slots() -> None:
    slots = threading.Semaphore(1)
    several = [Workers(sys.executable, (), 2, slots=slots) for _ in range(2)]
    code = "import time\n\nprint(time.monotonic())\ntime.sleep(0.2)\nprint(time.monotonic())\n"
    spans: list[list[float]] = []

    def ask(workers: Workers) -> None:
        for _, answer in workers.ask_all([{"code": code, "seconds": 20.0}] * 3):
            spans.append([float(word) for word in answer["stdout"].split()])

    threads = [threading.Thread(target=ask, args=(workers,)) for workers in several]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for workers in several:
        workers.close()
    spans.sort()
    assert len(spans) == 6
    assert all(end <= begin for (_, end), (begin, _) in pairwise(spans))


def test_the_environment_of_runs_is_the_systems_and_no_librarys() -> None:
    user = {
        "PATH": "/bin",
        "LC_ALL": "C.UTF-8",
        "OMP_NUM_THREADS": "2",
        "PYTHONPATH": "/x",
        "JAX_ENABLE_X64": "1",
        "XLA_FLAGS": "x",
        "HTTPS_PROXY": "x",
        "AWS_SECRET_ACCESS_KEY": "x",
    }
    assert clean_environment(user) == {"PATH": "/bin", "LC_ALL": "C.UTF-8", "OMP_NUM_THREADS": "2"}
