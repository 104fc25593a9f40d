"""Accumulation: one update from several micro-batches, and gradients that are not finite."""

from typing import Any

import jax
import jax.numpy as jnp
import optax


def example_grad_accum() -> None:
    """Take four micro-batches as one batch, and count the schedule in updates."""
    inputs = jnp.arange(8.0)

    def loss(weight: jax.Array, inputs: jax.Array) -> jax.Array:
        return jnp.mean((weight * inputs - 1.0) ** 2)

    micro_steps, every = 80, 4
    rate = optax.linear_schedule(0.01, 0.0, transition_steps=micro_steps // every)
    tx = optax.MultiSteps(optax.sgd(rate), every_k_schedule=every)  # averages the gradients
    start = weight = jnp.float32(2.0)
    opt_state = tx.init(weight)
    for micro_batch in inputs.reshape(every, 2):
        updates, opt_state = tx.update(jax.grad(loss)(weight, micro_batch), opt_state, weight)
        weight = optax.apply_updates(weight, updates)  # zero until the fourth
    assert jnp.isclose(weight, start - 0.01 * jax.grad(loss)(start, inputs))


def averaged_gradient_of_the_batch() -> float:
    """Return the mean of four micro-batches' gradients, divided by the gradient of the whole batch."""

    def loss(weight: jax.Array, inputs: jax.Array) -> jax.Array:
        return jnp.mean((weight * inputs) ** 2)

    weight, inputs = jnp.float32(2.0), jnp.arange(8.0)
    tx = optax.MultiSteps(optax.sgd(1.0), every_k_schedule=4)
    opt_state = tx.init(weight)
    for micro_batch in inputs.reshape(4, 2):
        updates, opt_state = tx.update(jax.grad(loss)(weight, micro_batch), opt_state, weight)
    return float(-updates / jax.grad(loss)(weight, inputs))


def rate_after_all_micro_steps() -> float:
    """Return the rate that the schedule has reached after 8 micro-steps, 4 to an update."""
    rate = optax.linear_schedule(1.0, 0.0, transition_steps=8 // 4)
    tx = optax.MultiSteps(optax.sgd(rate), every_k_schedule=4)
    opt_state = tx.init(jnp.zeros(()))
    for _ in range(8):
        _, opt_state = tx.update(jnp.ones(()), opt_state, jnp.zeros(()))
    return float(rate(opt_state.gradient_step))


def squared_error(params: optax.Params, inputs: jax.Array, targets: jax.Array) -> jax.Array:
    """Return the mean squared error of a linear model."""
    return jnp.mean((inputs @ params["kernel"] - targets) ** 2)


def accumulated_gradient(params: optax.Params, inputs: jax.Array, targets: jax.Array) -> optax.Updates:
    """Average the gradient over micro-batches: inputs and targets are (micro-batches, batch, ...)."""

    def add_gradient(total: optax.Updates, micro_batch: tuple[Any, ...]) -> tuple[optax.Updates, None]:
        grads = jax.grad(squared_error)(params, *micro_batch)
        return jax.tree.map(jnp.add, total, grads), None

    zeros = jax.tree.map(jnp.zeros_like, params)
    total, _ = jax.lax.scan(add_gradient, zeros, (inputs, targets))
    return jax.tree.map(lambda leaf: leaf / len(inputs), total)


def example_accum_scan() -> None:
    """Compare with the gradient of the whole batch."""
    inputs, targets = jnp.sin(jnp.arange(24.0)).reshape(8, 3), jnp.arange(8.0)
    params = {"kernel": jnp.ones(3)}
    grads = jax.jit(accumulated_gradient)(params, inputs.reshape(4, 2, 3), targets.reshape(4, 2))
    whole = jax.grad(squared_error)(params, inputs, targets)
    assert jnp.allclose(grads["kernel"], whole["kernel"], rtol=1e-4)


def runs_beside_a_scan() -> int:
    """Return how often an optimizer runs for two updates of four micro-batches each."""
    runs = []

    def count_run(updates: Any, state: Any, _params: Any = None) -> tuple[Any, Any]:
        jax.debug.callback(lambda: runs.append("update"))
        return updates, state

    tx = optax.chain(optax.GradientTransformation(optax.init_empty_state, count_run), optax.sgd(0.1))

    @jax.jit
    def train_step(params: optax.Params, opt_state: optax.OptState, inputs: jax.Array) -> tuple[Any, Any]:
        grads = accumulated_gradient(params, inputs, jnp.ones(inputs.shape[:-1]))
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state

    params: Any = {"kernel": jnp.ones(3)}
    opt_state = tx.init(params)
    for _ in range(2):
        params, opt_state = train_step(params, opt_state, jnp.ones((4, 2, 3)))
    jax.effects_barrier()
    return len(runs)


def accumulate_finite(inner: optax.GradientTransformation, every: int) -> optax.GradientTransformation:
    """Average micro-batches, leaving out those whose gradient has a NaN or an infinity."""
    multi_steps = optax.MultiSteps(inner, every, should_skip_update_fn=optax.skip_not_finite)
    return multi_steps.gradient_transformation()


def example_accum_nan() -> None:
    """Skip one bad micro-batch: its window takes the next good one instead."""
    tx = accumulate_finite(optax.sgd(1.0), every=2)
    weight = jnp.zeros(())
    opt_state = tx.init(weight)
    for gradient in (1.0, jnp.nan, 3.0, 1.0, 1.0):
        updates, opt_state = tx.update(jnp.float32(gradient), opt_state, weight)
        weight = optax.apply_updates(weight, updates)
    assert weight == -(1.0 + 3.0) / 2 - (1.0 + 1.0) / 2


def check_accum_nan() -> None:
    """Hold that a check inside the accumulation lets the NaN through at its limit."""
    tx = optax.MultiSteps(optax.apply_if_finite(optax.sgd(1.0), max_consecutive_errors=3), every_k_schedule=2)
    weight = jnp.zeros(())
    opt_state = tx.init(weight)
    weights = []
    for gradient in (jnp.nan, *[1.0] * 7):
        updates, opt_state = tx.update(jnp.float32(gradient), opt_state, weight)
        weight = optax.apply_updates(weight, updates)
        weights.append(float(weight))
    assert weights[:7] == [0.0] * 7
    assert jnp.isnan(weights[7])  # the fourth average in a row that is not finite


def weight_after_bad_micro_batch() -> float:
    """Return a weight after one NaN and eight good gradients."""
    tx = accumulate_finite(optax.sgd(1.0), every=2)
    weight = jnp.zeros(())
    opt_state = tx.init(weight)
    for gradient in (jnp.nan, *[1.0] * 8):
        updates, opt_state = tx.update(jnp.float32(gradient), opt_state, weight)
        weight = optax.apply_updates(weight, updates)
    return float(weight)


def example_finite_limit() -> None:
    """Stop at the limit, while the weight is still good."""
    limit = 3
    tx = optax.apply_if_finite(optax.sgd(0.1), max_consecutive_errors=limit)
    weight = jnp.ones(())
    opt_state = tx.init(weight)
    while opt_state.notfinite_count < limit:  # the next bad update would be applied
        updates, opt_state = tx.update(jnp.float32(jnp.nan), opt_state, weight)
        weight = optax.apply_updates(weight, updates)
    assert opt_state.total_notfinite == limit
    assert weight == 1.0


def weight_at_the_limit() -> float:
    """Return the weight when the run stops at the limit."""
    tx = optax.apply_if_finite(optax.sgd(0.1), max_consecutive_errors=3)
    weight = jnp.ones(())
    opt_state = tx.init(weight)
    while opt_state.notfinite_count < 3:
        updates, opt_state = tx.update(jnp.float32(jnp.nan), opt_state, weight)
        weight = optax.apply_updates(weight, updates)
    return float(weight)
