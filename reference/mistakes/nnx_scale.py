"""Flax NNX code that does too much, or too often."""

import sys

import jax
import jax.numpy as jnp
from flax import nnx
from jax.sharding import AxisType


class Block(nnx.Module):
    """A residual layer with dropout."""

    def __init__(self, rngs: nnx.Rngs) -> None:
        self.linear = nnx.Linear(4, 4, use_bias=False, rngs=rngs)
        self.dropout = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x: jax.Array) -> jax.Array:
        """Map (batch, 4) to (batch, 4)."""
        return x + self.dropout(jnp.tanh(self.linear(x)))


def layers_from_rngs_that_are_not_split() -> jax.Array:
    layers = nnx.vmap(Block, in_axes=None, axis_size=3)(nnx.Rngs(0))
    return layers.linear.kernel[...]


def stacked_layers_are_equal(kernels: jax.Array) -> bool:
    return all(bool(jnp.array_equal(kernel, kernels[0])) for kernel in kernels)


def rngs_mapped_without_a_split() -> nnx.Module:
    return nnx.vmap(Block)(nnx.Rngs(0))


def layers_applied_by_lax_scan() -> list[jax.Array]:
    layers = nnx.split_rngs(splits=3)(nnx.vmap(Block))(nnx.Rngs(0))
    x = jnp.ones((2, 4))
    return [jax.lax.scan(lambda x, layer: (layer(x), None), x, layers)[0] for _ in range(2)]


def outputs_are_equal(outputs: list[jax.Array]) -> bool:
    return bool(jnp.array_equal(outputs[0], outputs[1]))


class MLP(nnx.Module):
    """Layers of one width with a ReLU after each."""

    def __init__(self, depth: int, rngs: nnx.Rngs) -> None:
        self.layers = nnx.List([nnx.Linear(4, 4, rngs=rngs) for _ in range(depth)])

    def __call__(self, x: jax.Array) -> jax.Array:
        """Map (batch, 4) to (batch, 4)."""
        for layer in self.layers:
            x = nnx.relu(layer(x))
        return x


def deep_model_through_nnx_jit() -> float:
    predict = nnx.jit(lambda model, x: model(x))

    def python_calls(model):
        calls = 0

        def count(_frame, event, _argument):
            nonlocal calls
            calls += event == "call"

        for _ in range(2):
            predict(model, jnp.ones((1, 4)))
        sys.setprofile(count)
        predict(model, jnp.ones((1, 4)))
        sys.setprofile(None)
        return calls

    shallow, deep = (python_calls(MLP(depth, nnx.Rngs(0))) for depth in (1, 21))
    return (deep - shallow) / 20


def parameter_replaced_behind_the_cache() -> float:
    model = nnx.Linear(1, 1, use_bias=False, rngs=nnx.Rngs(0))
    model.kernel[...] = jnp.ones((1, 1))
    predict = nnx.cached_partial(nnx.jit(lambda model, x: model(x)), model)
    predict(jnp.ones((1, 1)))
    model.kernel = nnx.Param(jnp.full((1, 1), 3.0))
    return float(predict(jnp.ones((1, 1)))[0, 0])


def python_is_run_for_each_layer(calls_per_layer: float) -> bool:
    return calls_per_layer > 100


def annotated_without_a_mesh() -> nnx.Module:
    columns = nnx.with_partitioning(nnx.initializers.lecun_normal(), (None, "model"))
    layer = nnx.Linear(4, 16, kernel_init=columns, rngs=nnx.Rngs(0))
    return layer


def created_eagerly() -> list[bool]:
    jax.config.update("jax_num_cpu_devices", 8)
    whole = []

    def init(key, shape, dtype=jnp.float32, out_sharding=None):
        kernel = nnx.initializers.lecun_normal()(key, shape, dtype)
        jax.debug.inspect_array_sharding(kernel, callback=lambda sharding: whole.append(sharding.is_fully_replicated))
        return kernel

    columns = nnx.with_partitioning(init, (None, "model"))
    mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))
    with jax.set_mesh(mesh):
        layer = nnx.Linear(4, 16, kernel_init=columns, rngs=nnx.Rngs(0))
    del layer
    return whole


def whole_kernels_are_made(whole: list[bool]) -> bool:
    return whole == [True]
