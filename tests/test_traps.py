"""Each trap twice: what goes wrong silently, and that what skillkit builds does not."""

from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import optax
import pytest

from skillkit.configuration import building, expressions, supplements, transformations
from skillkit.configuration.format import read_configuration, validate
from skillkit.errors import BadInput

FOLDER = Path(__file__).parent / "configurations"
KERNEL = {"kernel": jnp.full((2, 2), 2.0), "bias": jnp.full((2,), 2.0)}
ZEROS = jax.tree.map(jnp.zeros_like, KERNEL)
ONES = jax.tree.map(jnp.ones_like, KERNEL)


def configured(name: str, **changes: Any) -> dict[str, Any]:
    """Return a saved configuration, its only group changed, with a learning rate of 0.1 throughout."""
    found = read_configuration(FOLDER / f"{name}.yaml") | {"accumulation": changes.pop("accumulation", 1)}
    rate = {"name": "constant", "peak_value": 0.1, "warmup_steps": 0, "total_steps": 20}
    found["precision"] = changes.pop("precision", "float32")
    for group in found["networks"][0]["groups"]:
        group |= {"schedule": rate if group["schedule"]["name"] != "none" else group["schedule"]} | changes
    return validate(found)


def built(name: str, **changes: Any) -> optax.GradientTransformation:
    return next(iter(building.build(configured(name, **changes)).values()))


def moved(optimizer: Any, gradients: list[Any], params: Any = KERNEL) -> Any:
    """Return the parameters after an update for each gradient."""
    opt_state = optimizer.init(params)
    for gradient in gradients:
        updates, opt_state = optimizer.update(gradient, opt_state, params)
        params = optax.apply_updates(params, updates)
    return params


def test_injected_callable_mask_switches_decay_off() -> None:
    mask = supplements.decay_matrices
    trap = optax.inject_hyperparams(optax.adamw)(learning_rate=0.1, weight_decay=0.1, mask=mask)
    assert moved(trap, [ZEROS])["kernel"][0, 0] == 2.0  # the mask was called as if it were a schedule
    ours = moved(built("adamw"), [ZEROS])
    assert ours["kernel"][0, 0] == pytest.approx(2.0 - 0.1 * 0.1 * 2.0)
    assert ours["bias"][0] == 2.0


def test_half_precision_hyperparameters_round_b2_to_one() -> None:
    half = optax.tree.cast(KERNEL, jnp.bfloat16)
    trap = optax.inject_hyperparams(optax.adam)(learning_rate=0.1, b2=0.999)
    assert jnp.isnan(moved(trap, [jax.tree.map(jnp.ones_like, half)], half)["kernel"]).all()
    ours = moved(built("bfloat16", precision="bfloat16-params"), [jax.tree.map(jnp.ones_like, half)], half)
    assert jnp.isfinite(ours["kernel"]).all()
    assert ours["kernel"][0, 0] < 2.0


def test_bfloat16_parameters_do_not_move() -> None:
    half = {"kernel": jnp.ones((2, 2), jnp.bfloat16)}
    gradients = [jax.tree.map(jnp.ones_like, half)] * 20
    rate = {"name": "constant", "peak_value": 1e-3, "warmup_steps": 0, "total_steps": 20}
    assert moved(optax.adam(1e-3), gradients, half)["kernel"][0, 0] == 1.0
    ours = moved(built("bfloat16", precision="bfloat16-params", schedule=rate), gradients, half)
    assert float(ours["kernel"][0, 0]) == pytest.approx(0.98, abs=2**-8)  # half a step of bfloat16


def test_nan_stays_in_an_accumulator() -> None:
    bad = [ONES, jax.tree.map(lambda leaf: leaf * jnp.nan, ONES)]
    trap = optax.MultiSteps(optax.sgd(0.1), every_k_schedule=2).gradient_transformation()
    assert jnp.isnan(moved(trap, [*bad, ONES, ONES])["kernel"]).all()
    for name in ("adamw", "muon"):  # Optax's accumulator and ours
        ours = moved(built(name, accumulation=2), [*bad, ONES, ONES, ONES])
        assert jnp.isfinite(ours["kernel"]).all()
        assert ours["kernel"][0, 0] < 2.0


