"""Transformations: grad, jit and vmap are separate, and their order is a choice."""

from collections.abc import Callable

import jax
import jax.numpy as jnp


def example_loss(weight: jax.Array, value: jax.Array, target: jax.Array) -> jax.Array:
    """Return the loss of one example."""
    return 0.5 * (weight * value - target) ** 2


def clipped_gradient(weight: jax.Array | float, values: jax.Array, targets: jax.Array, limit: float) -> jax.Array:
    """Clip each example's gradient, then average: grad first, vmap around it."""
    per_example = jax.vmap(jax.grad(example_loss), in_axes=(None, 0, 0))(weight, values, targets)
    return jnp.clip(per_example, -limit, limit).mean()


def example_order() -> None:
    """Three examples outvote one outlier; without clipping the order does not matter."""
    values, targets = jnp.ones(4), jnp.array([1.0, 1.0, 1.0, -1000.0])
    assert clipped_gradient(0.0, values, targets, limit=1.0) == -0.5

    def batch_loss(weight: jax.Array) -> jax.Array:
        return jax.vmap(example_loss, in_axes=(None, 0, 0))(weight, values, targets).mean()

    unclipped = clipped_gradient(0.0, values, targets, limit=1e6)
    assert jnp.isclose(unclipped, jax.grad(batch_loss)(0.0))


def gradient_with_outlier() -> float:
    """Return the gradient of three examples and one outlier, clipped to 1."""
    return float(clipped_gradient(0.0, jnp.ones(4), jnp.array([1.0, 1.0, 1.0, -1000.0]), limit=1.0))


def squared_error(weight: jax.Array, values: jax.Array) -> jax.Array:
    """Return the mean loss of a batch whose targets are all 1."""
    return jnp.mean((weight * values - 1.0) ** 2)


@jax.jit
def train_step(weight: jax.Array, values: jax.Array) -> jax.Array:
    """Take one step; everything in it is one compiled program."""
    return weight - 0.1 * jax.grad(squared_error)(weight, values)


def example_jit_outermost() -> None:
    """Order changes the cost, not the values."""
    weight, values = jnp.float32(0.0), jnp.arange(4.0)
    inside = weight - 0.1 * jax.grad(jax.jit(squared_error))(weight, values)
    assert jnp.isclose(train_step(weight, values), inside)


def check_repeated_block() -> None:
    """Count the traces of a layer that a jitted step applies sixty times, with and without a jit of its own."""
    traces = []

    def layer(x: jax.Array) -> jax.Array:
        traces.append(x)
        return jnp.sin(x)

    def count(layer: Callable[[jax.Array], jax.Array]) -> int:
        def model(x: jax.Array) -> jax.Array:
            for _ in range(60):
                x = layer(x)
            return x

        traces.clear()
        jax.jit(model).lower(jnp.ones(2))
        return len(traces)

    assert count(layer) == 60
    assert count(jax.jit(layer)) == 1


def python_runs_of_step() -> int:
    """Return how often the Python of five training steps runs."""
    runs = []

    @jax.jit
    def step(weight: jax.Array) -> jax.Array:
        runs.append("step")
        return weight - 0.1 * jax.grad(lambda weight: weight**2)(weight)

    weight = jnp.float32(1.0)
    for _ in range(5):
        weight = step(weight)
    return len(runs)


def leaky_relu(x: jax.Array | float) -> jax.Array:
    """Choose by value, in a way that every transformation can follow."""
    return jnp.where(x > 0.0, x, 0.1 * x)


def example_compose() -> None:
    """Differentiate, map and compile one function."""
    slopes = jax.jit(jax.vmap(jax.grad(leaky_relu)))(jnp.array([-2.0, 3.0]))
    assert jnp.allclose(slopes, jnp.array([0.1, 1.0]))


def check_compose() -> None:
    """Hold that a branch on the value does work under grad alone, and not under vmap."""

    def branching(x: jax.Array) -> jax.Array:
        return x if x > 0.0 else 0.1 * x

    assert jax.grad(branching)(3.0) == 1.0
    try:
        jax.vmap(branching)(jnp.ones(2))
    except jax.errors.TracerBoolConversionError:
        return
    raise AssertionError("a branch on a batched value is no error any longer")
