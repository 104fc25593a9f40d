"""The questionnaire on a terminal."""

from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from skillkit.cli.asking import ask
from skillkit.places import own_project
from skillkit.reading import read
from skillkit.recommender.questions import decisions_folder

FOLDER = decisions_folder(own_project(Path()))


def talk(path: Path, *lines: str) -> tuple[dict[str, Any], Result]:
    """Answer line by line, accept the summary, and return the saved answers and what was said."""

    @click.command()
    def asking() -> None:
        ask(FOLDER, str(path))

    result = CliRunner().invoke(asking, input="".join(f"{line}\n" for line in lines))
    assert result.exception is None, result.output
    saved: dict[str, Any] = read(path).value
    return saved, result


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "answers.yaml"


def test_defaults_all_the_way(path: Path) -> None:
    saved, result = talk(path, "vit", *[""] * 8)
    assert saved["family"] == "vit"
    assert saved["batch_size"] == 1024
    assert f"--answers {path}" in result.stderr


def test_the_length_may_be_said_in_epochs_and_asks_for_the_data(path: Path) -> None:
    saved, _ = talk(path, "cnn", "", "", "512", "30 epochs", "50k", "", "", "")
    assert (saved["epochs"], saved["dataset_size"]) == (30, 50_000)
    assert "steps" not in saved


def test_tokens_and_updates_too(path: Path) -> None:
    saved, _ = talk(path, "decoder-lm", "", "1B", "tokens", "512k", "", "20B tokens", "", "", "")
    assert saved["tokens"] == 20 * 10**9


def test_help_and_the_way_back(path: Path) -> None:
    saved, result = talk(path, "cnn", "?", "finetune", "<", "", "1M", *[""] * 6)
    assert "Continued pretraining counts as finetune" in result.stderr
    assert (saved["stage"], saved["parameters"]) == ("from-scratch", 1_000_000)


def test_a_bad_answer_is_explained_and_asked_again(path: Path) -> None:
    saved, result = talk(path, "cn", "cnn", "", "-5", "5M", *[""] * 6)
    assert "did you mean 'cnn'?" in result.stderr
    assert "parameters must be greater than 0" in result.stderr
    assert saved["parameters"] == 5_000_000


def test_later_questions_depend_on_earlier_answers(path: Path) -> None:
    _, result = talk(path, "cnn", "adapter", *[""] * 8)
    assert "How many parameters have the adapters?" in result.stderr
    assert "sequence" not in result.stderr


def test_more_is_asked_only_of_those_who_want(path: Path) -> None:
    saved, result = talk(path, "mlp", *[""] * 6, "yes", "open", *[""] * 4, "dp-sgd", "3", "nan", "", "", "")
    assert "Which epsilon?" in result.stderr
    assert (saved["horizon"], saved["epsilon"], saved["issues"]) == ("open", 3, ["nan"])


def test_a_contradiction_is_explained_and_asked_again(path: Path) -> None:
    saved, result = talk(path, "moe-lm", "", "1B", "2B", "100M", *[""] * 8)
    assert "must be at most the 1000000000 parameters" in result.stderr
    assert saved["active_parameters"] == 100_000_000