def test_accumulation_runs_muon_once_for_an_update() -> None:
    ran: list[int] = []

    def update(updates: Any, state: Any, params: Any = None) -> Any:
        del params
        jax.debug.callback(lambda: ran.append(1))
        return updates, state

    counting = optax.GradientTransformation(lambda _: optax.EmptyState(), update)
    moved(optax.MultiSteps(counting, every_k_schedule=4), [ONES] * 8)
    jax.effects_barrier()
    assert len(ran) == 8
    ran.clear()
    moved(supplements.accumulate(counting, every=4), [ONES] * 8)
    jax.effects_barrier()
    assert len(ran) == 2
    text = expressions.source(transformations.transformations(read_configuration(FOLDER / "muon.yaml"))[0].optimizer)
    assert "accumulate(" in text
    assert "MultiSteps" not in text


def test_decay_before_adam_is_rescaled() -> None:
    trap = optax.chain(optax.add_decayed_weights(0.1), optax.adam(0.1))
    assert moved(trap, [ZEROS])["kernel"][0, 0] == pytest.approx(1.9, abs=1e-4)  # whatever the decay is
    with pytest.raises(BadInput, match=r"optax\.adamw cannot decay weights l2"):
        built("adamw", weight_decay={"value": 0.1, "kind": "l2", "mask": "all"})
    with pytest.raises(BadInput, match=r"optax\.adam cannot decay weights decoupled"):
        built("adam_l2", weight_decay={"value": 0.1, "kind": "decoupled", "mask": "all"})


def test_muon_orthogonalises_embeddings() -> None:
    params = {"embedding": {"table": jnp.ones((4, 2))}, "hidden": {"kernel": jnp.ones((4, 2))}}
    grads = jax.tree.map(lambda leaf: jnp.ones_like(leaf).at[0, 0].set(5.0), params)

    def update_of(optimizer: Any) -> Any:
        return optimizer.update(grads, optimizer.init(params), params)[0]["embedding"]["table"]

    trap = update_of(optax.contrib.muon(0.1))
    adam = update_of(optax.adamw(0.1, b2=0.95, weight_decay=0.0))
    ours = update_of(built("muon", weight_decay=None))
    assert not jnp.allclose(trap, adam)
    assert jnp.allclose(ours, adam)


def test_muon_sends_attention_kernels_to_adam() -> None:
    params = {"query": {"kernel": jax.random.normal(jax.random.key(0), (4, 2, 3)).at[0].multiply(5.0)}}
    adam = moved(optax.nadamw(0.1, weight_decay=0.0), [params], params)
    assert jnp.allclose(moved(optax.contrib.muon(0.1), [params], params)["query"]["kernel"], adam["query"]["kernel"])
    ours = moved(built("muon", weight_decay=None), [params], params)["query"]["kernel"]
    update = ((ours - params["query"]["kernel"]) / 0.1).reshape(4, 6)
    values = jnp.linalg.svd(update, compute_uv=False)
    assert values.max() / values.min() < 3  # nearly orthogonal, as a matrix of (model, heads * features)
    before = jnp.linalg.svd(params["query"]["kernel"].reshape(4, 6), compute_uv=False)
    assert before.max() / before.min() > 3


def test_apply_if_finite_applies_what_is_not_finite_in_the_end() -> None:
    nan = jax.tree.map(lambda leaf: leaf * jnp.nan, ONES)
    trap = optax.apply_if_finite(optax.sgd(0.1), max_consecutive_errors=2)
    assert jnp.isfinite(moved(trap, [nan] * 2)["kernel"]).all()
    assert jnp.isnan(moved(trap, [nan] * 3)["kernel"]).all()
    ours = moved(built("float16", precision="float16"), [nan] * 9 + [ONES])
    assert jnp.isfinite(ours["kernel"]).all()
    assert ours["kernel"][0, 0] < 2.0


def test_prodigy_never_recovers_from_a_zero_gradient() -> None:
    assert jnp.isnan(moved(optax.contrib.prodigy(), [ZEROS, ONES, ONES])["kernel"]).all()
    ours = moved(built("prodigy"), [ZEROS, ONES, ONES])
    assert jnp.isfinite(ours["kernel"]).all()
    assert ours["kernel"][0, 0] < 2.0


def test_masking_to_freeze_moves_uphill() -> None:
    params = {"lora_a": jnp.ones((2, 2)), "kernel": jnp.ones((2, 2))}
    grads = jax.tree.map(jnp.ones_like, params)
    trap = optax.masked(optax.sgd(0.1), {"lora_a": True, "kernel": False})
    assert moved(trap, [grads], params)["kernel"][0, 0] == 2.0
    ours = moved(built("adapters", weight_decay=None, accumulation=1), [grads], params)
    assert ours["kernel"][0, 0] == 1.0
    assert ours["lora_a"][0, 0] < 1.0


