"""Recommendations: cited, computed, consistent, and the same when asked twice."""

import itertools
import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skillkit.configuration.format import validate
from skillkit.errors import BadInput
from skillkit.places import own_project
from skillkit.questionnaire.questions import decisions_folder, read_questions
from skillkit.reading import Document
from skillkit.recommender.recommending import Recommendation, recommend, recommend_for

FOLDER = decisions_folder(own_project(Path()))
QUESTIONNAIRE = read_questions(FOLDER)
FAMILIES = QUESTIONNAIRE["family"].choices
STAGES = QUESTIONNAIRE["stage"].choices

KEYS = {
    "answers",
    "assumed",
    "optimizer",
    "clip",
    "schedule",
    "ema",
    "accumulation",
    "memory",
    "reasons",
    "warnings",
    "tuning",
    "groups",
    "alternatives",
    "versions",
}

NUMBERS: dict[str, list[Any]] = {
    "parameters": [1, 5_000, 5e6, 25e6, 1e8, 5e8, 7e9, 7e10, 7e11],
    "batch_size": [1, 32, 128, 512, 2048, 8192, 65536, 4e6],
    "steps": [1, 2, 50, 5000, 1e6],
    "dataset_size": [1, 1000, 1e6, 1e12],
    "sequence_length": [1, 128, 4096],
    "devices": [1, 3, 64],
    "device_memory_gib": [0.5, 80],
    "accumulation": [1, 4],
    "epsilon": [0.1, 8],
    "tuning_trials": [0, 5, 15, 30, 100],
    "epochs": [0.5, 1, 90, 1000],
    "tokens": [1, 1e9, 1e13],
    "warmup_steps": [0, 1, 100],
    "active_parameters": [1, 1e9],
    "adapter_parameters": [1, 1e6],
}


def recommended(**answers: Any) -> Recommendation:
    return recommend([Document("test", answers, {})], FOLDER)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("stage", STAGES)
def test_every_family_and_stage_has_a_recommendation(family: str, stage: str) -> None:
    found = recommended(family=family, stage=stage)
    assert set(found) >= KEYS
    assert found["optimizer"]["name"]
    assert json.loads(json.dumps(found, allow_nan=False)) == found


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(
    "answers", [{"epochs": 3}, {"steps": 7}, {"tokens": 1e9}, {"batch_unit": "tokens"}, {"batch_unit": "sequences"}]
)
def test_any_answer_may_stand_alone_beside_the_family(family: str, answers: dict[str, Any]) -> None:
    assert_sound(recommended(family=family, **answers))


@pytest.mark.parametrize("family", FAMILIES)
def test_every_setting_has_a_reason_and_a_source(family: str) -> None:
    reasons = recommended(family=family)["reasons"]
    settings_ = {reason["setting"] for reason in reasons}
    assert {"optimizer", "peak_value", "weight_decay", "clip", "schedule", "ema", "groups", "total_steps"} <= settings_
    assert all(reason["because"] and reason["source"] for reason in reasons)


def test_asked_twice_the_answer_is_the_same_to_the_byte() -> None:
    answers = {"family": "decoder-lm", "issues": "nan, plateau", "horizon": "open", "tuning_trials": 30}
    assert json.dumps(recommended(**answers)) == json.dumps(recommended(**answers))


def test_what_was_not_answered_is_listed_as_assumed() -> None:
    found = recommended(family="cnn", batch_size=256, steps=1000)
    assert {"family", "batch_size", "steps"}.isdisjoint(found["assumed"])
    assert {"stage", "parameters", "batch_unit", "precision"} <= set(found["assumed"])


def test_epochs_become_updates() -> None:
    found = recommended(family="cnn", dataset_size=1001, epochs=10, batch_size=100)
    assert found["schedule"]["total_steps"] == 110


def test_tokens_become_updates() -> None:
    found = recommended(family="decoder-lm", batch_unit="sequences", batch_size=256, sequence_length=2048, tokens=1e9)
    assert found["schedule"]["total_steps"] == 1908


def test_a_small_batch_of_a_language_model_is_counted_in_sequences() -> None:
    found = recommended(family="decoder-lm", batch_size=32)
    assert found["answers"]["batch_unit"] == "sequences"
    assert "batch_unit" in found["assumed"]


def test_devices_do_not_change_the_rate() -> None:
    assert recommended(family="cnn", devices=64)["schedule"] == recommended(family="cnn", devices=1)["schedule"]


