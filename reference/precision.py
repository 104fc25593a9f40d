"""Mixed precision: which numbers may be short, and which must stay float32."""

import math
from typing import Any

import jax
import jax.numpy as jnp
import optax
from flax import nnx


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
    return round(float(weight), 4)


def cast_token_id() -> int:
    """Return a token id after the batch was cast."""
    return int(to_bfloat16({"token_ids": jnp.array(257)})["token_ids"])


def largest_exact_integer_in_bfloat16() -> int:
    """Return the last integer up to which all are exact."""
    integers = jnp.arange(1000)
    return int(jnp.argmin(integers.astype(jnp.bfloat16).astype(int) == integers)) - 1


def scaled_embedding(table: jax.Array, token_ids: jax.Array) -> jax.Array:
    """Scale by a Python float, which takes the dtype of the array; (tokens, width)."""
    return table[token_ids] * math.sqrt(table.shape[-1])


def example_dtype_leak() -> None:
    """Stay in bfloat16 through a scale, a mask and a table."""
    hidden = scaled_embedding(jnp.ones((9, 4), jnp.bfloat16), jnp.array([2, 0, 1]))
    masked = jnp.where(jnp.array([[True], [True], [False]]), hidden, 0.0)
    positions = jnp.zeros((3, 4), dtype=hidden.dtype)  # jnp.zeros alone is float32
    assert masked.dtype == (hidden + positions).dtype == jnp.bfloat16
    assert (hidden + jnp.full((3, 4), 0.5)).dtype == jnp.bfloat16  # made of a Python number: weakly typed as well


def dtype_of_a_scaled_embedding() -> str:
    """Return the dtype of a scaled bfloat16 embedding."""
    return str(scaled_embedding(jnp.ones((9, 4), jnp.bfloat16), jnp.array([2, 0, 1])).dtype)


def dtype_with_positions() -> str:
    """Return the dtype of bfloat16 activations plus a table."""
    hidden = jnp.ones((3, 4), jnp.bfloat16)
    return str((hidden + jnp.zeros((3, 4), dtype=hidden.dtype)).dtype)


def float32_takes_twice_the_memory() -> bool:
    """Return whether an array takes twice as many bytes in float32 as in bfloat16."""
    return jnp.ones((3, 4)).nbytes == 2 * jnp.ones((3, 4), jnp.bfloat16).nbytes


def attention_weights(queries: jax.Array, keys: jax.Array, mask: jax.Array) -> jax.Array:
    """Compute logits and softmax in float32; queries and keys (rows, size), the mask True where a key is seen."""
    logits = jnp.matmul(queries, keys.T, preferred_element_type=jnp.float32) / math.sqrt(queries.shape[-1])
    return jax.nn.softmax(logits, where=mask).astype(queries.dtype)  # a row that sees no key is 0


def example_attention_weights() -> None:
    """Compare with JAX's own attention, and mask one row whole."""
    queries, keys, values = jax.random.normal(jax.random.key(0), (3, 256, 64), jnp.bfloat16)
    causal = jnp.tri(256, dtype=bool)
    output = attention_weights(queries, keys, causal) @ values
    heads = (part[:, None, :] for part in (queries, keys, values))  # (rows, heads, size)
    expected = jax.nn.dot_product_attention(*heads, is_causal=True)[:, 0]
    assert output.dtype == expected.dtype == jnp.bfloat16
    assert jnp.allclose(output.astype(jnp.float32), expected.astype(jnp.float32), atol=0.03)
    assert (attention_weights(queries, keys, causal.at[5].set(False))[5] == 0).all()


def check_attention_weights() -> None:
    """Hold that large logits lose nothing but the rounding of the weights themselves."""
    queries, keys = jax.random.normal(jax.random.key(0), (2, 256, 64), jnp.bfloat16)
    everything = jnp.ones((256, 256), bool)
    weights = attention_weights(8 * queries, keys, everything).astype(jnp.float32)
    exact = jax.nn.softmax(queries.astype(jnp.float32) @ keys.astype(jnp.float32).T)
    assert (jnp.abs(weights - exact) <= 0.005 * exact + 1e-6).all()


def error_of_a_row() -> float:
    """Return how far a row of weights is from summing to 1, at most."""
    queries, keys = jax.random.normal(jax.random.key(0), (2, 256, 64), jnp.bfloat16)
    logits = jnp.matmul(queries, keys.T, preferred_element_type=jnp.float32) / math.sqrt(64)
    return round(float(jnp.abs(jax.nn.softmax(logits).sum(axis=1) - 1).max()), 3)


def weight_without_a_key() -> float:
    """Return the first weight of a row that sees no key."""
    ones = jnp.ones((2, 4), jnp.bfloat16)
    return float(attention_weights(ones, ones, jnp.zeros((2, 2), bool))[0, 0])


