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
from skillkit.recommender.prompting import TEMPLATE, given_context, number, prompt_context
from skillkit.recommender.questions import decisions_folder, read_questions
from skillkit.recommender.recommending import recommend
from skillkit.recommender.sizes import parse_size
from skillkit.rendering.renderer import Renderer

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
    case, optimizer, rate, decay, clip, schedule, average = [*row, "-"][:7]
    found = recommended(**answers)
    assert case.startswith(str(answers["family"]))
    assert optimizer.split()[0] == found["optimizer"]["name"]
    if found["optimizer"]["b1"] is not None:
        given = [float(part) for part in optimizer.split()[1].split("/")] if " " in optimizer else []
        usual = [float(part) for part in re.findall(r"\(else ([\d./e-]+)\)", PROMPT)[0].split("/")]
        assert [*given, *usual[len(given) :]] == [found["optimizer"][name] for name in ("b1", "b2", "eps")]
    assert float(rate) == found["schedule"]["peak_value"]
    assert value(decay) == found["optimizer"]["weight_decay"]
    assert value(clip) == (found["clip"] or {"max_norm": 0})["max_norm"]
    assert schedule.split()[0] == found["schedule"]["name"]
    assert value(schedule.split()[-1] if " " in schedule else "-") == found["schedule"]["warmup_steps"]
    assert value(average) == (found["ema"] or 0)


def test_a_row_that_the_length_of_the_run_selects_says_so() -> None:
    units = {"epochs": "epochs", "steps": "updates"}
    for answers, row in zip(forks(), ROWS, strict=True):
        usual = recommended(**{name: value for name, value in answers.items() if name not in units})
        found = recommended(**answers)
        if (usual["optimizer"]["name"], usual["schedule"]["name"]) != (
            found["optimizer"]["name"],
            found["schedule"]["name"],
        ):
            assert any(f"{answers[name]} {unit}" in row[0] for name, unit in units.items() if name in answers)


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
    assert said(r"above 200e9 ([\de-]+)") == llm_peak_lr({"parameters": 201e9})
    assert sqrt_batch({"examples_per_update": 1e9}, 1.0, 1.0) == said(r"within 1/4 and ([\d]+), at most")
    assert linear_batch({"examples_per_update": 1e9}, 1.0, 1.0) == said(r"to batch (\d+)")
    long = recommended(family="decoder-lm", parameters="7B", batch_size="4M", tokens="1T")
    assert said(r"; warmup (\d+)\.\n") == long["schedule"]["warmup_steps"]


BATCHES = (8, 64, 256, 1024, 8192)
SCALED = {"mlp", "tabular", "rnn", "vit", "diffusion", "protein-structure", "contrastive", "encoder-lm"}


def scaled() -> dict[str, tuple[float, float, float]]:
    """Return the rates that the prompt scales with the batch: the reference, its batch, and the highest."""
    (line,) = re.findall(r"^- Other batch.*?: (.*)$", PROMPT, re.MULTILINE)
    found: dict[str, tuple[float, float, float]] = {}
    for part in line.split(";"):
        most = re.search(r"\((?:all )?([\de.-]+)\)$", part)
        for names, rate, batch in re.findall(r"((?:[a-z-]+, )*[a-z-]+) ([\d.e-]+)@(\d+)", part):
            found |= {
                name: (float(rate), float(batch), float(most[1] if most else "inf")) for name in names.split(", ")
            }
    return found


def peak(**answers: Any) -> float:
    rate: float = recommended(**answers)["schedule"]["peak_value"]
    return rate


@pytest.mark.parametrize("batch", BATCHES)
def test_the_rate_for_another_batch_is_that_of_the_tables(batch: int) -> None:
    rates = {name: sqrt_batch({"examples_per_update": batch}, *numbers) for name, numbers in scaled().items()}
    assert set(rates) == {*SCALED, "lars", "finetune"}
    rates["encoder-lm"] *= (said(r"sqrt\(([\de]+) / N\)") / 125e6) ** 0.5
    for family in SCALED:
        assert peak(family=family, batch_size=batch, steps=10_000) == pytest.approx(rates[family], rel=5e-3), family
    assert peak(family="cnn", stage="finetune", batch_size=batch) == pytest.approx(rates["finetune"], rel=5e-3)
    sgd = linear_batch({"examples_per_update": batch}, peak(family="cnn"), 256)
    assert peak(family="cnn", batch_size=batch) == max(sgd, said(r"linearly, ([\d.]+) below 64"))


