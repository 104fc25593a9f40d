"""Installers: what makes an environment, uv where there is one, venv and pip elsewhere."""

import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

_running: set["subprocess.Popen[str]"] = set()


def install(home: Path, python: str, requirements: Sequence[str]) -> str:
    """Make an environment with what is required, and return why that can't be done, or an empty string.

    Args:
        home: Its folder.
        python: Its interpreter.
        requirements: As pip takes them.
    """
    for command in _commands(home, python, requirements):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        _running.add(process)
        try:
            said = process.communicate()[0]
        finally:
            process.kill()
            _running.discard(process)
        if process.returncode:
            return last_words(said)
    return ""


def end_installers() -> None:
    """End what is being installed by any thread."""
    for process in list(_running):
        process.kill()


def _commands(home: Path, python: str, requirements: Sequence[str]) -> Iterator[list[str]]:
    inside = str(home / "bin" / "python")
    if uv := shutil.which("uv"):
        yield [uv, "venv", "--quiet", "--python", python, str(home)]
        yield [uv, "pip", "install", "--quiet", "--compile-bytecode", "--python", inside, *requirements]
    else:
        yield [python, "-m", "venv", str(home)]
        yield [inside, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *requirements]


def last_words(said: str) -> str:
    """Return in one line why an installer could not do it.

    >>> last_words("ERROR: Could not find a version that satisfies the requirement a==9 (from versions: 1.0, 2.0)")
    'there is no a==9 for this Python: the newest is 2.0'
    """
    if found := _UNKNOWN.search(said):
        required, versions = found[1], found[2].split(", ")
        for version, python in _ELSEWHERE.findall(said):
            if required.endswith(f"=={version}"):
                return f"{required} needs Python {python}: choose one by --python"
        newest = "" if versions == ["none"] else f": the newest is {versions[-1]}"
        return f"there is no {required} for this Python{newest}"
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.lower() or "because" in line.lower()]
    return " ".join((errors or lines or ["the installer said nothing"])[-2:])


_UNKNOWN = re.compile(r"satisfies the requirement (\S+) \(from versions: ([^)]*)\)")
_ELSEWHERE = re.compile(r"(\S+) Requires-Python ([^;\s]+)")
