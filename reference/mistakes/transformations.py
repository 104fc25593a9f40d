"""Transformations in an order that does not do what is meant."""

import jax
import jax.numpy as jnp


def clipped_after_averaging() -> jax.Array:
    targets = jnp.array([1.0, 1.0, 1.0, -1000.0])

    def batch_loss(weight):
        return jnp.mean(0.5 * (weight - targets) ** 2)

    return jnp.clip(jax.grad(batch_loss)(0.0), -1.0, 1.0)


def grad_around_vmap():
    def example_loss(weight, value):
        return (weight * value) ** 2

    return jax.grad(jax.vmap(example_loss, in_axes=(None, 0)))(1.0, jnp.ones(4))


def only_the_loss_jitted() -> int:
    runs = []
    loss = jax.jit(lambda weight: weight**2)

    def step(weight):
        runs.append("step")
        return weight - 0.1 * jax.grad(loss)(weight)

    weight = jnp.float32(1.0)
    for _ in range(5):
        weight = step(weight)
    return len(runs)


def branch_on_value_under_jit():
    def leaky_relu(x):
        return x if x > 0.0 else 0.1 * x

    return jax.jit(jax.grad(leaky_relu))(3.0)
