"""`skillkit recommend-optimizer`: formats, sources of answers, refusals, and what it must not import."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result

from skillkit.cli import main, skillkit
from skillkit.cli.recommend import FORMATS
from skillkit.errors import BadInput


def run(*arguments: str, stdin: str | bytes | None = None) -> Result:
    return CliRunner().invoke(skillkit, ["recommend-optimizer", *arguments], input=stdin)


def answer(*arguments: str, **options: Any) -> dict[str, Any]:
    found = run(*arguments, "--json", **options)
    assert found.exit_code == 0, found.output
    result: dict[str, Any] = json.loads(found.stdout)
    return result


def test_answers_come_from_a_file_from_stdin_and_from_options(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("family: cnn\nbatch_size: 512\n")
    from_file = answer("--answers", str(path))
    assert answer("--answers", "-", stdin='{"family": "cnn", "batch_size": "512"}') == from_file
    assert answer("--set", "family=cnn", "--set", "batch_size=512") == from_file


def test_options_overrule_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("family: cnn\nbatch_size: 512\n")
    found = answer("--answers", str(path), "--set", "batch_size=256", "--set", "issues=nan,plateau")
    assert found["answers"]["batch_size"] == 256
    assert found["answers"]["issues"] == ["plateau", "nan"]


@pytest.mark.parametrize("kind", FORMATS)
def test_every_format_prints_data_on_stdout(kind: str) -> None:
    found = run("--set", "family=vit", "--format", kind)
    assert found.exit_code == 0, found.output
    assert found.stdout.endswith("\n")
    assert "Assumed" not in found.stdout


def test_python_is_python_and_nothing_else() -> None:
    compile(run("--set", "family=gan").stdout, "script.py", "exec")


def test_yaml_is_the_configuration() -> None:
    found = yaml.safe_load(run("--set", "family=vit", "--format", "yaml").stdout)
    assert found == answer("--set", "family=vit")["configuration"]


def test_words_are_on_stderr_and_can_be_silenced() -> None:
    loud, quiet = run("--set", "family=vit"), run("--set", "family=vit", "-q")
    assert "Assumed: stage from-scratch" in loud.stderr
    assert quiet.stderr == ""
    assert quiet.stdout == loud.stdout


def test_the_report_gives_reasons_alternatives_and_the_script() -> None:
    text = run("--set", "family=decoder-lm", "--set", "issues=nan", "--format", "markdown").stdout
    for title in ("Answers", "Reasons", "Memory", "Known issues", "Tuning", "Alternatives", "Script"):
        assert f"\n## {title}\n" in text


def test_a_plot_is_drawn(tmp_path: Path) -> None:
    path = tmp_path / "rate.svg"
    assert run("--set", "family=vit", "--plot", str(path)).exit_code == 0
    assert "<svg" in path.read_text()


def test_saved_answers_reproduce_the_result(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    first = answer("--set", "family=vit", "--set", "parameters=22M", "--save", str(path))
    second = answer("--answers", str(path))
    assert second["configuration"] == first["configuration"]


def test_saving_does_not_overwrite_what_others_wrote(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("precious")
    found = run("--set", "family=vit", "--save", str(path))
    assert isinstance(found.exception, BadInput)
    assert path.read_text() == "precious"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--answers", "no-such.yaml"], "no-such.yaml: no such file"),
        (["--set", "family=cn"], "--set: family unknown choice \"cn\" (did you mean 'cnn'?)"),
        (["--set", "family"], "--set: must be KEY=VALUE, not 'family'"),
        (["--set", "family=cnn", "--set", "batch_size=-3"], "--set: batch_size must be greater than 0"),
        (["--set", "family=cnn", "--set", "steps=10", "--set", "warmup_steps=10"], "not shorter than the run of 10"),
        (["--set", "stage=finetune"], "--set: the answer 'family' is missing"),
        (["--no-input"], "--set: the answer 'family' is missing"),
    ],
)
def test_bad_input_ends_with_two_and_one_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        main(["recommend-optimizer", *arguments])
    assert end.value.code == 2
    error = capsys.readouterr().err
    assert error.startswith("Error: ")
    assert message in error
    assert "Traceback" not in error


@pytest.mark.parametrize("stdin", [b"", b"\xff\xfe", b"family: [", b"\tfamily: cnn", b"family: cnn\nfamily: vit"])
def test_unusable_standard_input_is_refused(stdin: bytes) -> None:
    assert isinstance(run("--answers", "-", stdin=stdin).exception, BadInput)


IMPORTED = """
import sys
from skillkit.cli import main
try:
    main()
finally:
    print([name for name in ("jax", "optax") if name in sys.modules], file=sys.stderr)
"""


@pytest.mark.parametrize(("option", "imported"), [([], "[]"), (["--try"], "['jax', 'optax']")])
def test_only_trying_imports_jax(option: list[str], imported: str) -> None:
    arguments = ["recommend-optimizer", "--set", "family=mlp", "--format", "yaml", *option]
    done = subprocess.run([sys.executable, "-c", IMPORTED, *arguments], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1] == imported


def test_trying_says_what_became_of_it() -> None:
    found = run("--set", "family=gan", "--set", "parameters=5M", "--format", "yaml", "--try")
    assert "tried generator: 3 updates of a small network are finite" in found.stderr


@pytest.mark.parametrize(
    ("option", "missing", "message"),
    [
        (["--plot", "x.svg"], "matplotlib", "--plot: needs matplotlib, which is not installed: pip install matplotlib"),
        (["--plot", "x.jpg"], "", "x.jpg: the name of a plot must end in .png or .svg"),
        (["--plot", "no/such/x.svg"], "", "no/such/x.svg: cannot be written: No such file or directory"),
        (["--try"], "jax", "--try: needs jax, which is not installed: pip install jax optax"),
        (["--save", "/"], "", ""),
    ],
)
def test_what_cannot_be_done_is_said_before_anything_is_printed(
    option: list[str], missing: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: None if name == missing else find(name, *rest))
    found = run("--set", "family=vit", *option)
    assert found.stdout == ""
    assert message in str(found.exception)
    assert found.exit_code != 0
