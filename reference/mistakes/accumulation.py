"""Gradients accumulated wrongly."""

import jax
import jax.numpy as jnp
import optax


def summed_micro_batches() -> float:
    def loss(weight, inputs):
        return jnp.mean((weight * inputs) ** 2)

    weight, inputs = jnp.float32(2.0), jnp.arange(8.0)
    accumulated = sum(jax.grad(loss)(weight, micro_batch) for micro_batch in inputs.reshape(4, 2))
    return float(accumulated / jax.grad(loss)(weight, inputs))


def schedule_in_micro_steps() -> float:
    micro_steps = 8
    rate = optax.linear_schedule(1.0, 0.0, transition_steps=micro_steps)
    tx = optax.MultiSteps(optax.sgd(rate), every_k_schedule=4)
    opt_state = tx.init(jnp.zeros(()))
    for _ in range(micro_steps):
        _, opt_state = tx.update(jnp.ones(()), opt_state, jnp.zeros(()))
    return float(rate(opt_state.gradient_step))


def optimizer_run_every_micro_step() -> int:
    runs = []

    def count_run(updates, state, params=None):
        jax.debug.callback(lambda: runs.append(1))
        return updates, state

    counter = optax.GradientTransformation(optax.init_empty_state, count_run)
    costly = optax.chain(counter, optax.sgd(1.0))
    tx = optax.MultiSteps(costly, every_k_schedule=4)
    opt_state = tx.init(jnp.zeros(()))
    for _ in range(8):
        _, opt_state = jax.jit(tx.update)(jnp.ones(()), opt_state, jnp.zeros(()))
    jax.effects_barrier()
    return len(runs)


def nan_in_accumulator() -> jax.Array:
    tx = optax.MultiSteps(optax.sgd(1.0), every_k_schedule=2)
    weight = jnp.zeros(())
    opt_state = tx.init(weight)
    for gradient in (jnp.nan, *[1.0] * 8):
        updates, opt_state = tx.update(jnp.float32(gradient), opt_state, weight)
        weight = optax.apply_updates(weight, updates)
    return weight


def finite_check_inside_accumulation() -> jax.Array:
    tx = optax.MultiSteps(optax.apply_if_finite(optax.sgd(1.0), 10), every_k_schedule=2)
    weight = jnp.zeros(())
    opt_state = tx.init(weight)
    for gradient in (jnp.nan, *[1.0] * 8):
        updates, opt_state = tx.update(jnp.float32(gradient), opt_state, weight)
        weight = optax.apply_updates(weight, updates)
    return weight


def finite_check_unwatched() -> jax.Array:
    tx = optax.apply_if_finite(optax.sgd(0.1), max_consecutive_errors=3)
    weight = jnp.ones(())
    opt_state = tx.init(weight)
    nan = jnp.float32(jnp.nan)
    for _ in range(4):
        updates, opt_state = tx.update(nan, opt_state, weight)
        weight = optax.apply_updates(weight, updates)
    return weight
