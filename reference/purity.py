"""Pure functions and state: what goes in comes as an argument, what comes out is returned."""

import gc
import weakref
from dataclasses import dataclass, replace
from functools import partial

import jax
import jax.numpy as jnp


@jax.jit
def layer(weights: jax.Array, inputs: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Return the output, and beside it the hidden activations that someone wants to look at."""
    hidden = jnp.tanh(inputs @ weights)
    return hidden.sum(), hidden


def example_side_effect() -> None:
    """Collect outside of jit what the function returned."""
    activations = []
    for scale in (0.1, 1.0):
        _, hidden = layer(scale * jnp.eye(2), jnp.ones(2))
        activations.append(hidden)
    assert activations[0].max() < activations[1].min()


@jax.jit
def descend(weight: jax.Array, batch: jax.Array, learning_rate: float) -> jax.Array:
    """Take one step towards the batch's mean; whatever changes between calls is an argument."""
    return weight - learning_rate * (weight - batch.mean())


def example_global_captured() -> None:
    """Change the rate and the batch, and see both take effect."""
    weight = jnp.zeros(())
    for batch, learning_rate in zip(jnp.array([[4.0], [8.0]]), (0.5, 0.25), strict=True):
        weight = descend(weight, batch, learning_rate)
    assert weight == 3.5  # 0 -> 2 -> 3.5


def two_rates() -> float:
    """Take a step at a rate of 0.1 and one at 0.5, each along a gradient of 1."""

    @jax.jit
    def step(weight: jax.Array, learning_rate: float) -> jax.Array:
        return weight - learning_rate

    return round(float(step(step(jnp.float32(1.0), 0.1), 0.5)), 4)


def three_batches() -> jax.Array:
    """Add the batches 1, 2 and 3."""

    @jax.jit
    def step(total: jax.Array, batch: float) -> jax.Array:
        return total + batch

    total = jnp.zeros(())
    for batch in iter([1.0, 2.0, 3.0]):
        total = step(total, batch)
    return total


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Average:
    """A running average: a sum, and of how many values."""

    total: jax.Array
    count: jax.Array


@jax.jit
def add(average: Average, value: jax.Array) -> Average:
    """Return the state after one more value."""
    return Average(average.total + value, average.count + 1)


def example_hidden_state() -> None:
    """Hand the state in and carry on with the one that comes out."""
    average = Average(total=jnp.zeros(()), count=jnp.zeros((), jnp.int32))
    for value in jnp.array([1.0, 2.0, 6.0]):
        average = add(average, value)
    assert average.total / average.count == 3.0


def counted_three_times() -> list[int]:
    """Return the counts that three additions leave."""
    average = Average(total=jnp.zeros(()), count=jnp.zeros((), jnp.int32))
    counts = []
    for _ in range(3):
        average = add(average, jnp.ones(()))
        counts.append(int(average.count))
    return counts


def loss(weights: jax.Array, inputs: jax.Array, largest: jax.Ref) -> jax.Array:
    """Return a loss; the largest activation seen so far goes into a reference on the way."""
    hidden = jnp.tanh(inputs @ weights)
    largest[...] = jnp.maximum(largest[...], jax.lax.stop_gradient(hidden).max())
    return jnp.mean(hidden**2)


def example_ref() -> None:
    """Read, after the fact, what was written under jit and grad."""
    largest = jax.new_ref(jnp.float32(0.0))
    for scale in (1.0, 3.0, 2.0):
        jax.jit(jax.grad(loss))(jnp.eye(2), scale * jnp.ones(2), largest)
    assert jnp.isclose(largest[...], jnp.tanh(3.0))


def check_ref() -> None:
    """Hold that a reference can be indexed and has a shape."""
    ref = jax.new_ref(jnp.zeros(2))
    ref[1] += 3.0
    assert ref.shape == (2,)
    assert (ref[0], ref[1]) == (0.0, 3.0)


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Scale:
    """A layer whose methods can be jitted: as a pytree it is an argument like any other."""

    factor: jax.Array

    @jax.jit
    def __call__(self, x: jax.Array) -> jax.Array:
        """Multiply by the factor."""
        return self.factor * x


def example_static_self() -> None:
    """Change the layer, and the compiled method follows."""
    scale = Scale(factor=jnp.float32(2.0))
    assert scale(jnp.ones(())) == 2.0
    assert replace(scale, factor=jnp.float32(10.0))(jnp.ones(())) == 10.0


def check_static_self() -> None:
    """Hold that a static self is found by `==`, and is kept alive."""

    class Multiplier:
        def __init__(self, factor: float, traces: list[float]) -> None:
            self.factor, self.traces = factor, traces

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Multiplier) and self.factor == other.factor

        def __hash__(self) -> int:
            return hash(self.factor)

        @partial(jax.jit, static_argnums=0)
        def __call__(self, x: jax.Array) -> jax.Array:
            self.traces.append(self.factor)
            return self.factor * x

    traces: list[float] = []
    layer = Multiplier(2.0, traces)
    layer(jnp.ones(()))
    Multiplier(2.0, traces)(jnp.ones(()))
    assert traces == [2.0]
    kept = weakref.ref(layer)
    del layer
    gc.collect()
    assert kept() is not None


def rescaled() -> jax.Array:
    """Call a layer before and after its factor changes from 2 to 10."""
    scale = Scale(factor=jnp.float32(2.0))
    scale(jnp.ones(()))
    return replace(scale, factor=jnp.float32(10.0))(jnp.ones(()))


@jax.jit
def decay(params: dict[str, jax.Array]) -> dict[str, jax.Array]:
    """Return the parameters with a smaller weight."""
    return params | {"weight": 0.5 * params["weight"]}


def example_mutate_arg() -> None:
    """Take the new dict; the old one is as it was."""
    params = {"weight": jnp.ones(2), "bias": jnp.ones(2)}
    decayed = decay(params)
    assert decayed["weight"].tolist() == [0.5, 0.5]
    assert params["weight"].tolist() == [1.0, 1.0]


def decayed_weight() -> jax.Array:
    """Return the weight after one decay."""
    return decay({"weight": jnp.ones(2)})["weight"]
