"""Mixed precision used wrongly."""

import jax
import jax.numpy as jnp
import numpy as np
import optax


def bfloat16_weights() -> float:
    weight = jnp.ones((), jnp.bfloat16)
    tx = optax.sgd(1e-3)
    opt_state = tx.init(weight)
    for _ in range(100):
        updates, opt_state = tx.update(jnp.ones((), jnp.bfloat16), opt_state, weight)
        weight = optax.apply_updates(weight, updates)
    return float(weight)


def everything_cast() -> int:
    batch = {"token_ids": jnp.array(257)}
    batch = jax.tree.map(lambda leaf: leaf.astype(jnp.bfloat16), batch)
    return int(batch["token_ids"])


def numpy_square_root() -> str:
    hidden = jnp.ones((3, 4), jnp.bfloat16)
    scores = hidden @ hidden.T / np.sqrt(hidden.shape[-1])
    return str(scores.dtype)


def default_dtype_table() -> str:
    hidden = jnp.ones((3, 4), jnp.bfloat16)
    return str((hidden + jnp.zeros((3, 4))).dtype)


def bfloat16_carry() -> float:
    losses = jnp.ones(1000, jnp.bfloat16)
    total, _ = jax.lax.scan(lambda total, loss: (total + loss, None), jnp.zeros((), losses.dtype), losses)
    return float(total)


def bfloat16_sum() -> float:
    return float(jnp.sum(jnp.ones(1001, jnp.bfloat16)))


def unscaled_float16_gradient() -> float:
    def small_loss(weight):
        return (weight.astype(jnp.float16) * 1e-4).astype(jnp.float32) * 1e-4

    return float(jax.grad(small_loss)(jnp.float32(1.0)))


def float16_square() -> float:
    activations = jnp.full(4, 300.0, jnp.float16)
    return float(jnp.mean(activations**2))
