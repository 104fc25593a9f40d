"""The questionnaire on a terminal."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from skillkit.cli.asking import ask
from skillkit.places import own_project
from skillkit.questionnaire.questions import decisions_folder, read_questions
from skillkit.reading import read

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
    assert "tokens has a sequence" not in result.stderr


def test_the_usual_batch_is_offered_in_the_unit_that_was_said(path: Path) -> None:
    saved, result = talk(path, "decoder-lm", "", "", "sequences", *[""] * 6)
    assert (saved["batch_unit"], saved["batch_size"]) == ("sequences", 256)
    assert "524288" not in result.stderr.partition("How many tokens has a sequence")[0]


def test_more_is_asked_only_of_those_who_want(path: Path) -> None:
    saved, result = talk(path, "mlp", *[""] * 6, "yes", "open", *[""] * 4, "dp-sgd", "3", "nan", "", "", "")
    assert "Which epsilon?" in result.stderr
    assert (saved["horizon"], saved["epsilon"], saved["issues"]) == ("open", 3, ["nan"])


def test_a_contradiction_is_explained_and_asked_again(path: Path) -> None:
    saved, result = talk(path, "moe-lm", "", "1B", "2B", "100M", *[""] * 8)
    assert "must be at most the 1,000,000,000 parameters" in result.stderr
    assert saved["active_parameters"] == 100_000_000


@pytest.mark.parametrize(
    ("word", "family"), [("LLM", "decoder-lm"), ("Decoder LM", "decoder-lm"), ("bert", "encoder-lm")]
)
def test_words_that_people_use_are_understood(path: Path, word: str, family: str) -> None:
    saved, _ = talk(path, word, *[""] * 10)
    assert saved["family"] == family


def test_a_word_for_several_asks_which(path: Path) -> None:
    saved, result = talk(path, "Transformer", "vit", *[""] * 8)
    assert '"Transformer" may be decoder-lm, encoder-lm, seq2seq or vit: say which' in result.stderr
    assert saved["family"] == "vit"


def test_long_lists_of_words_are_broken_between_words(path: Path) -> None:
    _, result = talk(path, "mlp", *[""] * 6, "yes", *[""] * 12)
    lines = result.stderr.partition("What goes wrong")[0].splitlines()[-4:]
    assert all(len(line) <= 80 for line in lines)
    words = " ".join(line for line in lines if line.startswith("  ")).replace(",", " ").split()
    assert words == list(read_questions(FOLDER)["issues"].several)


def test_families_are_a_numbered_list_with_a_line_each(path: Path) -> None:
    saved, result = talk(path, "4", *[""] * 8)
    assert saved["family"] == "vit"
    lines = result.stderr.partition("What do you train?")[0].splitlines()[1:]
    assert [line.split()[:2] for line in lines] == [
        [str(number), name] for number, name in enumerate(read_questions(FOLDER)["family"].choices, 1)
    ]
    assert all(len(line) <= 80 and len(line.split()) > 2 for line in lines)


def test_no_family_is_taken_by_enter(path: Path) -> None:
    saved, result = talk(path, "", "unknown", "mlp", *[""] * 8)
    assert result.stderr.count("family has no default: other where none fits") == 2
    assert saved["family"] == "mlp"


def test_a_number_beyond_the_list_is_no_family(path: Path) -> None:
    saved, result = talk(path, "26", "mlp", *[""] * 8)
    assert 'unknown choice "26"' in result.stderr
    assert saved["family"] == "mlp"


def test_words_for_the_way_on_and_back(path: Path) -> None:
    saved, result = talk(path, "cnn", "help", "finetune", "back", "unknown", "7 million", *[""] * 6)
    assert "Continued pretraining counts as finetune" in result.stderr
    assert (saved["stage"], saved["parameters"]) == ("from-scratch", 7_000_000)


def test_a_number_of_another_order_is_asked_back(path: Path) -> None:
    saved, result = talk(path, "decoder-lm", "", "", "", "", "", "300B", "no", "300B tokens", *[""] * 4)
    assert "300B steps are more than any known run has: tokens or examples perhaps. Keep it?" in result.stderr
    assert saved["tokens"] == 300 * 10**9
    kept, _ = talk(path, "decoder-lm", "", "", "", "", "", "300B", "yes", *[""] * 4)
    assert kept["steps"] == 300 * 10**9


def test_the_summary_marks_what_was_taken_by_enter(path: Path) -> None:
    _, result = talk(path, "vit", "", "22M", *[""] * 6)
    assert "  stage: from-scratch (assumed)\n" in result.stderr
    assert "  parameters: 22M\n" in result.stderr


def test_what_was_taken_by_enter_is_saved_and_assumed(path: Path) -> None:
    found: dict[str, Any] = {}

    @click.command()
    def asking() -> None:
        found.update(ask(FOLDER, str(path)).value)

    CliRunner().invoke(asking, input="vit\n\n22M\n" + "\n" * 6, catch_exceptions=False)
    assert found == {"family": "vit", "parameters": 22_000_000}
    assert read(path).value["batch_size"] == 1024


@pytest.mark.parametrize("question", [b"Say more", b"Right?", b"Save the answers"])
def test_every_question_explains_itself(question: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last one too, which is asked only where no file is named."""
    monkeypatch.chdir(tmp_path)

    @click.command()
    def asking() -> None:
        ask(FOLDER, None)

    at = {b"Say more": 7, b"Right?": 8, b"Save the answers": 9}[question]
    lines = ["vit", *[""] * 9]
    lines.insert(at, "?")
    result = CliRunner().invoke(asking, input="".join(f"{line}\n" for line in lines))
    assert result.exception is None, result.output
    assert result.stderr.count(question.decode()) == 2
    assert [file.name for file in tmp_path.iterdir()] == ["optimizer-answers.yaml"]


def test_an_end_of_input_is_no_answer() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from skillkit.cli import main; import sys; sys.stdin.isatty = lambda: True; main()",
         "recommend-optimizer"],
        input="vit\n", capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "Error: <stdin>: ended before the questions did: --no-input asks none" in done.stderr
