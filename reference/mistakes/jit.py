"""Jit and tracing used wrongly."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np


def python_if_on_traced_value():
    @jax.jit
    def relu(x):
        if x > 0:
            return x
        return 0.0

    return relu(1.0)


def chained_comparison():
    @jax.jit
    def inside(x):
        return jnp.where(0.0 < x < 1.0, x, 0.0)

    return inside(0.5)


def range_over_traced_value():
    @jax.jit
    def power_of_two(exponent):
        result = 1
        for _ in range(exponent):
            result *= 2
        return result

    return power_of_two(3)


def size_from_traced_value():
    @jax.jit
    def one_hot(label, classes):
        return jnp.zeros(classes).at[label].set(1.0)

    return one_hot(2, 3)


def size_computed_with_jnp():
    @jax.jit
    def flatten(images):
        features = jnp.prod(jnp.array(images.shape[1:]))
        return images.reshape(-1, features)

    return flatten(jnp.ones((2, 28, 28)))


def numpy_on_traced_value():
    @jax.jit
    def softplus(x):
        return np.log1p(np.exp(x))

    return softplus(jnp.ones(3))


def float_of_traced_value():
    @jax.jit
    def normalise(x):
        return x / float(x.max())

    return normalise(jnp.array([1.0, 4.0]))


def item_of_traced_value():
    @jax.jit
    def loss_for_the_log(x):
        return jnp.mean(x**2).item()

    return loss_for_the_log(jnp.ones(3))


def boolean_index():
    @jax.jit
    def mean_of_positive(x):
        return x[x > 0].mean()

    return mean_of_positive(jnp.array([-1.0, 2.0, 4.0]))


def mean_counts_what_is_masked():
    x = jnp.array([-1.0, 2.0, 4.0])
    return jnp.where(x > 0, x, 0.0).mean()


def nonzero_without_size():
    return jax.jit(jnp.nonzero)(jnp.array([5.0, 0.0, 3.0]))


def nonzero_padded_with_index_zero():
    x = jnp.array([5.0, -1.0, 3.0, -1.0])
    (found,) = jnp.nonzero(x > 0, size=x.size)
    return x[found].sum()


def slice_with_traced_bounds():
    @jax.jit
    def window(x, start):
        return x[start : start + 2]

    return window(jnp.arange(10, 15), 1)


def slice_shifted_back_at_the_end():
    x = jnp.arange(10, 15)
    return jax.lax.dynamic_slice_in_dim(x, 4, 2)


def update_over_earlier_entries():
    cache = jnp.array([1, 2, 3, 4])
    return jax.lax.dynamic_update_slice_in_dim(cache, jnp.array([8, 9]), 3, axis=0)


def list_as_static_argument():
    reshape = jax.jit(jnp.reshape, static_argnums=1)
    return reshape(jnp.arange(4), [2, 2])


def string_as_traced_argument():
    @jax.jit
    def activate(x, name):
        return getattr(jax.nn, name)(x)

    return activate(jnp.ones(2), "relu")


def static_argument_compared_by_identity() -> str:
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
    return f"traced {len(traces)} times"


def assert_on_traced_value():
    @jax.jit
    def safe_log(x):
        assert (x > 0).all(), "x must be positive"
        return jnp.log(x)

    return safe_log(jnp.ones(2))


def static_learning_rate() -> str:
    traces = []

    @partial(jax.jit, static_argnames="rate")
    def sgd(weight, rate):
        traces.append(rate)
        return weight - rate * weight

    weight = jnp.ones(())
    for epoch in range(5):
        weight = sgd(weight, rate=0.1 / (epoch + 1))
    return f"traced {len(traces)} times"


def jit_of_a_fresh_lambda() -> str:
    traces = []

    def halve(x):
        traces.append(x)
        return x / 2

    x = jnp.ones(3)
    for _ in range(5):
        x = jax.jit(lambda x: halve(x))(x)
    return f"traced {len(traces)} times"


def jit_of_grad_in_loop() -> str:
    traces = []

    def loss(weight):
        traces.append(weight)
        return weight**2

    weight = jnp.ones(())
    for _ in range(5):
        weight -= 0.1 * jax.jit(jax.grad(loss))(weight)
    return f"traced {len(traces)} times"


def state_starts_as_python_float() -> str:
    traces = []

    @jax.jit
    def update(average, loss):
        traces.append(average)
        return 0.9 * average + 0.1 * loss

    average = 0.0
    for _ in range(4):
        average = update(average, jnp.ones(()))
    return f"traced {len(traces)} times"


def state_starts_as_weak_array() -> str:
    traces = []

    @jax.jit
    def update(best, losses):
        traces.append(best)
        return jnp.minimum(best, losses)

    best = jnp.full((3,), jnp.inf)
    for _ in range(4):
        best = update(best, jnp.ones(3))
    return f"traced {len(traces)} times"


def last_batch_shorter() -> str:
    traces = []

    @jax.jit
    def sum_of_squares(batch):
        traces.append(batch.shape[0])
        return (batch**2).sum()

    data = np.arange(10, dtype=np.float32)
    for start in range(0, 10, 4):
        sum_of_squares(data[start : start + 4])
    return f"traced {len(traces)} times"


def padding_counted_in_the_mean() -> float:
    data = np.pad(np.ones(10, np.float32), (0, 2))  # ten ones and two zeros: three batches of four
    return float(np.mean([jnp.mean(batch) for batch in data.reshape(3, 4)]))


def one_program_per_length() -> str:
    traces = []

    @jax.jit
    def mean(tokens):
        traces.append(tokens.shape)
        return tokens.mean()

    for length in range(1, 30):
        mean(np.ones(length, np.float32))
    return f"{len(traces)} programs"


def array_from_the_closure() -> int:
    table = jnp.arange(100_000.0).reshape(1000, 100)
    look_up = jax.jit(lambda row: table[row])
    return len(look_up.lower(3).as_text())


def program_holds_the_table(characters: int) -> bool:
    return characters > 100_000


def xla_computation_of_a_function():
    return jax.xla_computation(jnp.tanh)(jnp.ones(2)).as_hlo_text()