def test_accumulation_changes_neither_rate_nor_schedule() -> None:
    assert recommended(family="vit", accumulation=4)["schedule"] == recommended(family="vit")["schedule"]


def test_the_numbers_of_a_known_run() -> None:
    found = recommended(family="decoder-lm", parameters="124M", batch_size=491520, steps=600_000)
    optimizer = {name: found["optimizer"][name] for name in ("name", "b1", "b2", "weight_decay", "weight_decay_kind")}
    assert optimizer == {"name": "adamw", "b1": 0.9, "b2": 0.95, "weight_decay": 0.1, "weight_decay_kind": "decoupled"}
    assert found["clip"] == {"kind": "global_norm", "max_norm": 1.0}
    assert found["schedule"]["warmup_steps"] == 2000
    assert found["schedule"]["end_value"] == pytest.approx(found["schedule"]["peak_value"] / 10)


@pytest.mark.parametrize("family", ["decoder-lm", "moe-lm"])
def test_a_token_more_or_less_moves_b2_by_nothing(family: str) -> None:
    """The first batch is nanoGPT's for characters, whose file has 0.99."""
    b2 = [
        recommended(family=family, batch_unit="tokens", batch_size=size)["optimizer"]["b2"]
        for size in (16_384, 8192, 8193, 409_599, 409_600)
    ]
    assert b2[0] == 0.99
    assert b2[1] == b2[2] == 0.993
    assert b2[3] == b2[4] == 0.95


# runs beside the recipes, with what their files and papers say
RUNS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "nanoGPT for characters": (
        {"family": "decoder-lm", "parameters": "10.65M", "batch_unit": "tokens", "batch_size": 16_384, "steps": 5000},
        {"b1": 0.9, "b2": 0.99, "weight_decay": 0.1, "max_norm": 1.0},
    ),
    "open_clip on Conceptual Captions": (
        {"family": "contrastive", "parameters": "151M", "batch_size": 1024, "dataset_size": "2.9M", "epochs": 30},
        {"peak_value": 1e-3},
    ),
    "RoBERTa-large": (
        {"family": "encoder-lm", "parameters": "355M", "batch_size": 8192, "steps": 500_000},
        {"warmup_steps": 30_000, "b2": 0.98, "eps": 1e-6},
    ),
    "Whisper large, fine-tuned": (
        {"family": "speech", "stage": "finetune", "parameters": "1.55B", "steps": 5000},
        {"peak_value": 1e-5, "b2": 0.999, "max_norm": 1.0, "warmup_steps": 500, "name": "linear"},
    ),
    "wav2vec 2.0 large, fine-tuned": (
        {"family": "speech", "stage": "finetune", "parameters": "317M", "steps": 80_000},
        {"peak_value": 3e-5, "b2": 0.98},
    ),
    "an MLP on Fashion-MNIST": ({"family": "mlp", "parameters": 235_146, "batch_size": 128}, {"peak_value": 1e-3}),
    "a denoiser for a moment": ({"family": "diffusion", "steps": 900}, {"ema": 0.999}),
    "a denoiser": ({"family": "diffusion"}, {"ema": 0.9999}),
}


@pytest.mark.parametrize("run", RUNS)
def test_the_numbers_of_runs_beside_the_recipes(run: str) -> None:
    answers, expected = RUNS[run]
    found = recommended(**answers)
    known = found["optimizer"] | (found["clip"] or {}) | found["schedule"] | {"ema": found["ema"]}
    assert {name: known[name] for name in expected} == expected


def test_an_open_horizon_holds_the_peak() -> None:
    found = recommended(family="decoder-lm", horizon="open")
    assert found["schedule"]["name"] == "wsd"
    assert any(one["name"] == "contrib.schedule_free_adamw" for one in found["alternatives"])


def test_speed_splits_hidden_matrices_from_the_rest() -> None:
    (network,) = recommended(family="decoder-lm", priority="speed")["groups"]
    assert [(group["parameters"], group["optimizer"]["name"]) for group in network["groups"]] == [
        ("matrices", "contrib.muon"),
        ("rest", "adamw"),
    ]


def test_memory_trades_the_moments_and_keeps_the_decay_in_proportion() -> None:
    found = recommended(family="decoder-lm", priority="memory")
    decay = found["groups"][0]["groups"][0]["weight_decay"]
    assert found["optimizer"]["name"] == "adafactor"
    assert decay["kind"] == "per_step"
    assert decay["value"] == pytest.approx(0.1 * found["schedule"]["peak_value"], rel=1e-2)
    assert found["optimizer"]["weight_decay"] == pytest.approx(0.1, rel=1e-2)


