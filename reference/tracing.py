"""Tracing: what a transformed function sees instead of values."""

import math
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import checkify


@jax.jit
def huber(error: jax.Array) -> jax.Array:
    """Penalise errors quadratically up to 1 and linearly beyond; any shape."""
    size = jnp.abs(error)
    return jnp.where(size <= 1.0, 0.5 * error**2, size - 0.5)  # a choice per element


@jax.jit
def guarded_update(weights: jax.Array, loss: jax.Array, update: jax.Array) -> jax.Array:
    """Add an update, unless the loss is not finite or the update is huge."""
    usable = jnp.isfinite(loss) & (jnp.abs(update).max() < 10.0)  # `and` would call bool()
    moved: jax.Array = jax.lax.cond(usable, lambda: weights + update, lambda: weights)
    return moved


def example_if() -> None:
    """Compute the losses by hand, and send in a NaN."""
    assert huber(jnp.array([-3.0, 0.5])).tolist() == [3.0 - 0.5, 0.5 * 0.5**2]
    weights, update = jnp.ones(2), jnp.array([1.0, -1.0])
    assert guarded_update(weights, jnp.float32(0.3), update).tolist() == [2.0, 0.0]
    assert guarded_update(weights, jnp.float32(jnp.nan), update).tolist() == [1.0, 1.0]


def smooth(heat: jax.Array) -> jax.Array:
    """Average each cell with its two neighbours on a ring."""
    return (jnp.roll(heat, 1) + heat + jnp.roll(heat, -1)) / 3


@partial(jax.jit, static_argnames="steps")
def diffuse_unrolled(heat: jax.Array, steps: int) -> jax.Array:
    """Smooth a fixed, small number of times; every number is a program of its own."""
    for _ in range(steps):
        heat = smooth(heat)
    return heat


@jax.jit
def diffuse(heat: jax.Array, steps: int | jax.Array) -> jax.Array:
    """Smooth a traced number of times, all by one program."""
    spread: jax.Array = jax.lax.fori_loop(0, steps, lambda _, heat: smooth(heat), heat)
    return spread


def example_range() -> None:
    """Hold both loops against each other; the heat is kept."""
    heat = jnp.array([9.0, 0.0, 0.0, 0.0, 0.0])
    assert jnp.allclose(diffuse_unrolled(heat, 3), diffuse(heat, 3))
    assert jnp.isclose(diffuse(heat, 50).sum(), 9.0)


def check_traced_counts() -> None:
    """Hold that a traced count has no reverse mode, and that scan refuses it."""

    def total(heat: jax.Array, steps: int) -> jax.Array:
        return diffuse(heat, steps).sum()

    def scanned(heat: jax.Array, steps: int) -> jax.Array:
        return jax.lax.scan(lambda heat, _: (smooth(heat), None), heat, None, length=steps)[0]

    refused = []
    for function, error in ((jax.grad(total), ValueError), (scanned, jax.errors.ConcretizationTypeError)):
        try:
            jax.jit(function)(jnp.ones(5), 3)
        except error as found:
            refused.append(found)
    assert len(refused) == 2


@partial(jax.jit, static_argnames="classes")
def one_hot(labels: jax.Array, classes: int) -> jax.Array:
    """Turn labels (batch,) into rows (batch, classes); `classes` sets a shape, so it is static."""
    return (labels[:, None] == jnp.arange(classes)).astype(jnp.float32)


@jax.jit
def flatten(images: jax.Array) -> jax.Array:
    """Reshape (batch, ...) to (batch, features)."""
    batch, *rest = images.shape  # plain ints, also while tracing
    return images.reshape(batch, math.prod(rest))


def example_shape_from_value() -> None:
    """Use both; neither shape depends on a value."""
    assert one_hot(jnp.array([2, 0]), classes=3).tolist() == [[0, 0, 1], [1, 0, 0]]
    assert flatten(jnp.ones((2, 28, 28, 1))).shape == (2, 784)


@jax.jit
def log_spectrum(signal: jax.Array) -> jax.Array:
    """Return the log-magnitudes (n // 2 + 1,) of a windowed signal (n,)."""
    window = np.hanning(signal.shape[0])  # static: NumPy computes it once, it becomes a constant
    return jnp.log1p(jnp.abs(jnp.fft.rfft(signal * window)))  # traced: jnp


def example_numpy_call() -> None:
    """Hold the jitted function against NumPy, called outside."""
    signal = np.sin(np.arange(16.0))
    expected = np.log1p(np.abs(np.fft.rfft(signal * np.hanning(16))))
    assert np.allclose(log_spectrum(jnp.asarray(signal)), expected, atol=1e-5)


def check_numpy_reductions() -> None:
    """Hold that NumPy's reductions take tracers, and its ufuncs do not."""
    for reduction in (np.sum, np.mean, np.max):
        assert jax.jit(lambda x, reduction=reduction: reduction(x))(jnp.full(1, 2.0)) == 2.0
    refused = []
    for ufunc in (np.sqrt, np.add.reduce, np.abs):
        try:
            jax.jit(lambda x, ufunc=ufunc: ufunc(x))(jnp.ones(1))
        except jax.errors.TracerArrayConversionError as error:
            refused.append(error)
    assert len(refused) == 3


