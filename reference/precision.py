"""Mixed precision: which numbers may be short, and which must stay float32."""

import math
from typing import Any

import jax
import jax.numpy as jnp
import optax


def to_bfloat16(tree: Any) -> Any:
    """Cast the floating leaves only: token ids and counts are not exact in bfloat16."""

    def cast(leaf: jax.Array) -> jax.Array:
        return leaf.astype(jnp.bfloat16) if jnp.issubdtype(leaf.dtype, jnp.floating) else leaf

    return jax.tree.map(cast, tree)


def loss(params: dict[str, jax.Array], token_ids: jax.Array) -> jax.Array:
    """Compute in bfloat16 and return float32; the gradients come back as float32, like params."""
    params, token_ids = to_bfloat16((params, token_ids))
    hidden = params["embed"][token_ids]
    return hidden.astype(jnp.float32).mean()


def example_master_weights() -> None:
    """Take a hundred steps, each smaller than half a bfloat16 unit of the weight."""
    params = {"embed": jnp.ones((300, 1))}
    tx = optax.sgd(1e-3)
    opt_state = tx.init(params)
    for _ in range(100):
        grads = jax.grad(loss)(params, jnp.array([257]))
        updates, opt_state = tx.update(grads, opt_state, params)
        params = optax.apply_updates(params, updates)
    assert grads["embed"].dtype == jnp.float32
    assert jnp.isclose(params["embed"][257, 0], 1.0 - 100 * 1e-3)


def weight_after_hundred_steps() -> float:
    """Return a float32 weight, 1 at the start, after steps of 0.001."""
    weight = jnp.ones(())
    for _ in range(100):
        gradient = jax.grad(lambda weight: weight.astype(jnp.bfloat16).astype(jnp.float32))(weight)
        weight = weight - 1e-3 * gradient
    return float(weight)


def cast_token_id() -> int:
    """Return a token id after the batch was cast."""
    return int(to_bfloat16({"token_ids": jnp.array(257)})["token_ids"])


def attention_scores(queries: jax.Array, keys: jax.Array) -> jax.Array:
    """Scale by a Python float, which takes the dtype of the array; (query, key)."""
    return queries @ keys.T / math.sqrt(queries.shape[-1])


def example_dtype_leak() -> None:
    """Stay in bfloat16 through a scale, a mask and a table."""
    hidden = jnp.ones((3, 4), jnp.bfloat16)
    scores = attention_scores(hidden, hidden)
    masked = jnp.where(jnp.tri(3, dtype=bool), scores, -jnp.inf)
    positions = jnp.zeros((3, 4), dtype=hidden.dtype)  # jnp.zeros alone is float32
    assert masked.dtype == (hidden + positions).dtype == jnp.bfloat16
    assert (hidden + jnp.full((3, 4), 0.5)).dtype == jnp.bfloat16  # made of a Python number: weakly typed as well


def dtype_of_scores() -> str:
    """Return the dtype of scaled bfloat16 scores."""
    hidden = jnp.ones((3, 4), jnp.bfloat16)
    return str(attention_scores(hidden, hidden).dtype)


def dtype_with_positions() -> str:
    """Return the dtype of bfloat16 activations plus a table."""
    hidden = jnp.ones((3, 4), jnp.bfloat16)
    return str((hidden + jnp.zeros((3, 4), dtype=hidden.dtype)).dtype)


def total_loss(losses: jax.Array) -> jax.Array:
    """Add up bfloat16 losses, one at a time, in a float32 carry."""
    total, _ = jax.lax.scan(lambda total, loss: (total + loss, None), jnp.zeros(()), losses)
    return total


def example_accumulate_f32() -> None:
    """Count to a thousand and one, one at a time and in one product."""
    ones = jnp.ones(1001, jnp.bfloat16)
    assert total_loss(ones) == 1001
    assert jnp.dot(ones, ones, preferred_element_type=jnp.float32) == 1001
    assert jnp.sum(ones, dtype=jnp.float32) == 1001


def total_of_thousand_ones() -> float:
    """Return the sum of a thousand ones."""
    return float(total_loss(jnp.ones(1000, jnp.bfloat16)))


def sum_of_ones() -> float:
    """Return the sum of 1001 ones, added in one call."""
    return float(jnp.sum(jnp.ones(1001, jnp.bfloat16), dtype=jnp.float32))


def small_loss(weight: jax.Array) -> jax.Array:
    """Return a float32 loss whose gradient of 1e-8 passes through float16."""
    return (weight.astype(jnp.float16) * 1e-4).astype(jnp.float32) * 1e-4


def scaled_gradient(weight: jax.Array, scale: float) -> jax.Array:
    """Scale the loss up before differentiating and the float32 gradient down after."""
    gradient: jax.Array = jax.grad(lambda weight: scale * small_loss(weight))(weight)
    return gradient / scale


def example_loss_scale() -> None:
    """Recover a gradient below float16's smallest number, and square a number above its root."""
    assert jnp.isclose(scaled_gradient(jnp.float32(1.0), scale=2.0**15), 1e-8, rtol=1e-2)
    activations = jnp.full(4, 300.0, jnp.float16)
    assert jnp.mean(activations.astype(jnp.float32) ** 2) == 90_000.0
    assert jnp.isfinite(activations.astype(jnp.bfloat16) ** 2).all()  # bfloat16 has float32's range


def gradient_with_scale() -> float:
    """Return the small gradient, computed with a scaled loss."""
    return float(scaled_gradient(jnp.float32(1.0), scale=2.0**15))


def mean_square_in_float32() -> float:
    """Return the mean square of float16 activations."""
    return float(jnp.mean(jnp.full(4, 300.0, jnp.float16).astype(jnp.float32) ** 2))


def example_matmul_precision() -> None:
    """Ask for full float32 products, for one call or for a region."""
    matrix = jnp.ones((4, 4))
    one_call = jax.jit(lambda: jnp.dot(matrix, matrix, precision="highest")).trace()
    with jax.default_matmul_precision("highest"):
        region = jax.jit(lambda: matrix @ matrix).trace()
    assert "HIGHEST" in str(one_call.jaxpr)
    assert "HIGHEST" in str(region.jaxpr)
    assert "HIGHEST" not in str(jax.jit(lambda: jnp.dot(matrix, matrix)).trace().jaxpr)
