"""The fence: what native code and programs do outside their folder is refused where the system can."""

import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from skillkit.execution import landlock
from skillkit.execution.fence import fence_words
from skillkit.proof.workers import Workers

WRITES = {
    "open": "open(path, 'w')",
    "os.open": "os.open(path, os.O_TRUNC)",
    "append": "os.open(path, os.O_APPEND)",
    "sqlite3": "import sqlite3\n    sqlite3.connect(path).execute('create table t (x)')",
    "remove": "os.remove(path)",
    "rename": "open('new', 'w').close()\n    os.rename('new', path)",
}
LIBC = """import ctypes
    if ctypes.CDLL(None).{call}:
        raise OSError
"""
NATIVE_WRITES = {
    "libc": LIBC.format(call="open(path.encode(), os.O_WRONLY | os.O_TRUNC) < 0"),
    "truncate": LIBC.format(call="truncate(path.encode(), 0)"),
    "numpy": "import numpy\n    numpy.zeros(3).tofile(path)",
    "a program": "import subprocess\n    subprocess.run(['sh', '-c', f'echo x > {path}'], check=True)",
}
PROGRAM = """import os
import subprocess


def write(path):
    {code}


try:
    write({path!r})
except (OSError, subprocess.CalledProcessError):
    print("refused")
"""


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    servers = Workers(sys.executable, (), count=1)
    yield servers
    servers.close()


def said(workers: Workers, code: str) -> str:
    outcome = workers.ask({"code": code, "seconds": 20.0})
    assert not outcome.get("error"), outcome["error"]
    return str(outcome["stdout"]).strip()


needs_landlock = pytest.mark.skipif(not landlock.version(), reason="this system has no Landlock")
needs_namespaces = pytest.mark.skipif("loopback of their own" not in fence_words(), reason="no namespaces here")


@pytest.mark.parametrize("code", WRITES.values(), ids=list(WRITES))
def test_python_writes_nothing_elsewhere(workers: Workers, tmp_path: Path, code: str) -> None:
    kept = tmp_path / "kept"
    kept.write_text("kept")
    assert said(workers, PROGRAM.format(code=code, path=str(kept))) == "refused"
    assert kept.read_text() == "kept"


@needs_landlock
@pytest.mark.parametrize("code", NATIVE_WRITES.values(), ids=list(NATIVE_WRITES))
def test_native_code_writes_nothing_elsewhere(workers: Workers, tmp_path: Path, code: str) -> None:
    kept = tmp_path / "kept"
    kept.write_text("kept")
    assert said(workers, PROGRAM.format(code=code, path=str(kept))) == "refused"
    assert kept.read_text() == "kept"


@pytest.mark.parametrize("code", [*WRITES.values(), *NATIVE_WRITES.values()], ids=[*WRITES, *NATIVE_WRITES])
def test_the_same_is_allowed_in_its_own_folder(workers: Workers, code: str) -> None:
    program = PROGRAM.format(code=code, path="own")
    assert said(workers, f"open('own', 'w').close()\n{program}") == ""


def test_a_run_finds_nothing_of_the_one_before(workers: Workers) -> None:
    look = "import os\n\nprint(os.listdir(), os.listdir(os.path.expanduser('~')))\n"
    write = "import os\n\nos.makedirs('folder/inner')\nopen('file', 'w').close()\nos.symlink('/', 'link')\n"
    assert said(workers, write + look) != said(workers, look)
    assert said(workers, look) == "['block.py'] ['block.py']"


@needs_namespaces
def test_nor_in_shared_memory(workers: Workers) -> None:
    code = "import os\n\nopen('/dev/shm/left', 'w').close()\nprint(os.listdir('/dev/shm'))\n"
    assert said(workers, code) == "['left']"
    assert said(workers, "import os\n\nprint(os.listdir('/dev/shm'))\n") == "[]"
    assert not os.path.exists("/dev/shm/left")


@pytest.fixture
def listener() -> Iterator[int]:
    """Return the port of a server on this machine."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


CONNECT = """import socket

try:
    socket.create_connection({address!r}, timeout=5)
except OSError as error:
    print(type(error).__name__)
"""


@pytest.mark.parametrize("host", ["192.0.2.1", "2001:db8::1", "example.org"])  # RFC 5737, 3849, 2606: nobody's
def test_python_connects_to_no_other_machine(workers: Workers, host: str) -> None:
    assert said(workers, CONNECT.format(address=(host, 80))) == "PermissionError"


@needs_namespaces
def test_native_code_connects_to_nothing(workers: Workers, listener: int) -> None:
    """Not even to this machine's other programs: the loopback of a run is its own."""
    program = f"import socket; socket.create_connection(('127.0.0.1', {listener}), timeout=5)"
    code = (
        "import subprocess\nimport sys\n\n"
        f"done = subprocess.run([sys.executable, '-c', {program!r}], capture_output=True, text=True)\n"
        "print(done.stderr.splitlines()[-1])\n"
    )
    assert said(workers, code) == "ConnectionRefusedError: [Errno 111] Connection refused"
    with socket.create_connection(("127.0.0.1", listener), timeout=5):
        """The same is possible from outside a run."""


def test_a_run_may_talk_to_itself(workers: Workers) -> None:
    code = (
        "import socket\n\nwith socket.create_server(('localhost', 0)) as server:\n"
        "    with socket.create_connection(server.getsockname()) as one, server.accept()[0] as other:\n"
        "        one.sendall(b'x')\n        print(other.recv(1))\n"
    )
    assert said(workers, code) == "b'x'"


@needs_landlock
def test_a_run_ends_no_process_of_others(workers: Workers) -> None:
    code = "import os\nimport signal\n\ntry:\n    os.kill(os.getppid(), signal.SIGTERM)\nexcept OSError as error:\n"
    assert said(workers, f"{code}    print(type(error).__name__)\n") == "PermissionError"


def test_words_say_what_holds() -> None:
    words = fence_words()
    assert (f"(Landlock {landlock.version()})" in words) is bool(landlock.version())
    assert "Reads of native code are not refused" in words
