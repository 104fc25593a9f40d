"""Whatever is given, it ends with 0, 1 or 2 and in time; what once did not lies in `found/`, and is tried first."""

import random
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skillkit.cli.endings import ended
from skillkit.places import find_project
from skillkit.proof.statements import project_proofs
from skillkit.rendering import limits
from skillkit.rendering.renderer import Renderer
from tests.fuzz.inputs import KINDS
from tests.fuzz.projects import lay_out
from tests.fuzz.trials import Kind, within_time

# a limit may be reached while another library's callback of the collector runs, which can only say so
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

FOUND = Path(__file__).parent / "found"
EXAMPLES = sorted(path.relative_to(FOUND).as_posix() for path in FOUND.rglob("*") if path.is_file())
SMOKE = 100  # of how many inputs one is tried where minutes are too long
NAMED = 5  # failures of a kind, after which the others can wait
SEED = "skillkit"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a small project, in which templates may take a second and not more."""
    lay_out(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(limits, "SECONDS", 1.0)
    return tmp_path


def failure(kind: Kind, raw: bytes) -> str:
    """Return how an input ends otherwise than it may, or an empty string."""
    try:
        with within_time():
            kind.given(raw)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return f"{raw[:3000]!r}\n{''.join(traceback.format_exception(error)[-6:])}"
    return ""


def tried(kind: Kind, name: str, count: int) -> list[str]:
    """Return the failures among some inputs of a kind, which are the same each time."""
    rng = random.Random(f"{SEED} {name}")
    failures: list[str] = []
    for _ in range(count):
        if found := failure(kind, kind.made(rng)):
            failures.append(found)
        if len(failures) == NAMED:
            break
    return failures


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("example", EXAMPLES)
def test_what_was_found_is_answered(example: str) -> None:
    assert failure(KINDS[example.partition("/")[0]], (FOUND / example).read_bytes()) == ""


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("name", KINDS)
def test_some_of_everything_is_answered(name: str) -> None:
    failures = tried(KINDS[name], name, max(KINDS[name].count // SMOKE, 10))
    assert not failures, "\n\n".join(failures)


@pytest.mark.slow
@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("name", KINDS)
def test_everything_is_answered(name: str) -> None:
    failures = tried(KINDS[name], name, KINDS[name].count)
    assert not failures, "\n\n".join(failures)


def test_there_are_fifty_thousand() -> None:
    assert sum(kind.count for kind in KINDS.values()) == 50_000


@pytest.mark.usefixtures("place")
def test_a_failure_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("skillkit.cli.schedule.checked", lambda _: dict[str, int]()["networks"])
    (failure, *_) = tried(KINDS["configurations"], "configurations", 20)
    assert "KeyError: 'networks'" in failure


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("name", ["parameters", "scripts", "arguments", "logs"])
def test_many_inputs_are_taken(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else what comes after reading them would not be tried."""
    codes: list[int] = []

    def noted(run: Callable[[], Any]) -> int:
        codes.append(ended(run))
        return codes[-1]

    monkeypatch.setattr("tests.fuzz.trials.ended", noted)
    assert tried(KINDS[name], name, 60) == []
    assert len([code for code in codes if code != 2]) > 60 / 6


@pytest.mark.usefixtures("place")
def test_what_is_mangled_is_right_before() -> None:
    """Else every input would be refused for the same reason."""
    project = find_project()
    proofs = project_proofs(project, {"python": "3.11.7", "click": "8.2", "numpy": "2.0"})
    assert len(proofs) > 10
    (text,) = Renderer(project).render()
    assert "the total is silently" in text.text
