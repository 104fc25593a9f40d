"""Random keys: one key, one use."""

import jax
import jax.numpy as jnp


def dropout(key: jax.Array, x: jax.Array, rate: float) -> jax.Array:
    """Zero a fraction of the activations and scale the rest so that their mean stays.

    Args:
        key: A typed key, used nowhere else.
        x: Floating point, any shape.
        rate: The fraction to drop, in [0, 1).

    Returns:
        As `x`. Inverted dropout: Srivastava et al. 2014, section 10.
    """
    keep = jax.random.bernoulli(key, 1.0 - rate, x.shape)
    return jnp.where(keep, x / (1.0 - rate), 0.0)


def forward(key: jax.Array, x: jax.Array) -> jax.Array:
    """Apply two dropout layers, each with a key of its own."""
    for layer_key in jax.random.split(key, 2):
        x = dropout(layer_key, x, rate=0.5)
    return x


def example_dropout_keys() -> None:
    """Derive the step's key from one root key, and the layers' keys from the step's."""
    root = jax.random.key(0)  # typed; a raw jax.random.PRNGKey escapes the reuse checker
    masks = [forward(jax.random.fold_in(root, step), jnp.ones(64)) for step in range(2)]
    assert not jnp.array_equal(masks[0], masks[1])


def check_dropout_keys() -> None:
    """Hold that no key is used twice and that the mean stays."""
    with jax.debug_key_reuse(True):
        out = jax.jit(forward)(jax.random.key(1), jnp.ones(100_000))
    assert abs(float(out.mean()) - 1.0) < 0.05
