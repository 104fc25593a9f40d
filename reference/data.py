"""Batches: every example once an epoch, built on the host, in one fixed shape."""

import jax
import jax.numpy as jnp


def shuffled_batches(key: jax.Array, examples: int, batch_size: int) -> tuple[jax.Array, jax.Array]:
    """Put every example into exactly one batch of one fixed size.

    Args:
        key: For this epoch alone.
        examples: How many there are.
        batch_size: The number of rows in each batch.

    Returns:
        Row numbers and which of them count, both (batches, batch_size). The rows that fill up the last batch are
        row 0 again and do not count.
    """
    batches = -(-examples // batch_size)
    filling = batches * batch_size - examples
    rows = jnp.pad(jax.random.permutation(key, examples), (0, filling))
    valid = jnp.arange(batches * batch_size) < examples
    return rows.reshape(batches, batch_size), valid.reshape(batches, batch_size)
