"""State kept where a transformation cannot see it."""

from functools import partial

import jax
import jax.numpy as jnp

learning_rate = 0.1


def activations_appended():
    activations = []

    @jax.jit
    def layer(x):
        hidden = jnp.tanh(x)
        activations.append(hidden)
        return hidden.sum()

    layer(jnp.ones(2))
    return activations[0] + 1.0


def rate_in_a_global() -> float:
    global learning_rate

    @jax.jit
    def step(weight):
        return weight - learning_rate

    weight = step(jnp.float32(1.0))
    learning_rate = 0.5
    return round(float(step(weight)), 4)


def next_batch_inside() -> jax.Array:
    batches = iter([1.0, 2.0, 3.0])

    @jax.jit
    def step(total):
        return total + next(batches)

    total = jnp.zeros(())
    for _ in range(3):
        total = step(total)
    return total


def counter_in_self() -> list[int]:
    class Counter:
        def __init__(self):
            self.count = 0

        def increment(self):
            self.count += 1
            return self.count

    increment = jax.jit(Counter().increment)
    return [int(increment()) for _ in range(3)]


def array_in_self():
    class Sum:
        def __init__(self):
            self.total = jnp.zeros(())

        def add(self, value):
            self.total = self.total + value
            return self.total

    running = Sum()
    jax.jit(running.add)(1.0)
    return running.total + 1.0


def ref_as_array():
    largest = jax.new_ref(jnp.float32(0.0))
    return largest + 1.0


def value_with_a_gradient_written():
    def loss(x, last):
        hidden = jnp.tanh(x)
        last[...] = hidden
        return hidden**2

    return jax.grad(loss)(1.0, jax.new_ref(jnp.float32(0.0)))


def ref_shared_by_vmap():
    total = jax.new_ref(jnp.float32(0.0))

    def add(value):
        total[...] += value

    return jax.vmap(add)(jnp.arange(3.0))


def static_self_changed() -> jax.Array:
    class Scale:
        def __init__(self, factor):
            self.factor = factor

        @partial(jax.jit, static_argnums=0)
        def __call__(self, x):
            return self.factor * x

    scale = Scale(2.0)
    scale(1.0)
    scale.factor = 10.0
    return scale(1.0)


def plain_self_jitted():
    class Scale:
        def __init__(self, factor):
            self.factor = factor

        @jax.jit
        def __call__(self, x):
            return self.factor * x

    scale = Scale(2.0)
    return scale(1.0)


def dict_changed_inside() -> jax.Array:
    @jax.jit
    def decay(params):
        params["weight"] = 0.5 * params["weight"]

    params = {"weight": jnp.ones(2)}
    decay(params)
    return params["weight"]
