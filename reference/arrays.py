"""Arrays: immutable values, 32 bits by default, and indices that never fail."""

import math
from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np


def example_immutable() -> None:
    """Change an element, a column and what a mask selects."""
    scores = jnp.arange(6.0).reshape(2, 3)
    scores = scores.at[0, 1].set(10.0)
    scores = scores.at[:, 2].multiply(2.0)
    capped = scores.at[scores > 9.0].set(9.0)  # a mask outside transformations only:
    assert capped.tolist() == jax.jit(cap)(scores).tolist() == [[0.0, 9.0, 4.0], [3.0, 4.0, 9.0]]


def cap(scores: jax.Array) -> jax.Array:
    """Set what a mask selects, under jit and vmap too."""
    return jnp.where(scores > 9.0, 9.0, scores)


def normalised_rows() -> jax.Array:
    """Divide each row by its sum."""
    matrix = jnp.array([[1.0, 3.0], [2.0, 2.0]])
    return matrix / matrix.sum(axis=1, keepdims=True)


def example_at_discard() -> None:
    """Rebind the name at every update."""
    history = jnp.zeros(3)
    for step in range(3):
        history = history.at[step].set(1.0 / (step + 1))
    assert jnp.allclose(history, 1.0 / jnp.arange(1.0, 4.0))


def filled_history() -> jax.Array:
    """Return the history of three steps."""
    history = jnp.zeros(3)
    for step in range(3):
        history = history.at[step].set(1.0)
    return history


def example_oob_read() -> None:
    """Look up one known id and two that are not in the table."""
    table = jnp.arange(5.0)
    ids = jnp.array([1, 7, -1])
    found = table.at[ids].get(mode="fill", fill_value=jnp.nan, wrap_negative_indices=False)
    assert found[0] == 1.0
    assert jnp.isnan(found[1:]).all()


def check_oob_read() -> None:
    """Hold what reads out of range give, each in its own way."""
    table = jnp.arange(5)
    assert table[jnp.array([7, -1, -9])].tolist() == [4, 4, 0]  # the nearer end
    assert jnp.take(table, jnp.array([7, -1, -9])).tolist() == [-(2**31), 4, -(2**31)]
    assert int(jnp.take(table.astype(jnp.uint32), 7)) == 2**32 - 1
    assert jnp.isnan(jnp.take(jnp.arange(5.0), 7))
    assert jnp.isnan(jnp.take_along_axis(jnp.arange(5.0), jnp.array([7]), axis=0)).all()


def known_and_unknown_row() -> list[float]:
    """Return what a read within and one past the end give where the second is to show."""
    return jnp.arange(5.0).at[jnp.array([1, 7])].get(mode="fill", fill_value=jnp.nan).tolist()


def taken_past_the_end() -> int:
    """Return what a clipped take past the end gives."""
    return int(jnp.take(jnp.arange(5), 7, mode="clip"))


def example_oob_write() -> None:
    """Count labels, of which -1 marks padding."""
    labels = jnp.array([0, 1, 1, -1])
    counts = jnp.zeros(3, jnp.int32).at[labels].add(1, mode="drop", wrap_negative_indices=False)
    assert counts.tolist() == [1, 2, 0]


def counts_without_padding() -> jax.Array:
    """Count two labels and drop the padding."""
    labels = jnp.array([0, 1, -1])
    return jnp.zeros(3, jnp.int32).at[labels].add(1, mode="drop", wrap_negative_indices=False)


def counts_with_overflow_bucket() -> jax.Array:
    """Count labels of three classes, with a last bucket for all that are out of range."""
    labels = jnp.array([0, 1, 3])
    return jnp.zeros(4, jnp.int32).at[jnp.clip(labels, max=3)].add(1)


def example_dup_index() -> None:
    """Sum amounts per account; then see what each function makes of -1."""
    accounts = jnp.array([0, 0, 1])
    amounts = jnp.array([1.0, 2.0, 4.0])
    totals = jnp.zeros(2).at[accounts].add(amounts)
    assert totals.tolist() == jax.ops.segment_sum(amounts, accounts, num_segments=2).tolist() == [3.0, 4.0]

    padded = jnp.array([0, 0, -1])
    assert jnp.zeros(2).at[padded].add(1.0).tolist() == [2.0, 1.0]  # -1 is the last
    assert jax.ops.segment_sum(jnp.ones(3), padded, num_segments=2).tolist() == [2.0, 0.0]  # -1 is dropped
    assert jnp.bincount(padded, length=2).tolist() == [3, 0]  # -1 counts as 0


def counted_twice() -> jax.Array:
    """Count the indices 0, 0 and 1."""
    return jnp.zeros(2).at[jnp.array([0, 0, 1])].add(1.0)


def example_x64() -> None:
    """Hold a difference that float32 cannot."""
    with jax.enable_x64(True):  # for a whole program: jax.config.update("jax_enable_x64", True) at its start
        nudged = jnp.array(1.0) + 1e-10
        assert nudged.dtype == jnp.float64
        assert nudged - 1.0 > 0.0
    assert jnp.array(1.0).dtype == jnp.float32


def dtype_of_numpy_data() -> str:
    """Return the dtype that NumPy's default floats arrive in."""
    with jax.enable_x64(True):
        return str(jnp.asarray(np.linspace(0.0, 1.0, 3)).dtype)


