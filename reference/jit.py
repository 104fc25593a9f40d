"""Jit and tracing: what Python runs once, and what compiles again."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
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
    """Hold that NumPy's reductions take tracers."""
    for reduction in (np.sum, np.mean, np.max):
        assert jax.jit(lambda x, reduction=reduction: reduction(x))(jnp.full(1, 2.0)) == 2.0


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


def window_at_the_end() -> list[int]:
    """Return the last entry and one beyond."""
    return [int(entry) for entry in window(jnp.arange(10, 15), 4, 2)]


@dataclass(frozen=True)  # frozen and compared by value: equal configurations share one program
class MlpConfig:
    """What shapes the program."""

    widths: tuple[int, ...] = (4, 4)  # a list could not be hashed
    activation: str = "relu"


def example_static_hashable() -> None:
    """Make the configuration anew at each call: it is traced once all the same."""
    traces = []

    @partial(jax.jit, static_argnames="config")
    def forward(x: jax.Array, config: MlpConfig) -> jax.Array:
        traces.append(config)
        for width in config.widths:
            x = getattr(jax.nn, config.activation)(x @ jnp.ones((x.shape[-1], width)))
        return x

    for _ in range(3):
        out = forward(jnp.ones((2, 3)), MlpConfig(widths=(4, 5)))
    assert out.shape == (2, 5)
    assert traces == [MlpConfig(widths=(4, 5))]


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


def example_static_recompile() -> None:
    """Give the rate as a traced number: five rates, one program."""
    traces = []

    @partial(jax.jit, static_argnames="clip")  # static: it decides which code is traced
    def sgd(weights: jax.Array, gradient: jax.Array, rate: float, clip: bool) -> jax.Array:
        traces.append(clip)
        if clip:
            gradient = jnp.clip(gradient, -1.0, 1.0)
        return weights - rate * gradient

    weights = jnp.ones(3)
    for epoch in range(5):
        weights = sgd(weights, 2.0 * weights, 0.1 / (epoch + 1), clip=True)
    assert traces == [True]


def example_in_loop() -> None:
    """Build the step once: jax.jit and jax.grad outside the loop."""
    traces = []

    def loss(weight: jax.Array, x: jax.Array) -> jax.Array:
        traces.append(x.shape)
        return jnp.mean((weight * x - 1.0) ** 2)

    gradient = jax.jit(jax.grad(loss))  # built in the loop, this would be traced at every step
    weight = jnp.zeros(())
    for _ in range(5):
        weight -= 0.1 * gradient(weight, jnp.ones(4))
    assert traces == [(4,)]


def check_identity() -> None:
    """Count traces in a loop for the four ways to name one function."""

    class Model:
        def __init__(self) -> None:
            self.traces = 0

        def loss(self, weight: jax.Array) -> jax.Array:
            self.traces += 1
            return weight**2

    def count(wrap: Callable[[Model], Callable[..., jax.Array]]) -> int:
        model = Model()
        for _ in range(3):
            jax.jit(wrap(model))(jnp.ones(()))
        return model.traces

    kept = Model()
    named = kept.loss  # the same object at every pass
    assert count(lambda _: named) == 0
    assert kept.traces == 1
    assert count(lambda model: model.loss) == 3
    assert count(lambda model: partial(model.loss)) == 3


def example_weak_type() -> None:
    """Start from arrays with the dtype that the step returns."""
    traces = []

    @jax.jit
    def update(average: jax.Array, loss: jax.Array) -> jax.Array:
        traces.append(average)
        return 0.9 * average + 0.1 * loss

    average = jnp.zeros(())  # or jnp.float32(0), or jnp.array(0.0, jnp.float32)
    for _ in range(4):
        average = update(average, jnp.ones(()))
    assert len(traces) == 1
    assert jnp.array(0.0).weak_type  # as weak as the Python float that it was made of
    assert not average.weak_type


def check_weak_starts() -> None:
    """Hold which starts are weakly typed."""
    assert jnp.asarray(0.0).weak_type
    assert jnp.full((3,), 0.0).weak_type
    assert not jnp.float32(0).weak_type
    assert not jnp.full((3,), 0.0, dtype=jnp.float32).weak_type


def padded_batches(data: np.ndarray, size: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield batches (size, ...), the last one padded, each with its mask (size,)."""
    for start in range(0, len(data), size):
        batch = data[start : start + size]
        missing = [(0, size - len(batch))] + [(0, 0)] * (data.ndim - 1)
        yield np.pad(batch, missing), np.arange(size) < len(batch)


def example_ragged_batch() -> None:
    """Sum over what is real, and divide by its number at the end."""
    traces = []

    @jax.jit
    def sum_of_squares(batch: jax.Array, mask: jax.Array) -> tuple[jax.Array, jax.Array]:
        traces.append(batch.shape)
        return jnp.sum(batch**2, where=mask), mask.sum()

    data = np.arange(10, dtype=np.float32)
    sums, counts = zip(*(sum_of_squares(*one) for one in padded_batches(data, 4)), strict=True)
    assert sum(sums) / sum(counts) == (data**2).mean()
    assert traces == [(4,)]


def mean_over_padded_batches() -> float:
    """Return the mean of ten ones in batches of four."""
    batches = list(padded_batches(np.ones(10, np.float32), 4))
    total = sum(float(jnp.sum(batch, where=mask)) for batch, mask in batches)
    return total / sum(int(mask.sum()) for _, mask in batches)


def pad_to_bucket(tokens: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pad (length,) to the next power of two; return it and the mask of what is real."""
    bucket = 1 << (len(tokens) - 1).bit_length()
    return np.pad(tokens, (0, bucket - len(tokens))), np.arange(bucket) < len(tokens)


def example_buckets() -> None:
    """Serve 29 lengths with six programs."""
    traces = []

    @jax.jit
    def mean(tokens: jax.Array, mask: jax.Array) -> jax.Array:
        traces.append(len(tokens))
        return jnp.mean(tokens, where=mask)

    for length in range(1, 30):
        assert mean(*pad_to_bucket(np.full(length, 2.0, np.float32))) == 2.0
    assert traces == [1, 2, 4, 8, 16, 32]


@jax.jit
def look_up(table: jax.Array, row: int | jax.Array) -> jax.Array:
    """Return one row; the table is an argument, so the program does not contain it."""
    return table[row]


def example_big_constant() -> None:
    """The program's text stays short, whatever the table's size."""
    table = jnp.arange(100_000.0).reshape(1000, 100)
    assert len(look_up.lower(table, 3).as_text()) < 10_000
    assert look_up(table, 3)[0] == 300.0


def program_with_table_as_argument() -> int:
    """Return the number of characters in the lowered program."""
    return len(look_up.lower(jnp.arange(100_000.0).reshape(1000, 100), 3).as_text())


def example_inspect() -> None:
    """List the primitives that were traced, then look into what XLA made of them."""

    @jax.jit
    def layer(x: jax.Array, kernel: jax.Array) -> jax.Array:
        return jnp.tanh(x @ kernel)

    arguments = jnp.ones((2, 3)), jnp.ones((3, 4))
    jaxpr = layer.trace(*arguments).jaxpr  # what Python recorded
    assert [equation.primitive.name for equation in jaxpr.eqns] == ["dot_general", "tanh"]
    compiled = layer.lower(*arguments).compile()  # compiled.as_text() is what runs, fused
    memory = compiled.memory_analysis()
    assert memory is not None
    assert memory.argument_size_in_bytes == 4 * (2 * 3 + 3 * 4)
