"""Neighbours: no number jumps between two answers but that it is said."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from skillkit.places import own_project
from skillkit.questionnaire.questions import decisions_folder, read_questions
from skillkit.reading import Document
from skillkit.recommender.recommending import Recommendation, recommend, settings_for

FOLDER = decisions_folder(own_project(Path()))
FAMILIES = read_questions(FOLDER)["family"].choices
STEP = 1.08
WALKS = {
    "parameters": (1e3, 1e12),
    "batch_size": (1, 1e6),
    "steps": (2, 1e7),
    "epochs": (0.5, 2e3),
    "dataset_size": (100, 1e9),
    "tokens": (1e6, 1e14),
    "sequence_length": (8, 65_536),
}
# which settings of what is recommended each of the numbers below belongs to
SAID = {"b1": "optimizer", "b2": "optimizer", "eps": "optimizer", "decay": "weight_decay", "rate": "peak_value"}


def documents(answers: dict[str, Any]) -> list[Document]:
    return [Document("test", answers, {})]


def numbers(found: Recommendation) -> dict[str, float | None]:
    """Return the numbers of a recommendation, those near one by what they lack of it."""
    optimizer, clip = found["optimizer"], found["clip"]
    rates = {
        f"rate {network['name']} {group['name']}": group["schedule"].get("peak_value")
        for network in found["groups"]
        for group in network["groups"]
    }
    lacks = {name: None if value is None else 1 - value for name, value in near_one(found).items()}
    others = {"eps": optimizer["eps"], "decay": optimizer["weight_decay"], "clip": clip and clip["max_norm"]}
    return rates | lacks | others


def near_one(found: Recommendation) -> dict[str, float | None]:
    return {"b1": found["optimizer"]["b1"], "b2": found["optimizer"]["b2"], "ema": found["ema"]}


def jumps(answers: dict[str, Any], question: str) -> Iterator[tuple[dict[str, Any], dict[str, Any], str]]:
    """Yield neighbouring answers between which a number changes to more than twice or less than half, and its name."""
    value, last = WALKS[question]
    before: tuple[dict[str, Any], dict[str, float | None]] | None = None
    while value < last:
        here = answers | {question: value if question == "epochs" else int(value)}
        found = numbers(settings_for(documents(here), FOLDER))
        for name in found if before else ():
            assert before is not None
            if is_jump(before[1].get(name, 0.0), found[name]):
                yield before[0], here, name
        before = here, found
        value = value * STEP if question == "epochs" else max(value * STEP, value + 1)


def is_jump(one: float | None, other: float | None) -> bool:
    if not one or not other:
        return one is not other and (one or 0.0) != (other or 0.0)
    return max(one / other, other / one) > 2


@pytest.mark.parametrize("question", WALKS)
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("stage", ["from-scratch", "finetune"])
def test_whatever_jumps_is_said_at_both_sides(family: str, stage: str, question: str) -> None:
    for *both, name in jumps({"family": family, "stage": stage}, question):
        for answers in both:
            said = " ".join(recommend(documents(answers), FOLDER)["nearby"])
            setting = SAID.get(name.partition(" ")[0], name)
            assert setting in said or "groups" in said or "batch_unit" in said, (answers, name)


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ({"family": "gan", "parameters": "9.9M"}, "From 10,000,000 parameters on: optimizer name adam, b1 0.0"),
        ({"family": "gan", "parameters": "10M"}, "Below 10,000,000 parameters: optimizer name adam, b1 0.5"),
        ({"family": "cnn", "batch_size": 1024, "epochs": 157}, "Below 200,000,000 examples seen: optimizer name sgd"),
        ({"family": "decoder-lm", "stage": "finetune", "tokens": "9.9B"}, "peak_value 0.000107 (Ten billion tokens"),
        ({"family": "vit", "parameters": "990M"}, "From 1,000,000,000 parameters on: optimizer name adamw"),
        ({"family": "decoder-lm", "batch_size": 4095}, "A batch of 4,095 is taken for sequences"),
        ({"family": "decoder-lm", "batch_size": 4096}, "A batch of 4,096 is taken for tokens"),
    ],
)
def test_what_lies_beyond_is_said_with_its_reason(answers: dict[str, Any], words: str) -> None:
    assert any(words in text for text in recommend(documents(answers), FOLDER)["nearby"])


def test_far_from_any_bound_nothing_is_said() -> None:
    answers = {"family": "mlp", "parameters": "3M", "batch_size": 128, "dataset_size": 60_000, "epochs": 20}
    assert recommend(documents(answers), FOLDER)["nearby"] == []
    assert recommend(documents({**answers, "family": "decoder-lm", "batch_unit": "tokens"}), FOLDER)["nearby"] == []


@pytest.mark.parametrize(
    ("family", "unit", "size"),
    [
        ("decoder-lm", "sequences", 256),
        ("decoder-lm", "tokens", 524_288),
        ("moe-lm", "examples", 1024),
        ("encoder-lm", "tokens", 1_048_576),
        ("cnn", "sequences", 256),
    ],
)
def test_a_unit_has_its_own_usual_batch(family: str, unit: str, size: int) -> None:
    found = recommend(documents({"family": family, "batch_unit": unit}), FOLDER)
    assert found["answers"]["batch_size"] == size


def test_a_unit_does_not_change_the_run() -> None:
    updates = {
        unit: recommend(documents({"family": "decoder-lm", "batch_unit": unit}), FOLDER)["derived"]["updates"]
        for unit in ("tokens", "sequences", "examples")
    }
    assert len(set(updates.values())) == 1


def test_the_usual_batch_follows_the_length_that_is_said() -> None:
    found = recommend(documents({"family": "decoder-lm", "batch_unit": "sequences", "sequence_length": 4096}), FOLDER)
    assert found["answers"]["batch_size"] == 128
