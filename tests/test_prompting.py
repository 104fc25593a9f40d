"""The prompt: short, runnable as pasted, and in agreement with the recommender on every number."""

import itertools
import math
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from skillkit.places import own_project
from skillkit.questionnaire.questions import decisions_folder, read_questions
from skillkit.questionnaire.sizes import number, parse_size
from skillkit.reading import Document
from skillkit.recommender.arithmetic import linear_batch, llm_peak_lr, sqrt_batch
from skillkit.recommender.decisions import read_book, read_tables
from skillkit.recommender.prompting import TEMPLATE, given_context, prompt_context
from skillkit.recommender.recommending import recommend
from skillkit.rendering.renderer import Renderer

PROJECT = own_project(Path())
FOLDER = decisions_folder(PROJECT)
PROMPT = Renderer(PROJECT).fill(TEMPLATE, **prompt_context(PROJECT))
FENCES = re.findall(r"```python\n(.*?)```", PROMPT, re.DOTALL)
ROWS = [line.strip("|").split("|") for line in PROMPT.splitlines() if re.match(r"\|[a-z0-9-]+ .*@", line)]


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
    """Return the answers of each row: a family's defaults, a fork, a family that is fine-tuned otherwise."""
    families = list(read_questions(FOLDER)["family"].choices)
    more = yaml.safe_load((FOLDER / "prompt.yaml").read_text())["forks"]
    tuned = [row[0].split()[0] for row in ROWS[len(families) + len(more) :]]
    return [*({"family": one} for one in families), *more, *({"family": one, "stage": "finetune"} for one in tuned)]


def tenths() -> set[str]:
    """Return the families that the prompt has fine-tuned at a tenth of the rate."""
    (line,) = re.findall(r"^\|Fine-tuning \((.*): a tenth of the rate; others", PROMPT, re.MULTILINE)
    return set(line.split(", "))


def test_a_family_without_a_row_is_fine_tuned_as_it_is_trained() -> None:
    tuned = {answers["family"] for answers in forks() if answers.get("stage") == "finetune"}
    assert not tuned & tenths()
    for family in {*read_questions(FOLDER)["family"].choices} - tuned:
        before, after = recommended(family=family), recommended(family=family, stage="finetune")
        part = 0.1 if family in tenths() else 1
        assert before["optimizer"] == after["optimizer"]
        assert part * before["schedule"]["peak_value"] == pytest.approx(after["schedule"]["peak_value"])


@pytest.mark.parametrize(("answers", "row"), list(zip(forks(), ROWS, strict=True)))
def test_a_row_says_what_the_recommender_says(answers: dict[str, Any], row: list[str]) -> None:
    case, optimizer, rate, decay, clip, schedule, end, average = [*row, "-", "-"][:8]
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
    assert warmup(schedule, optimizer.startswith("lamb"), found) == found["schedule"]["warmup_steps"]
    assert value(average) == (found["ema"] or 0)
    if end != "-":
        assert float(end) == pytest.approx(found["schedule"]["end_value"] / found["schedule"]["peak_value"], abs=5e-3)
    elif found["schedule"]["name"] not in ("constant", "rsqrt", "none"):
        assert found["schedule"]["end_value"] == 0


def warmup(schedule: str, is_lamb: bool, found: dict[str, Any]) -> int:
    """Return the updates of a row's warmup for a run, by the prompt's words."""
    total, words = found["schedule"]["total_steps"], schedule.split()[1:]
    if not words:
        return 0
    part = {"%": total / 100, "epochs": total / (found["derived"]["passes"] or 100)}
    updates = float(words[0]) * part.get(words[-1], 1)
    return int(min(updates, said(rf"{'LAMB ' if is_lamb else 'at most '}([\d]+) %") / 100 * total))


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


def test_there_is_an_example() -> None:
    assert len(FENCES) == 1


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
    assert set(rates) == {*SCALED, "lamb", "lars", "adamw", "finetune"}
    rates["encoder-lm"] *= (said(r"sqrt\(([\de]+) / N\)") / 125e6) ** 0.5
    for family in SCALED:
        assert peak(family=family, batch_size=batch, steps=10_000) == pytest.approx(rates[family], rel=5e-3), family
    assert peak(family="cnn", stage="finetune", batch_size=batch) == pytest.approx(rates["finetune"], rel=5e-3)
    sgd = linear_batch({"examples_per_update": batch}, peak(family="cnn"), 256)
    assert peak(family="cnn", batch_size=batch) == max(sgd, said(r"linearly, sgd ([\d.]+) below 64"))


