"""`skillkit translate`: formats, the recommendation beside it, refusals."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result

import skillkit
from skillkit.cli import main
from skillkit.cli import skillkit as command
from skillkit.cli.translate import FORMATS, HEADER
from skillkit.configuration.format import read_configuration, validate
from skillkit.errors import BadInput

SCRIPT = """from torch.optim import AdamW
from torch.optim.lr_scheduler import CosineAnnealingLR

optimizer = AdamW(model.parameters(), lr=6e-4, betas=(0.9, 0.95), weight_decay=0.1, amsgrad=True, beta=1)
scheduler = CosineAnnealingLR(optimizer, T_max=1000)
"""


@pytest.fixture
def script(tmp_path: Path) -> str:
    path = tmp_path / "train.py"
    path.write_text(SCRIPT)
    return str(path)


def run(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(command, ["translate", *arguments], input=stdin)


def answer(*arguments: str, **options: Any) -> dict[str, Any]:
    found = run(*arguments, "--json", **options)
    assert found.exit_code == 0, found.output
    result: dict[str, Any] = json.loads(found.stdout)
    return result


def test_the_configuration_is_one_that_the_others_take(script: str, tmp_path: Path) -> None:
    path = tmp_path / "adamw.yaml"
    found = answer(script, "--save", str(path))
    assert path.read_text().startswith(HEADER)
    assert read_configuration(path) == found["configuration"]
    assert yaml.safe_load(run(script, "--format", "config").stdout) == found["configuration"]
    assert skillkit.build_optimizer(path).init({"kernel": 1.0})


def test_every_part_of_the_answer_is_there(script: str) -> None:
    found = answer(script)
    assert found["kind"] == "PyTorch script"
    assert [one["what"] for one in found["equal"]] == ["CosineAnnealingLR"]
    assert [one["what"] for one in found["differs"]] == ["AdamW"]
    (unread,) = found["not_translated"]
    assert (unread["line"], unread["column"]) == (4, 104)
    assert {"there": "lr", "value": 6e-4, "line": 4, "column": 42, "here": "peak_value", "is": 6e-4} in found["numbers"]
    assert found["recommended"] is None
    assert validate(found["configuration"])


@pytest.mark.parametrize("form", FORMATS)
def test_data_is_on_stdout_and_words_can_be_silenced(script: str, form: str) -> None:
    loud, quiet = run(script, "--format", form), run(script, "--format", form, "-q")
    assert loud.exit_code == 0
    assert loud.stdout == quiet.stdout != ""
    assert quiet.stderr == ""
    assert ("Not translated" in loud.stderr) == (form in ("config", "python"))


def test_the_script_says_where_each_number_stood(script: str) -> None:
    code = run(script, "--format", "python", "-q").stdout
    compile(code, "script.py", "exec")
    assert "# lr=0.0006, " in code
    assert f"{script}:4:42" in code.replace("\n    # ", " ")


def test_the_text_names_what_was_translated_and_what_was_not(script: str) -> None:
    text = run(script).stdout
    assert "optax.adamw(" in text
    assert "Equal: CosineAnnealingLR: the same rate in all 1,000 updates (https://docs.pytorch.org/" in text
    assert "Differs: AdamW: amsgrad=true: the largest second moment is not kept" in text
    assert f"Not translated: {script}:4:104: torch.optim.AdamW has no argument 'beta'" in text


def test_the_recommendation_stands_beside_it(script: str) -> None:
    found = answer(script, "--set", "family=decoder-lm")
    rows = {row["setting"]: row for row in found["recommended"]}
    assert (rows["optimizer"]["here"], rows["optimizer"]["recommended"]) == ("adamw", "adamw")
    assert rows["total_steps"]["here"] == rows["total_steps"]["recommended"] == 1000
    assert rows["warmup_steps"]["recommended"] > 0
    assert rows["warmup_steps"]["because"]
    assert rows["warmup_steps"]["source"]
    text = run(script, "--set", "family=decoder-lm").stdout
    assert "recommended" in text
    assert rows["warmup_steps"]["because"].split()[0] in text


def test_standard_input_is_read() -> None:
    assert answer("-", stdin=SCRIPT)["file"] == "<stdin>"


def test_saving_does_not_overwrite_what_others_wrote(script: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("precious")
    assert isinstance(run(script, "--save", str(path)).exception, BadInput)
    assert path.read_text() == "precious"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["no-such.py"], "no-such.py: no such file"),
        (["-"], "<stdin>: no optimizer"),
        (["SCRIPT", "--set", "family=cn"], "--set: family unknown choice"),
        (["SCRIPT", "--set", "family"], "--set: must be KEY=VALUE"),
        (["SCRIPT", "--set", "batch_size=3"], "--set: the answer 'family' is missing"),
        (["SCRIPT", "--updates", "0"], "0 is not in the range"),
    ],
)
def test_bad_input_ends_with_two_and_no_traceback(
    arguments: list[str], message: str, script: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("skillkit.cli.documents.sys.stdin", _Empty())
    with pytest.raises(SystemExit) as end:
        main(["translate", *(script if one == "SCRIPT" else one for one in arguments)])
    assert end.value.code == 2
    error = capsys.readouterr().err
    assert message in error
    assert "Traceback" not in error


class _Empty:
    @staticmethod
    def isatty() -> bool:
        return False

    class buffer:  # as sys.stdin calls it
        @staticmethod
        def read() -> bytes:
            return b""


def test_what_a_file_leaves_to_a_default_has_no_line_in_a_script(tmp_path: Path) -> None:
    path = tmp_path / "config.py"
    path.write_text("batch_size = 12\nmax_iters = 1000\nlr_decay_iters = 1000\n")
    script = run(str(path), "--format", "python").stdout
    assert "# nanogpt.get_lr, its default" in script
    assert ":0:0" not in script
