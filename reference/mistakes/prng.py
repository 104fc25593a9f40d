"""Random keys used wrongly."""

import jax
import jax.numpy as jnp


def same_key_twice() -> jax.Array:
    key = jax.random.key(0)
    return jax.random.normal(key, (3,)) + jax.random.normal(key, (3,))


def same_mask_every_layer() -> list[jax.Array]:
    key = jax.random.key(0)
    return [jax.random.bernoulli(key, 0.5, (64,)) for _ in range(2)]


def masks_are_equal(masks: list[jax.Array]) -> bool:
    return bool(jnp.array_equal(masks[0], masks[1]))
