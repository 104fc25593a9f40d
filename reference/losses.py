"""Losses and metrics: from logits, over the examples that count, divided once."""

import jax
import jax.numpy as jnp


def weighted_mean(values: jax.Array, weights: jax.Array) -> jax.Array:
    """Average values by their weights, both (batch,); a Boolean mask is a weight, and nothing to count gives 0."""
    weighted = jnp.where(weights > 0, values * weights, 0.0)  # where, since NaN * 0 is NaN
    total = weights.sum(dtype=values.dtype)
    return weighted.sum() / jnp.where(total > 0, total, 1.0)
