"""What is said of one setting: its arithmetic, the answers that chose it, and others that would change it."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from skillkit.cli import skillkit
from skillkit.errors import BadInput
from skillkit.places import own_project
from skillkit.questionnaire.questions import decisions_folder
from skillkit.questionnaire.sizes import number
from skillkit.reading import Document
from skillkit.recommender.explaining import explain, explanation
from skillkit.recommender.recommending import recommend

FOLDER = decisions_folder(own_project(Path()))


def explained(setting: str, **answers: Any) -> dict[str, Any]:
    return explain(setting, [Document("test", answers, {})], FOLDER)


def test_the_arithmetic_and_the_deciding_answers_are_said() -> None:
    text = explanation(explained("peak_value", family="vit", batch_size=512))
    assert text.startswith("peak_value = 7.07e-4 = 1e-3 * sqrt(512 / 1024)\n")
    assert "Chosen by: family vit\n" in text
    assert "With batch_size 256: 5e-4\n" in text
    assert "With stage finetune: 5e-5\n" in text


def test_a_condition_of_the_row_is_said_with_its_answer() -> None:
    chosen = explained("warmup_steps", family="vit", batch_size=512)["chosen_by"]
    assert chosen == ["family vit", "examples seen 384460800 (long)", "examples per update 512 (medium)"]


@pytest.mark.parametrize("family", ["vit", "cnn", "decoder-lm", "gan", "moe-lm"])
@pytest.mark.parametrize("setting", ["peak_value", "weight_decay", "end_value"])
def test_other_answers_give_what_is_said(family: str, setting: str) -> None:
    """Answered so indeed, one at a time."""
    for answer, said in explained(setting, family=family)["otherwise"]:
        name, _, value = answer.partition(" ")
        found = recommend([Document("test", {"family": family, name: value}, {})], FOLDER)
        values = [one.get("value") for one in found["reasons"] if one["setting"] == setting and "network" not in one]
        assert said == ("none" if not values or values[0] is None else number(values[0])), answer


def test_networks_that_differ_are_explained_apart() -> None:
    text = explanation(explained("peak_value", family="rl-off-policy"))
    assert text.count("peak_value = ") > 1


def test_an_unknown_setting_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(BadInput, match=r"'peak_valu' \(did you mean 'peak_value'\?\): one of optimizer, schedule"):
        explained("peak_valu", family="vit")


def test_as_json() -> None:
    words = ["recommend-optimizer", "--no-input", "--set", "family=vit", "--explain", "b2", "--json"]
    found = json.loads(CliRunner().invoke(skillkit, words).stdout)
    assert (found["setting"], found["reasons"][0]["value"], found["chosen_by"]) == ("b2", 0.999, ["family vit"])