def output_without_a_key() -> jax.Array:
    """Return the output of a row that sees no key, for the values 1 and 3."""
    ones, values = jnp.ones((2, 4)), jnp.array([[1.0], [3.0]])
    return (attention_weights(ones, ones, jnp.zeros((2, 2), bool)) @ values).ravel()


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


def check_accumulate_f32() -> None:
    """Hold that a sum of bfloat16 is a sum of float32 that is rounded."""
    equations = jax.make_jaxpr(jnp.sum)(jnp.ones(1001, jnp.bfloat16)).eqns
    assert [str(equation.outvars[0].aval.dtype) for equation in equations] == ["float32", "float32", "bfloat16"]


def total_of_thousand_ones() -> float:
    """Return the sum of a thousand ones."""
    return float(total_loss(jnp.ones(1000, jnp.bfloat16)))


def sum_of_ones() -> float:
    """Return the sum of 1001 ones, added in one call."""
    return float(jnp.sum(jnp.ones(1001, jnp.bfloat16), dtype=jnp.float32))


def small_loss(weight: jax.Array) -> jax.Array:
    """Return a float32 loss whose gradient of 1e-8 passes through float16."""
    return (weight.astype(jnp.float16) * 1e-4).astype(jnp.float32) * 1e-4


def scaled_step(weight: jax.Array, scale: jax.Array, rate: float) -> tuple[jax.Array, jax.Array]:
    """Take a step and keep the scale; where the scaled gradient overflows, take none and halve the scale."""
    gradient = jax.grad(lambda weight: scale * small_loss(weight))(weight) / scale  # float32 again, so divide here
    finite = jnp.isfinite(gradient)
    return jnp.where(finite, weight - rate * gradient, weight), jnp.where(finite, scale, scale / 2)


def example_loss_scale() -> None:
    """Recover a gradient below float16's smallest number, with a scale that is too large at first."""
    weight, scale, scales = jnp.ones(()), jnp.float32(2.0**31), []
    for _ in range(4):
        weight, scale = scaled_step(weight, scale, rate=1e6)
        scales.append(scale)
    assert scales == [2.0**30, 2.0**29, 2.0**29, 2.0**29]
    assert jnp.isclose(weight, 1.0 - 2 * 1e6 * 1e-8, rtol=1e-3)  # two steps of four
    activations = jnp.full(4, 300.0, jnp.float16)
    assert jnp.mean(activations.astype(jnp.float32) ** 2) == 90_000.0
    assert jnp.isfinite(activations.astype(jnp.bfloat16) ** 2).all()  # bfloat16 has float32's range


def gradient_with_scale() -> float:
    """Return the small gradient, computed with a scaled loss, in units of 1e-8."""
    weight, _ = scaled_step(jnp.zeros(()), jnp.float32(2.0**15), rate=1e8)
    return round(-float(weight), 2)


def weight_after_an_overflow() -> float:
    """Return a weight, 1 before, after a step whose scaled gradient overflows."""
    return float(scaled_step(jnp.ones(()), jnp.float32(2.0**31), rate=1e6)[0])


def smallest_float16() -> float:
    """Return the smallest number above zero."""
    return float(jnp.finfo(jnp.float16).smallest_subnormal)


def largest_float16() -> float:
    """Return the largest number that is finite."""
    return float(jnp.finfo(jnp.float16).max)


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


def digits_of_bfloat16() -> float:
    """Return how many decimal digits rounding to bfloat16 keeps."""
    return -math.log10(float(jnp.finfo(jnp.bfloat16).eps) / 2)


def digits_of_tf32() -> float:
    """Return how many decimal digits rounding to TF32 keeps."""
    return -math.log10(2.0**-10 / 2)  # 10 bits of fraction: NVIDIA A100 architecture whitepaper


def example_nnx_dtypes() -> None:
    """Compute in bfloat16 with float32 weights: each layer casts what it gets and what it has."""
    layer = nnx.Linear(4, 4, dtype=jnp.bfloat16, param_dtype=jnp.float32, rngs=nnx.Rngs(0))
    hidden = jnp.ones((3, 4))

    def mean_square(layer: nnx.Linear) -> jax.Array:
        output = layer(hidden)
        assert output.dtype == jnp.bfloat16
        return jnp.mean(output.astype(jnp.float32) ** 2)

    grads = nnx.grad(mean_square)(layer)
    assert layer.kernel.dtype == grads.kernel.dtype == jnp.float32


def dtype_out_of_a_layer() -> str:
    """Return the dtype that a layer gives for a bfloat16 input."""
    layer = nnx.Linear(4, 4, dtype=jnp.bfloat16, rngs=nnx.Rngs(0))
    return str(layer(jnp.ones((3, 4), jnp.bfloat16)).dtype)


def dtype_of_weights() -> str:
    """Return the dtype of the weights of a layer that computes in bfloat16."""
    return str(nnx.Linear(4, 4, dtype=jnp.bfloat16, rngs=nnx.Rngs(0)).kernel.dtype)
