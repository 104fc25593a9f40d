"""From PyTorch: layers, their weights and functions."""

import math

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from flax import linen as nn
from flax import nnx


def normal(*shape: int) -> jax.Array:
    """Return numbers that stand for the data or weights of a PyTorch model."""
    return jnp.asarray(np.random.default_rng(0).normal(size=shape), jnp.float32)


def torch_linear(weight: jax.Array, x: jax.Array) -> jax.Array:
    """Compute what torch.nn.Linear does without bias: its weight is (out, in)."""
    return x @ weight.T


def linear_from_torch(weight: jax.Array) -> nnx.Linear:
    """Return a Flax layer with the weight (out, in) of a torch.nn.Linear; a bias is copied as it is."""
    layer = nnx.Linear(weight.shape[1], weight.shape[0], use_bias=False, rngs=nnx.Rngs(0))
    layer.kernel[...] = weight.T
    return layer


def example_linear() -> None:
    """Copy a square layer, whose wrong orientation nothing would report."""
    weight, x = normal(4, 4), normal(2, 4)
    assert jnp.allclose(linear_from_torch(weight)(x), torch_linear(weight, x), atol=1e-5)


def check_linear() -> None:
    """Hold that a layer that is not square fits too, and that Equinox keeps PyTorch's layout."""
    weight, x = normal(5, 3), normal(2, 3)
    assert jnp.allclose(linear_from_torch(weight)(x), torch_linear(weight, x), atol=1e-5)
    assert eqx.nn.Linear(3, 5, key=jax.random.key(0)).weight.shape == (5, 3)


def copied_square_error() -> float:
    """Return how far a square layer with PyTorch's weight is from PyTorch's output."""
    weight, x = normal(4, 4), normal(2, 4)
    return float(abs(linear_from_torch(weight)(x) - torch_linear(weight, x)).max())


def torch_conv2d(weight: jax.Array, x: jax.Array) -> jax.Array:
    """Compute what torch.nn.Conv2d does without bias: x is NCHW, the weight OIHW, and nothing is padded."""
    windows = np.lib.stride_tricks.sliding_window_view(np.asarray(x), weight.shape[2:], axis=(2, 3))
    return jnp.einsum("nchwij,ocij->nohw", windows, weight)


def example_conv() -> None:
    """Copy the weight of a torch.nn.Conv2d, and move the channels of its input to the end."""
    weight, x = normal(8, 3, 3, 3), normal(2, 3, 6, 6)
    layer = nnx.Conv(3, 8, (3, 3), padding="VALID", use_bias=False, rngs=nnx.Rngs(0))
    layer.kernel[...] = weight.transpose(2, 3, 1, 0)  # OIHW to HWIO
    out = layer(x.transpose(0, 2, 3, 1))  # NCHW to NHWC
    assert jnp.allclose(out.transpose(0, 3, 1, 2), torch_conv2d(weight, x), atol=1e-4)


def check_conv() -> None:
    """Hold that Equinox keeps PyTorch's layout and padding, for one example at a time."""
    layer = eqx.nn.Conv2d(3, 8, 3, use_bias=False, key=jax.random.key(0))
    x = normal(2, 3, 6, 6)
    assert jnp.allclose(jax.vmap(layer)(x), torch_conv2d(layer.weight, x), atol=1e-4)


def strided_conv_error() -> float:
    """Return how far a layer with PyTorch's `padding=1, stride=2` is from PyTorch's output."""
    weight, x = normal(8, 3, 3, 3), normal(2, 3, 6, 6)
    layer = nnx.Conv(3, 8, (3, 3), strides=2, padding=1, use_bias=False, rngs=nnx.Rngs(0))
    layer.kernel[...] = weight.transpose(2, 3, 1, 0)
    by_torch = torch_conv2d(weight, jnp.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1))))[:, :, ::2, ::2]
    return float(abs(layer(x.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2) - by_torch).max())


def output_shape_of_torch() -> list[int]:
    """Return the NHWC shape of what a PyTorch convolution of width 3 leaves of a 6 by 6 image."""
    layer = nnx.Conv(3, 8, (3, 3), padding="VALID", rngs=nnx.Rngs(0))
    return list(layer(jnp.ones((1, 6, 6, 3))).shape)


