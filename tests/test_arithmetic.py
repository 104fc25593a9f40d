"""The rules by which numbers follow from answers."""

import doctest
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillkit.places import own_project
from skillkit.questionnaire.questions import decisions_folder
from skillkit.recommender import arithmetic
from skillkit.recommender.arithmetic import (
    RULES,
    adam_b2,
    decay_timescale,
    evaluate,
    half_life_tokens,
    linear_batch,
    llm_peak_lr,
    sqrt_batch,
    updates_from_epochs,
    updates_from_tokens,
    warmup_updates,
)
from skillkit.recommender.decisions import read_tables

# nanoGPT, GPT-3 125M, Pythia 160M, Llama 7B and 65B, Llama 2 7B and 70B
PUBLISHED = [(124e6, 6e-4), (125e6, 6e-4), (162e6, 6e-4), (6.7e9, 3e-4), (65.2e9, 1.5e-4), (7e9, 3e-4), (70e9, 1.5e-4)]
# arXiv:2005.14165, table 2.1
GPT3 = [(350e6, 3e-4), (760e6, 2.5e-4), (1.3e9, 2e-4), (2.7e9, 1.6e-4), (6.7e9, 1.2e-4), (13e9, 1e-4), (175e9, 0.6e-4)]


def test_the_examples_hold() -> None:
    found = doctest.testmod(arithmetic)
    assert found.attempted > 10
    assert found.failed == 0


@pytest.mark.parametrize(("parameters", "rate"), PUBLISHED)
def test_the_fitted_rate_is_near_the_published(parameters: float, rate: float) -> None:
    assert 0.89 <= round(llm_peak_lr({"parameters": parameters}) / rate, 2) <= 1.14
    said = "within 0.89 and 1.14 of nanoGPT 124M"
    assert said in read_tables(decisions_folder(own_project(Path())), "decoder-lm")["rate"][-1]["because"]


def test_larger_models_of_one_ladder_took_less_as_is_said() -> None:
    shares = [rate / llm_peak_lr({"parameters": parameters}) for parameters, rate in GPT3]
    assert (round(min(shares), 2), round(max(shares), 2)) == (0.42, 0.62)


def test_the_fitted_rate_is_capped_where_it_was_found_too_high() -> None:
    assert llm_peak_lr({"parameters": 405e9}) == 1e-4


def test_experts_count_by_what_a_token_uses() -> None:
    sparse = {"parameters": 671e9, "active_parameters": 37e9}
    assert llm_peak_lr(sparse) == llm_peak_lr({"parameters": 37e9})


def test_adam_scales_by_the_root_and_sgd_linearly() -> None:
    facts = {"examples_per_update": 1024}
    assert sqrt_batch(facts, reference=1e-3, batch=256) == 2e-3
    assert linear_batch(facts, reference=0.1, batch=256) == 0.4


@pytest.mark.parametrize(("batch", "factor"), [(1, 1 / 4), (10**9, 4)])
def test_adam_is_not_extrapolated(batch: int, factor: float) -> None:
    assert sqrt_batch({"examples_per_update": batch}, reference=1e-3, batch=256) == pytest.approx(1e-3 * factor)


def test_sgd_is_not_extrapolated_beyond_the_evidence() -> None:
    rates = [linear_batch({"examples_per_update": batch}, reference=0.1, batch=256) for batch in (8192, 65536)]
    assert rates == [3.2, 3.2]


def test_the_last_incomplete_batch_is_an_update() -> None:
    assert updates_from_epochs(dataset_size=1001, epochs=2, batch_size=100) == 22
    assert updates_from_tokens(tokens=1001, tokens_per_update=100) == 11


@given(st.integers(1, 10**7), st.integers(1, 10**4), st.floats(0, 10))
def test_a_warmup_is_shorter_than_the_run(updates: int, steps: int, fraction: float) -> None:
    facts = {"updates": updates, "updates_per_epoch": None}
    for warmup in ({"steps": steps}, {"fraction": fraction}, {"epochs": fraction}):
        assert 0 <= warmup_updates(warmup, facts) < updates


def test_a_warmup_in_epochs_is_exact() -> None:
    assert warmup_updates({"epochs": 5}, {"updates": 9000, "updates_per_epoch": 100}) == 500


def test_half_life_is_kept_over_batches() -> None:
    b2_at_double_batch = 0.95**2
    assert half_life_tokens(0.95, 1000) == pytest.approx(half_life_tokens(b2_at_double_batch, 2000))


@pytest.mark.parametrize(
    ("tokens", "b2"), [(16_384, 0.99), (491_520, 0.95), (4_194_304, 0.95), (None, 0.95), (1, 0.999)]
)
def test_a_second_moment_is_longer_for_smaller_batches(tokens: int | None, b2: float) -> None:
    """The first three are nanoGPT's two files and Llama's."""
    assert adam_b2({"tokens_per_update": tokens}, tokens=409_600) == pytest.approx(b2)


@given(st.floats(1, 1e8), st.floats(1, 1.1))
def test_a_second_moment_has_no_step(tokens: float, factor: float) -> None:
    near, far = (1 - adam_b2({"tokens_per_update": size}, tokens=409_600) for size in (tokens, tokens * factor))
    assert near <= far * (1 + 1e-9)
    assert far <= near * factor**0.5 * (1 + 1e-9)


def test_an_argument_may_name_a_rule() -> None:
    value = {"name": "adamw", "b2": {"rule": "adam_b2", "tokens": "409.6k"}}
    assert evaluate(value, {"tokens_per_update": 16_384}) == {"name": "adamw", "b2": 0.99}


def test_a_weight_decays_to_a_third_within_the_timescale() -> None:
    rate, decay, updates = 1e-3, 0.1, 50_000
    share = decay_timescale(rate, decay, updates)
    assert (1 - rate * decay) ** (share * updates) == pytest.approx(math.exp(-1), rel=1e-3)


def test_a_rule_takes_sizes_and_gives_three_digits() -> None:
    value = {"rule": "sqrt_size", "reference": 1e-3, "parameters": "110M"}
    assert evaluate(value, {"parameters": 330e6}) == 5.77e-4


@pytest.mark.parametrize("value", [None, 0.1, "adamw", {"name": "adamw"}, [1]])
def test_what_names_no_rule_is_itself(value: object) -> None:
    assert evaluate(value, {}) == value


def test_every_rule_says_where_it_comes_from_or_shows_an_example() -> None:
    assert all("Example:" in (rule.__doc__ or "") for rule in RULES.values())