@jax.jit
def normalise(x: jax.Array) -> tuple[jax.Array, dict[str, jax.Array]]:
    """Scale to a maximum of 1, and return what is to be logged as arrays of shape ()."""
    largest = x.max()
    return x / largest, {"max": largest, "log_max": jnp.log(largest)}


def example_concretize() -> None:
    """Convert to Python numbers after the call."""
    scaled, metrics = normalise(jnp.array([1.0, 2.0, 4.0]))
    assert scaled.tolist() == [0.25, 0.5, 1.0]
    assert {name: float(value) for name, value in metrics.items()}["max"] == 4.0


@jax.jit
def mean_of_positive(x: jax.Array) -> jax.Array:
    """Average the positive entries; NaN where there are none."""
    positive = x > 0
    return jnp.sum(x, where=positive) / positive.sum()  # or jnp.mean(x, where=positive)


def example_bool_mask() -> None:
    """Compare with NumPy's boolean indexing."""
    x = np.array([-1.0, 2.0, 4.0])
    assert mean_of_positive(jnp.asarray(x)) == x[x > 0].mean()


def mean_of_two_and_four() -> jax.Array:
    """Return the mean of the positive entries of -1, 2 and 4."""
    return mean_of_positive(jnp.array([-1.0, 2.0, 4.0]))


def check_reductions() -> None:
    """Hold that the other reductions take a mask, the maximum with an initial value."""
    x = jnp.array([-1.0, 2.0, 4.0])
    assert jnp.mean(x, where=x > 0) == 3.0
    assert jnp.max(x, where=x < 3, initial=-jnp.inf) == 2.0


@jax.jit
def positive_first(x: jax.Array) -> jax.Array:
    """Move the positive entries to the front, and put zeros behind them; as `x` (n,)."""
    (found,) = jnp.nonzero(x > 0, size=x.size, fill_value=x.size)  # padded with one past the end
    front: jax.Array = x.at[found].get(mode="fill", fill_value=0.0)
    return front


def example_nonzero_size() -> None:
    """Two entries are found, and two are padding."""
    assert positive_first(jnp.array([5.0, -1.0, 3.0, -1.0])).tolist() == [5.0, 3.0, 0.0, 0.0]


def check_sizes() -> None:
    """Hold that the relatives of nonzero take a size and a fill value."""
    x = jnp.array([3, 0, 3])
    assert jax.jit(partial(jnp.unique, size=3, fill_value=-1))(x).tolist() == [0, 3, -1]
    assert jax.jit(partial(jnp.argwhere, size=3, fill_value=3))(x).ravel().tolist() == [0, 2, 3]
    assert jax.jit(lambda x: jnp.where(x > 0, size=3, fill_value=3)[0])(x).tolist() == [0, 2, 3]


def sum_of_positive() -> float:
    """Return the sum of the positive entries."""
    return float(positive_first(jnp.array([5.0, -1.0, 3.0, -1.0])).sum())


@partial(jax.jit, static_argnames="size")
def window(x: jax.Array, start: int | jax.Array, size: int) -> jax.Array:
    """Take x[start : start + size] at a traced start; zeros beyond the end."""
    entries: jax.Array = x.at[start + jnp.arange(size)].get(mode="fill", fill_value=0)
    return entries


def example_dynamic_slice() -> None:
    """Both take a traced start; at the end the slice is shifted back without a word."""
    x = jnp.arange(10, 15)
    assert jax.lax.dynamic_slice_in_dim(x, 1, 2).tolist() == window(x, 1, 2).tolist() == [11, 12]
    assert window(x, 4, 2).tolist() == [14, 0]


def check_scatter_out_of_range() -> None:
    """Hold that a scatter drops what is out of range."""
    cache = jnp.array([1, 2, 3, 4])
    assert cache.at[3 + jnp.arange(2)].set(jnp.array([8, 9])).tolist() == [1, 2, 3, 8]


def cache_written_at_the_end() -> list[int]:
    """Return a cache of 1, 2, 3, 4 after a write of 8 and 9 at the last place."""
    cache = jnp.array([1, 2, 3, 4])
    return [int(entry) for entry in cache.at[3 + jnp.arange(2)].set(jnp.array([8, 9]))]


def window_at_the_end() -> list[int]:
    """Return the last entry and one beyond."""
    return [int(entry) for entry in window(jnp.arange(10, 15), 4, 2)]


def safe_log(x: jax.Array) -> jax.Array:
    """Return log(x), and state what must hold of the values."""
    checkify.check(jnp.all(x > 0), "x must be positive, its minimum is {low}", low=x.min())
    return jnp.log(x)


def example_assert() -> None:
    """Functionalise the check, jit the outside, and look at the error after the call."""
    checked_log = jax.jit(checkify.checkify(safe_log))
    error, _ = checked_log(jnp.array([1.0, -1.0]))
    assert "its minimum is -1" in error.get()  # error.throw() would raise it
    error, value = checked_log(jnp.ones(2))
    assert error.get() is None
    assert value.tolist() == [0.0, 0.0]
