"""The arithmetic beside each number: it gives the number, and every number has it."""

import itertools
import math
from pathlib import Path
from typing import Any

import pytest

from skillkit.errors import BadInput
from skillkit.places import own_project
from skillkit.questionnaire.questions import decisions_folder, read_questions
from skillkit.reading import Document
from skillkit.recommender.arithmetic import RULES, three_digits_up
from skillkit.recommender.formulas import FORMULAS
from skillkit.recommender.privacy import noise_multiplier
from skillkit.recommender.recommending import recommend

FOLDER = decisions_folder(own_project(Path()))
FAMILIES = read_questions(FOLDER)["family"].choices

QUESTIONS: dict[str, list[Any]] = {
    "stage": ["finetune", "adapter"],
    "parameters": [5_000, "1B", "70B", "300B"],
    "batch_size": [8, 1000, 3000, 20_000],
    "length": [{"steps": 500}, {"steps": "1M"}, {"epochs": 3, "dataset_size": 50_000}, {"tokens": "1B"}],
    "warmup_steps": [7],
    "horizon": ["open"],
    "precision": ["bfloat16-params", "float16"],
    "accumulation": [4],
    "priority": ["speed", "memory"],
    "privacy": [{"privacy": "dp-sgd", "epsilon": 8, "dataset_size": 50_000}],
    "issues": [["overfitting", "loss-spikes"], ["diverges-early", "noisy-gradients"], ["oom-activations", "nan"]],
}


NAMES: dict[str, Any] = {"sqrt": math.sqrt, "ceil": math.ceil, "min": min, "max": max, "round": round}
NAMES |= {"noise_multiplier": noise_multiplier}


def recommended(**answers: Any) -> dict[str, Any]:
    return recommend([Document("test", answers, {})], FOLDER)


def answers_of(name: str, value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {name: value}


def pairs() -> list[dict[str, Any]]:
    """Return all pairs of answers to two questions."""
    found: list[dict[str, Any]] = [{}]
    for one, other in itertools.combinations(QUESTIONS, 2):
        for first, second in itertools.product(QUESTIONS[one], QUESTIONS[other]):
            found.append(answers_of(one, first) | answers_of(other, second))
    return found


def numbers(configuration: dict[str, Any]) -> dict[tuple[str, str, str], float]:
    """Return every number of a configuration that was chosen, by network, group and setting."""
    found: dict[tuple[str, str, str], Any] = {}
    for network in configuration["networks"]:
        for group in network["groups"]:
            where = (network["name"], group["parameters"])
            schedule = {key: value for key, value in group["schedule"].items() if key != "name"}
            decay = (group["weight_decay"] or {}).get("value")
            for name, value in [*group["optimizer"].items(), *schedule.items(), ("weight_decay", decay)]:
                found[(*where, name)] = value
    shared = {"clip": configuration["networks"][0]["clip"], "ema": configuration["ema"]}
    found["", "", "clip"] = (shared["clip"] or {}).get("max_norm")
    found["", "", "ema"] = shared["ema"]
    found["", "", "accumulation"] = configuration["accumulation"] if configuration["accumulation"] > 1 else None
    found["", "", "noise_multiplier"] = (configuration["privacy"] or {}).get("noise_multiplier")
    there = {key: value for key, value in found.items() if type(value) in (int, float)}
    return {key: value for key, value in there.items() if key[2] != "cooldown_steps" or value}


def reasons(found: dict[str, Any]) -> dict[tuple[str, str, str], dict[str, Any]]:
    """Return the reason that stands beside each of a configuration's numbers."""
    entries = {(one.get("network"), one.get("group"), one["setting"]): one for one in found["reasons"]}
    return {
        (network, group, name): entries.get((network, group, name)) or entries[(None, None, name)]
        for network, group, name in numbers(found["configuration"])
    }


def given_by(arithmetic: str, value: float) -> float:
    """Return what an expression gives, rounded as settings are."""
    exact = float(eval(arithmetic, {"__builtins__": {}}, NAMES))
    if "noise_multiplier" in arithmetic:
        return three_digits_up(exact)
    if isinstance(value, int):
        return int(exact)
    digits = len(f"{value!r}".partition("e")[0].replace(".", "").strip("0"))
    return float(f"{exact:.{max(3, digits)}g}")


def test_every_rule_has_a_formula() -> None:
    assert set(FORMULAS) == set(RULES)


def wrong_arithmetic(found: dict[str, Any]) -> list[str]:
    """Return the numbers whose stated arithmetic gives another, or none."""
    stated, wrong = reasons(found), []
    for key, value in numbers(found["configuration"]).items():
        text = stated[key]["arithmetic"]
        if not text or not math.isclose(given_by(text, value), value, rel_tol=1e-9, abs_tol=1e-30):
            wrong.append(f"{key} is {value}, and not {text}")
    return wrong


@pytest.mark.parametrize("family", FAMILIES)
def test_the_numbers_of_an_alternative_too(family: str) -> None:
    """The configuration is the one that is listed, with another optimizer than the recommended."""
    for answers in ({}, {"stage": "finetune"}, {"batch_size": 1000, "precision": "float16"}):
        usual = recommended(family=family, **answers)
        for other in usual["alternatives"]:
            found = recommend([Document("test", {"family": family, **answers}, {})], FOLDER, None, other["name"])
            assert found["configuration"] == other["configuration"], other["name"]
            assert not wrong_arithmetic(found), other["name"]


def test_an_alternative_that_there_is_not_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(BadInput, match=r"'loin' \(did you mean 'lion'\?\): one of adamw, contrib.muon"):
        recommend([Document("test", {"family": "vit"}, {})], FOLDER, None, "loin")


@pytest.mark.parametrize("family", FAMILIES)
def test_every_number_has_the_arithmetic_that_gives_it(family: str) -> None:
    wrong = []
    for answers in pairs():
        try:
            found = recommended(family=family, **answers)
        except BadInput:  # a warmup that is longer than the run
            assert "warmup_steps" in answers
            continue
        wrong += [f"{answers}: {text}" for text in wrong_arithmetic(found)]
    assert not wrong, f"{len(wrong)}: {wrong[:3]}"
