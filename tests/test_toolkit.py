"""A toolkit for others: projects laid out, judged under several versions, and diagnosed."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from skillkit import testing
from skillkit.catalogue.catalogues import load_catalogue
from skillkit.catalogue.changes import Change, Stage
from skillkit.cli import skillkit
from skillkit.errors import BadInput
from skillkit.execution.fence import fence_words
from skillkit.places import find_project
from skillkit.proof.diagnosis import diagnose, nearest_run
from skillkit.proof.environments import NotInstallable, Wanted, found, interpreter
from skillkit.proof.evidence import Evidence, Run
from skillkit.proof.statements import proofs

Edit = Callable[[str, str, str], None]


def call(*arguments: str) -> Result:
    result = CliRunner().invoke(skillkit, arguments)
    if isinstance(result.exception, BadInput):
        raise result.exception
    return result


def test_each_pattern_is_a_test_item_that_can_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    call("init", ".")
    path = Path("reference/sums.py")
    path.write_text(path.read_text().replace("== 1.0 / 3.0", "== 1.0 / 2.0"))
    done = subprocess.run([sys.executable, "-m", "pytest", "-q"], capture_output=True, text=True, check=False)
    assert "1 failed" in done.stdout
    assert "reference/sums.py:13: AssertionError" in done.stdout


@pytest.mark.parametrize("ending", ["md", "xml", "json"])
def test_reports(edit: Edit, project: Path, ending: str) -> None:
    edit("reference/sums.py", "== 1.5", "== 2.5")
    path = project / f"report.{ending}"
    assert call("verify", "--no-cache", "-q", "--report", str(path)).exit_code == 1
    text = path.read_text()
    if ending == "json":
        assert [one["id"] for one in json.loads(text)["this environment"]["failed"]] == ["sum-mean"]
    elif ending == "xml":
        (suite,) = ElementTree.fromstring(text)
        assert (suite.get("tests"), suite.get("failures")) == (
            "5",
            "1",
        )  # the fifth: that the names in its prose exist
        (failure,) = suite.iter("failure")
        assert str(failure.get("message")).startswith("reference/sums.py:18: AssertionError")
    else:
        assert "| sum-mean | ✗ |" in text
        assert "- `sum-mean`: reference/sums.py:18: AssertionError" in text


@pytest.mark.parametrize("ending", ["md", "xml", "json"])
def test_reports_hold_whatever_a_message_says(edit: Edit, project: Path, ending: str) -> None:
    edit("reference/sums.py", "== 1.5", '== 1.5, chr(0) + chr(27) + chr(0xD800) + "é"\n    assert False, chr(0xD800)')
    edit("reference/sums.py", "assert mean([1.0, 2.0]) == 1.5, ", "raise ValueError(")
    edit("reference/sums.py", '+ "é"\n', '+ "é")\n')
    path = project / f"report.{ending}"
    assert call("verify", "--no-cache", "-q", "--report", str(path)).exit_code == 1
    text = path.read_text()
    assert "é" in text or "\\u00e9" in text
    if ending == "xml":
        assert "\ufffd\ufffd\ufffdé" in str(next(ElementTree.fromstring(text).iter("failure")).get("message"))


@pytest.mark.usefixtures("project")
def test_a_report_of_another_kind_is_refused_before_anything_runs() -> None:
    with pytest.raises(BadInput, match=r"report\.pdf: a report ends in \.md, \.xml, \.json"):
        call("verify", "--report", "report.pdf")


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("sets", [["no such version"], ["jax==0.0.0.dev1"]])
def test_a_set_that_cannot_be_installed_is_no_pass(sets: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("skillkit.cli.abreast.interpreter", _refuse)
    result = call("verify", *(word for one in sets for word in ("--with", one)))
    assert result.exit_code == 1
    assert "can't be installed: no solution" in result.stderr


@pytest.mark.usefixtures("project")
def test_a_set_that_cannot_be_installed_is_in_every_report(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("skillkit.cli.abreast.interpreter", _refuse)
    words = "jax==9 can't be installed: no solution"
    names = [f"report.{ending}" for ending in ("md", "xml", "json")]
    line = ("verify", "--with", "jax==9", *(word for name in names for word in ("--report", name)))
    found = call(*line, "--output-format", "github")
    assert found.stdout == f"::error file=--with,title=skillkit environment jax==9::{words}\n"
    assert all(words in Path(name).read_text() for name in names)
    (failed,) = json.loads(call(*line, "--json").stdout)["jax==9"]["failed"]
    assert (failed["kind"], failed["message"]) == ("environment", words)
    (one,) = json.loads(call(*line, "--output-format", "sarif").stdout)["runs"][0]["results"]
    assert words in one["message"]["text"]


def _refuse(*_: object) -> Path:
    raise NotInstallable("no solution")


def test_an_unknown_interpreter(tmp_path: Path) -> None:
    with pytest.raises(NotInstallable, match=r"there is no interpreter 'python9\.9' here that runs"):
        interpreter(Wanted("jax==0.10.2", "python9.9"), tmp_path)


@pytest.mark.parametrize("name", ["/", "/etc/passwd", "/bin/true", ".", "\udcff", "a" * 5000, "-c", "~"])
def test_what_is_no_interpreter(tmp_path: Path, name: str) -> None:
    with pytest.raises(NotInstallable, match="there is no interpreter"):
        interpreter(Wanted("jax==0.10.2", name), tmp_path)


def test_an_environment_is_made_once_and_verifies(tmp_path: Path, project: Path) -> None:
    """With a small library, which the registry has: packaging."""
    wanted = Wanted("packaging==24.2")
    python = interpreter(wanted, tmp_path / "environments", extra=())
    code = "import packaging; print(packaging.__version__)"
    assert subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout == "24.2\n"
    made = python.stat().st_mtime_ns
    assert interpreter(wanted, tmp_path / "environments", extra=()).stat().st_mtime_ns == made
    with pytest.raises(NotInstallable):
        interpreter(Wanted("packaging==0.0.999"), tmp_path / "environments", extra=())
    assert project.exists()


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(
    ("pythons", "fine"), [((), True), (("a",), True), (("a", "b"), True), (("a", "b", "c"), False)]
)
def test_interpreters_go_with_sets(pythons: tuple[str, ...], fine: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Wanted] = []

    def ask(wanted: Wanted, *_: object) -> Path:
        asked.append(wanted)
        return _refuse()

    monkeypatch.setattr("skillkit.cli.abreast.interpreter", ask)
    arguments = ["verify", "--with", "x==1", "--with", "x==2", *(word for one in pythons for word in ("--python", one))]
    if fine:
        call(*arguments)
        assert [one.requirements for one in asked] == ["x==1", "x==2"]
        assert [one.python for one in asked] == list(pythons or ("", "")) * (2 if len(pythons) == 1 else 1)
    else:
        with pytest.raises(BadInput, match="is given 3 times for 2 sets"):
            call(*arguments)


@pytest.mark.usefixtures("project")
def test_diagnosis() -> None:
    catalogue = load_catalogue(find_project())
    work = list(proofs(catalogue, catalogue.select([])))
    versions = {"python": "3.11", "jax": "0.9.0"}
    run = Run(versions, dict.fromkeys((one.id for one in work), "holds"), {one.id: one.hash for one in work})
    change = Change("jax", "old()", "new()", (Stage("0.10.0", "raises", "AttributeError", "old"),))
    evidence = Evidence((run,))
    assert diagnose({"jax": "0.9.1"}, work, [change], evidence).proven == ["sum-mean"]
    assert diagnose({"jax": "0.9.1"}, work, [change], evidence).coming == [change]
    assert diagnose({"jax": "0.10.0"}, work, [change], evidence).unknown == ["sum-mean"]
    assert diagnose({"jax": "0.10.0"}, work, [change], evidence).gone == [change]
    assert diagnose({}, work, [change], evidence).proven == ["sum-mean"]
    stale = Evidence((Run(versions, run.states, dict.fromkeys(run.hashes, "other")),))
    assert diagnose({"jax": "0.9.1"}, work, [], stale).unknown == ["sum-mean"]
    failing = Evidence((Run(versions, {**run.states, "sum-mean": "fails"}, run.hashes),))
    assert diagnose({"jax": "0.9.1"}, work, [], failing).failing == ["sum-mean"]


def test_doctor_says_what_a_pattern_lacks(edit: Edit, project: Path) -> None:
    edit("reference/sums.yaml", "symbols: [mean]", 'symbols: [mean]\n  requires: {jax: ">=0.9"}')
    (project / "requirements.txt").write_text("jax==0.8.3\n")
    data = json.loads(call("doctor", "--project", ".", "--json").stdout)
    assert data["unmet"] == {"sum-mean": "needs jax>=0.9, not 0.8.3"}
    assert (data["versions"], data["from"]) == ({"jax": "0.8.3"}, "requirements.txt")
    assert "sum-mean: needs jax>=0.9, not 0.8.3" in call("doctor", "--project", ".").stdout


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("symbol: float_sum", "symbol: mean_of_nothing", r"sums\.yaml:14:15: 'mean_of_nothing' is stated twice"),
        ("id: sum-mean", "id: names", r"sums\.yaml:1:7: 'names' means something else"),
        ("match: division by zero", "match: 'divi(sion'", r"sums\.yaml:12:14: not a regular expression"),
        ("shows: is_false", "returns: !!int abc", r"sums\.yaml:15:16: not a number"),
        ("symbols: [mean]", 'requires: {"": ">1"}', r"sums\.yaml:5:18: must be a library"),
        ("symbols: [mean]", 'requires: {jax: ""}', r"sums\.yaml:5:19: must be versions such as"),
    ],
)
@pytest.mark.usefixtures("project")
def test_specs_that_would_prove_nothing(edit: Edit, old: str, new: str, message: str) -> None:
    edit("reference/sums.yaml", old, new)
    with pytest.raises(BadInput, match=message):
        call("list")


def test_a_proof_is_run_for_the_project_that_states_it(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path.parent)
    assert {testing.prove(proof).state for proof in testing.project_proofs(project)} == {"holds"}
    with pytest.raises(BadInput, match="no project here"):
        testing.project_proofs(tmp_path.parent)


@pytest.mark.parametrize("line", ["numpy==2.0", "click @ git+https://x.example/click", "click<9"])
def test_nothing_is_proven_about_a_library_without_a_version(edit: Edit, project: Path, line: str) -> None:
    edit("reference/sums.py", "    assert mean([1.0", "    import click\n\n    assert click and mean([1.0")
    spec = project / "reference" / "sums.yaml"
    spec.write_text(spec.read_text().replace("symbols:", 'requires: {numpy: ">=1"}\n  symbols:'))
    assert call("verify", "--record", "--no-cache", "-q").exit_code == 0
    (project / "requirements.txt").write_text(f"numpy==2.0\n{line}\n")
    result = call("doctor", "--project", ".", "--json")
    data = json.loads(result.stdout)
    assert (result.exit_code, data["proven"], data["absent"]) == (1, [], {"sum-mean": "click"})
    words = call("doctor", "--project", ".").stdout
    assert "click has no version here: pin it in one of the project's files" in words
    assert "0 patterns are proven" in words


def test_doctor_says_where_the_library_is_missing(edit: Edit) -> None:
    edit("reference/sums.py", "    assert mean([1.0", "    import nothing_such\n\n    assert mean([1.0")
    result = call("doctor")
    assert result.exit_code == 1
    assert "nothing_such has no version here: pip install nothing_such" in result.stdout


@pytest.mark.usefixtures("project")
def test_doctor_says_what_the_fence_is_here() -> None:
    assert f"\nFence: {fence_words()}\n" in call("doctor").stdout
    assert json.loads(call("doctor", "--json").stdout)["fence"] == fence_words()


CHANGES = """- library: click
  since: "8.0"
  writes: click.get_os_args()
  instead: sys.argv[1:]
  raises: AttributeError
  match: get_os_args
  source: https://click.example
