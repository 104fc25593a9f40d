"""Steps of two libraries side by side: gradients of any size, parameters after each, and how far both differ."""

import random
from collections.abc import Iterator, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax

from skillkit.configuration.building import build

UPDATES = 50
EQUAL = 1e-6  # of how far a parameter has moved
SHAPES = ((3, 4), (4,))


def drawn(rng: random.Random, low: float, high: float) -> float:
    """Return a number between two others, on a logarithmic scale, short enough to be written."""
    return float(f"{low * (high / low) ** rng.random():.3g}")


def gradients(seed: int) -> Iterator[list[np.ndarray]]:
    """Yield gradients of any size: some elements near the usual eps, some never, some always 0."""
    numbers = np.random.default_rng(seed)
    sizes = [10.0 ** numbers.uniform(-9, 1, shape) for shape in SHAPES]
    sizes[1][0] = 0.0
    for _ in range(UPDATES):
        yield [numbers.normal(size=shape) * size for shape, size in zip(SHAPES, sizes, strict=True)]


def start(seed: int) -> list[np.ndarray]:
    numbers = np.random.default_rng(seed)
    return [numbers.normal(size=shape) for shape in SHAPES]


def optax_run(configuration: Mapping[str, Any], seed: int) -> list[list[np.ndarray]]:
    """Return Optax's parameters after each update of a configuration's optimizer."""
    with jax.enable_x64(True):
        (optimizer,) = build(configuration).values()
        params: Any = start(seed)
        # of a count in 32 bits Optax makes a rate of 32 bits, which is no matter of the formula
        state = jax.tree.map(
            lambda leaf: leaf.astype(jnp.int64) if leaf.dtype == jnp.int32 else leaf, optimizer.init(params)
        )

        @jax.jit
        def step(params: Any, state: Any, grads: Any) -> Any:
            updates, state = optimizer.update(grads, state, params)
            return optax.apply_updates(params, updates), state

        path = []
        for grads in gradients(seed):
            params, state = step(params, state, grads)
            path.append([np.asarray(part) for part in params])
    return path


def difference(one: list[list[np.ndarray]], other: list[list[np.ndarray]], seed: int) -> float:
    """Return by how much of the way that it has gone an element of two runs differs at most, at any update."""
    worst = 0.0
    last, ways = start(seed), [np.zeros(shape) for shape in SHAPES]
    for ours, theirs in zip(one, other, strict=True):
        ways = [way + np.abs(new - old) for way, new, old in zip(ways, ours, last, strict=True)]
        last = ours
        for a, b, way in zip(ours, theirs, ways, strict=True):
            rounding = UPDATES * np.finfo(float).eps * np.abs(a)  # of adding small updates to a parameter
            off = np.maximum(np.abs(a - b) - rounding, 0)
            worst = max(worst, float(np.max(off / np.maximum(way, 1e-300))))
    return worst
