"""Averages of parameters taken wrongly."""

from functools import partial

import jax
import jax.numpy as jnp
import optax


def noisy_run(tx, weight, opt_state):
    for step in range(100):
        noisy_gradient = (weight - 3.0) + 3.0 * (-1.0) ** step
        updates, opt_state = tx.update(noisy_gradient, opt_state, weight)
        weight = optax.apply_updates(weight, updates)
    return weight, opt_state


def evaluated_at_training_params() -> float:
    tx = optax.contrib.schedule_free_sgd(0.5, b1=0.9)
    weight, _ = noisy_run(tx, jnp.zeros(()), tx.init(jnp.zeros(())))
    return float(abs(weight - 3.0))


def trained_is_between() -> bool:
    b1 = 0.9
    tx = optax.contrib.schedule_free_sgd(0.5, b1=b1)
    params, opt_state = noisy_run(tx, jnp.zeros(()), tx.init(jnp.zeros(())))
    average = optax.contrib.schedule_free_eval_params(opt_state, params)
    return bool(jnp.isclose(params, (1 - b1) * opt_state.z + b1 * average)) and not jnp.isclose(params, average)


def is_noisy(distance) -> bool:
    return distance > 0.05


def resumed_from_the_average() -> float:
    tx = optax.contrib.schedule_free_sgd(0.5, b1=0.9)
    params, opt_state = noisy_run(tx, jnp.zeros(()), tx.init(jnp.zeros(())))
    unbroken, _ = noisy_run(tx, params, opt_state)
    params = optax.contrib.schedule_free_eval_params(opt_state, params)
    resumed, _ = noisy_run(tx, params, opt_state)
    return float(abs(resumed - unbroken))


def the_run_is_another_one(distance) -> bool:
    return distance > 1e-3


def eval_params_from_chain_state():
    tx = optax.chain(optax.clip_by_global_norm(1.0), optax.contrib.schedule_free_sgd(0.1))
    params = jnp.zeros(())
    opt_state = tx.init(params)
    return optax.contrib.schedule_free_eval_params(opt_state, params)


def decay_as_step_size() -> float:
    decay = 0.9
    return float(optax.incremental_update(jnp.float32(2.0), jnp.float32(1.0), decay))


def ema_in_chain() -> jax.Array:
    tx = optax.chain(optax.sgd(1.0), optax.ema(0.9))
    weight = jnp.zeros(())
    opt_state = tx.init(weight)
    for gradient in (1.0, 0.0):
        updates, opt_state = tx.update(jnp.float32(gradient), opt_state, weight)
        weight = optax.apply_updates(weight, updates)
    return weight


def average_that_is_no_copy():
    @partial(jax.jit, donate_argnames="state")
    def train_step(state):
        params = 2 * state["params"]
        return {"params": params, "average": optax.incremental_update(params, state["average"], step_size=0.1)}

    params = jnp.ones(3)
    state = {"params": params, "average": params}
    return train_step(state)
