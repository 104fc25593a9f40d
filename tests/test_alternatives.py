"""Alternatives: they change what they mean to, keep the rest, and are offered only where they can work."""

from pathlib import Path
from typing import Any

import pytest

from skillkit.places import own_project
from skillkit.questionnaire.questions import decisions_folder, read_questions
from skillkit.reading import Document
from skillkit.recommender.recommending import recommend

FOLDER = decisions_folder(own_project(Path()))
FAMILIES = read_questions(FOLDER)["family"].choices


def offered(**answers: Any) -> dict[str, Any]:
    found = recommend([Document("test", answers, {})], FOLDER)
    return {one["name"]: one for one in found["alternatives"]}


@pytest.mark.parametrize("family", FAMILIES)
def test_free_schedules_keep_the_decay(family: str) -> None:
    found = recommend([Document("test", {"family": family}, {})], FOLDER)
    for one in found["alternatives"]:
        if one["name"] == "contrib.schedule_free_adamw":
            assert one["weight_decay"] == (found["optimizer"]["weight_decay"] or None)
            assert "the rate from 1 to 10 times" in one["cost"]


def test_some_family_is_offered_a_free_schedule_with_a_decay() -> None:
    assert offered(family="decoder-lm", horizon="open")["contrib.schedule_free_adamw"]["weight_decay"] == 0.1


def test_a_line_search_is_offered_for_whole_batches_alone() -> None:
    whole = {"family": "pinn", "batch_size": 1000, "dataset_size": 1000}
    assert "lbfgs" in offered(**whole)
    assert "lbfgs" not in offered(**whole | {"dataset_size": 50_000})
    assert "lbfgs" not in offered(**whole, accumulation=2)
    assert "lbfgs" not in offered(**whole, precision="bfloat16-compute")
