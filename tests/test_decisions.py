"""Decision tables: complete, without dead rows, reasoned, and consistent with each other."""

from pathlib import Path
from typing import Any

import pytest

from skillkit.configuration.optimizers import OPTIMIZERS
from skillkit.errors import BadInput
from skillkit.places import own_project
from skillkit.questionnaire.questions import decisions_folder, read_questions
from skillkit.recommender.arithmetic import RULES
from skillkit.recommender.decisions import (
    SETTINGS,
    SHARED,
    Table,
    never_winning,
    read_book,
    read_tables,
    table,
    uncovered,
)

FOLDER = decisions_folder(own_project(Path()))
QUESTIONNAIRE = read_questions(FOLDER)
FAMILIES = QUESTIONNAIRE["family"].choices
LAYERS = ("common", "adapter", "private")
NO_TABLES = ("title", "defaults", "advice")
TABLES = [(name, key) for name in (*LAYERS, *FAMILIES) for key in read_tables(FOLDER, name) if key not in NO_TABLES]


def one_table(name: str, key: str) -> Table:
    return table(key, read_tables(FOLDER, name)[key])


def small(*rows: dict[str, Any]) -> Table:
    return table("small", [{"then": 1, "because": "x", "source": "y"} | row for row in rows])


@pytest.mark.parametrize(("name", "key"), TABLES)
def test_every_combination_is_covered(name: str, key: str) -> None:
    assert list(uncovered(one_table(name, key), QUESTIONNAIRE)) == []


@pytest.mark.parametrize(("name", "key"), TABLES)
def test_every_row_can_win(name: str, key: str) -> None:
    assert never_winning(one_table(name, key), QUESTIONNAIRE) == []


@pytest.mark.parametrize(("name", "key"), TABLES)
def test_the_last_row_and_only_it_has_no_condition(name: str, key: str) -> None:
    assert [bool(row.when) for row in one_table(name, key).rows][:-1].count(False) == 0
    assert not one_table(name, key).rows[-1].when


@pytest.mark.parametrize(("name", "key"), TABLES)
def test_conditions_name_existing_answers(name: str, key: str) -> None:
    for row in one_table(name, key).rows:
        for question, wanted in row.when.items():
            assert set(wanted) <= set(QUESTIONNAIRE[question].labels), (name, key, question)


def test_an_uncovered_combination_is_found() -> None:
    incomplete = small({"when": {"stage": ["from-scratch", "finetune"]}})
    assert list(uncovered(incomplete, QUESTIONNAIRE)) == [{"stage": "adapter"}]


def test_a_row_that_never_wins_is_found() -> None:
    shadowed = small({"when": {"stage": ["finetune"]}}, {"when": {"stage": ["finetune"]}}, {})
    assert never_winning(shadowed, QUESTIONNAIRE) == [1]


def test_first_match_wins_and_questions_are_joined_by_and() -> None:
    rows = small(
        {"when": {"stage": ["finetune"], "horizon": ["open"]}, "then": 1},
        {"when": {"stage": ["finetune", "adapter"]}, "then": 2},
        {"then": 3},
    )
    for stage, horizon, expected in (("finetune", "open", 1), ("finetune", "fixed", 2), ("from-scratch", "open", 3)):
        assert rows.decide({"stage": stage, "horizon": horizon}).then == expected


@pytest.mark.parametrize(("name", "key"), TABLES)
def test_rules_exist(name: str, key: str) -> None:
    for row in one_table(name, key).rows:
        if isinstance(row.then, dict) and "rule" in row.then:
            assert row.then["rule"] in RULES


@pytest.mark.parametrize(("name", "key"), [one for one in TABLES if one[1] == "optimizer"])
def test_optimizers_take_their_arguments(name: str, key: str) -> None:
    for row in one_table(name, key).rows:
        given = dict(row.then)
        assert set(given) - {"name"} <= set(OPTIMIZERS[given["name"]].keywords), given


@pytest.mark.parametrize("family", FAMILIES)
def test_a_book_has_all_tables(family: str) -> None:
    assert set(read_book(FOLDER, family).tables) == {*SETTINGS, *SHARED}


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("stage", ["from-scratch", "finetune", "adapter"])
def test_a_family_assumes_exactly_one_length(family: str, stage: str) -> None:
    assumed = read_book(FOLDER, family, stage).assumptions(stage)
    assert sum(name in assumed for name in ("steps", "epochs", "tokens")) == 1
    assert {"parameters", "batch_unit", "batch_size"} <= set(assumed)


def test_a_family_without_tables_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no such decision tables"):
        read_book(tmp_path, "cnn")


def test_a_row_without_a_reason_is_refused(tmp_path: Path) -> None:
    (tmp_path / "common.yaml").write_text("ema:\n  - then: null\n    source: x\n")
    (tmp_path / "cnn.yaml").write_text("title: x\n")
    (tmp_path / "questions.yaml").write_text((FOLDER / "questions.yaml").read_text("utf-8"))
    with pytest.raises(BadInput, match="the key 'because' is missing"):
        read_book(tmp_path, "cnn")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("stage: [finetune]", "stages: [finetune]", r":10:12: no such question \(did you mean 'stage'\?\)"),
        ("stage: [finetune]", "stage: [finetunes]", r":10:20: is no answer to 'stage' \(did you mean 'finetune'\?\)"),
        ("batch_unit: examples", "batch_unit: example", r':3:47: unknown choice "example" \(did you mean .examples.\?'),
        ("epochs: 20", "epoch: 20", r":3:95: no such question \(did you mean 'epochs'\?\)"),
        ("rule: sqrt_batch, reference: 1.0e-3, batch: 128", "rule: root_batch", "no such rule"),
        ("b2: 0.999", "b2: {rule: adam_b3}", r"no such rule \(did you mean 'adam_b2'"),
    ],
)
def test_conditions_and_rules_that_there_are_not_are_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    for name in ("mlp", "questions"):
        text = (FOLDER / f"{name}.yaml").read_text("utf-8")
        (tmp_path / f"{name}.yaml").write_text(text.replace(old, new) if name == "mlp" else text)
    with pytest.raises(BadInput, match=message):
        read_tables(tmp_path, "mlp")
