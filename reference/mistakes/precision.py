"""Mixed precision used wrongly."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx


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
    table, token_ids = jnp.ones((9, 4), jnp.bfloat16), jnp.array([2, 0, 1])
    return str((table[token_ids] * np.sqrt(table.shape[-1])).dtype)


def default_dtype_table() -> str:
    hidden = jnp.ones((3, 4), jnp.bfloat16)
    return str((hidden + jnp.zeros((3, 4))).dtype)


def softmax_in_bfloat16() -> float:
    queries, keys = jax.random.normal(jax.random.key(0), (2, 256, 64), jnp.bfloat16)
    weights = jax.nn.softmax(queries @ keys.T / math.sqrt(64))
    return round(float(jnp.abs(weights.astype(jnp.float32).sum(axis=1) - 1).max()), 3)


def row_without_a_key() -> float:
    logits, mask = jnp.zeros((2, 2)), jnp.array([[False, False], [True, False]])
    logits = jnp.where(mask, logits, -jnp.inf)
    return float(jax.nn.softmax(logits)[0, 0])


def row_without_a_key_in_attention() -> jax.Array:
    queries, values = jnp.ones((2, 1, 4)), jnp.array([1.0, 3.0])[:, None, None] * jnp.ones((2, 1, 4))
    mask = jnp.zeros((1, 2, 2), bool)
    return jax.nn.dot_product_attention(queries, queries, values, mask=mask)[:, 0, 0]


def is_the_mean_of_all_values(outputs) -> bool:
    return bool(jnp.allclose(outputs, 2.0))


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


def fixed_loss_scale() -> float:
    def small_loss(weight):
        return (weight.astype(jnp.float16) * 1e-4).astype(jnp.float32) * 1e-4

    weight, scale = jnp.ones(()), 2.0**31
    gradient = jax.grad(lambda weight: scale * small_loss(weight))(weight) / scale
    return float(weight - 1e6 * gradient)


def float16_square() -> float:
    activations = jnp.full(4, 300.0, jnp.float16)
    return float(jnp.mean(activations**2))


def layer_without_a_dtype() -> str:
    layer = nnx.Linear(4, 4, rngs=nnx.Rngs(0))
    return str(layer(jnp.ones((3, 4), jnp.bfloat16)).dtype)


def weights_in_bfloat16() -> str:
    layer = nnx.Linear(4, 4, param_dtype=jnp.bfloat16, rngs=nnx.Rngs(0))
    return str(layer.kernel.dtype)
