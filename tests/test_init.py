"""A skill of one's own, as it is laid out: it verifies, renders and can be loaded, on each supported Python."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
import yaml
from click.testing import CliRunner, Result

from skillkit.cli import skillkit
from skillkit.errors import BadInput
from skillkit.proof.environments import NotInstallable, found


def call(*arguments: str) -> Result:
    result = CliRunner().invoke(skillkit, arguments)
    if isinstance(result.exception, BadInput):
        raise result.exception
    return result


@pytest.fixture
def skill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a skill that was just laid out, which is the working directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert call("init", "my-skill").exit_code == 0
    monkeypatch.chdir("my-skill")
    return tmp_path / "my-skill"


def test_it_verifies_renders_and_passes_its_own_tests(skill: Path) -> None:
    verified = call("verify", "--record", "--no-cache", "--json")
    assert (verified.exit_code, json.loads(verified.stdout)["skipped"]) == (0, [])
    assert call("render").exit_code == 0
    assert call("render", "--check").exit_code == 0
    for path in sorted((skill / "outputs").rglob("*.md")):
        assert "Not verified" not in path.read_text()
    python = ".".join(map(str, sys.version_info[:3]))
    text = (skill / "outputs/skills/my-skill/SKILL.md").read_text()
    assert text.count(f"was run with python {python}.") == 2
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parent.parent)}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.usefixtures("skill")
@pytest.mark.slow
@pytest.mark.parametrize("python", ["3.11", "3.12", "3.13"])
def test_it_holds_on_each_supported_python(python: str) -> None:
    try:
        found(python)
    except NotInstallable as error:
        pytest.skip(f"no such interpreter on this machine: {error}")
    verified = call("verify", "--record", "--json", "--with", "packaging==24.2", "--python", python)
    (report,) = json.loads(verified.stdout).values()
    assert (verified.exit_code, report["failed"], report["skipped"]) == (0, [], [])
    call("render")
    assert f"was run with python {python}." in Path("outputs/skills/my-skill/SKILL.md").read_text()


def test_every_link_leads_somewhere(skill: Path) -> None:
    call("render")
    text = (skill / "outputs/skills/my-skill/SKILL.md").read_text()
    links = re.findall(r"\]\((references/[^)]+)\)", text)
    assert links == ["references/sums.md", "references/changes.md", "references/glossary.md"]
    for link in links:
        assert (skill / "outputs/skills/my-skill" / link).is_file()


def test_editors_find_the_formats(skill: Path) -> None:
    specs = sorted((skill / "reference").glob("*.yaml"))
    assert len(specs) == 3
    for path in specs:
        line = path.read_text().partition("\n")[0]
        schema = path.parent / line.removeprefix("# yaml-language-server: $schema=")
        jsonschema.validate(yaml.safe_load(path.read_text()), json.loads(schema.read_text()))


def test_its_hook_and_its_ignored_files_are_hidden(skill: Path) -> None:
    (repo,) = yaml.safe_load((skill / ".pre-commit-config.yaml").read_text())["repos"]
    assert repo["hooks"][0]["entry"] == "skillkit render --check"
    assert "__pycache__/\n" in (skill / ".gitignore").read_text()


def test_nothing_of_it_is_about_jax(skill: Path) -> None:
    for path in sorted(skill.rglob("*")):
        assert not path.is_file() or path.suffix == ".json" or "jax" not in path.read_text().casefold(), path


@pytest.mark.parametrize(
    ("folder", "name"),
    [("my-skill", "my-skill"), ("My Skill_2!", "my-skill-2"), ("x" * 200, "x" * 64), ("é", "my-skill"), ("a/b", "b")],
)
def test_the_skill_is_called_after_its_folder(
    folder: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert call("init", folder).exit_code == 0
    monkeypatch.chdir(folder)
    assert call("render").exit_code == 0
    assert (Path("outputs") / "skills" / name / "SKILL.md").is_file()


def test_this_folder_may_be_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert call("init", ".").exit_code == 0
    assert (tmp_path / "here" / "templates" / "skills" / "here" / "SKILL.md.j2").is_file()


@pytest.mark.usefixtures("project")
def test_nothing_is_replaced() -> None:
    before = Path("reference/sums.py").read_text()
    with pytest.raises(BadInput, match="is there already, and init replaces nothing"):
        call("init", ".")
    assert Path("reference/sums.py").read_text() == before


@pytest.mark.parametrize(
    ("folder", "message"),
    [
        ("", "FOLDER: must be a name, or . for this folder"),
        (" ", "FOLDER: must be a name"),
        ("x" * 300, "cannot be written: File name too long"),
        ("file/x", "cannot be written: Not a directory"),
    ],
)
def test_what_is_no_folder_is_refused(
    folder: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("")
    with pytest.raises(BadInput, match=message):
        call("init", folder)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
