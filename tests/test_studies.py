import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from skillkit.configuration import studies
from skillkit.configuration.format import read_configuration
from skillkit.errors import BadInput

FOLDER = Path(__file__).parent / "configurations"
TUNING: dict[str, Any] = {
    "trials": 4,
    "because": "The rate first.",
    "source": "Tuning Playbook",
    "parameters": [
        {"setting": "peak_value", "low": 1e-3, "high": 1e-2, "scale": "log"},
        {"setting": "b1", "low": 0.5, "high": 0.98, "scale": "one-minus-log"},
        {"setting": "weight_decay", "low": 0.01, "high": 0.5, "scale": "log"},
        {"setting": "warmup_steps", "low": 1, "high": 4, "scale": "log"},
        {"setting": "momentum", "low": 0.7, "high": 0.99, "scale": "one-minus-log"},
    ],
}
NO_OPTUNA = importlib.util.find_spec("optuna") is None


def study(name: str, tuning: Any = TUNING) -> str:
    return studies.optuna_study({"configuration": read_configuration(FOLDER / f"{name}.yaml"), "tuning": tuning})


def test_the_settings_that_the_optimizer_has_are_searched() -> None:
    text = study("adamw")
    assert '"b1": 1 - trial.suggest_float("one_minus_b1", 0.02, 0.5, log=True),' in text
    assert '"warmup_share": trial.suggest_float("warmup_share", 0.05, 0.2, log=True),' in text
    assert 'b1=chosen["b1"],' in text
    assert 'weight_decay=chosen["weight_decay"],' in text
    assert "b2=0.95," in text
    assert "momentum" not in text
    assert "MultiSteps" not in text  # accumulation changes no number


def test_defaults_are_written_out_where_they_are_searched() -> None:
    assert 'b1=chosen["b1"],' in study("nadamw")


def test_without_ranges_the_rate_is_searched_within_a_factor_of_three() -> None:
    assert 'trial.suggest_float("peak_value", 0.000333, 0.003, log=True)' in study("sgd_l2", tuning=None)


def test_a_line_search_has_nothing_to_tune() -> None:
    with pytest.raises(BadInput, match=r"optax\.lbfgs has no numbers to search"):
        study("lbfgs")


def range_test(name: str) -> str:
    return studies.range_test({"configuration": read_configuration(FOLDER / f"{name}.yaml")})


def test_a_line_search_has_no_rate_to_test() -> None:
    with pytest.raises(BadInput, match=r"optax\.lbfgs has no rate to test"):
        range_test("lbfgs")


@pytest.mark.parametrize(
    "name", ["adamw", *(pytest.param(name, marks=pytest.mark.slow) for name in ("muon", "private", "schedule_free"))]
)
def test_a_range_test_runs_as_printed_and_finds_where_the_loss_is_lowest(name: str, tmp_path: Path) -> None:
    script = tmp_path / "range_test.py"
    script.write_text(range_test(name), encoding="utf-8")
    command = [sys.executable, "-W", "error::DeprecationWarning", str(script), "--updates", "120"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    *table, verdict = done.stdout.splitlines()
    rates = [float(line.split()[0]) for line in table]
    assert rates == sorted(rates)
    peak = float(verdict.rpartition(" ")[2])
    assert rates[0] == pytest.approx(peak / 1000, rel=0.02)
    if name == "adamw":
        fastest, lowest = (float(one) for one in re.findall(r"at ([\d.e-]+)[,;]", verdict))
        assert peak / 100 < fastest < lowest


def test_studies_are_clean(tmp_path: Path) -> None:
    for path in sorted(FOLDER.glob("*.yaml")):
        if path.stem != "lbfgs":
            (tmp_path / path.name).with_suffix(".py").write_text(study(path.stem), encoding="utf-8")
            (tmp_path / f"{path.stem}_range.py").write_text(range_test(path.stem), encoding="utf-8")
    options = ["--isolated", "--line-length", "120", str(tmp_path)]
    for command in (["check", "--select", "E,F,W,I,B,UP"], ["format", "--diff"]):
        ruff = [sys.executable, "-m", "ruff", *command, *options]
        done = subprocess.run(ruff, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout


@pytest.mark.skipif(NO_OPTUNA, reason="optuna is not installed: pip install optuna")
@pytest.mark.parametrize(
    "name", ["adamw", *(pytest.param(name, marks=pytest.mark.slow) for name in ("muon", "private", "schedule_free"))]
)
def test_studies_run_as_printed_and_go_on(name: str, tmp_path: Path) -> None:
    script = tmp_path / "study.py"
    script.write_text(study(name), encoding="utf-8")
    command = [sys.executable, "-W", "error::DeprecationWarning", str(script), "--updates", "20", "--trials"]
    for total, more in ((2, "2"), (3, "1")) if name == "adamw" else ((2, "2"),):
        done = subprocess.run([*command, more], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert f"{total} trials completed of {total}" in done.stdout
