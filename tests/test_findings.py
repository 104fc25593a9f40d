"""Findings as people, GitHub and code scanners read them."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from skillkit.errors import Problem
from skillkit.findings import Finding, written
from skillkit.proof.proofs import Proof
from skillkit.proof.reporting import failures
from skillkit.proof.verdicts import HOLDS, Verdict
from skillkit.proof.verification import Report, Result

PLACED = Finding("block", Problem("reference/a,b.py", 3, 5, "is 50%\nwrong: so"), "sum-mean")
WHOLE = Finding("stale-text", Problem("outputs/sums.md", 0, 0, "not as rendered"))


def test_as_text() -> None:
    assert written([PLACED, WHOLE], "text") == (
        "reference/a,b.py:3:5: is 50%\nwrong: so\noutputs/sums.md: not as rendered\n"
    )
    assert written([], "text") == ""


def test_as_annotations_of_github() -> None:
    assert written([PLACED, WHOLE], "github").splitlines() == [
        "::error file=reference/a%2Cb.py,line=3,col=5,title=skillkit block sum-mean::is 50%25%0Awrong: so",
        "::error file=outputs/sums.md,title=skillkit stale-text::not as rendered",
    ]


@pytest.mark.parametrize(
    ("repository", "folder", "file"),
    [(".", ".", "a.py"), (".", "inner", "inner/a.py"), ("inner", ".", "a.py"), ("", "inner", "a.py")],
)
def test_github_is_given_paths_from_the_repository_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, repository: str, folder: str, file: str
) -> None:
    (tmp_path / "inner").mkdir()
    monkeypatch.chdir(tmp_path / folder)
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path / repository) if repository else "")
    assert f"file={file}," in written([Finding("block", Problem("a.py", 3, 5, "is wrong"))], "github")


def test_as_sarif() -> None:
    data = json.loads(written([PLACED, WHOLE], "sarif"))
    (run,) = data["runs"]
    assert (data["version"], run["tool"]["driver"]["name"]) == ("2.1.0", "skillkit")
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["block", "stale-text"]
    placed, whole = run["results"]
    place = placed["locations"][0]["physicalLocation"]
    assert place == {
        "artifactLocation": {"uri": "reference/a,b.py"},
        "region": {"startLine": 3, "startColumn": 5},
    }
    assert (placed["ruleId"], placed["level"]) == ("block", "error")
    assert placed["message"]["text"] == "sum-mean: is 50%\nwrong: so"
    assert whole["locations"][0]["physicalLocation"] == {"artifactLocation": {"uri": "outputs/sums.md"}}
    assert json.loads(written([], "sarif"))["runs"][0]["results"] == []


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("a b.py", "a%20b.py"),
        ("<stdin>", "%3Cstdin%3E"),
        ("c:d", "c%3Ad"),
        ("/a/b.py", "file:///a/b.py"),
        ("é", "%C3%A9"),
    ],
)
def test_paths_are_uris_in_sarif(path: str, uri: str) -> None:
    (one,) = json.loads(written([Finding("block", Problem(path, 0, 0, "is off"))], "sarif"))["runs"][0]["results"]
    assert one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == uri


def result(place: str, message: str) -> Result:
    proof = Proof("sum-mean/one", "mistake", "sum-mean", "reference/sums.yaml:3:5", {"code": ""}, lambda _: HOLDS)
    return Result(proof, "fails", Verdict(message, place), 0.1)


@pytest.mark.parametrize(
    ("place", "line"),
    [
        ("reference/sums.py:18", "file=reference/sums.py,line=18,col=1,title=skillkit mistake sum-mean/one::is off"),
        ("", "file=reference/sums.yaml,line=3,col=5,title=skillkit mistake sum-mean/one::is off"),
    ],
)
def test_what_fails_is_found_where_it_fails(place: str, line: str) -> None:
    report = Report((result(place, "is off"),), {"python": "3.11"})
    assert written(failures({"this environment": report}), "github") == f"::error {line}\n"
    both = written(failures({"jax==0.8": report, "jax==0.9": report}), "github")
    assert both == f"::error {line} (jax==0.8)\n::error {line} (jax==0.9)\n"


def test_what_a_message_says_of_places_is_no_place() -> None:
    report = Report((result("reference/sums.py:18", f"x.py:3:5: :{'9' * 5000}: a"),), {"python": "3.11"})
    (found,) = failures({"this environment": report})
    assert (found.problem.path, found.problem.line) == ("reference/sums.py", 18)
    assert found.problem.message.startswith("x.py:3:5: ")


def test_what_holds_is_not_found() -> None:
    held = Report((replace(result("", ""), state="holds"),), {})
    assert list(failures({"a": held})) == []
