"""Resuming: a run that goes on as if it had not stopped, and the best epoch that it keeps."""

import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax


def save_state(path: Path, state: dict[str, Any]) -> None:
    """Write every leaf of the state to an .npz file; the key goes as its integers."""
    plain = state | {"key": jax.random.key_data(state["key"])}
    np.savez(path, *map(np.asarray, jax.tree.leaves(plain)))


def load_state(path: Path, like: dict[str, Any]) -> dict[str, Any]:
    """Read a state of the same structure."""
    with np.load(path) as file:
        leaves = [jnp.asarray(file[name]) for name in file.files]
    state: dict[str, Any] = jax.tree.unflatten(jax.tree.structure(like), leaves)
    return state | {"key": jax.random.wrap_key_data(state["key"])}


def example_resume() -> None:
    """Stop after three of six updates, and compare with the run that did not stop."""
    tx = optax.adam(0.1)

    @jax.jit
    def update(state: dict[str, Any]) -> dict[str, Any]:
        noise = jax.random.normal(jax.random.fold_in(state["key"], state["step"]))
        updates, opt_state = tx.update(state["weight"] - 3.0 + noise, state["opt_state"], state["weight"])
        weight = optax.apply_updates(state["weight"], updates)
        return state | {"weight": weight, "opt_state": opt_state, "step": state["step"] + 1}

    weight, step = jnp.zeros(()), jnp.zeros((), jnp.int32)
    state = {"weight": weight, "opt_state": tx.init(weight), "step": step, "key": jax.random.key(0)}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state.npz"
        for number in range(6):
            if number == 3:
                save_state(path, state)
            state = update(state)
        resumed = load_state(path, like=state)
    for _ in range(3):
        resumed = update(resumed)
    assert resumed["step"] == 6
    assert resumed["weight"] == state["weight"]  # to the last bit


def distance_after_resuming() -> float:
    """Return how far a resumed run is from the unbroken one."""
    tx = optax.adam(0.1)

    @jax.jit
    def update(weight: jax.Array, opt_state: optax.OptState) -> tuple[Any, optax.OptState]:
        updates, opt_state = tx.update(2 * (weight - 3.0), opt_state, weight)
        return optax.apply_updates(weight, updates), opt_state

    weight = jnp.zeros(())
    opt_state = tx.init(weight)
    for step in range(40):
        weight, opt_state = update(weight, opt_state)
        if step == 19:
            saved = jax.device_get((weight, opt_state))
    resumed, opt_state = saved
    for _ in range(20):
        resumed, opt_state = update(resumed, opt_state)
    return float(jnp.abs(resumed - weight))


def epoch_order(seed: int, epoch: int, examples: int) -> np.ndarray:
    """Return the order of examples of one epoch, whether or not the epochs before it were run."""
    return np.random.default_rng((seed, epoch)).permutation(examples)


def example_resume_data() -> None:
    """Ask for epoch 2 alone, as after a restart."""
    orders = [epoch_order(seed=0, epoch=epoch, examples=8) for epoch in range(3)]
    assert np.array_equal(epoch_order(seed=0, epoch=2, examples=8), orders[2])
    assert not np.array_equal(orders[0], orders[2])


def epochs_seen_by_a_resumed_run() -> list[list[int]]:
    """Return the order of epoch 0, and that of epoch 1, with which a new process goes on."""
    return [epoch_order(0, epoch, 8).tolist() for epoch in (0, 1)]


def example_best() -> None:
    """Copy the best parameters before the next epoch takes their memory."""

    @partial(jax.jit, donate_argnames="weight")
    def run_epoch(weight: jax.Array) -> jax.Array:
        return weight + 1.0

    best, best_score, weight = None, jnp.array(-jnp.inf), jnp.zeros(3)
    for _ in range(5):
        weight = run_epoch(weight)
        score = -jnp.abs(weight[0] - 2.0)  # on the validation split; best in epoch 2
        if score > best_score:
            best, best_score = jax.tree.map(jnp.copy, weight), score
    assert best is not None
    assert best.tolist() == [2.0, 2.0, 2.0]
