"""Shared programs: one run finds what another has compiled, and nothing else of it."""

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from skillkit.places import Programs, Project
from skillkit.proof import shared
from skillkit.proof.shared import shared_programs
from skillkit.proof.workers import Workers, is_apart

VERSIONS = {"python": "3.11", "jax": "0.10.2"}
SETTINGS = Programs(("*-cache",), {"CACHED": "{folder}"}, ("about_compiling",))
FOLDER = "import os\nfrom pathlib import Path\n\nfolder = Path(os.environ['CACHED'])\n"
LOOK = f"{FOLDER}print(sorted((one.name, one.read_text()) for one in folder.iterdir()))\n"

Said = Callable[..., str]


@pytest.fixture
def said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Said]:
    """Return a function that runs code on a server of its own, or on that of before, and returns what it prints."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    project = Project(tmp_path, tmp_path / "reference", tmp_path, tmp_path, programs=SETTINGS)
    servers: list[Workers] = []

    def run(code: str, again: bool = False, versions: dict[str, str] = VERSIONS, seconds: float = 20.0) -> str:
        if not again:
            servers.append(Workers(sys.executable, (), 1, project, versions))
        outcome = servers[-1].ask({"code": code, "seconds": seconds})
        error = outcome.get("error")
        return str(outcome.get("stdout", "")).strip() if not error else f"{error['type']}: {error['message']}"

    yield run
    for one in servers:
        one.close()


def written(name: str, text: str = "program") -> str:
    return f"{FOLDER}(folder / {name!r}).write_text({text!r})\n"


@pytest.mark.parametrize("again", [True, False], ids=["the same server", "another one"])
def test_a_run_finds_what_another_has_compiled(said: Said, again: bool) -> None:
    said(written("x-cache"))
    assert said(LOOK, again) == "[('x-cache', 'program')]"


@pytest.mark.parametrize("again", [True, False], ids=["the same server", "another one"])
def test_it_finds_nothing_else(said: Said, again: bool) -> None:
    code = written("notes.txt")
    said(f"{code}(folder / 'folder-cache').mkdir()\n(folder / 'link-cache').symlink_to('/etc/hostname')\n")
    assert said(LOOK, again) == "[]"


@pytest.mark.parametrize(
    "change",
    [
        "(folder / 'x-cache').write_text('poison')",
        "os.truncate(folder / 'x-cache', 0)",
        "import subprocess\nsubprocess.run(['sh', '-c', f'echo poison > {folder}/x-cache'])",
        "(folder / 'x-cache').unlink()",
        "(folder / 'x-cache').unlink()\n(folder / 'x-cache').write_text('poison')",
        "(folder / 'x-cache').unlink()\n(folder / 'x-cache').symlink_to('/etc/hostname')",
        "(folder / 'y').write_text('poison')\nos.replace(folder / 'y', folder / 'x-cache')",
    ],
)
@pytest.mark.parametrize("again", [True, False], ids=["the same server", "another one"])
def test_no_run_changes_what_another_has_compiled(said: Said, change: str, again: bool) -> None:
    said(written("x-cache"))
    said(FOLDER + change + "\n", again=True)
    assert said(LOOK, again) == "[('x-cache', 'program')]"


@pytest.mark.parametrize(
    "end", ["os._exit(1)", "import time\ntime.sleep(60)", "os.fork() or os.execv('/bin/sleep', ['s', '9'])"]
)
def test_what_did_not_end_by_itself_adds_nothing(said: Said, end: str) -> None:
    said(f"{written('half-cache')}{end}\n", seconds=2.0)
    assert said(LOOK, again=True) == "[]"


def test_other_versions_share_nothing(said: Said) -> None:
    said(written("x-cache"))
    assert said(LOOK, versions={**VERSIONS, "jax": "0.11.0"}) == "[]"


def test_what_speaks_of_compiling_shares_nothing(said: Said) -> None:
    said(written("x-cache"))
    assert (
        said("import os\n\nabout_compiling = os.environ.get('CACHED')\nprint(about_compiling)\n", again=True) == "None"
    )
    assert said(LOOK, again=True) == "[('x-cache', 'program')]"


@pytest.mark.parametrize("part", ["code", "check", "last", "judge"])
def test_words_are_looked_for_in_all_that_is_run(part: str) -> None:
    assert is_apart({part: "x = about_compiling()"}, SETTINGS.apart)
    assert not is_apart({part: "x = 1", "seconds": 60.0}, SETTINGS.apart)
    assert is_apart({"code": "", "flags": {"about_compiling": 1}}, SETTINGS.apart)


def test_the_oldest_are_removed_where_there_are_too_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(shared, "LARGEST", 10)
    found = shared_programs(SETTINGS, VERSIONS)
    assert found
    folder = Path(found["folder"])
    for age in range(4):
        (folder / f"{age}-cache").write_text("12345")
        os.utime(folder / f"{age}-cache", (1000 - age, 1000 - age))
    shared_programs(SETTINGS, VERSIONS)
    assert sorted(path.name for path in folder.iterdir()) == ["0-cache", "1-cache"]


def test_a_project_that_names_no_files_shares_none() -> None:
    assert shared_programs(Programs(), VERSIONS) is None


def test_where_nothing_can_be_kept_nothing_is_shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert shared_programs(SETTINGS, VERSIONS) is None