def test_gradients_of_frozen_parameters_would_clip_the_others() -> None:
    params = {"lora_a": jnp.ones((2, 2)), "kernel": jnp.ones((2, 2))}
    grads = {"lora_a": jnp.full((2, 2), 3.0), "kernel": jnp.full((2, 2), 1e6)}
    transforms = {"adapters": optax.sgd(1.0), "frozen": optax.set_to_zero()}
    labels = {"lora_a": "adapters", "kernel": "frozen"}
    trap = optax.chain(optax.clip_by_global_norm(1.0), optax.partition(transforms, labels))
    assert moved(trap, [grads], params)["lora_a"][0, 0] > 0.9999
    sgd = transformations.transformation(
        {}, {"name": "model", "clip": {"kind": "global_norm", "max_norm": 1.0}, "groups": SGD_ADAPTERS}
    )
    rates = {name: building.evaluate(call, {}) for name, call in sgd.schedules.items()}
    ours = moved(building.evaluate(sgd.optimizer, rates), [grads], params)
    assert ours["lora_a"][0, 0] == pytest.approx(0.5)  # clipped to the norm 1 by itself


RATE = {"name": "constant", "peak_value": 1.0, "warmup_steps": 0, "total_steps": 10}
SGD_ADAPTERS: list[Any] = [
    {"parameters": "adapters", "optimizer": {"name": "sgd"}, "schedule": RATE},
    {"parameters": "frozen", "optimizer": {"name": "set_to_zero"}, "schedule": {"name": "none"}},
]


def test_defaults_decay_where_nobody_asked() -> None:
    for name in ("adamw", "lion", "nadamw"):
        trap = getattr(optax, name)(0.1)
        assert moved(trap, [ZEROS])["kernel"][0, 0] < 2.0
        assert moved(built(name, weight_decay=None), [ZEROS])["kernel"][0, 0] == 2.0


def test_schedule_free_adamw_decays_norms() -> None:
    params = {"norm": {"scale": jnp.full((2,), 2.0)}, "kernel": jnp.full((2, 2), 2.0)}
    zeros = jax.tree.map(jnp.zeros_like, params)
    trap = moved(optax.contrib.schedule_free_adamw(0.1, weight_decay=0.1), [zeros] * 3, params)
    assert trap["norm"]["scale"][0] < 2.0
    ours = moved(built("schedule_free"), [zeros] * 3, params)
    assert ours["norm"]["scale"][0] == 2.0
    assert ours["kernel"][0, 0] == trap["kernel"][0, 0] < 2.0


def test_biases_of_rank_three_are_no_matrices() -> None:
    params = {"conv": {"weight": jnp.ones((4, 2, 3, 3)), "bias": jnp.ones((4, 1, 1))}}
    by_rank = jax.tree.map(lambda leaf: leaf.ndim >= 2, params)
    assert by_rank["conv"]["bias"]
    assert supplements.decay_matrices(params) == {"conv": {"weight": True, "bias": False}}


def test_noise_for_privacy_is_whole_over_the_micro_batches() -> None:
    params = {"kernel": jnp.zeros((100, 100))}
    zeros = {"kernel": jnp.zeros((8, 100, 100))}  # eight examples
    for every in (1, 4):
        configuration = configured("private", accumulation=every)
        (optimizer,) = building.build(configuration).values()
        after = moved(optimizer, [zeros] * every, params)["kernel"]
        wanted = 0.1 * configuration["privacy"]["noise_multiplier"] / (8 * every)
        assert float(after.std()) == pytest.approx(wanted, rel=0.03)


def test_multi_steps_counts_updates() -> None:
    schedule = {"name": "linear", "init_value": 0.0, "peak_value": 1.0, "warmup_steps": 2, "total_steps": 10}
    trap = optax.sgd(optax.linear_schedule(0.0, 1.0, 2))  # called for every micro-batch it warms up too fast
    assert moved(trap, [ONES] * 4)["kernel"][0, 0] == 2.0 - (0.0 + 0.5 + 1.0 + 1.0)
    ours = moved(built("sgd_plain", accumulation=2, schedule=schedule), [ONES] * 4)
    assert ours["kernel"][0, 0] == 2.0 - (0.0 + 0.5)


def test_warmup_cannot_outlast_training() -> None:
    with pytest.raises(ValueError, match="positive decay_steps"):
        optax.warmup_cosine_decay_schedule(0.0, 1.0, warmup_steps=10, decay_steps=10)
    with pytest.raises(BadInput, match="warmup takes 10 of 10 updates"):
        built("sgd_plain", schedule={"name": "cosine", "peak_value": 1.0, "warmup_steps": 10, "total_steps": 10})
