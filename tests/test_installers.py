"""Installers: what they could not do, in one line."""

import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from skillkit.proof import installers
from skillkit.proof.installers import end_installers, install, last_words

UNKNOWN = f"""ERROR: Ignored the following versions that require a different python: 0.11.0 Requires-Python >=3.12
ERROR: Could not find a version that satisfies the requirement jax==99 (from versions: {"0.1, " * 400}0.10.2)
ERROR: No matching distribution found for jax==99
"""


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (UNKNOWN, "there is no jax==99 for this Python: the newest is 0.10.2"),
        (UNKNOWN.replace("==99", "==0.11.0"), "jax==0.11.0 needs Python >=3.12: choose one by --python"),
        (
            "ERROR: Could not find a version that satisfies the requirement nothing==1 (from versions: none)",
            "there is no nothing==1 for this Python",
        ),
        ("one\nerror: two\n\nthree", "error: two"),
        ("  x Because there is no version of a==9,\n  we can conclude", "x Because there is no version of a==9,"),
        ("only this", "only this"),
        ("", "the installer said nothing"),
    ],
)
def test_in_one_line(said: str, words: str) -> None:
    assert last_words(said) == words


def test_what_is_being_installed_can_be_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sleep = [sys.executable, "-c", "import time; time.sleep(60)"]
    monkeypatch.setattr(installers, "_commands", lambda *_: iter([sleep]))
    found: list[str] = []
    thread = threading.Thread(target=lambda: found.append(install(tmp_path, sys.executable, [])))
    thread.start()
    deadline = time.monotonic() + 10
    while not installers._running and time.monotonic() < deadline:
        time.sleep(0.01)
    end_installers()
    thread.join(10)
    assert found == ["the installer said nothing"]
    assert subprocess.run(["true"], check=False).returncode == 0
