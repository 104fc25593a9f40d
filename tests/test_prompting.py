"""The prompt: short, runnable as pasted, and in agreement with the recommender on every number."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from skillkit.places import own_project
from skillkit.reading import Document
from skillkit.recommender.arithmetic import linear_batch, llm_peak_lr, sqrt_batch
from skillkit.recommender.decisions import read_book, read_tables
from skillkit.recommender.prompting import TEMPLATE, filled_prompt, number, prompt_context
from skillkit.recommender.questions import decisions_folder, read_questions
from skillkit.recommender.recommending import recommend
from skillkit.recommender.sizes import parse_size
from skillkit.rendering import Renderer

PROJECT = own_project(Path())
FOLDER = decisions_folder(PROJECT)
PROMPT = Renderer(PROJECT).fill(TEMPLATE, **prompt_context(PROJECT))
FENCES = re.findall(r"```python\n(.*?)```", PROMPT, re.DOTALL)
ROWS = [line.strip("|").split("|") for line in PROMPT.splitlines() if re.match(r"\|[a-z]", line)]


def recommended(**answers: Any) -> dict[str, Any]:
    return recommend([Document("test", answers, {})], FOLDER)


def test_it_fits_into_four_thousand_tokens() -> None:
    assert len(PROMPT) / 2.3 <= 4000


def test_its_frontmatter_has_only_the_keys_of_agent_skills() -> None:
    front = yaml.safe_load(PROMPT.split("---\n")[1])
    assert set(front) <= {"name", "description", "license", "compatibility", "metadata"}
    assert all(isinstance(value, str) for value in front["metadata"].values())
    assert len(front["description"]) <= 1024


def test_every_family_has_a_row() -> None:
    families = [row[0].split()[0] for row in ROWS]
    assert set(read_questions(FOLDER)["family"].choices) == set(families)


def forks() -> list[dict[str, Any]]:
    families = [{"family": family} for family in read_questions(FOLDER)["family"].choices]
    return [*families, *yaml.safe_load((FOLDER / "prompt.yaml").read_text())["forks"]]


@pytest.mark.parametrize(("answers", "row"), list(zip(forks(), ROWS, strict=True)))
def test_a_row_says_what_the_recommender_says(answers: dict[str, Any], row: list[str]) -> None:
    case, optimizer, rate, decay, clip, schedule, average = row
    found = recommended(**answers)
    assert case.startswith(str(answers["family"]))
    assert optimizer.split()[0] == found["optimizer"]["name"]
    if "/" in optimizer:
        moments = [float(part) for part in optimizer.split()[1].split("/")]
        assert moments == [found["optimizer"][name] for name in ("b1", "b2", "eps")]
    assert float(rate) == found["schedule"]["peak_value"]
    assert value(decay) == found["optimizer"]["weight_decay"]
    assert value(clip) == (found["clip"] or {"max_norm": 0})["max_norm"]
    assert schedule.split()[0] == found["schedule"]["name"]
    assert value(schedule.split()[-1] if " " in schedule else "-") == found["schedule"]["warmup_steps"]
    assert value(average) == (found["ema"] or 0)


def value(text: str) -> float:
    numbers = re.findall(r"[\d.]+(?:e-?\d+)?", text)
    return float(numbers[0]) if numbers else 0.0


def test_there_are_two_examples() -> None:
    assert len(FENCES) == 2


@pytest.mark.parametrize("fence", FENCES)
def test_a_fence_runs_as_pasted_and_asserts(fence: str) -> None:
    assert "assert" in fence
    run = subprocess.run([sys.executable, "-W", "error", "-c", fence], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")


def said(pattern: str) -> float:
    """Return the number that the prompt's prose says after some words."""
    match = re.search(pattern, PROMPT)
    assert match, pattern
    return float(match[1])


def test_the_rules_in_prose_are_those_of_the_arithmetic() -> None:
    reference = said(r"Decoder of N parameters \(MoE: active\): ([\de-]+)")
    size, power = said(r"N / ([\de]+)\)"), -said(r"\*\*-([\d.]+)")
    assert reference * (7e9 / size) ** power == pytest.approx(llm_peak_lr({"parameters": 7e9}))
    assert said(r"above 200e9: ([\de-]+)") == llm_peak_lr({"parameters": 201e9})
    assert sqrt_batch({"examples_per_update": 1e9}, 1.0, 1.0) == said(r"within 1/4 and ([\d]+); SGD")
    assert linear_batch({"examples_per_update": 1e9}, 1.0, 1.0) == said(r"to batch (\d+)")


def test_the_settings_in_prose_are_those_of_the_tables() -> None:
    tables = read_book(FOLDER, "decoder-lm").tables
    assert said(r"over the last (\d+) %") == 100 * tables["horizon"].rows[-1].then["decay"]
    assert said(r"consistent_rms=([\d.]+)") == tables["speed"].rows[0].then["hidden"]["consistent_rms"]
    critic = recommended(family="rl-off-policy")["groups"][1]["groups"][0]
    assert said(r"critic \(([\de-]+)\)") == critic["schedule"]["peak_value"]
    dense = recommended(family="recommender")["groups"][0]["groups"][1]
    assert said(r"dense layers adam ([\de-]+)") == dense["schedule"]["peak_value"]
    lamb = read_tables(FOLDER, "encoder-lm")["schedule"][0]["then"]["warmup"]
    assert said(r"LAMB (\d+) %") == 100 * lamb["at_most"]
    assert (
        said(r"([\d]+) tokens per parameter are optimal")
        == recommended(family="decoder-lm")["answers"]["tokens"] / 124e6
    )


def test_the_issues_in_prose_are_those_of_the_overlay() -> None:
    found = {issue: recommended(family="vit", issues=[issue]) for issue in ("loss-spikes", "noisy-gradients", "nan")}
    assert said(r"b2 at most ([\d.]+\d)") == found["loss-spikes"]["optimizer"]["b2"]
    assert said(r"b1 ([\d.]+\d), average") == found["noisy-gradients"]["optimizer"]["b1"]
    assert said(r"average (0[\d.]+\d); no") == found["noisy-gradients"]["ema"]
    assert said(r"nan: .*clip at (\d)") == found["nan"]["clip"]["max_norm"]
    before = recommended(family="vit")["optimizer"]["weight_decay"]
    after = recommended(family="vit", issues=["overfitting"])["optimizer"]["weight_decay"]
    assert after == pytest.approx(said(r"decay x(\d)") * before)


def test_answers_can_be_filled_in() -> None:
    text = filled_prompt(PROJECT, recommended(family="cnn", batch_size=512))
    assert "batch_size: 512" in text
    assert "sgd m=0.9, peak 0.2" in text


@pytest.mark.parametrize(
    ("plain", "short"),
    [(1e-4, "1e-4"), (0.1, "0.1"), (2.5e-3, "0.0025"), (4.88e-4, "4.88e-4"), (0, "0"), (30, "30"), (0.9955, "0.9955")],
)
def test_numbers_are_short_and_exact(plain: float, short: str) -> None:
    assert number(plain) == short
    assert parse_size(short) == plain