def flatten_like_torch(features: jax.Array) -> jax.Array:
    """Flatten NHWC features in the order in which torch.flatten meets NCHW ones: channels first."""
    return features.transpose(0, 3, 1, 2).reshape(len(features), -1)


def example_flatten() -> None:
    """Find the same features in the same place before the first linear layer."""
    torch_features = normal(2, 3, 4, 4)  # NCHW, as a PyTorch convolution leaves them
    features = torch_features.transpose(0, 2, 3, 1)
    assert (flatten_like_torch(features) == torch_features.reshape(2, -1)).all()


def check_flatten() -> None:
    """Hold that a kernel whose rows are permuted takes features that are flattened channels last."""
    torch_features, kernel = normal(2, 3, 4, 4), normal(3 * 4 * 4, 5)
    flat = torch_features.transpose(0, 2, 3, 1).reshape(2, -1)
    permuted = kernel.reshape(3, 4, 4, 5).transpose(1, 2, 0, 3).reshape(kernel.shape)
    assert jnp.allclose(flat @ permuted, torch_features.reshape(2, -1) @ kernel, atol=1e-4)


def features_in_place() -> float:
    """Return which part of the flattened features stands where PyTorch's linear layer expects it."""
    torch_features = normal(2, 3, 4, 4)
    flat = flatten_like_torch(torch_features.transpose(0, 2, 3, 1))
    return float((flat == torch_features.reshape(2, -1)).mean())


def torch_gelu(x: float) -> float:
    """Compute what torch.nn.functional.gelu does: x times the normal distribution function."""
    return x * 0.5 * (1 + math.erf(x / math.sqrt(2)))


def example_gelu() -> None:
    """Ask for the exact function."""
    for x in (-3.0, -0.7, 0.0, 1.5):
        assert math.isclose(jax.nn.gelu(x, approximate=False), torch_gelu(x), abs_tol=1e-6)


def check_gelu() -> None:
    """Hold that Flax's two names mean the approximation too."""
    x = jnp.linspace(-5.0, 5.0, 101)
    assert (nnx.gelu(x) == jax.nn.gelu(x, approximate=True)).all()
    assert (nn.gelu(x) == jax.nn.gelu(x, approximate=True)).all()


def largest_error_of_the_approximation() -> float:
    """Return how far the approximation is from PyTorch's function, at worst."""
    grid = jnp.linspace(-5.0, 5.0, 2001)
    exact = [torch_gelu(x) for x in grid.tolist()]
    return float(abs(jax.nn.gelu(grid) - jnp.asarray(exact)).max())


def largest_gelu_error() -> float:
    """Return how far the exact function is from PyTorch's."""
    return max(abs(float(jax.nn.gelu(x, approximate=False)) - torch_gelu(x)) for x in (-3.0, -2.0, 1.5))


def example_var() -> None:
    """Divide by one less than the count, as torch.var and torch.std do."""
    x = jnp.arange(5.0)
    deviations = x - x.mean()
    assert jnp.var(x, ddof=1) == (deviations**2).sum() / (len(x) - 1)


def variance_as_torch() -> float:
    """Return the variance that torch.var gives."""
    return float(jnp.var(jnp.arange(5.0), ddof=1))


def torch_layer_norm(x: jax.Array, eps: float = 1e-5) -> jax.Array:
    """Compute what a new torch.nn.LayerNorm does over the last axis."""
    return (x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + eps)


def example_layer_norm() -> None:
    """Agree with PyTorch on small activations, and on ones far from zero."""
    layer = nnx.LayerNorm(8, epsilon=1e-5, use_fast_variance=False, rngs=nnx.Rngs(0))
    for x in (normal(4, 8) / 1000, normal(4, 8) + 1000):
        assert jnp.allclose(layer(x), torch_layer_norm(x), atol=1e-2)


def epsilon_by_default() -> float:
    """Return the epsilon of a new layer in Flax."""
    return float(nnx.LayerNorm(8, rngs=nnx.Rngs(0)).epsilon)


def layer_norm_error() -> float:
    """Return how far the layer is from PyTorch's on activations far from zero."""
    layer, x = nnx.LayerNorm(8, epsilon=1e-5, use_fast_variance=False, rngs=nnx.Rngs(0)), normal(4, 8) + 1000
    return float(abs(layer(x) - torch_layer_norm(x)).max())


