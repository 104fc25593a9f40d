"""Abreast: several environments at a time, one account of them; parts of one that are recorded and put together."""

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from skillkit.cli import abreast, skillkit
from skillkit.cli.abreast import default_jobs
from skillkit.errors import BadInput
from skillkit.kept import keep, kept
from skillkit.places import cache_folder, find_project
from skillkit.proof.environments import NotInstallable, Wanted
from skillkit.proof.evidence import Evidence, Run, load_evidence
from skillkit.proof.statements import project_proofs
from skillkit.proof.workers import Workers

Edit = Callable[[str, str, str], None]
EVIDENCE = Path("outputs/evidence.json")


def call(*arguments: str) -> Result:
    result = CliRunner().invoke(skillkit, ["verify", *arguments])
    if isinstance(result.exception, BadInput):
        raise result.exception
    return result


@pytest.fixture
def installed(project: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Have each environment be this one, and return which were asked for."""
    assert project == Path.cwd()
    asked: list[str] = []

    def interpreter(wanted: Wanted, _folder: Path, _extra: object, tell: Callable[[str], None]) -> Path:
        asked.append(wanted.label)
        tell(f"installing {wanted.label}")
        if wanted.requirements == "bad==1":
            raise NotInstallable("no such version")
        return Path(sys.executable)

    monkeypatch.setattr(abreast, "interpreter", interpreter)
    return asked


def test_each_environment_is_verified_and_shown_in_their_order(installed: list[str]) -> None:
    names = [f"x=={number}" for number in range(5)]
    done = call(*(word for name in names for word in ("--with", name)), "--jobs", "3", "--no-cache", "--json")
    assert done.exit_code == 0, done.output
    assert sorted(installed) == names
    assert list(json.loads(done.stdout)) == names
    assert {data["blocks"] for data in json.loads(done.stdout).values()} == {1}
    assert all(f"{name}: 1 pattern, 1 block, 2 mistakes" in done.stderr for name in names)


def test_what_is_being_installed_is_said(installed: list[str]) -> None:
    assert "installing x==1\n" in call("--with", "x==1").stderr
    assert "installing" not in call("--with", "x==1", "-q").stderr
    assert installed == ["x==1"] * 2


def test_one_that_can_not_be_installed_keeps_no_other_from_it(installed: list[str]) -> None:
    done = call("--with", "bad==1", "--with", "x==2")
    assert done.exit_code == 1
    assert "FAILS  bad==1 can't be installed: no such version" in done.stderr
    assert "0 failed" in done.stderr
    assert len(installed) == 2


def test_what_fails_names_its_environment_where_there_are_several(installed: list[str], edit: Edit) -> None:
    edit("reference/sums.py", "== 1.5", "== 2.5")
    assert "FAILS  sum-mean (x==1)\n" in call("--with", "x==1", "--with", "x==2").stderr
    assert "FAILS  sum-mean\n" in call().stderr
    assert installed


@pytest.mark.usefixtures("installed")
def test_bad_input_in_one_ends_all(edit: Edit) -> None:
    edit("reference/sums.yaml", "symbols: [mean]", "symbols: [meen]")
    with pytest.raises(BadInput, match="no 'meen'"):
        call("--with", "x==1", "--with", "x==2")


@pytest.mark.usefixtures("project")
def test_parts_recorded_one_after_the_other_are_the_whole() -> None:
    for number in (1, 2, 3):
        assert call("--shard", f"{number}/3", "--record").exit_code == 0
    parts = load_evidence(EVIDENCE)
    EVIDENCE.unlink()
    assert call("--record").exit_code == 0
    assert parts == load_evidence(EVIDENCE)
    assert len(parts.runs[0].states) == 5


@pytest.mark.usefixtures("project")
def test_parts_recorded_elsewhere_are_put_together(tmp_path: Path) -> None:
    files = []
    for number in (1, 2):
        assert call("--shard", f"{number}/2", "--record").exit_code == 0
        files.append(EVIDENCE.rename(tmp_path / f"part-{number}.json"))
    assert call(*(word for path in files for word in ("--merge", str(path)))).exit_code == 0
    merged = load_evidence(EVIDENCE)
    EVIDENCE.unlink()
    call("--record")
    assert merged == load_evidence(EVIDENCE)


@pytest.mark.usefixtures("project")
def test_a_missing_record_is_said() -> None:
    with pytest.raises(BadInput, match=r"none\.json: no such file"):
        call("--merge", "none.json")


def evidence(**states: str) -> Evidence:
    return Evidence().with_run(Run({"python": "3.11"}, states, dict.fromkeys(states, "1234")))


def test_of_what_was_shown_since_the_worse_counts() -> None:
    before = evidence(a="holds", b="fails", c="holds")
    first, second = before.with_run(*evidence(b="holds", d="holds").runs), before.with_run(*evidence(a="fails").runs)
    merged = evidence(a="fails", b="holds", c="holds", d="holds")
    assert before.merged([first, second]) == before.merged([second, first]) == merged
    third = before.with_run(*evidence(d="fails").runs)
    assert before.merged([first, third]).runs[0].states["d"] == "fails"
    assert before.merged([third, first]).runs[0].states["d"] == "fails"


def test_what_is_recorded_was_run_anew(project: Path, edit: Edit) -> None:
    def job() -> str:
        return project_proofs(find_project(), {})[0].run_hash

    assert call().exit_code == 0
    (path,) = cache_folder().glob("*.kept")
    right = kept(path)[job()]
    edit("reference/sums.py", "== 1.5", "== 2.5")
    assert call().exit_code == 1
    keep(path, {**kept(path), job(): right})
    assert call().exit_code == 0  # what is kept is believed
    assert call("--record").exit_code == 1  # but never recorded
    assert load_evidence(EVIDENCE).runs[0].states["sum-mean"] == "fails"
    assert call().exit_code == 1
    assert project.exists()


def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return how many jobs are run each time, as it comes to be known."""
    asked: list[int] = []
    ask_all = Workers.ask_all

    def ask(self: Workers, jobs: Sequence[dict[str, Any]]) -> Iterator[tuple[int, dict[str, Any]]]:
        asked.append(len(jobs))
        return ask_all(self, jobs)

    monkeypatch.setattr(Workers, "ask_all", ask)
    return asked


@pytest.mark.usefixtures("project")
def test_what_is_not_kept_is_run_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    assert call("--no-cache").exit_code == 0
    assert not list(cache_folder().glob("*.kept"))
    call()
    asked = counted(monkeypatch)
    call()
    call("--no-cache")
    assert asked == [0, 5]


def test_what_several_state_is_run_once(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = project / "reference" / "sums.yaml"
    spec.write_text(spec.read_text() + spec.read_text().replace("sum-mean", "sum-again"))
    asked = counted(monkeypatch)
    done = call("--no-cache")
    assert done.exit_code == 0, done.stderr
    assert "2 patterns, 2 blocks, 4 mistakes" in done.stderr
    assert asked == [5]


def test_as_many_at_a_time_as_there_are_cores_and_memory_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    monkeypatch.setattr(os, "sysconf", lambda name: {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 2 * 2**20}[name])
    assert default_jobs() == 4
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    assert default_jobs() == 2
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert default_jobs() == 1