def test_privacy_clips_each_example_and_nothing_after() -> None:
    found = recommended(family="cnn", privacy="dp-sgd", dataset_size=50_000, batch_size=4096, steps=725, epsilon=1)
    assert found["optimizer"]["name"] == "contrib.dpsgd"
    assert found["clip"] == {"kind": "per_example", "max_norm": 1.0}
    assert [network["clip"] for network in found["groups"]] == [None]
    assert 7 < found["configuration"]["privacy"]["noise_multiplier"] < 11


def test_a_physics_informed_run_ends_at_zero_whatever_comes_after() -> None:
    found = recommended(family="pinn", parameters=1200, steps=3000)
    assert found["schedule"] == found["schedule"] | {"name": "cosine", "peak_value": 0.01, "end_value": 0.0}
    needed = [one["because"] for one in found["reasons"] if "L-BFGS's line search ends the run" in one["because"]]
    assert needed == []
    long = recommended(family="pinn", steps="1M")["schedule"]
    assert (long["name"], long["peak_value"]) == ("exponential", 1e-3)


def test_adapters_freeze_the_rest() -> None:
    (network,) = recommended(family="decoder-lm", stage="adapter", parameters="7B")["groups"]
    assert [(group["parameters"], group["optimizer"]["name"]) for group in network["groups"]] == [
        ("adapters", "adamw"),
        ("frozen", "set_to_zero"),
    ]


def test_several_networks_have_optimizers_of_their_own() -> None:
    assert [network["name"] for network in recommended(family="gan")["groups"]] == ["generator", "discriminator"]
    sac = recommended(family="rl-off-policy")["groups"]
    assert [network["name"] for network in sac] == ["actor", "critic", "temperature"]
    assert [network["groups"][0]["schedule"]["peak_value"] for network in sac] == [3e-4, 1e-3, 3e-4]


def test_embedding_tables_and_dense_layers_are_apart() -> None:
    (network,) = recommended(family="recommender")["groups"]
    assert [group["optimizer"]["name"] for group in network["groups"]] == ["adagrad", "adam"]


def test_a_full_batch_gaussian_process_takes_a_line_search() -> None:
    found = recommended(family="gaussian-process", parameters=20, dataset_size=500, batch_size=500)
    assert found["optimizer"]["name"] == "lbfgs"
    assert found["schedule"]["peak_value"] is None
    assert found["clip"] is None


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ({"steps": 100, "warmup_steps": 100}, "a warmup of 100 updates is not shorter than the run of 100"),
        ({"stage": "adapter", "adapter_parameters": "1T"}, "must be at most the 25,000,000 parameters"),
    ],
)
def test_contradictions_are_refused(answers: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput) as error:
        recommended(family="cnn", **answers)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ({"family": "decoder-lm", "parameters": "1B", "tokens": "1B"}, "tokens per parameter"),
        ({"family": "seq2seq", "dataset_size": "1M"}, "alone sets no length of training"),
        ({"family": "decoder-lm", "parameters": "7B", "device_memory_gib": 16}, "GiB per device"),
        ({"family": "cnn", "devices": 3}, "not divisible by 3"),
        ({"family": "cnn", "accumulation": 2}, "MultiSteps advances the schedule once per update"),
        ({"family": "cnn", "precision": "float16"}, "loss scaling"),
        ({"family": "cnn", "precision": "bfloat16-params"}, "float32 master"),
        ({"family": "neural-ode", "precision": "bfloat16-compute"}, "float64"),
        ({"family": "cnn", "privacy": "dp-sgd"}, "Poisson sampling"),
        ({"family": "cnn", "privacy": "dp-sgd"}, "Keep secret the key"),
        ({"family": "encoder-lm", "steps": 1000}, "nearly off"),
        ({"family": "vit", "steps": "10M"}, "leave no trace"),
        ({"family": "vit", "steps": 1000, "warmup_steps": 500}, "more than 30 %"),
    ],
)
def test_the_unusual_is_warned_of(answers: dict[str, Any], words: str) -> None:
    assert any(words in text for text in recommended(**answers)["warnings"])


def test_the_usual_is_not_warned_of() -> None:
    assert recommended(family="decoder-lm", parameters="124M", batch_size=491520, steps=600_000)["warnings"][1:] == []


