"""`skillkit render` on the command line: for whom it renders, what it says of that, and how it reports."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from skillkit.cli import skillkit
from skillkit.errors import BadInput

Edit = Callable[[str, str, str], None]


def render(*arguments: str) -> Result:
    result = CliRunner().invoke(skillkit, ["render", *arguments])
    if isinstance(result.exception, BadInput) and "--output-format" not in arguments:
        raise result.exception
    return result


@pytest.mark.usefixtures("project")
def test_the_project_of_the_folder_needs_no_word() -> None:
    unverified = "nothing is verified, no run is on record: run 'skillkit verify --record'"
    assert render().stderr == f"wrote outputs/sums.md\n{unverified}\n"


def test_what_the_runs_on_record_do_not_show_is_said(edit: Edit, project: Path) -> None:
    assert CliRunner().invoke(skillkit, ["verify", "--record", "-q", "--no-cache"]).exit_code == 0
    assert render().stderr == "wrote outputs/sums.md\n"
    edit("reference/sums.py", "== 1.5", "== 3 / 2")
    (project / "reference" / "changes.yaml").write_text(
        '- {library: jax, since: "0.6.0", writes: OLD, raises: NameError, match: OLD, instead: NEW, source: https://x.y}\n'
    )
    assert render().stderr.splitlines() == [
        "wrote outputs/sums.md",
        "not verified: sum-mean; run 'skillkit verify --record'",
        "left out, since no run shows it: changes/jax: OLD; run 'skillkit verify changes --both-sides --record'",
    ]
    assert render("-q").stderr == ""


def test_another_project_is_named(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "deep" / "er").mkdir(parents=True)
    monkeypatch.chdir(project / "deep" / "er")
    assert render().stderr.splitlines()[0] == "project: ../.."
    assert render("-q").stderr == ""


def test_where_there_is_no_project_it_says_whose_texts_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    first, second, *_ = render().stderr.splitlines()
    assert first == "no project here (no pyproject.toml with [tool.skillkit]): these are skillkit's own texts"
    assert second.startswith("wrote outputs/")


def test_a_misspelt_table_renders_nothing(project: Path) -> None:
    (project / "pyproject.toml").write_text("[tool.skilkit]\n")
    with pytest.raises(BadInput, match=r"unknown table \[tool\.skilkit\] \(did you mean \[tool\.skillkit\]\?\)"):
        render()
    assert not (project / "outputs").exists()


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("asked", ["jax==99", "jax 99", "jax=99.0"])
def test_versions_that_nothing_was_run_with_are_said(asked: str) -> None:
    done = render("--for", asked)
    assert done.exit_code == 1
    assert done.stderr == "nothing is proven for jax 99, so nothing is rendered: no run is on record\n".replace(
        "99", "99.0" if "99.0" in asked else "99"
    )
    assert not Path("outputs/sums.md").exists()


def test_it_says_which_runs_prove_a_text_for_a_version(edit: Edit) -> None:
    edit("reference/sums.py", "import math\n", "import math\n\nimport click  # so that its version is recorded\n")
    assert CliRunner().invoke(skillkit, ["verify", "--record", "-q", "--no-cache"]).exit_code == 0
    (version,) = {run["versions"]["click"] for run in json.loads(Path("outputs/evidence.json").read_text())["runs"]}
    assert f"for click {version}: proven by runs with click {version}" in render("--for", f"click=={version}").stderr
    nothing = f"nothing is proven for click 7.0, so nothing is rendered: runs on record are with click {version}"
    done = render("--for", "click==7.0")
    assert (done.exit_code, nothing in done.stderr) == (1, True)


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("asked", ["jax", "jax==", "==1", "jax==wat", "jax>=0.8", "jax==0.8,<1", ""])
def test_what_is_no_version_is_refused(asked: str) -> None:
    with pytest.raises(BadInput, match=r"--for: must be a library and its version such as jax==0.8"):
        render("--for", asked)


def test_what_is_no_longer_rendered_is_found_wherever_it_lies(project: Path) -> None:
    folder = project / "templates" / "skills" / "gone"
    folder.mkdir(parents=True)
    (folder / "SKILL.md.j2").write_text("---\nname: gone\ndescription: Goes.\n---\n")
    render()
    for path in (folder / "SKILL.md.j2", folder):
        path.unlink() if path.is_file() else path.rmdir()
    checked = render("--check")
    assert (checked.exit_code, checked.stderr) == (1, "outputs/skills/gone/SKILL.md: no longer rendered\n")
    assert "removed outputs/skills/gone/SKILL.md" in render().stderr


@pytest.mark.usefixtures("project")
def test_line_ends_are_part_of_a_text() -> None:
    render()
    path = Path("outputs/sums.md")
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert render("--check").exit_code == 1


@pytest.mark.usefixtures("project")
def test_what_a_check_finds_is_said_in_the_form_that_is_asked_for() -> None:
    text = render("--check")
    assert (text.exit_code, text.stdout, text.stderr) == (1, "", "outputs/sums.md: not as rendered\n")
    github = render("--check", "--output-format", "github")
    assert github.stdout == "::error file=outputs/sums.md,title=skillkit stale-text sums::not as rendered\n"
    sarif = json.loads(render("--check", "--output-format", "sarif").stdout)
    assert sarif["runs"][0]["results"][0]["ruleId"] == "stale-text"
    render()
    assert render("--check", "--output-format", "github").stdout == ""


def test_bad_input_is_annotated_too(edit: Edit) -> None:
    edit("reference/sums.yaml", "title: A mean", "titel: A mean")
    result = render("--check", "--output-format", "github")
    assert isinstance(result.exception, BadInput)
    assert (
        "::error file=reference/sums.yaml,line=2,col=3,title=skillkit bad-input::unknown key 'titel'" in result.stdout
    )
