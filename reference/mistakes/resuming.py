"""Runs resumed wrongly."""

import io

import jax
import jax.numpy as jnp
import numpy as np
import optax


def optimizer_started_afresh() -> float:
    tx, target = optax.adam(0.1), 3.0

    @jax.jit
    def update(weight, opt_state):
        gradient = jax.grad(lambda weight: (weight - target) ** 2)(weight)
        updates, opt_state = tx.update(gradient, opt_state, weight)
        return optax.apply_updates(weight, updates), opt_state

    weight = jnp.zeros(())
    opt_state = tx.init(weight)
    for step in range(40):
        weight, opt_state = update(weight, opt_state)
        if step == 19:
            saved = weight
    resumed, opt_state = saved, tx.init(saved)
    for _ in range(20):
        resumed, opt_state = update(resumed, opt_state)
    return float(jnp.abs(resumed - weight))


def bfloat16_in_an_npz_file() -> jax.Array:
    path = io.BytesIO()
    np.savez(path, weight=np.asarray(jnp.ones(3, jnp.bfloat16)))
    path.seek(0)
    with np.load(path) as file:
        return jnp.asarray(file["weight"])


def the_resumed_run_is_another_run(distance: float) -> bool:
    return distance > 1e-3


def generator_made_anew_after_a_restart() -> list[list[int]]:
    def run(epochs):
        rng = np.random.default_rng(0)
        return [rng.permutation(8).tolist() for _ in range(epochs)]

    before_the_restart, after_it = run(epochs=1), run(epochs=1)
    return [before_the_restart[-1], after_it[0]]


def epoch_0_is_repeated(orders: list[list[int]]) -> bool:
    return orders[0] == orders[1]


def best_without_a_copy() -> jax.Array:
    run_epoch = jax.jit(lambda weight: weight + 1.0, donate_argnums=0)
    best = weight = run_epoch(jnp.zeros(3))
    weight = run_epoch(weight)
    return best + 0.0