@pytest.mark.parametrize(("trials", "count"), [(0, 0), (5, 1), (15, 3), (30, 5), (100, 6)])
def test_the_search_grows_with_the_trials(trials: int, count: int) -> None:
    found = recommended(family="vit", tuning_trials=trials)["tuning"]["parameters"]
    assert len(found) == count
    assert all(one["low"] < one["high"] for one in found)


def combinations() -> list[dict[str, Any]]:
    """Return answers in which every pair of two questions' values occurs, by a greedy cover."""
    domains: dict[str, list[Any]] = {
        question.id: list(question.choices) or [[], *([word] for word in question.several)]
        for question in QUESTIONNAIRE.questions
        if question.choices or question.several
    }
    domains |= {name: NUMBERS[name] for name in ("parameters", "batch_size", "steps", "accumulation", "tuning_trials")}
    names, rng = list(domains), random.Random(0)
    missing = {
        (one, i, other, j)
        for one, other in itertools.combinations(names, 2)
        for i in range(len(domains[one]))
        for j in range(len(domains[other]))
    }
    rows = []
    while missing:
        one, i, other, j = next(iter(sorted(missing)[:1]))
        best: dict[str, int] = {}
        gain = -1
        for _ in range(10):
            row = {name: rng.randrange(len(domains[name])) for name in names} | {one: i, other: j}
            covered = sum((a, row[a], b, row[b]) in missing for a, b in itertools.combinations(names, 2))
            best, gain = (row, covered) if covered > gain else (best, gain)
        missing -= {(a, best[a], b, best[b]) for a, b in itertools.combinations(names, 2)}
        rows.append({name: domains[name][index] for name, index in best.items()} | {"sequence_length": 128})
    return rows


def assert_sound(found: Recommendation) -> None:
    for configuration in (found["configuration"], *(one["configuration"] for one in found["alternatives"])):
        validate(configuration)
    for network in found["configuration"]["networks"]:
        for group in network["groups"]:
            schedule = group["schedule"]
            if schedule["name"] != "none":
                assert schedule["total_steps"] == found["derived"]["updates"]
                assert 0 <= schedule["warmup_steps"] < schedule["total_steps"]
                assert 0 <= schedule["end_value"] <= schedule["peak_value"] < 100
    json.dumps(found, allow_nan=False)


def test_every_pair_of_answers_is_sound() -> None:
    rows = combinations()
    assert len(rows) >= 25 * 9  # each family with each of the sizes
    for answers in rows:
        assert_sound(recommend_for(clean(answers), FOLDER))


def clean(answers: dict[str, Any]) -> dict[str, Any]:
    return {one.id: one.understand(answers[one.id]) for one in QUESTIONNAIRE.questions if one.id in answers}


OPTIONAL: dict[str, st.SearchStrategy[Any]] = {
    **{one.id: st.sampled_from(one.choices) for one in QUESTIONNAIRE.questions if one.choices and one.id != "family"},
    **{name: st.sampled_from(values) | st.floats(1, 1e9).map(int) for name, values in NUMBERS.items()},
    "issues": st.lists(st.sampled_from(QUESTIONNAIRE["issues"].several)),
}
FAMILY: dict[str, st.SearchStrategy[Any]] = {"family": st.sampled_from(FAMILIES)}
ANSWERS = st.fixed_dictionaries(FAMILY, optional=OPTIONAL)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(ANSWERS)
def test_any_answers_give_a_sound_recommendation_or_are_refused(answers: dict[str, Any]) -> None:
    try:
        found = recommended(**answers)
    except BadInput:  # its message is tested where contradictions are
        return
    assert_sound(found)


@pytest.mark.parametrize("answers", combinations()[::40])
def test_some_combinations_build_and_step(answers: dict[str, Any]) -> None:
    """All pairs are stepped by `benchmarks/combinations.py`."""
    from skillkit.configuration.trying import try_configuration

    trials = try_configuration(recommend_for(clean(answers), FOLDER)["configuration"])
    assert all(trial.finite for trial in trials), trials


def test_a_number_beyond_all_known_runs_is_warned_of() -> None:
    found = recommended(family="cnn", steps="300B")
    assert "300B steps are more than any known run has: tokens or examples perhaps." in found["warnings"]
    assert not any("known run" in text for text in recommended(family="decoder-lm", tokens="15T")["warnings"])
