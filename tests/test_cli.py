"""The command line as users meet it: help, versions, exit codes, messages."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from skillkit.cli import COMMANDS, skillkit

Edit = Callable[[str, str, str], None]


def call(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "skillkit", *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_that_ends_with_an_example(name: str) -> None:
    result = CliRunner().invoke(skillkit, [name, "-h"], prog_name="skillkit")
    assert result.exit_code == 0
    assert re.search(rf"\n  Examples?:\n(    .*\n)*?    (.*\| )?skillkit {name}", result.output), result.output


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_says_what_each_does(name: str) -> None:
    command = skillkit.get_command(click.Context(skillkit), name)
    assert command is not None
    assert command.name == name
    assert all(option.help for option in command.params if isinstance(option, click.Option))


@pytest.mark.parametrize("option", ["--version", "-V"])
def test_version_names_python_and_the_libraries_of_the_texts(option: str) -> None:
    assert re.match(r"jax-skillkit \S+, Python 3\.\S+, jax \S+, .*optax \S+.*\n", call(option).stdout)


def test_version_in_another_project_names_its_libraries(edit: Edit, project: Path) -> None:
    edit("reference/sums.py", "import math\n", "import math\n\nimport click\n")
    assert re.fullmatch(r"jax-skillkit \S+, Python 3\.\S+, click \S+\n", call("--version").stdout)
    edit("reference/sums.py", "import click", "import nothing_such")
    assert call("--version").stdout.endswith(", nothing_such not installed\n")
    (project / "pyproject.toml").write_text("[")
    assert re.fullmatch(r"jax-skillkit \S+, Python 3\.\S+\n", call("--version").stdout)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["verfy"], "no such command 'verfy' (did you mean 'verify'?)"),
        (["show", "prng-dropout-key"], "prng-dropout-key: no such pattern (did you mean 'prng-dropout-keys'?)"),
        (["render", "skill"], "skill: no such text"),
        (["schema", "patern"], "(did you mean 'pattern'?)"),
        (["fnid"], "no such command 'fnid' (did you mean 'find'?)"),
        (["render", "--chek"], "'--check'"),
    ],
)
def test_mistyped_names_are_answered(arguments: list[str], message: str) -> None:
    result = call(*arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_bad_specs_end_with_exit_code_2_and_a_line_each(edit: Edit) -> None:
    edit("reference/sums.yaml", "title: A mean", "titel: A mean")
    for command in ("render", "verify", "list"):
        result = call(command)
        assert result.returncode == 2
        assert result.stderr.splitlines() == [
            "Error: reference/sums.yaml:1:3: the key 'title' is missing",
            "Error: reference/sums.yaml:2:3: unknown key 'titel' (did you mean 'title'?)",
        ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "reference/sums.yaml: the file is empty"),
        (b"- id: a\n\ttitle: x\n", "reference/sums.yaml:2:1: a tab in the indentation: YAML indents with spaces"),
        (b"- id: \xe9\n", "reference/sums.yaml:1:7: not UTF-8 text: save the file as UTF-8"),
        (b"- id: a\n  id: b\n", "reference/sums.yaml:2:3: duplicate key 'id': first given in line 1"),
        (b"id: a\n", 'reference/sums.yaml:1:1: must be a list, not {"id": "a"}'),
    ],
)
def test_bad_files(project: Path, content: bytes, message: str) -> None:
    (project / "reference" / "sums.yaml").write_bytes(content)
    result = call("list")
    assert (result.returncode, result.stderr) == (2, f"Error: {message}\n")


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("refrence = 'x'", "unknown key 'refrence' in [tool.skillkit] (did you mean 'reference'?)"),
        ("reference = 3", "'reference' in [tool.skillkit] must be the name of a folder"),
        ("reference = ", "not TOML: Invalid value"),
        ("reference = 'none'", "no such folder"),
        ("reference = ''", "'reference' in [tool.skillkit] must be the name of a folder"),
        ('reference = "a\\u0000"', "'reference' in [tool.skillkit] must be the name of a folder"),
    ],
)
def test_bad_settings(project: Path, table: str, message: str) -> None:
    (project / "pyproject.toml").write_text(f"[tool.skillkit]\n{table}\n")
    result = call("list")
    assert result.returncode == 2
    assert message in result.stderr


@pytest.mark.parametrize(
    ("table", "near"),
    [("skilkit", True), ("skill-kit", True), ("skillkits", True), ("skillet", False), ("poetry", False)],
)
def test_a_misspelt_table_is_no_other_project(project: Path, table: str, near: bool) -> None:
    (project / "pyproject.toml").write_text(f"[tool.{table}]\n")
    result = call("list", "sums")
    message = f"unknown table [tool.{table}] (did you mean [tool.skillkit]?)"
    assert result.returncode == 2
    assert (message in result.stderr) is near
    assert ("sums: no such pattern" in result.stderr) is not near


def test_a_misspelt_table_beside_its_own_parts_is_no_project_without_settings(project: Path) -> None:
    (project / "pyproject.toml").write_text(
        '[tool.skilkit]\nreference = "other"\n[tool.skillkit.environment]\nA = "1"\n'
    )
    result = call("list")
    assert result.returncode == 2
    assert "unknown table [tool.skilkit] (did you mean [tool.skillkit]?)" in result.stderr


@pytest.mark.usefixtures("project")
def test_verify_prints_data_on_stdout_and_words_on_stderr() -> None:
    result = call("verify", "--json", "--no-cache")
    data = json.loads(result.stdout)
    assert (result.returncode, data["patterns"], data["blocks"], data["mistakes"], data["failed"]) == (0, 1, 1, 2, [])
    assert data["versions"]["python"]


def test_verify_names_the_line_at_fault(edit: Edit) -> None:
    edit("reference/sums.py", "== 1.5", "== 2.5")
    result = call("verify", "--no-cache", "-q")
    assert result.returncode == 1
    assert "reference/sums.py:18: AssertionError" in result.stderr
    assert "stated in reference/sums.yaml:1:3" in result.stderr
    assert "holds" not in result.stderr
    assert "1 pattern, 1 block, 2 mistakes" in result.stderr


def test_what_fails_is_an_annotation_or_a_result_of_a_scan(edit: Edit) -> None:
    edit("reference/sums.py", "== 1.5", "== 2.5")
    github = call("verify", "-q", "--output-format", "github")
    place = "file=reference/sums.py,line=18,col=1,title=skillkit block sum-mean"
    assert (github.returncode, github.stdout) == (1, f"::error {place}::AssertionError\n")
    (result,) = json.loads(call("verify", "-q", "--output-format", "sarif").stdout)["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == 18


@pytest.mark.usefixtures("project")
def test_where_nothing_fails_there_is_nothing_to_annotate() -> None:
    result = call("verify", "-q", "--output-format", "github")
    assert (result.returncode, result.stdout) == (0, "")


def test_a_spec_that_cannot_be_used_is_an_annotation(edit: Edit) -> None:
    edit("reference/sums.yaml", "rule: Use fsum.", "rule: 3")
    result = call("verify", "--output-format", "github")
    assert result.returncode == 2
    assert result.stdout.startswith("::error file=reference/sums.yaml,line=4,col=9,title=skillkit bad-input::must be")


@pytest.mark.usefixtures("project")
def test_all_is_printed_or_what_fails() -> None:
    assert call("verify", "--json", "--output-format", "sarif").returncode == 2


def test_several_reports(project: Path) -> None:
    assert call("verify", "-q", "--report", "held.md", "--report", "held.xml").returncode == 0
    assert (project / "held.md").read_text().startswith("# What holds")
    assert (project / "held.xml").read_text().startswith("<?xml")


def test_outside_a_project_skillkit_shows_its_own_patterns(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "skillkit", "list", "prng"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "prng-dropout-keys" in done.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shell_completion(shell: str) -> None:
    environment = os.environ | {"_SKILLKIT_COMPLETE": f"{shell}_source"}
    done = subprocess.run(
        [sys.executable, "-m", "skillkit"], env=environment, capture_output=True, text=True, check=False
    )
    assert "skillkit" in done.stdout
