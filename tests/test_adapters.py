"""Adapters: their gradients, guards and accumulators are theirs alone, and the base stays as it is."""

from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from skillkit.configuration import building, scripts, supplements
from skillkit.configuration.format import read_configuration
from skillkit.configuration.trying import try_configuration

FOLDER = Path(__file__).parent / "configurations"
ADAPTERS = read_configuration(FOLDER / "adapters.yaml")
PRIVATE = {"l2_norm_clip": 1.0, "noise_multiplier": 1.0}
LIBRARIES = ("pytree", "flax-linen", "flax-nnx", "equinox")
SLOW = [pytest.param(library, marks=[] if library == "pytree" else pytest.mark.slow) for library in LIBRARIES]
WIDTH = 1024


def defined(library: str, **changes: Any) -> dict[str, Any]:
    text = scripts.script({"configuration": ADAPTERS | {"library": library} | changes})
    known: dict[str, Any] = {}
    exec(text.partition("def main")[0].replace("VOCABULARY, WIDTH = 64, 32", f"VOCABULARY, WIDTH = 64, {WIDTH}"), known)
    return known


def state_and_batch(known: dict[str, Any], library: str) -> tuple[Any, Any]:
    state = known["new_state"]() if library == "flax-nnx" else known["new_state"](jax.random.key(0))
    return state, next(known["batches"]())


@pytest.mark.parametrize("changes", [{}, {"accumulation": 2}], ids=str)
@pytest.mark.parametrize("library", SLOW)
def test_a_step_computes_no_gradient_of_the_base(library: str, changes: dict[str, Any]) -> None:
    """That of the (WIDTH, WIDTH) kernel would be as large as this, and an accumulator too."""
    known = defined(library, **changes)
    compiled = known["train_step"].lower(*state_and_batch(known, library)).compile()
    analysis = compiled.compiled.memory_analysis() if library == "flax-nnx" else compiled.memory_analysis()
    assert analysis.temp_size_in_bytes < 4 * WIDTH * WIDTH / 2


@pytest.mark.parametrize("changes", [{}, {"privacy": PRIVATE}, {"precision": "bfloat16-params"}], ids=str)
@pytest.mark.parametrize("library", SLOW)
def test_the_base_stays_and_the_adapters_move(library: str, changes: dict[str, Any]) -> None:
    known = defined(library, **changes)
    state, batch = state_and_batch(known, library)

    def leaves() -> list[tuple[Any, Any]]:
        return list(jax.tree_util.tree_leaves_with_path(params_of(known, state, library)))

    before = [(supplements.name_of(path), jnp.copy(leaf)) for path, leaf in leaves()]
    for _ in range(3):
        stepped = known["train_step"](state, batch)
        state = state if library == "flax-nnx" else stepped[0]
    after = [leaf for _, leaf in leaves()]
    moved = {name for (name, old), new in zip(before, after, strict=True) if not jnp.array_equal(old, new)}
    assert moved
    assert all("lora" in name for name in moved)


def params_of(known: dict[str, Any], state: Any, library: str) -> Any:
    return known["nnx"].state(state.model, known["nnx"].Param) if library == "flax-nnx" else state.params


@pytest.mark.parametrize("changes", [{"accumulation": 3}, {"precision": "float16"}, {"privacy": PRIVATE}], ids=str)
def test_the_built_optimizer_takes_gradients_of_everything_too(changes: dict[str, Any]) -> None:
    (trial,) = try_configuration(ADAPTERS | changes)
    assert trial.finite
    assert trial.moved
    building.try_configuration(ADAPTERS | changes)


def test_what_is_not_finite_in_the_base_does_not_stop_the_adapters() -> None:
    (optimizer,) = building.build(ADAPTERS | {"precision": "float16"}).values()
    params = {"lora_a": jnp.ones((4, 2)), "kernel": jnp.ones((4, 4))}
    grads = {"lora_a": jnp.ones((4, 2)), "kernel": jnp.full((4, 4), jnp.nan)}
    updates, _ = optimizer.update(grads, optimizer.init(params), params)
    assert jnp.all(updates["lora_a"] < 0)
    assert jnp.all(updates["kernel"] == 0)
