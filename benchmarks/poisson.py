"""Measures how Adam's rate and schedule end a small physics-informed network, and what L-BFGS adds.

Run `python -m benchmarks.poisson [updates] [width,width,...]`: relative errors of u'' = -f on [0, 1], with zero at both
ends built in, 256 points, tanh, three seeds; u is sin(3 pi x).
"""

import sys
from itertools import pairwise
from typing import Any

import jax
import jax.numpy as jnp
import optax

POINTS = jnp.linspace(0, 1, 256)
Layers = list[tuple[jax.Array, jax.Array]]


def init(key: jax.Array, widths: tuple[int, ...]) -> Layers:
    sizes, layers = (1, *widths, 1), []
    for inputs, outputs in pairwise(sizes):
        key, subkey = jax.random.split(key)
        layers.append((jax.random.normal(subkey, (inputs, outputs)) / inputs**0.5, jnp.zeros(outputs)))
    return layers


def network(layers: Layers, x: jax.Array) -> jax.Array:
    hidden = x[None]
    for kernel, bias in layers[:-1]:
        hidden = jnp.tanh(hidden @ kernel + bias)
    kernel, bias = layers[-1]
    return (hidden @ kernel + bias)[0] * x * (1 - x)


def loss(layers: Layers) -> jax.Array:
    second = jax.vmap(jax.grad(jax.grad(lambda x: network(layers, x))))(POINTS)
    source = (3 * jnp.pi) ** 2 * jnp.sin(3 * jnp.pi * POINTS)
    return jnp.mean((second + source) ** 2)


def error(layers: Layers) -> float:
    exact = jnp.sin(3 * jnp.pi * POINTS)
    found = jax.vmap(lambda x: network(layers, x))(POINTS)
    return float(jnp.linalg.norm(found - exact) / jnp.linalg.norm(exact))


def trained(layers: Layers, optimizer: optax.GradientTransformation, updates: int) -> Layers:
    tx = optax.with_extra_args_support(optimizer)

    def step(carry: Any, _: None) -> tuple[Any, None]:
        layers, state = carry
        value, grads = jax.value_and_grad(loss)(layers)
        moves, state = tx.update(grads, state, layers, value=value, grad=grads, value_fn=loss)
        return (optax.apply_updates(layers, moves), state), None

    found: Layers = jax.jit(lambda carry: jax.lax.scan(step, carry, None, length=updates))((layers, tx.init(layers)))[
        0
    ][0]
    return found


def main() -> None:
    """Print the errors of each schedule."""
    updates = int(sys.argv[1]) if len(sys.argv) > 1 else 3000
    widths = tuple(map(int, sys.argv[2].split(","))) if len(sys.argv) > 2 else (32, 32)
    schedules = {
        "1e-3": optax.constant_schedule(1e-3),
        "cosine from 1e-3": optax.cosine_decay_schedule(1e-3, updates),
        "cosine from 3e-3": optax.cosine_decay_schedule(3e-3, updates),
        "cosine from 1e-2": optax.cosine_decay_schedule(1e-2, updates),
    }
    for name, schedule in schedules.items():
        errors = []
        for seed in range(3):
            layers = trained(init(jax.random.key(seed), widths), optax.adam(schedule), updates)
            finished = trained(layers, optax.lbfgs(memory_size=50), 300)
            errors.append(f"{error(layers):.2g} (then 300 of L-BFGS: {error(finished):.2g})")
        print(f"{name}: {', '.join(errors)}", flush=True)


if __name__ == "__main__":
    main()
