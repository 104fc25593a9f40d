"""Outcomes: kept between runs, never believed where they are not whole."""

from pathlib import Path
from typing import Any

import pytest

from skillkit.kept import keep
from skillkit.proof import outcomes as module
from skillkit.proof.outcomes import Outcomes

VERSIONS = {"python": "3.11"}
OUTCOME: dict[str, Any] = {
    "stage": "call",
    "error": None,
    "value": 1,
    "holds": None,
    "warnings": [],
    "stdout": "",
    "seconds": 0.1,
}


def test_what_was_learnt_is_known_later(tmp_path: Path) -> None:
    first = Outcomes(tmp_path, VERSIONS)
    first.learn("a", OUTCOME)
    first.save()
    assert Outcomes(tmp_path, VERSIONS).known("a") == OUTCOME
    assert Outcomes(tmp_path, {"python": "3.12"}).known("a") is None


def test_anew_nothing_is_known_but_what_was_learnt_now(tmp_path: Path) -> None:
    first = Outcomes(tmp_path, VERSIONS)
    first.learn("a", OUTCOME)
    first.learn("b", OUTCOME)
    first.save()
    anew = Outcomes(tmp_path, VERSIONS, anew=True)
    assert anew.known("a") is None
    anew.learn("a", {**OUTCOME, "value": 2})
    anew.save()
    later = Outcomes(tmp_path, VERSIONS)
    assert [(later.known(name) or {})["value"] for name in "ab"] == [2, 1]


def test_two_that_write_lose_nothing(tmp_path: Path) -> None:
    first, second = Outcomes(tmp_path, VERSIONS), Outcomes(tmp_path, VERSIONS)
    first.learn("a", OUTCOME)
    second.learn("b", OUTCOME)
    first.save()
    second.save()
    later = Outcomes(tmp_path, VERSIONS)
    assert later.known("a") == later.known("b") == OUTCOME


@pytest.mark.parametrize("unsure", ["timeout", "died", "left"])
def test_what_another_run_may_not_give_again_is_not_kept(tmp_path: Path, unsure: str) -> None:
    one = Outcomes(tmp_path, VERSIONS)
    one.learn("a", {**OUTCOME, unsure: 1})
    assert one.known("a") is None


@pytest.mark.parametrize(
    "poison", [[], "x", None, 1, {}, {"stage": "call"}, {**OUTCOME, "error": 0} | {"stdout": None}]
)
def test_what_is_no_outcome_is_not_believed(tmp_path: Path, poison: Any) -> None:
    one = Outcomes(tmp_path, VERSIONS)
    one.learn("a", OUTCOME)
    one.save()
    (path,) = tmp_path.iterdir()
    keep(path, {"a": poison})
    assert Outcomes(tmp_path, VERSIONS).known("a") is None
    keep(path, poison)
    assert Outcomes(tmp_path, VERSIONS).known("a") is None


def test_the_oldest_are_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "KEPT", 2)
    one = Outcomes(tmp_path, VERSIONS)
    for name in "abc":
        one.learn(name, OUTCOME)
    one.save()
    later = Outcomes(tmp_path, VERSIONS)
    assert [later.known(name) is None for name in "abc"] == [True, False, False]
