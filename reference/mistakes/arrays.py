"""Arrays used wrongly."""

import jax
import jax.numpy as jnp
import numpy as np


def item_assignment():
    scores = jnp.zeros(3)
    scores[0] = 1.0
    return scores


def mask_under_jit():
    return jax.jit(lambda scores: scores.at[scores > 9.0].set(9.0))(jnp.arange(12.0))


def rows_divided_in_place() -> jax.Array:
    matrix = jnp.array([[1.0, 3.0], [2.0, 2.0]])
    for row in matrix:
        row /= row.sum()
    return matrix


def update_thrown_away() -> jax.Array:
    history = jnp.zeros(3)
    for step in range(3):
        history.at[step].set(1.0)
    return history


def clamped_read() -> jax.Array:
    table = jnp.arange(5.0)
    return table[jnp.array([1, 7])]


def take_past_the_end() -> jax.Array:
    return jnp.take(jnp.arange(5), 7)


def padding_wraps_around() -> jax.Array:
    labels = jnp.array([0, 1, -1])  # -1 marks padding
    return jnp.zeros(3, jnp.int32).at[labels].add(1, mode="drop")


def write_past_the_end() -> jax.Array:
    labels = jnp.array([0, 1, 3])
    return jnp.zeros(3, jnp.int32).at[labels].add(1)


def read_then_set() -> jax.Array:
    counts = jnp.zeros(2)
    index = jnp.array([0, 0, 1])
    return counts.at[index].set(counts[index] + 1.0)


def float64_asked_for() -> jax.Array:
    return jnp.array(1.0, dtype=jnp.float64) + 1e-10 - 1.0


def float64_from_numpy() -> str:
    return str(jnp.asarray(np.linspace(0.0, 1.0, 3)).dtype)


def int32_total() -> jax.Array:
    total = jnp.int32(0)
    for _ in range(4):
        total = total + jnp.int32(2**30)
    return total


def product_of_shape() -> jax.Array:
    shape = (65536, 65536)
    return jnp.prod(jnp.array(shape))


def float32_counter() -> jax.Array:
    return jnp.float32(2**24) + 1 - 2**24


def write_into_view():
    host_weights = np.asarray(jnp.zeros(3))
    host_weights[0] = 1.0
    return host_weights


def buffer_refilled() -> jax.Array:
    raw = np.zeros(18, np.float32)
    start = -raw.ctypes.data % 64 // 4  # one NumPy array in four happens to be aligned so
    buffer = raw[start : start + 2]
    batch = jax.device_put(buffer)
    buffer[:] = 1.0  # the next batch
    return batch


def column_minus_row() -> jax.Array:
    outputs = jnp.array([[1.0], [2.0], [3.0]])  # (batch, 1)
    targets = jnp.array([1.0, 2.0, 3.0])
    return jnp.mean((outputs - targets) ** 2)


def column_minus_row_of_equal_rank() -> jax.Array:
    outputs = jnp.array([[1.0], [2.0], [3.0]])  # (batch, 1)
    targets = jnp.array([[1.0, 2.0, 3.0]])  # (1, batch)
    return jnp.mean((outputs - targets) ** 2)
