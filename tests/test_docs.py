"""What a human must keep complete: the documents say what is true."""

import itertools
import json
import re
import shlex
import shutil
import tomllib
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from skillkit.catalogue.changes import load_changes
from skillkit.catalogue.specs import load_topic
from skillkit.cli import COMMANDS, skillkit
from skillkit.cli.schema import FORMATS
from skillkit.places import SETTINGS, Project, find_project
from skillkit.rendering.renderer import Renderer
from skillkit.source.shelf import Shelf
from skillkit.trees.declared import HOW

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")


def test_the_readme_shows_every_command_and_no_other() -> None:
    shown = set(re.findall(r"^(?:\.venv/bin/)?skillkit ([a-z-]+)", README, re.MULTILINE))
    assert shown == set(COMMANDS)


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md"])
def test_targets_and_files_that_are_named_exist(document: str) -> None:
    text = (ROOT / document).read_text("utf-8")
    targets = set(re.findall(r"(?:^|`)make ([a-z-]+)", text, re.MULTILINE))
    assert targets <= set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))
    for path in re.findall(r"\]\((?!https?:)([^)#]+)\)", text):
        assert (ROOT / path).exists(), path


def test_folders_in_the_readme_are_the_folders_there_are() -> None:
    shown = set(re.findall(r"`(\w+)/`", README.partition("## How it is laid out")[2]))
    there = {path.name for path in ROOT.iterdir() if path.is_dir() and not path.name.startswith((".", "_"))}
    assert there - {"build", "dist"} <= shown


def test_continuous_integration_calls_the_readme_s_test_command() -> None:
    assert "\nmake test " in README
    assert "\nmake test\nexec make test-all\n" in (ROOT / ".ci" / "run").read_text("utf-8")


def test_the_changelog_begins_with_the_version() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    found = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert found
    assert found.group(1) == version


def test_the_hook_for_other_repositories_runs_a_command_that_exists() -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    assert hook["entry"] == "skillkit render --check"
    assert hook["id"] in README


def test_the_spec_in_the_contributing_guide_is_one(tmp_path: Path) -> None:
    """It is the exemplar's, with comments."""
    spec = re.search(r"```yaml\n(.*?)```", CONTRIBUTING, re.DOTALL)
    assert spec
    (tmp_path / "mistakes").mkdir()
    for name in ("prng.py", "mistakes/prng.py"):
        (tmp_path / name).write_text((ROOT / "reference" / name).read_text("utf-8"))
    (tmp_path / "prng.yaml").write_text(spec.group(1))
    assert load_topic(tmp_path / "prng.yaml", Shelf(tmp_path)).patterns[0].id == "prng-dropout-keys"


LAYER = {
    "ln_1/scale": [768],
    "attn/qkv/kernel": [768, 2304],
    "attn/qkv/bias": [2304],
    "attn/out/kernel": [768, 768],
    "ln_2/scale": [768],
    "mlp/up/kernel": [768, 3072],
    "mlp/down/kernel": [3072, 768],
}
GPT2 = {"wte/embedding": [50257, 768], **{f"h/{index}": LAYER for index in range(12)}, "ln_f/scale": [768]}
SHOWN = re.findall(r"^````console\n\$ skillkit ([^\n]*)\n(.*?)\n^````$", README, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(("line", "output"), SHOWN)
def test_what_the_readme_shows_is_what_comes_out(
    line: str, output: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line of … stands for any lines, and at the end of a line for its rest."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "params.json").write_text(json.dumps(GPT2))
    shutil.copy(ROOT / "tests" / "logs" / "bad-batches.csv", tmp_path / "metrics.csv")
    for name in ("train.py", "args.yaml"):
        shutil.copy(ROOT / "tests" / "translations" / name, tmp_path)
    result = CliRunner().invoke(skillkit, shlex.split(line))
    found = iter((result.stdout + result.stderr).splitlines())
    assert result.exit_code == line.startswith("diagnose")  # which finds something
    assert len(SHOWN) == 8
    exact = True
    for wanted in output.splitlines():
        if wanted == "…":
            exact = False
            continue
        candidates = itertools.islice(found, 1) if exact else found
        assert any(_shows(wanted, one) for one in candidates), wanted
        exact = True


def test_the_readme_says_how_shapes_are_written() -> None:
    assert f"```python\n{HOW}```" in README


def _shows(wanted: str, line: str) -> bool:
    return line.startswith(wanted.removesuffix("…")) if wanted.endswith("…") else line == wanted


def test_the_contributing_guide_names_all_that_templates_may_use() -> None:
    templates = Renderer(find_project(ROOT)).templates
    own = [name for name, found in templates.environment.filters.items() if found.__module__.startswith("skillkit")]
    assert "oneline" in own
    for name in own:
        assert f"\\| {name}`" in CONTRIBUTING, name
    for name, found in templates.environment.globals.items():
        if getattr(found, "__module__", "").startswith("skillkit"):
            assert f"| `{name}(" in CONTRIBUTING, name


@pytest.mark.parametrize("name", ["pattern", "changes", "glossary"])
def test_the_contributing_guide_says_how_to_see_every_format(name: str) -> None:
    assert name in FORMATS
    assert f"`{name}" in CONTRIBUTING or f"skillkit schema {name}" in CONTRIBUTING


def test_the_change_in_the_contributing_guide_is_one(tmp_path: Path) -> None:
    row = re.search(r"```yaml\n(- library.*?)```", CONTRIBUTING, re.DOTALL)
    assert row
    (tmp_path / "changes.yaml").write_text(row.group(1))
    (change,) = load_changes(Project(tmp_path, tmp_path, tmp_path, tmp_path))
    assert change.given == "import jax.numpy as jnp"
    assert [stage.before for stage in change.stages] == ["0.9.2", "0.8.3"]


def test_the_contributing_guide_names_every_setting() -> None:
    table = CONTRIBUTING.partition("## Settings")[2].partition("\n## ")[0]
    assert set(re.findall(r"`(\w+) = ", table)) == set(SETTINGS)
