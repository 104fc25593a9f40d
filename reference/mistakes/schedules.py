"""Schedules set up wrongly."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx


def decay_steps_without_warmup() -> float:
    total, warmup = 1000, 100
    rate = optax.warmup_cosine_decay_schedule(0.0, 1.0, warmup, decay_steps=total - warmup)
    return float(rate(950))


def rate_from_python() -> jax.Array:
    weight, step = jnp.zeros(()), 0

    @jax.jit
    def train_step(weight):
        tx = optax.sgd(1.0 - step / 10)
        updates, _ = tx.update(jnp.ones(()), tx.init(weight))
        return optax.apply_updates(weight, updates)

    for step in range(10):
        weight = train_step(weight)
    return weight


def first_update_at_rate_zero() -> int:
    rate = optax.warmup_cosine_decay_schedule(0.0, 1.0, 100, decay_steps=1000 - 100)
    return next(step for step in range(1, 1000) if rate(step) == 0.0)


def joined_piece_counts_from_the_start() -> float:
    warmup = optax.linear_schedule(0.0, 1.0, transition_steps=10)
    decay = optax.linear_schedule(1.0, 0.0, transition_steps=20, transition_begin=80)
    rate = optax.join_schedules([warmup, optax.constant_schedule(1.0), decay], boundaries=[10, 80])
    return float(rate(100))


def callable_mask_injected() -> jax.Array:
    params = {"kernel": jnp.ones((1, 2))}

    def matrices(params):
        return jax.tree.map(lambda leaf: leaf.ndim >= 2, params)

    tx = optax.inject_hyperparams(optax.adamw)(1.0, weight_decay=0.1, mask=matrices)
    updates, _ = tx.update(jax.tree.map(jnp.zeros_like, params), tx.init(params), params)
    return updates["kernel"].ravel()


def hyperparameters_in_bfloat16() -> jax.Array:
    weight = jnp.ones((), jnp.bfloat16)
    tx = optax.inject_hyperparams(optax.adamw)(1e-3)
    updates, _ = tx.update(jnp.ones((), jnp.bfloat16), tx.init(weight), weight)
    return updates


def dtype_injected() -> optax.OptState:
    params = {"kernel": jnp.ones((1, 2))}
    tx = optax.inject_hyperparams(optax.adamw)(1e-3, mu_dtype=jnp.float32)
    return tx.init(params)


def rate_as_a_python_number() -> int:
    tx, weight, traces = optax.inject_hyperparams(optax.sgd)(1.0), jnp.ones(()), []

    @jax.jit
    def train_step(weight, opt_state):
        traces.append("train_step")
        updates, opt_state = tx.update(weight, opt_state, weight)
        return optax.apply_updates(weight, updates), opt_state

    weight, opt_state = train_step(weight, tx.init(weight))
    opt_state.hyperparams["learning_rate"] = 0.5
    train_step(weight, opt_state)
    return len(traces)


def rate_of_an_nnx_optimizer_replaced() -> int:
    model, traces = nnx.Linear(2, 1, rngs=nnx.Rngs(0)), []
    optimizer = nnx.Optimizer(model, optax.inject_hyperparams(optax.sgd)(0.1), wrt=nnx.Param)

    @nnx.jit
    def train_step(model, optimizer):
        traces.append("train_step")
        optimizer.update(model, nnx.grad(lambda model: model(jnp.ones((1, 2))).sum())(model))

    train_step(model, optimizer)
    optimizer.opt_state.hyperparams["learning_rate"] = jnp.float32(0.05)
    train_step(model, optimizer)
    return len(traces)


def b2_in_bfloat16() -> int:
    weight = jnp.ones((), jnp.bfloat16)
    opt_state = optax.inject_hyperparams(optax.adamw)(1e-3).init(weight)
    return int(opt_state.hyperparams["b2"])