- library: click
  since: "99.0"
  writes: click.echo('a')
  instead: click.say('a')
  raises: AttributeError
  match: echo
  source: https://click.example
"""


def test_doctor_lists_the_old_forms_whose_words_the_code_holds(project: Path) -> None:
    (project / "reference" / "changes.yaml").write_text(CHANGES)
    (project / "requirements.txt").write_text("click==8.1\n")
    (project / "main.py").write_text("click.get_os_args()\n")
    words = call("doctor", "--project", ".").stdout
    assert "1 old form failing already, of which the words stand in this project's code; write instead:" in words
    assert "click.get_os_args() -> sys.argv[1:]" in words
    assert "click.echo" not in words
    assert "click.echo('a') -> click.say('a')" in call("doctor", "--project", ".", "--all").stdout


def test_doctor_lists_much_only_when_asked(project: Path) -> None:
    rows = [CHANGES.partition('- library: click\n  since: "99')[0].replace("get_os_args", f"f{n}") for n in range(6)]
    (project / "reference" / "changes.yaml").write_text("".join(rows))
    assert "6 old forms failing already; write instead\n" in call("doctor").stdout
    assert "click.f3()" not in call("doctor").stdout
    assert "click.f3()" in call("doctor", "--all").stdout


def test_doctor_looks_at_every_library_that_a_pattern_imports(edit: Edit, project: Path) -> None:
    edit("reference/sums.py", "    assert mean([1.0", "    import click\n\n    assert click and mean([1.0")
    assert call("verify", "--record", "--no-cache", "-q").exit_code == 0
    assert json.loads(call("doctor", "--json").stdout)["proven"] == ["sum-mean"]
    (project / "requirements.txt").write_text("Click==7.0\n")
    assert json.loads(call("doctor", "--project", ".", "--json").stdout)["proven"] == []


@pytest.mark.usefixtures("project")
def test_show_works_without_a_template_for_it() -> None:
    Path("templates/_pattern.md.j2").unlink()
    assert call("show", "sum-mean").stdout.startswith("### A mean")


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("wanted", ["", "--help"])
def test_a_set_that_names_nothing_is_no_pass(wanted: str) -> None:
    result = call("verify", "--with", wanted)
    assert result.exit_code == 1
    assert "is neither a requirement" in result.stderr


def test_a_broken_spec_stops_only_what_needs_it(edit: Edit, project: Path) -> None:
    (project / "reference" / "umbra.py").write_text('"""Umbra."""\n')
    (project / "reference" / "umbra.yaml").write_text("- {id: umbra}\n")
    assert call("show", "sum-mean").exit_code == 0
    assert call("list", "sums").exit_code == 0
    assert call("verify", "sum-mean", "--no-cache").exit_code == 0
    for command in (["list"], ["verify"], ["show", "umbra"], ["render"]):
        with pytest.raises(BadInput, match=r"reference/umbra\.yaml:1:3"):
            call(*command)
    edit("reference/sums.yaml", "rule: Use fsum.", "")
    with pytest.raises(BadInput, match=r"reference/sums\.yaml"):
        call("show", "sum-mean")


def test_an_interpreter_is_found_by_its_version_where_pyenv_keeps_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where the stand-in on the path does not run."""
    for folder, answer in (("shims", 127), ("versions/3.12.1/bin", 0)):
        (tmp_path / folder).mkdir(parents=True)
        path = tmp_path / folder / "python3.12"
        path.write_text(f"#!/bin/sh\necho 1.5\nexit {answer}\n" if not answer else f"#!/bin/sh\nexit {answer}\n")
        path.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "shims"))
    monkeypatch.delenv("PYENV_ROOT", raising=False)
    assert found("3.12") == str(tmp_path / "versions/3.12.1/bin/python3.12")
    (tmp_path / "versions").rename(tmp_path / "nowhere")
    with pytest.raises(NotInstallable, match=r"no interpreter 'python3\.12' here"):
        found("python3.12")


def test_the_nearest_run_is_that_of_the_principal_library() -> None:
    runs = tuple(Run({"python": "3.11", "polars": polars, "numpy": "2.0"}, {}, {}) for polars in ("1.0", "1.1"))
    assert nearest_run({"python": "3.11", "polars": "1.1.5", "numpy": "2.0"}, Evidence(runs)) == runs[1]
    assert nearest_run({"python": "3.11", "polars": "1.2", "numpy": "2.0"}, Evidence(runs)) is None
    assert nearest_run({"python": "3.11"}, Evidence(runs)) in runs
