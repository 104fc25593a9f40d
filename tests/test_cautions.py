"""Cautions: said of what is unusual, so neither of what is assumed nor of what was published."""

import re
from pathlib import Path
from typing import Any

import pytest

from benchmarks.recipes import RECIPES, answers
from skillkit.places import own_project
from skillkit.questionnaire.questions import decisions_folder, read_questions
from skillkit.reading import Document, read
from skillkit.recommender.recommending import Recommendation, recommend, recommend_for

FOLDER = decisions_folder(own_project(Path()))
QUESTIONNAIRE = read_questions(FOLDER)
FAMILIES, STAGES = QUESTIONNAIRE["family"].choices, QUESTIONNAIRE["stage"].choices
PUBLISHED = {recipe["id"]: recipe for recipe in read(RECIPES).value["recipes"]}

# what a promise of privacy rests on, and what an answer lacks, is no oddity of the run
ALWAYS = r"The privacy holds where|Keep secret|Nobody said how many examples|dataset_size .* alone sets no length"


def recommended(**answers: Any) -> Recommendation:
    return recommend([Document("test", answers, {})], FOLDER)


def unusual(found: Recommendation) -> list[str]:
    return [text for text in found["warnings"] if not re.match(ALWAYS, text)]


@pytest.mark.parametrize("privacy", ["none", "dp-sgd"])
@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("family", FAMILIES)
def test_nothing_is_unusual_about_what_is_assumed(family: str, stage: str, privacy: str) -> None:
    assert unusual(recommended(family=family, stage=stage, privacy=privacy)) == []


@pytest.mark.parametrize("name", PUBLISHED)
def test_nothing_is_unusual_about_a_published_run(name: str) -> None:
    assert unusual(recommend_for(answers(PUBLISHED[name]), FOLDER)) == []


@pytest.mark.parametrize(
    "run",
    [
        {"family": "encoder-lm", "parameters": "110M", "batch_size": 256, "steps": "1M"},
        {"family": "encoder-lm", "parameters": "355M", "batch_size": 8192, "steps": 500_000},
        {"family": "vision-language", "parameters": "1.2B", "batch_size": 2320, "steps": 250_000},
        {"family": "seq2seq", "parameters": "36M", "batch_size": 4096, "batch_unit": "tokens", "steps": 50_000},
    ],
    ids=["bert-base", "roberta-large", "blip-2", "fairseq-iwslt"],
)
def test_nor_about_those_beside_the_recipes(run: dict[str, Any]) -> None:
    assert unusual(recommended(**run)) == []


def test_a_warmup_that_is_cut_says_so_at_its_number() -> None:
    (reason,) = [one for one in recommended(family="vit", steps=2000)["reasons"] if one["setting"] == "warmup_steps"]
    assert reason["because"] == "A warmup of 10,000 updates, at most 10 % of the run."
    assert reason["arithmetic"] == "min(10000, 0.1 * 2000)"
    whole = recommended(family="vit", steps=200_000, batch_size=4096)["reasons"]
    (reason,) = [one for one in whole if one["setting"] == "warmup_steps"]
    assert (reason["because"], reason["arithmetic"]) == ("A warmup of 10,000 updates.", "10000")


@pytest.mark.parametrize("family", ["decoder-lm", "moe-lm"])
@pytest.mark.parametrize(("state", "updates"), [(None, 381), ("lost", 381), ("kept", 0)])
def test_continued_pretraining_warms_up_unless_the_state_is_kept(family: str, state: str | None, updates: int) -> None:
    given = {} if state is None else {"optimizer_state": state}
    found = recommended(family=family, stage="finetune", batch_unit="tokens", batch_size=262_144, tokens="10B", **given)
    assert (found["schedule"]["name"], found["schedule"]["warmup_steps"]) == ("linear", updates)
    assert found["answers"]["optimizer_state"] == (state or "lost")


def test_nobody_else_is_asked_for_the_optimizers_state() -> None:
    assert "optimizer_state" not in recommended(family="decoder-lm")["answers"]
    assert "optimizer_state" not in recommended(family="cnn", stage="finetune")["answers"]


@pytest.mark.parametrize(
    ("answers", "saves"),
    [({"family": "vit"}, True), ({"family": "cnn"}, False), ({"family": "vit", "priority": "memory"}, False)],
)
def test_the_priority_of_memory_is_advised_only_where_it_saves(answers: dict[str, Any], saves: bool) -> None:
    (text,) = [text for text in unusual(recommended(**answers, device_memory_gib=0.1)) if "GiB per device" in text]
    assert ("take priority: memory" in text) is saves
    alone = recommended(**answers)["memory"]["total"]
    spared = recommended(**answers | {"priority": "memory"})["memory"]["total"]
    assert (spared < alone) is saves