def torch_running(old: jax.Array, batch: jax.Array, momentum: float = 0.1) -> jax.Array:
    """Compute how torch.nn.BatchNorm moves a running statistic."""
    return (1 - momentum) * old + momentum * batch


def example_batch_norm() -> None:
    """Give Flax one minus PyTorch's momentum."""
    x = normal(64, 4) + 3
    layer = nnx.BatchNorm(4, momentum=0.9, epsilon=1e-5, rngs=nnx.Rngs(0))
    layer(x)
    assert jnp.allclose(layer.mean[...], torch_running(jnp.zeros(4), x.mean(0)), atol=1e-4)
    assert jnp.allclose(layer.var[...], torch_running(jnp.ones(4), x.var(0)), atol=1e-4)


def momentum_means_the_complement() -> bool:
    """Return whether PyTorch's default moves a running mean as 0.9 does in Flax."""
    layer, x = nnx.BatchNorm(1, momentum=0.9, rngs=nnx.Rngs(0)), jnp.array([[9.0], [11.0]])
    layer(x)
    return bool(jnp.allclose(layer.mean[...], torch_running(jnp.zeros(1), x.mean(0), momentum=0.1)))


def momentum_by_default() -> float:
    """Return the momentum of a new layer in Flax."""
    return float(nnx.BatchNorm(1, rngs=nnx.Rngs(0)).momentum)


def running_mean_after_a_step() -> float:
    """Return the running mean after one batch whose mean is 10, as in PyTorch."""
    layer = nnx.BatchNorm(1, momentum=0.9, rngs=nnx.Rngs(0))
    layer(jnp.array([[9.0], [11.0]]))
    return float(layer.mean[...][0])


def example_gather() -> None:
    """Take one entry of each row."""
    x, index = jnp.arange(6.0).reshape(2, 3), jnp.array([[2], [0]])
    out = jnp.take_along_axis(x, index, axis=1)
    assert out.tolist() == [[x[row, index[row, 0]]] for row in range(2)]  # torch.gather(x, 1, index)


def check_gather() -> None:
    """Hold that a single row of indices is broadcast, and that PyTorch's first rows are a slice."""
    x, index = jnp.arange(6.0).reshape(2, 3), jnp.array([[2]])
    assert jnp.take_along_axis(x, index, axis=1).tolist() == [[2.0], [5.0]]
    assert jnp.take_along_axis(x[: len(index)], index, axis=1).tolist() == [[2.0]]


def gathered_shape() -> list[int]:
    """Return the shape of what torch.gather returns."""
    x, index = jnp.arange(6.0).reshape(2, 3), jnp.array([[2], [0]])
    return list(jnp.take_along_axis(x, index, axis=1).shape)


def init_like_torch(features: int, outputs: int, rngs: nnx.Rngs) -> nnx.Linear:
    """Return a layer that starts as torch.nn.Linear does: weight and bias uniform within 1/sqrt(in) of zero."""
    bound = 1 / math.sqrt(features)

    def uniform(key: jax.Array, shape: tuple[int, ...], dtype: jnp.dtype) -> jax.Array:
        return jax.random.uniform(key, shape, dtype, -bound, bound)

    return nnx.Linear(features, outputs, kernel_init=uniform, bias_init=uniform, rngs=rngs)


def example_init() -> None:
    """Find the deviation of that distribution, bound / sqrt(3)."""
    layer = init_like_torch(512, 512, nnx.Rngs(0))
    assert math.isclose(layer.kernel[...].std(), 1 / math.sqrt(3 * 512), rel_tol=0.05)
    assert abs(layer.kernel[...]).max() <= 1 / math.sqrt(512)


def flax_starts_wider() -> bool:
    """Return whether Flax's weights deviate sqrt(3) times as much as PyTorch's formula says."""
    deviation = nnx.Linear(512, 512, rngs=nnx.Rngs(0)).kernel[...].std()
    return math.isclose(deviation / (1 / math.sqrt(3 * 512)), math.sqrt(3), rel_tol=0.01)


def deviation_over_torch() -> float:
    """Return the weights' deviation over that of a new torch.nn.Linear."""
    return float(init_like_torch(512, 512, nnx.Rngs(0)).kernel[...].std()) * math.sqrt(3 * 512)
