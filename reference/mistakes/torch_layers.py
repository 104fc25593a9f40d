"""PyTorch's habits in layers of JAX."""

import math

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx


def normal(*shape: int):
    return jnp.asarray(np.random.default_rng(0).normal(size=shape), jnp.float32)


def differs_from_torch(error: float) -> bool:
    return error > 1e-4


def rectangular_weight_as_it_is() -> None:
    weight = normal(5, 3)
    layer = nnx.Linear(3, 5, rngs=nnx.Rngs(0))
    layer.kernel[...] = weight


def square_weight_as_it_is() -> float:
    weight, x = normal(4, 4), normal(2, 4)
    layer = nnx.Linear(4, 4, use_bias=False, rngs=nnx.Rngs(0))
    layer.kernel[...] = weight
    return float(abs(layer(x) - x @ weight.T).max())


def default_padding() -> list[int]:
    layer = nnx.Conv(3, 8, (3, 3), rngs=nnx.Rngs(0))
    return list(layer(jnp.ones((1, 6, 6, 3))).shape)


def same_padding_at_stride_two() -> float:
    weight, x = normal(8, 3, 3, 3), normal(2, 3, 6, 6)
    layer = nnx.Conv(3, 8, (3, 3), strides=2, padding="SAME", use_bias=False, rngs=nnx.Rngs(0))
    layer.kernel[...] = weight.transpose(2, 3, 1, 0)
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))  # as torch.nn.Conv2d(3, 8, 3, stride=2, padding=1)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))[:, :, ::2, ::2]
    by_torch = np.einsum("nchwij,ocij->nhwo", windows, weight)
    return float(abs(layer(x.transpose(0, 2, 3, 1)) - by_torch).max())


def only_odd_sizes_agree() -> bool:
    same, padded = (
        nnx.Conv(3, 8, (3, 3), strides=2, padding=padding, use_bias=False, rngs=nnx.Rngs(0)) for padding in ("SAME", 1)
    )
    images = [jnp.asarray(normal(2, size, size, 3)) for size in range(5, 13)]
    return [bool(jnp.allclose(same(x), padded(x), atol=1e-4)) for x in images] == [True, False] * 4


def channels_first() -> None:
    layer = nnx.Conv(3, 8, (3, 3), rngs=nnx.Rngs(0))
    layer(jnp.ones((1, 3, 6, 6)))


def flattened_channels_last() -> float:
    torch_features = normal(2, 3, 4, 4)
    features = torch_features.transpose(0, 2, 3, 1)
    flat = features.reshape(len(features), -1)
    return float((flat == torch_features.reshape(2, -1)).mean())


def few_are_in_place(share: float) -> bool:
    return share < 0.1


def gelu_by_default() -> float:
    def torch_gelu(x: float) -> float:
        return x * 0.5 * (1 + math.erf(x / math.sqrt(2)))

    return max(abs(float(jax.nn.gelu(x)) - torch_gelu(x)) for x in (-3.0, -2.0, 1.5))


def variance_over_n() -> float:
    return float(jnp.var(jnp.arange(5.0)))


def default_epsilon() -> float:
    x = normal(4, 8) / 1000
    expected = (x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + 1e-5)
    layer = nnx.LayerNorm(8, rngs=nnx.Rngs(0))
    return float(abs(layer(x) - expected).max())


def fast_variance() -> float:
    x = normal(4, 8) + 1000
    expected = (x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + 1e-5)
    layer = nnx.LayerNorm(8, epsilon=1e-5, rngs=nnx.Rngs(0))
    return float(abs(layer(x) - expected).max())


def is_far_from_torch(error: float) -> bool:
    return error > 0.03


def momentum_copied() -> float:
    layer = nnx.BatchNorm(1, momentum=0.1, rngs=nnx.Rngs(0))
    layer(jnp.array([[9.0], [11.0]]))
    return float(layer.mean[...][0])


def take_for_gather() -> list[int]:
    x, index = jnp.arange(6.0).reshape(2, 3), jnp.array([[2], [0]])
    return list(jnp.take(x, index, axis=1).shape)


def initialised_by_default() -> float:
    layer = nnx.Linear(512, 512, rngs=nnx.Rngs(0))
    return float(layer.kernel[...].std()) * math.sqrt(3 * 512)


def is_much_wider(ratio: float) -> bool:
    return ratio > 1.5
