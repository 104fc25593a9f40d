"""Retracing: what a compiled function is looked up by, and what therefore is traced again."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np


def traces(function: Callable[..., Any], calls: Iterable[tuple[Any, ...]], static: tuple[int, ...] = ()) -> int:
    """Return how often a function is traced when it is jitted and called with these arguments."""
    seen = []

    def counted(*args: Any) -> Any:
        seen.append(args)
        return function(*args)

    compiled = jax.jit(counted, static_argnums=static)
    for args in calls:
        compiled(*args)
    return len(seen)


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


def traces_of_equal_configurations() -> int:
    """Return how often a function is traced that gets an equal configuration three times."""

    def forward(x: jax.Array, config: MlpConfig) -> jax.Array:
        return x @ jnp.ones((3, config.widths[0]))

    return traces(forward, [(jnp.ones(3), MlpConfig()) for _ in range(3)], static=(1,))


def traces_of_one_static_type() -> int:
    """Return how often a function is traced whose equal static numbers are all made integers."""
    return traces(lambda x, power: x**power, [(jnp.ones(3), int(one)) for one in (1, 1.0, True)], static=(1,))


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


def traces_of_traced_rates() -> int:
    """Return how often a step is traced over five rates that are ordinary arguments."""
    return traces(lambda weight, rate: weight - rate * weight, [(jnp.ones(()), 0.1 / epoch) for epoch in range(1, 6)])


def structure_is_in_the_signature() -> bool:
    """Return whether a tuple is traced anew after a list of the same arrays."""
    return traces(lambda pair: pair[0] + pair[1], [([1.0, 2.0],), ([3.0, 4.0],), ((1.0, 2.0),)]) == 2


def names_are_in_the_signature() -> bool:
    """Return whether a call by keyword is traced anew after one by position."""
    seen = []

    @jax.jit
    def double(x: jax.Array) -> jax.Array:
        seen.append(x)
        return 2 * x

    for x in (jnp.ones(2), jnp.zeros(2)):
        double(x)
        double(x=x)
    return len(seen) == 2


def precision_is_in_the_signature() -> bool:
    """Return whether a call under another matmul precision is traced anew."""
    seen = []

    @jax.jit
    def square(x: jax.Array) -> jax.Array:
        seen.append(x)
        return x @ x

    for precision in ("default", "highest", "default"):
        with jax.default_matmul_precision(precision):
            square(jnp.ones((2, 2)))
    return len(seen) == 2


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


def traces_of_one_gradient() -> int:
    """Return how often a gradient is traced that is made once and called five times."""
    return traces(jax.grad(lambda weight: weight**2), [(jnp.ones(()),)] * 5)


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


def traces_from_zeros() -> int:
    """Return how often a step is traced whose state starts strongly typed."""
    seen = []

    @jax.jit
    def update(average: jax.Array, loss: jax.Array) -> jax.Array:
        seen.append(average)
        return 0.9 * average + 0.1 * loss

    average = jnp.zeros(())
    for _ in range(4):
        average = update(average, jnp.ones(()))
    return len(seen)


def check_weak_starts() -> None:
    """Hold which starts are weakly typed, and that what meets nothing strong stays so."""
    assert (0.9 * jnp.array(0.0)).weak_type
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
        return jnp.sum(batch**2, where=mask, dtype=jnp.float32), mask.sum()

    data = np.arange(10, dtype=np.float32)
    sums, counts = zip(*(sum_of_squares(*one) for one in padded_batches(data, 4)), strict=True)
    assert sum(sums) / sum(counts) == (data**2).mean()
    assert traces == [(4,)]


def traces_of_padded_batches() -> int:
    """Return how often a sum is traced over ten numbers in padded batches of four."""
    batches = padded_batches(np.arange(10, dtype=np.float32), 4)
    return traces(lambda batch, mask: jnp.sum(batch**2, where=mask), batches)


def mean_over_padded_batches() -> float:
    """Return the mean of ten ones in batches of four."""
    batches = list(padded_batches(np.ones(10, np.float32), 4))
    total = sum(float(jnp.sum(batch, where=mask)) for batch, mask in batches)
    return total / sum(int(mask.sum()) for _, mask in batches)


def mean_of_bfloat16_batches() -> float:
    """Return the mean of 10000 ones in bfloat16, in batches of 32, summed in float32."""
    total, count = jnp.zeros(()), jnp.zeros((), int)
    for batch, mask in padded_batches(np.ones(10_000, jnp.bfloat16), 32):
        total += jnp.sum(batch, where=mask, dtype=jnp.float32)
        count += mask.sum()
    return float(total / count)


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


def step_between_buckets() -> int:
    """Return how many times larger each bucket is than the one before."""
    buckets = sorted({len(pad_to_bucket(np.ones(length))[0]) for length in range(1, 100)})
    (step,) = {larger / smaller for smaller, larger in pairwise(buckets)}
    return int(step)


def check_cache_size() -> None:
    """Hold that the cache of a jitted function keeps a program for each shape."""
    double = jax.jit(lambda x: 2 * x)
    for length in range(1, 5):
        double(jnp.ones(length))
    assert double._cache_size() == 4  # type: ignore[attr-defined]  # private, and the only count there is


def programs_for_buckets() -> int:
    """Return how many programs serve 29 lengths that are padded to powers of two."""
    calls = [pad_to_bucket(np.ones(length, np.float32)) for length in range(1, 30)]
    return traces(lambda tokens, mask: jnp.mean(tokens, where=mask), calls)
