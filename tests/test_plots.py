import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from skillkit.cli import skillkit
from skillkit.configuration import plots
from skillkit.configuration.format import read_configuration
from skillkit.errors import BadInput

FOLDER = Path(__file__).parent / "configurations"
ADAMW, TABLES = (read_configuration(FOLDER / f"{name}.yaml") for name in ("adamw", "tables"))


def test_a_chart_rises_and_falls() -> None:
    title, top, *others, axis, numbers = plots.terminal_chart(ADAMW, height=3).splitlines()
    assert title == "learning rate of model: at most 0.001, at update 2"
    assert top.startswith("    0.001 │  ██▇▆▅▄")
    assert others[-1].startswith("        0 │▂█████")  # warmup
    assert others[-1].endswith("█▆▄▃▂▁")  # the end of the cosine
    assert (axis, numbers) == ("          └" + 20 * "─", "           0         19 updates")


def test_equal_rates_share_a_curve_and_others_do_not() -> None:
    assert [curve.label for curve in plots.curves(read_configuration(FOLDER / "gan.yaml"))] == [
        "generator, discriminator"
    ]
    labels = [curve.label for curve in plots.curves(TABLES)]
    assert labels == ["model embeddings", "model dense"]


def test_an_optimizer_without_a_rate_says_so() -> None:
    assert plots.terminal_chart(read_configuration(FOLDER / "lbfgs.yaml")).startswith("no learning rate")


@pytest.mark.parametrize(("suffix", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml")])
def test_pictures_are_equal_twice(suffix: str, start: bytes, tmp_path: Path) -> None:
    for name in ("one", "two"):
        plots.save(TABLES, tmp_path / f"{name}.{suffix}")
    first, second = ((tmp_path / f"{name}.{suffix}").read_bytes() for name in ("one", "two"))
    assert first.startswith(start)
    assert first == second
    for words in (b"Learning rate: adagrad, adam; cosine", b"model embeddings", b"0.003 at 2", b"warmup"):
        assert suffix == "png" or words in first


def test_the_peak_is_on_the_axis_however_long_the_run() -> None:
    schedule = {"warmup_steps": 6260, "total_steps": 375_600, "peak_value": 0.00123}
    group = {**ADAMW["networks"][0]["groups"][0]}
    group["schedule"] = {**group["schedule"], **schedule}
    long = {**ADAMW, "networks": [{**ADAMW["networks"][0], "groups": [group]}]}
    (curve,) = plots.curves(long)
    assert curve.peak == (6260, 0.00123)
    title, top, *_, numbers = plots.terminal_chart(long).splitlines()
    assert title == "learning rate of model: at most 0.00123, at update 6,260"
    assert top.startswith("  0.00123 │")
    assert "█" in top
    assert numbers.endswith("375,599 updates")


def test_other_formats_and_places_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"must end in \.png or \.svg"):
        plots.save(ADAMW, tmp_path / "plot.pdf")
    with pytest.raises(BadInput, match="cannot be written: No such file or directory"):
        plots.save(ADAMW, tmp_path / "nowhere" / "plot.svg")


def test_the_command_draws_a_file_and_standard_input(tmp_path: Path) -> None:
    path = FOLDER / "adamw.yaml"
    drawn = CliRunner().invoke(skillkit, ["schedule", str(path), "--plot", str(tmp_path / "a.svg")])
    assert (drawn.exit_code, drawn.output) == (0, plots.terminal_chart(ADAMW) + "\n")
    assert (tmp_path / "a.svg").is_file()
    piped = CliRunner().invoke(skillkit, ["schedule", "-", "--json"], input=path.read_text())
    (curve,) = json.loads(piped.output)
    assert (curve["label"], max(curve["rates"]), curve["updates"][-1]) == ("model", 0.001, 19)


def test_the_command_ends_with_two_on_bad_input(tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"
    path.write_text((FOLDER / "adamw.yaml").read_text().replace("warmup_steps: 2", "warmup_steps: 30"))
    command = [sys.executable, "-m", "skillkit", "schedule", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert f"Error: {path}:14:" in done.stderr
    assert "warmup takes 30 of 20 updates" in done.stderr
    assert "Traceback" not in done.stderr


def test_answers_are_told_from_a_configuration(tmp_path: Path) -> None:
    path = tmp_path / "answers.yaml"
    path.write_text("family: mlp\n")
    result = CliRunner().invoke(skillkit, ["schedule", str(path)])
    assert isinstance(result.exception, BadInput)
    command = f"skillkit recommend-optimizer --answers {path} --format yaml"
    assert str(result.exception) == f"{path}: holds answers, of which '{command}' makes a configuration"