def test_the_other_rates_do_not_depend_on_the_batch() -> None:
    for family in {*read_questions(FOLDER)["family"].choices} - SCALED - {"cnn", "seq2seq"}:
        size = 4096 if recommended(family=family)["answers"]["batch_unit"] == "tokens" else 1
        assert len({peak(family=family, batch_size=size * batch) for batch in BATCHES[1:]}) == 1, family
    assert peak(family="encoder-lm", batch_size=32768, steps=7000) == pytest.approx(
        sqrt_batch({"examples_per_update": 32768}, *scaled()["lamb"]), rel=5e-3
    )
    rate, at, _ = scaled()["adamw"]
    assert peak(family="cnn", batch_size=2048, epochs=300) == linear_batch({"examples_per_update": 2048}, rate, at)
    assert peak(family="cnn", batch_size=16384) == sqrt_batch({"examples_per_update": 16384}, *scaled()["lars"])
    assert peak(family="seq2seq", batch_size=400_000) == pytest.approx(
        peak(family="seq2seq") * (400_000 / said(r"sqrt\(tokens / ([\de]+)\)")) ** 0.5, rel=5e-3
    )


def test_the_ends_in_prose_are_those_of_the_schedules() -> None:
    step = recommended(family="protein-structure")["schedule"]
    assert step["boundaries"] == [round(said(r"Step: once, after (\d+) %") / 100 * step["total_steps"])]
    cooled = recommended(family="vit", parameters="1B", batch_size=16384, steps="1M")["schedule"]
    assert cooled["cooldown_steps"] == said(r"Vit 1B: linear to 0 in the last (\d+) %\.") / 100 * cooled["total_steps"]
    assert cooled["end_value"] == 0


def adapters() -> dict[str, tuple[float, float, str, bool]]:
    """Return what the prompt says of adapters: rate, decay, schedule and whether it ends at 0, by family."""
    (line,) = re.findall(r"^Adapters: .*?; (.*)\. From 30B", PROMPT, re.MULTILINE)
    found = {}
    for part in line.split("; "):
        rate, decay, schedule, ends, families = re.findall(r"([\de-]+), decay ([\d.]+), (\w+)( to 0)?: (.*)", part)[0]
        for family in families.split(", "):
            found[family] = (float(rate), float(decay), schedule, bool(ends))
    return found


def test_adapters_in_prose_are_those_of_the_tables() -> None:
    known = adapters()
    for family in read_questions(FOLDER)["family"].choices:
        found = recommended(family=family, stage="adapter")
        schedule, optimizer = found["schedule"], found["optimizer"]
        rate, decay, name, ends = known.get(family, known["others"])
        assert (optimizer["name"], found["clip"]["max_norm"], found["ema"]) == ("adamw", 1, None)
        assert (schedule["peak_value"], optimizer["weight_decay"], schedule["name"]) == (rate, decay, name)
        assert ends == (schedule["end_value"] == 0)
    large = recommended(family="decoder-lm", stage="adapter", parameters="30B")
    assert large["schedule"]["peak_value"] == said(r"From 30B parameters all ([\de-]+)\.")


def test_continued_pretraining_in_prose_is_that_of_the_tables() -> None:
    found = recommended(family="decoder-lm", stage="finetune", tokens="10B")
    share = said(r"from 10B tokens: ([\d.]+) of")
    assert found["schedule"]["peak_value"] == pytest.approx(share * llm_peak_lr({"parameters": 7e9}), rel=5e-3)
    assert (found["schedule"]["name"], found["schedule"]["end_value"]) == ("linear", 0)
    assert found["optimizer"]["b2"] == said(r"linear 1 % to 0, b2 ([\d.]+\d), decay")
    assert found["optimizer"]["weight_decay"] == said(r"to 0, b2 [\d.]+, decay ([\d.]+\d)")
    assert found["schedule"]["warmup_steps"] == int(
        said(r"linear (\d+) % to 0, b2") / 100 * found["derived"]["updates"]
    )
    kept = recommended(family="decoder-lm", stage="finetune", tokens="10B", optimizer_state="kept")
    assert kept["schedule"]["warmup_steps"] == 0


def test_the_example_warns_of_nothing_that_the_recommender_does_not() -> None:
    answers = yaml.safe_load((FOLDER / "prompt.yaml").read_text())["example"]["answers"]
    assert ("Warnings:" in PROMPT) == bool(recommended(**answers)["warnings"])


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
        said(r"dense decoder: ([\d]+) tokens per parameter")
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


