"""However a command ends, its exit code says how, and nobody sees a traceback."""

import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
COMMAND = [sys.executable, "-m", "skillkit"]


def shell(line: str, **environment: str) -> tuple[int, str, str]:
    """Return the exit code of `skillkit LINE` in a shell with `pipefail`, and what it printed."""
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", f"{' '.join(COMMAND)} {line}"],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("line", ["list | true", "show prng-dropout-keys | true", "list --json | true"])
def test_a_closed_pipe_is_silent(line: str) -> None:
    code, _, error = shell(line)
    assert (code, error) == (141, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux that takes nothing")
@pytest.mark.parametrize("line", ["list", "--help", "list --json", "schema pattern"])
def test_a_full_disk_is_said(line: str) -> None:
    assert shell(f"{line} > /dev/full") == (2, "", "Error: the output: No space left on device\n")


def test_output_may_be_closed() -> None:
    assert shell("list >&-") == (0, "", "")


def test_what_the_terminal_cannot_show_is_replaced(project: Path) -> None:
    spec = project / "reference" / "sums.yaml"
    spec.write_text(spec.read_text().replace("title: A mean", "title: A mean ▁ …"))
    code, found, error = shell("list", PYTHONIOENCODING="latin-1:strict", PYTHONPATH=os.environ.get("PYTHONPATH", ""))
    assert (code, error) == (0, "")
    assert "A mean ? ?\n" in found


@pytest.mark.parametrize(
    "line",
    [
        "list",
        "show prng-dropout-keys",
        "find dropout",
        "recommend-optimizer --set family=vit",
        "recommend-optimizer --set family=vit --format markdown",
        "schedule tests/configurations/adamw.yaml",
        "doctor",
        "--help",
    ],
)
def test_every_command_writes_to_an_old_terminal(line: str) -> None:
    code, found, error = shell(line, PYTHONIOENCODING="cp1252")
    assert code == 0
    assert found
    assert "Traceback" not in error


def test_json_loses_nothing_on_an_old_terminal() -> None:
    line = "recommend-optimizer --set family=vit --json"
    assert shell(line, PYTHONIOENCODING="ascii:strict")[1] == shell(line)[1]


@pytest.mark.parametrize("line", ["list", "show", "render", "recommend-optimizer --set"])
def test_words_that_are_no_utf8_are_answered(line: str) -> None:
    code, found, error = shell(f"{line} $'\\xff'")
    assert (code, found) == (2, "")
    assert "Error: " in error


def test_a_word_without_end_is_answered_at_once() -> None:
    code, _, error = shell(f"list {'a' * 100_000}")
    assert code == 2
    assert "no such pattern" in error


def test_an_interruption_ends_with_130(tmp_path: Path) -> None:
    """The command is met while it reads a file whose end does not come."""
    pipe = tmp_path / "endless"
    os.mkfifo(pipe)
    started = subprocess.Popen([*COMMAND, "schedule", str(pipe)], stderr=subprocess.PIPE, text=True)
    with pipe.open("w"):  # opens when the command does
        started.send_signal(signal.SIGINT)
        _, error = started.communicate(timeout=20)
    assert (started.returncode, error) == (130, "")


def test_an_interruption_at_the_very_start_ends_so_too(tmp_path: Path) -> None:
    (tmp_path / "click.py").write_text("import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(9)\n")
    environment = os.environ | {"PYTHONPATH": f"{tmp_path}:{Path(__file__).parent.parent}"}
    done = subprocess.run([*COMMAND, "list"], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "")


@pytest.mark.parametrize(
    ("environment", "coloured"),
    [
        ({}, False),
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": "0"}, False),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ({"FORCE_COLOR": "1", "NO_COLOR": ""}, True),
    ],
)
def test_colour_is_as_the_environment_asks(environment: dict[str, str], coloured: bool) -> None:
    _, _, error = shell("show nothing", **environment)
    assert ("\x1b[" in error) is coloured


def test_an_interrupted_question_ends_with_130(tmp_path: Path) -> None:
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(tmp_path)
        os.execve(sys.executable, [*COMMAND, "recommend-optimizer"], os.environ | {"PYTHONPATH": str(ROOT)})
    said = b""
    while b"What do you train?" not in said:
        said += os.read(terminal, 1000)
    assert os.waitstatus_to_exitcode(_interrupted(child, terminal)) == 130
    os.close(terminal)


def _interrupted(child: int, terminal: int, seconds: float = 20) -> int:
    """Return how a process ends on Ctrl-C, pressed again where it came just before Python began to read."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        os.write(terminal, b"\x03")
        time.sleep(0.2)
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status
    os.kill(child, signal.SIGKILL)
    return os.waitpid(child, 0)[1]
