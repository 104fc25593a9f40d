"""Averages of parameters: one kept beside a run, and the one that a schedule-free run is about."""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import optax


def example_schedule_free_eval() -> None:
    """Evaluate at the average of the iterates, which a constant gradient makes easy to sum; resume without it."""
    tx = optax.chain(optax.clip_by_global_norm(1.0), optax.contrib.schedule_free_sgd(0.1, b1=0.9))

    def train(params: jax.Array, opt_state: Any) -> tuple[Any, Any]:
        for _ in range(5):
            updates, opt_state = tx.update(jnp.ones(()), opt_state, params)
            params = optax.apply_updates(params, updates)
        return params, opt_state

    start = jnp.zeros(())
    params, opt_state = train(*train(start, tx.init(start)))
    averaged = optax.contrib.schedule_free_eval_params(opt_state[1], params)  # [1]: its place in the chain
    assert jnp.isclose(averaged, -0.1 * jnp.arange(1, 11).mean())
    assert not jnp.isclose(averaged, params)

    saved = jax.device_get(train(start, tx.init(start)))  # to go on from: both as they are, not the average
    assert train(*saved)[0] == params


def distance_at_eval_params() -> float:
    """Return how far from the minimum a noisy run is evaluated."""
    tx = optax.contrib.schedule_free_sgd(0.5, b1=0.9)
    weight, opt_state = noisy_run(tx, jnp.zeros(()), tx.init(jnp.zeros(())))
    return float(abs(optax.contrib.schedule_free_eval_params(opt_state, weight) - 3.0))


def distance_of_a_resumed_run() -> float:
    """Return how far a run that was saved and resumed ends from the unbroken one."""
    tx = optax.contrib.schedule_free_sgd(0.5, b1=0.9)
    saved = noisy_run(tx, jnp.zeros(()), tx.init(jnp.zeros(())))
    unbroken, _ = noisy_run(tx, *saved)
    resumed, _ = noisy_run(tx, *jax.device_get(saved))
    return float(abs(resumed - unbroken))


def noisy_run(tx: optax.GradientTransformation, weight: Any, opt_state: Any) -> tuple[Any, Any]:
    """Take a hundred steps towards 3 with a gradient that alternates around the right one."""
    for step in range(100):
        noisy_gradient = (weight - 3.0) + 3.0 * (-1.0) ** step
        updates, opt_state = tx.update(noisy_gradient, opt_state, weight)
        weight = optax.apply_updates(weight, updates)
    return weight, opt_state


def example_param_ema() -> None:
    """Average the parameters beside the optimizer, and compare with the weighted sum."""
    decay = 0.9

    @partial(jax.jit, donate_argnames="state")
    def train_step(state: dict[str, Any]) -> dict[str, Any]:
        params = jax.tree.map(lambda leaf: 2 * leaf, state["params"])
        average = optax.incremental_update(params, state["average"], step_size=1 - decay)
        return {"params": params, "average": average}

    params = {"kernel": jnp.ones(())}
    state = {"params": params, "average": jax.tree.map(jnp.copy, params)}  # a copy, since one buffer is donated once
    for _ in range(2):  # the kernel is 1, then 2, then 4
        state = train_step(state)
    expected = decay**2 * 1.0 + decay * (1 - decay) * 2.0 + (1 - decay) * 4.0
    assert jnp.isclose(state["average"]["kernel"], expected)


def average_of_one_and_two() -> float:
    """Return the average after a 1 and a 2, at a decay of 0.9."""
    return float(optax.incremental_update(jnp.float32(2.0), jnp.float32(1.0), step_size=1.0 - 0.9))


def weight_after_one_and_zero() -> float:
    """Return the weight after the gradients 1 and 0 where an average is kept beside it."""
    tx, weight = optax.sgd(1.0), jnp.zeros(())
    opt_state, average = tx.init(weight), weight
    for gradient in (1.0, 0.0):
        updates, opt_state = tx.update(jnp.float32(gradient), opt_state, weight)
        weight = optax.apply_updates(weight, updates)
        average = optax.incremental_update(weight, average, step_size=1 - 0.9)
    assert average != weight
    return float(weight)
