"""Samples of private training: what the noise is computed for, in the scripts and in what is said."""

import math
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from skillkit.configuration.format import read_configuration
from skillkit.configuration.scripts import script
from skillkit.places import own_project
from skillkit.questionnaire.questions import decisions_folder
from skillkit.reading import Document
from skillkit.recommender.recommending import Recommendation, recommend

FOLDER = decisions_folder(own_project(Path()))
PRIVATE = read_configuration(Path(__file__).parent / "configurations" / "private.yaml")


def recommended(**answers: Any) -> Recommendation:
    return recommend([Document("test", answers, {})], FOLDER)


def defined(end: str = "def main", **changes: Any) -> dict[str, Any]:
    known: dict[str, Any] = {}
    exec(script({"configuration": PRIVATE | changes}).partition(end)[0], known)
    return known


@pytest.mark.parametrize("every", [1, 4])
def test_each_example_is_drawn_by_itself_and_one_sample_for_each_update(every: int) -> None:
    known, sizes = defined("# ---- training", accumulation=every), []
    samples = known["samples"]()
    for _ in range(40):
        parts = [next(samples) for _ in range(every)]
        drawn = np.concatenate([np.asarray(index)[np.asarray(weights)] for index, weights in parts])
        assert len(set(drawn.tolist())) == len(drawn)
        assert all(len(index) == known["PLACES"] // every for index, _ in parts)
        sizes.append(len(drawn))
    assert abs(np.mean(sizes) - known["EXPECTED"]) < 5 * math.sqrt(known["EXPECTED"] / 40)
    assert len(set(sizes)) > 5  # a sample has no size of its own


def test_two_runs_draw_different_samples() -> None:
    known = defined("# ---- training")
    first, second = (next(known["samples"]())[0].tolist() for _ in range(2))
    assert first != second


def test_examples_that_were_not_drawn_have_no_part() -> None:
    grads = {"kernel": jnp.ones((3, 2, 2)), "bias": jnp.ones((3,))}
    weighed = defined()["weigh"](grads, jnp.array([True, False, True]))
    assert weighed["kernel"][:, 0, 0].tolist() == weighed["bias"].tolist() == [1, 0, 1]


def test_the_rate_is_that_of_the_mean_over_expected_examples() -> None:
    """Without noise, and with every place but half empty, a step of SGD is the rate times the examples' mean."""
    known = defined(accumulation=1, privacy={"l2_norm_clip": 1e6, "noise_multiplier": 1e-12})
    places, expected = known["PLACES"], known["EXPECTED"]
    grads = jnp.where(jnp.arange(places) < expected, 1.0, 0.0)
    params = jnp.zeros(())
    updates, _ = known["optimizer"].update(grads, known["optimizer"].init(params), params)
    assert float(updates) == pytest.approx(-float(known["learning_rate"](0)), rel=1e-5)


def test_networks_that_see_the_same_examples_share_the_budget() -> None:
    private = {"privacy": "dp-sgd", "dataset_size": 70_000, "batch_size": 64, "steps": 10_000}
    one, two = (recommended(family=family, **private) for family in ("cnn", "gan"))
    noise = [found["configuration"]["privacy"]["noise_multiplier"] for found in (one, two)]
    assert noise[1] / noise[0] == pytest.approx(math.sqrt(2), rel=0.01)
    (reason,) = [reason["because"] for reason in two["reasons"] if reason["setting"] == "noise_multiplier"]
    assert "shared by 2 networks" in reason


def test_what_the_promise_rests_on_is_said() -> None:
    private = {"family": "cnn", "privacy": "dp-sgd"}
    known = recommended(**private, dataset_size=100_000, steps=300)["warnings"]
    assert not any("Nobody said" in text for text in known)
    assert any("kept for 1,281,167 and more" in text for text in recommended(**private)["warnings"])
    assert any("kept for 25,600 and more" in text for text in recommended(**private, steps=300)["warnings"])
    tuned = recommended(**private, tuning_trials=5)["warnings"]
    assert any("budget of its own" in text for text in tuned)


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ({"family": "vit"}, True),
        ({"family": "contrastive"}, False),
        ({"family": "cnn", "privacy": "dp-sgd"}, False),
    ],
)
def test_a_smaller_batch_is_advised_only_where_it_does(answers: dict[str, Any], said: bool) -> None:
    texts = recommended(**answers, accumulation=4, batch_size=1024)["warnings"]
    assert any("Accumulation on one device" in text for text in texts)
    assert any("a smaller batch and rate do as well" in text for text in texts) is said


@pytest.mark.parametrize("name", ["gan", "sac"])
def test_several_private_networks_train(name: str) -> None:
    networks = read_configuration(Path(__file__).parent / "configurations" / f"{name}.yaml")["networks"]
    plain = [{**one, "clip": None} for one in networks]
    known = defined(networks=plain, ema=None)
    state, batches = known["new_state"](jax.random.key(0)), known["batches"]()
    state, metrics = known["train_step"](state, next(batches))
    assert all(map(jnp.isfinite, metrics.values()))