def test_the_other_rates_do_not_depend_on_the_batch() -> None:
    for family in {*read_questions(FOLDER)["family"].choices} - SCALED - {"cnn", "seq2seq"}:
        size = 4096 if recommended(family=family)["answers"]["batch_unit"] == "tokens" else 1
        assert len({peak(family=family, batch_size=size * batch) for batch in BATCHES[1:]}) == 1, family
    assert peak(family="cnn", batch_size=16384) == sqrt_batch({"examples_per_update": 16384}, *scaled()["lars"])
    assert peak(family="seq2seq", batch_size=400_000) == pytest.approx(
        peak(family="seq2seq") * (400_000 / said(r"sqrt\(tokens / ([\de]+)\)")) ** 0.5, rel=5e-3
    )


def test_the_ends_in_prose_are_those_of_the_schedules() -> None:
    falling = {"cosine", "linear", "exponential"}
    others = {
        "decoder-lm": said(r"\(not adapters\) ([\d.]+),"),
        "moe-lm": said(r"\(not adapters\) ([\d.]+),"),
        "gaussian-process": said(r"gaussian-process ([\d.]+),"),
        "vit": said(r"vit 86M ([\d.]+);"),
        "neural-field": said(r"exponential ([\d.]+);"),
    }
    for answers in forks():
        schedule = recommended(**answers)["schedule"]
        plain = answers.get("stage") == "adapter" or (answers["family"], answers.get("stage")) == ("vit", "finetune")
        end = 0.0 if plain else others.get(answers["family"], 0.0)
        if schedule["name"] in falling:
            assert schedule["end_value"] == pytest.approx(end * schedule["peak_value"], rel=1e-2), answers
    step = recommended(family="protein-structure")["schedule"]
    assert step["scale"] == said(r"step x([\d.]+) after")
    assert step["boundaries"] == [round(said(r"after (\d+) %; vit") / 100 * step["total_steps"])]
    cooled = recommended(family="vit", parameters="1B", batch_size=16384, steps="1M")["schedule"]
    assert cooled["cooldown_steps"] == said(r"vit 1B 0 in the last (\d+) %\.\n") / 100 * cooled["total_steps"]
    assert cooled["end_value"] == 0


def test_continued_pretraining_in_prose_is_that_of_the_tables() -> None:
    found = recommended(family="decoder-lm", stage="finetune", tokens="10B")
    share = said(r"from 10B tokens: ([\d.]+) of")
    assert found["schedule"]["peak_value"] == pytest.approx(share * llm_peak_lr({"parameters": 7e9}), rel=5e-3)
    assert (found["schedule"]["name"], found["schedule"]["end_value"]) == ("linear", 0)
    assert found["optimizer"]["b2"] == said(r"linear, b2 ([\d.]+\d), decay")
    assert found["optimizer"]["weight_decay"] == said(r"linear, b2 [\d.]+, decay ([\d.]+\d)")


def test_an_example_shows_the_warnings_of_the_recommender() -> None:
    found = recommended(**yaml.safe_load((FOLDER / "prompt.yaml").read_text())["examples"][0]["answers"])
    assert found["warnings"]
    assert all(text in PROMPT for text in found["warnings"])


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
    text = Renderer(PROJECT).fill(TEMPLATE, **given_context(recommended(family="cnn", batch_size=512)))
    assert "batch_size: 512" in text
    assert "sgd m=0.9, peak 0.2" in text


@pytest.mark.parametrize(
    ("plain", "short"),
    [(1e-4, "1e-4"), (0.1, "0.1"), (2.5e-3, "0.0025"), (4.88e-4, "4.88e-4"), (0, "0"), (30, "30"), (0.9955, "0.9955")],
)
def test_numbers_are_short_and_exact(plain: float, short: str) -> None:
    assert number(plain) == short
    assert parse_size(short) == plain