def example_int32_overflow() -> None:
    """Count tokens over four batches, in a Python integer that has no limit."""
    lengths = jnp.full(4, 2**28)  # int32
    tokens_seen = 0
    for _ in range(4):
        tokens_seen += int(lengths.sum())  # one batch still fits
    assert tokens_seen == 2**32


def tokens_of_four_batches() -> int:
    """Return the sum of four times 2**30."""
    total = 0
    for _ in range(4):
        total += int(jnp.int32(2**30))
    return total


def size_of_a_large_matrix() -> int:
    """Return the number of elements of a 65536 x 65536 matrix."""
    return math.prod((65536, 65536))


def one_more_on_the_host() -> float:
    """Return what is left of 1 that was added to 2**24 as a Python number."""
    return float(jnp.float32(2**24)) + 1 - 2**24


def count_at_which_int32_wraps() -> int:
    """Return the first count that int32 makes negative."""
    wrapped = int(jnp.int32(2**31 - 1) + 1)
    assert wrapped < 0
    return -wrapped


def count_at_which_float32_stops() -> int:
    """Return the first power of 2 to which float32 can't add 1."""
    return next(2**power for power in range(32) if jnp.float32(2**power) + 1 == jnp.float32(2**power))


def example_np_view_readonly() -> None:
    """Edit a copy on the host."""
    weights = jnp.zeros(3)
    editable = np.array(weights)  # np.asarray would be a read-only view
    editable[0] = 1.0
    assert editable.tolist() == [1.0, 0.0, 0.0]
    assert weights.tolist() == [0.0, 0.0, 0.0]


def batches(rows: np.ndarray, buffer: np.ndarray) -> Iterator[jax.Array]:
    """Yield consecutive rows through a buffer that is refilled for each batch."""
    for start in range(0, len(rows), len(buffer)):
        buffer[:] = rows[start : start + len(buffer)]
        yield jax.device_put(buffer.copy())  # JAX may go on using the memory it is given


def example_numpy_buffer() -> None:
    """Keep all batches, and find them as they were."""
    rows = np.arange(6, dtype=np.float32)
    kept = list(batches(rows, buffer=np.empty(2, np.float32)))
    assert jnp.concatenate(kept).tolist() == rows.tolist()


def check_numpy_buffer() -> None:
    """Hold the same for a buffer whose memory a CPU device takes over."""
    rows = np.arange(48, dtype=np.float32)
    kept = list(batches(rows, aligned_buffer(16)))
    assert jnp.concatenate(kept).tolist() == rows.tolist()


def aligned_buffer(count: int) -> np.ndarray:
    """Return float32 zeros that start at a multiple of 64 bytes, as XLA wants them."""
    raw = np.zeros(count + 16, np.float32)
    start = -raw.ctypes.data % 64 // 4
    return raw[start : start + count]


def first_batch_of_two() -> jax.Array:
    """Return the first batch after the second went through the same buffer."""
    rows = np.array([0.0, 0.0, 1.0, 1.0], np.float32)
    first, _ = batches(rows, aligned_buffer(2))
    return first


def alignment_that_is_taken_over() -> int:
    """Return the smallest alignment, in bytes, at which a CPU device goes on using NumPy's memory."""
    return next(alignment for alignment in (4, 8, 16, 32, 64, 128) if _is_taken_over(alignment))


def _is_taken_over(alignment: int) -> bool:
    raw = np.zeros(80, np.float32)
    start = (-raw.ctypes.data % 128 + alignment % 128) // 4  # a multiple of `alignment`, and of no larger one
    buffer = raw[start : start + 16]
    batch = jax.block_until_ready(jax.device_put(buffer, may_alias=False))
    buffer[:] = 1.0
    return bool(batch[0] == 1.0)


def mean_squared_error(predictions: jax.Array, targets: jax.Array) -> jax.Array:
    """Average over two arrays of one shape."""
    if predictions.shape != targets.shape:  # shapes are static: this costs nothing under jit
        raise ValueError(f"predictions {predictions.shape} against targets {targets.shape}")
    return jnp.mean((predictions - targets) ** 2)


def example_rank_promotion() -> None:
    """Take the last axis off the output of a layer with one unit."""
    outputs = jnp.array([[1.0], [2.0], [3.0]])
    targets = jnp.array([1.0, 2.0, 3.0])
    with jax.numpy_rank_promotion("raise"):  # in all tests
        assert mean_squared_error(outputs.squeeze(-1), targets) == 0.0


def check_rank_promotion() -> None:
    """Hold that the loss of a column and a row is least where all predictions are the mean of the targets."""
    targets = jnp.array([1.0, 2.0, 3.0])
    slope = jax.grad(lambda outputs: jnp.mean((outputs - targets) ** 2))
    assert jnp.allclose(slope(jnp.full((3, 1), 2.0)), 0.0, atol=1e-6)
    assert not jnp.allclose(slope(targets[:, None]), 0.0, atol=1e-6)


def loss_of_perfect_predictions() -> float:
    """Return the loss of predictions that are all right."""
    return float(mean_squared_error(jnp.array([[1.0], [2.0], [3.0]]).squeeze(-1), jnp.array([1.0, 2.0, 3.0])))
