"""Functions that are traced too often."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np


def list_as_static_argument():
    reshape = jax.jit(jnp.reshape, static_argnums=1)
    return reshape(jnp.arange(4), [2, 2])


def string_as_traced_argument():
    @jax.jit
    def activate(x, name):
        return getattr(jax.nn, name)(x)

    return activate(jnp.ones(2), "relu")


def static_argument_compared_by_identity() -> int:
    traces = []

    class Config:
        def __init__(self, width):
            self.width = width

    @partial(jax.jit, static_argnames="config")
    def forward(x, config):
        traces.append(config)
        return x @ jnp.ones((3, config.width))

    for _ in range(3):
        forward(jnp.ones(3), Config(width=4))
    return len(traces)


def equal_static_numbers_of_other_types() -> int:
    traces = []

    @partial(jax.jit, static_argnames="power")
    def raised(x, power):
        traces.append(power)
        return x**power

    for power in (1, 1.0, True):
        raised(jnp.ones(3), power=power)
    return len(traces)


def static_learning_rate() -> int:
    traces = []

    @partial(jax.jit, static_argnames="rate")
    def sgd(weight, rate):
        traces.append(rate)
        return weight - rate * weight

    weight = jnp.ones(())
    for epoch in range(5):
        weight = sgd(weight, rate=0.1 / (epoch + 1))
    return len(traces)


def jit_of_a_fresh_lambda() -> int:
    traces = []

    def halve(x):
        traces.append(x)
        return x / 2

    x = jnp.ones(3)
    for _ in range(5):
        x = jax.jit(lambda x: halve(x))(x)
    return len(traces)


def jit_of_grad_in_loop() -> int:
    traces = []

    def loss(weight):
        traces.append(weight)
        return weight**2

    weight = jnp.ones(())
    for _ in range(5):
        weight -= 0.1 * jax.jit(jax.grad(loss))(weight)
    return len(traces)


def state_starts_as_python_float() -> int:
    traces = []

    @jax.jit
    def update(average, loss):
        traces.append(average)
        return 0.9 * average + 0.1 * loss

    average = 0.0
    for _ in range(4):
        average = update(average, jnp.ones(()))
    return len(traces)


def state_starts_as_weak_array() -> int:
    traces = []

    @jax.jit
    def update(best, losses):
        traces.append(best)
        return jnp.minimum(best, losses)

    best = jnp.full((3,), jnp.inf)
    for _ in range(4):
        best = update(best, jnp.ones(3))
    return len(traces)


def last_batch_shorter() -> int:
    traces = []

    @jax.jit
    def sum_of_squares(batch):
        traces.append(batch.shape[0])
        return (batch**2).sum()

    data = np.arange(10, dtype=np.float32)
    for start in range(0, 10, 4):
        sum_of_squares(data[start : start + 4])
    return len(traces)


def padding_counted_in_the_mean() -> float:
    data = np.pad(np.ones(10, np.float32), (0, 2))  # ten ones and two zeros: three batches of four
    return float(np.mean([jnp.mean(batch) for batch in data.reshape(3, 4)]))


def summed_in_bfloat16() -> float:
    total, count = 0.0, 0
    for batch in np.ones((313, 32), jnp.bfloat16):  # 10000 ones, and 16 which the last mask leaves out
        mask = np.arange(count, count + 32) < 10_000
        total += jnp.sum(batch, where=mask)
        count += 32
    return float(total) / 10_000


def one_program_per_length() -> int:
    traces = []

    @jax.jit
    def mean(tokens):
        traces.append(tokens.shape)
        return tokens.mean()

    for length in range(1, 30):
        mean(np.ones(length, np.float32))
    return len(traces)