def nearest(complete: dict[str, Any]) -> list[str]:
    """Return the row that a reader takes: of the family and stage, the nearest in parameters and batch."""
    plain = len(forks()) - sum(answers.get("stage") == "finetune" for answers in forks())
    own = [row for row in ROWS[:plain] if row[0].split()[0] == complete["family"] and "dp-sgd" not in row[0]]
    tuned = [row for row in ROWS[plain:] if row[0].split()[0] == complete["family"]]
    fitting = tuned if complete["stage"] == "finetune" and tuned else own
    return min(fitting, key=lambda row: distance(row, complete))


def distance(row: list[str], complete: dict[str, Any]) -> float:
    parameters, batch = map(parse_size, re.findall(r"([\d.]+[kMB]?)@([\d.]+[kMB]?)", row[0])[0])
    return abs(math.log(parameters / complete["parameters"])) + abs(math.log(batch / complete["batch_size"]))


QUESTIONS: dict[str, list[Any]] = {
    "stage": ["from-scratch", "finetune"],
    "precision": ["float32", "bfloat16-compute", "bfloat16-params"],
    "horizon": ["fixed", "open"],
    "devices": [1, 8],
    "accumulation": [1, 4],
    "priority": ["default", "speed", "memory"],
    "privacy": ["none", "dp-sgd"],
    "tuning_trials": [0, 10],
    "library": ["pytree", "flax-nnx", "equinox"],
}
PAIRS = [
    {one: first, other: second}
    for one, other in itertools.combinations(QUESTIONS, 2)
    for first in QUESTIONS[one]
    for second in QUESTIONS[other]
]


@pytest.mark.slow
@pytest.mark.parametrize("family", read_questions(FOLDER)["family"].choices)
def test_a_reader_decides_as_the_tool_for_every_pair_of_answers(family: str) -> None:
    """By the nearest row and the sentences below the tables, at each family's usual sizes."""
    for answers in PAIRS:
        private = {"epsilon": 8, "dataset_size": 50_000} if answers.get("privacy") == "dp-sgd" else {}
        found = recommended(family=family, **answers, **private)
        wrong = differences(family, answers, found)
        assert not wrong, f"{answers}: {wrong}"


LANGUAGE = ("decoder-lm", "moe-lm", "encoder-lm", "seq2seq", "vision-language")


def differences(family: str, answers: dict[str, Any], found: dict[str, Any]) -> list[str]:
    """Return what the prompt leads to otherwise than the tool."""
    row = nearest(found["answers"])
    name, schedule = row[1].split()[0], row[5].split()[0]
    scratch, private = answers.get("stage") != "finetune", answers.get("privacy") == "dp-sgd"
    if private:
        name = "adam" if family in LANGUAGE else "contrib.dpsgd"
        return [] if found["optimizer"]["name"] == name else [f"{name}, not {found['optimizer']['name']}"]
    priority = answers.get("priority", "default")
    if priority == "speed" and name == "adamw":
        name = "contrib.muon" if scratch and family in ("decoder-lm", "moe-lm") else "nadamw"
    if priority == "memory" and family in (*LANGUAGE, "vit", "contrastive"):
        name = "adafactor"
    if answers.get("horizon") == "open" and schedule not in ("constant", "rsqrt", "wsd"):
        schedule = "wsd"
    wrong = [] if found["optimizer"]["name"] == name else [f"{name}, not {found['optimizer']['name']}"]
    if found["schedule"]["name"] != schedule:
        wrong.append(f"{schedule}, not {found['schedule']['name']}")
    rate = float(row[2]) if scratch or family not in tenths() else float(row[2]) / 10
    if priority == "default" and found["schedule"]["peak_value"] != pytest.approx(rate):
        wrong.append(f"{rate}, not {found['schedule']['peak_value']}")
    return wrong


@pytest.mark.parametrize("tokens", [4096, 16_384, 131_072, 524_288])
def test_the_second_moment_in_prose_is_the_decoders(tokens: int) -> None:
    share, at, most = (
        said(rf"1 - b2 = {part}")
        for part in (r"([\d.]+\d) sqrt", r"[\d.]+ sqrt\(tokens / (\d+)\)", r".*, at most ([\d.]+\d)")
    )
    b2 = recommended(family="decoder-lm", batch_size=tokens, batch_unit="tokens")["optimizer"]["b2"]
    assert 1 - b2 == pytest.approx(min(share * (tokens / at) ** 0.5, most), abs=5e-4)
