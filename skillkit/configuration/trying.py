"""Trying: a configuration's optimizers, built by Optax and stepped on a small network."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import optax

from skillkit.configuration.building import build

UPDATES = 3


@dataclass(frozen=True)
class Trial:
    """What became of one network's optimizer.

    Args:
        network: Its name.
        finite: Whether all parameters stayed finite.
        moved: Whether any parameter changed.
    """

    network: str
    finite: bool
    moved: bool


def try_configuration(configuration: Mapping[str, Any]) -> list[Trial]:
    """Return, for each network, whether a few jitted updates of a small parameter tree are finite and move it."""
    networks = {network["name"]: network for network in configuration["networks"]}
    return [_trial(name, optimizer, networks[name], configuration) for name, optimizer in build(configuration).items()]


def small_parameters() -> dict[str, Any]:
    """Return a tree with a leaf of every kind that a configuration tells apart."""
    keys = jax.random.split(jax.random.key(0), 4)
    return {
        "embedding": {"table": jax.random.normal(keys[0], (8, 4))},
        "hidden": {"kernel": jax.random.normal(keys[1], (4, 4)), "bias": jnp.full(4, 0.1)},
        "norm": {"scale": jnp.ones(4)},
        "lora_a": {"kernel": jax.random.normal(keys[2], (4, 2))},
        "head": {"kernel": jax.random.normal(keys[3], (4, 3))},
    }


def _trial(
    name: str, optimizer: optax.GradientTransformation, network: Mapping[str, Any], configuration: Mapping[str, Any]
) -> Trial:
    start = params = small_parameters()
    if configuration["precision"] == "bfloat16-params":
        start = params = optax.tree.cast(params, jnp.bfloat16)
    per_example = bool(configuration["privacy"]) or (network["clip"] or {}).get("kind") == "per_example"
    tx = optax.with_extra_args_support(optimizer)
    state = tx.init(params)

    @jax.jit
    def step(params: Any, state: Any) -> tuple[Any, Any]:
        value, grads = jax.value_and_grad(_loss)(params)
        given = jax.tree.map(lambda grad: jnp.stack([grad, -grad / 2]), grads) if per_example else grads
        updates, state = tx.update(given, state, params, value=value, grad=grads, value_fn=_loss)
        return optax.apply_updates(params, updates), state

    for _ in range(UPDATES * configuration["accumulation"]):
        params, state = step(params, state)
    leaves = jax.tree.leaves(params)
    finite = all(bool(jnp.isfinite(leaf).all()) for leaf in leaves)
    moved = any(bool((leaf != old).any()) for leaf, old in zip(leaves, jax.tree.leaves(start), strict=True))
    return Trial(name, finite, moved)


def _loss(params: Any) -> jax.Array:
    losses = [jnp.mean((leaf.astype(jnp.float32) - 0.5) ** 2) for leaf in jax.tree.leaves(params)]
    return sum(losses, start=jnp.zeros(()))
