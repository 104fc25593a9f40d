"""Flax NNX at scale: stacked layers, cheap calls, sharded parameters."""

import sys
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import optax
from flax import nnx
from jax.sharding import AxisType

from reference.nnx import MLP, train_step


class Block(nnx.Module):
    """A residual layer with dropout."""

    def __init__(self, rngs: nnx.Rngs) -> None:
        """Create one layer."""
        self.linear = nnx.Linear(4, 4, use_bias=False, rngs=rngs)
        self.dropout = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x: jax.Array) -> jax.Array:
        """Map (batch, 4) to (batch, 4)."""
        return x + self.dropout(jnp.tanh(self.linear(x)))


def create_layers(depth: int, rngs: nnx.Rngs) -> Block:
    """Return one block whose parameters, counters and keys have a leading axis (depth, ...)."""
    create: Callable[[nnx.Rngs], Block] = nnx.split_rngs(splits=depth)(nnx.vmap(Block))
    return create(rngs)


@nnx.scan(in_axes=(0, nnx.Carry), out_axes=nnx.Carry)
def apply_layers(layer: Block, x: jax.Array) -> jax.Array:
    """Apply the layers one after another to (batch, 4); inside, the parameters are those of one layer."""
    return layer(x)


def example_layers() -> None:
    """Compare with a loop over the layers, and train through the scan."""
    layers = create_layers(depth=3, rngs=nnx.Rngs(0))
    assert layers.linear.kernel.shape == (3, 4, 4)
    assert (layers.linear.kernel[0] != layers.linear.kernel[1]).all()
    layers.eval()
    x = jnp.ones((2, 4))
    output = apply_layers(layers, x)
    for kernel in layers.linear.kernel[...]:
        x = x + jnp.tanh(x @ kernel)
    assert jnp.allclose(output, x, atol=1e-6)
    grads = nnx.grad(lambda layers: apply_layers(layers, jnp.ones((2, 4))).sum())(layers)
    assert grads["linear"]["kernel"].shape == (3, 4, 4)


def check_masks_of_layers() -> None:
    """Hold that layers and calls drop other units each, and that the program does not grow with the depth."""
    layers = create_layers(depth=2, rngs=nnx.Rngs(0))
    layers.linear.kernel[...] = jnp.full((2, 4, 4), 10.0)  # each layer adds 0 where it drops, else 2
    outputs = apply_layers(layers, jnp.ones((100, 4)))
    assert set(outputs.round().ravel().tolist()) == {1.0, 3.0, 5.0}  # equal masks would leave out 3
    assert not jnp.array_equal(apply_layers(layers, jnp.ones((100, 4))), outputs)
    for depth in (2, 20):
        graphdef, state = nnx.split(create_layers(depth, nnx.Rngs(0)))
        program = jax.make_jaxpr(lambda state, x, graphdef=graphdef: apply_layers(nnx.merge(graphdef, state), x))
        assert len(program(state, jnp.ones((2, 4))).eqns) == 1


def stacked_kernels() -> jax.Array:
    """Return three layers' kernels."""
    return create_layers(depth=3, rngs=nnx.Rngs(0)).linear.kernel[...]


def outputs_of_separate_calls() -> list[jax.Array]:
    """Return what two calls of the same layers give."""
    layers = create_layers(depth=3, rngs=nnx.Rngs(0))
    return [apply_layers(layers, jnp.ones((2, 4))) for _ in range(2)]


def example_dispatch() -> None:
    """Walk through model and optimizer once for all steps, and through the model once for all predictions."""
    model = nnx.Linear(2, 1, rngs=nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(1e-2), wrt=nnx.Param)
    step = nnx.cached_partial(nnx.jit(train_step), model, optimizer)
    losses = [step(jnp.ones((8, 2)), jnp.ones((8, 1))) for _ in range(3)]
    assert losses[2] < losses[1] < losses[0]

    graphdef, state = nnx.split(model)  # the model itself was trained
    predict = jax.jit(lambda state, x: nnx.merge(graphdef, state)(x))
    assert jnp.allclose(predict(state, jnp.ones((8, 2))), model(jnp.ones((8, 2))))


def check_cached_model_is_shared() -> None:
    """Hold that what is written into the model between calls is seen by the next one."""
    model = nnx.Linear(2, 1, rngs=nnx.Rngs(0))
    predict = nnx.cached_partial(nnx.jit(lambda model, x: model(x)), model)
    predict(jnp.ones((1, 2)))
    model.kernel[...] = jnp.full((2, 1), 3.0)
    assert predict(jnp.ones((1, 2))).tolist() == [[6.0]]


def output_after_writing_into_the_parameter() -> float:
    """Return what a layer of one weight gives for 1, after 3 was written into it."""
    model = nnx.Linear(1, 1, use_bias=False, rngs=nnx.Rngs(0))
    predict = nnx.cached_partial(nnx.jit(lambda model, x: model(x)), model)
    for weight in (1.0, 3.0):
        model.kernel[...] = jnp.full((1, 1), weight)
        output = predict(jnp.ones((1, 1)))
    return float(output[0, 0])


def python_calls(run: Callable[[], Any]) -> int:
    """Return how many Python functions a call runs, once it is compiled."""
    run()
    run()
    calls = 0

    def count(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    run()
    sys.setprofile(None)
    return calls


def calls_per_layer(depth: int, predict: Callable[[MLP], Callable[[], Any]]) -> float:
    """Return how many more Python functions run for each layer more."""
    one, many = (python_calls(predict(MLP(4, layers, nnx.Rngs(0)))) for layers in (1, 1 + depth))
    return (many - one) / depth


def calls_per_layer_of_split_state() -> float:
    """Return how many Python functions a call of `jax.jit` on split state runs for each layer."""

    def predict(model: MLP) -> Callable[[], Any]:
        graphdef, state = nnx.split(model)
        jitted = jax.jit(lambda state, x: nnx.merge(graphdef, state)(x))
        return lambda: jitted(state, jnp.ones((1, 4)))

    return calls_per_layer(20, predict)


def calls_per_layer_of_nnx_jit() -> float:
    """Return how many Python functions a call of `nnx.jit` runs for each layer."""
    jitted = nnx.jit(lambda model, x: model(x))
    return calls_per_layer(20, lambda model: lambda: jitted(model, jnp.ones((1, 4))))


def calls_per_layer_of_cached_partial() -> float:
    """Return how many Python functions a call of `nnx.cached_partial` runs for each layer."""

    def predict(model: MLP) -> Callable[[], Any]:
        cached = nnx.cached_partial(nnx.jit(lambda model, x: model(x)), model)
        return lambda: cached(jnp.ones((1, 4)))

    return calls_per_layer(20, predict)


def cached_partial_runs_less_than_half() -> bool:
    """Return whether `nnx.cached_partial` runs less than half of the Python of `nnx.jit`."""
    return calls_per_layer_of_cached_partial() < calls_per_layer_of_nnx_jit() / 2


def split_state_runs_less_than_a_tenth() -> bool:
    """Return whether `jax.jit` on split state runs less than a tenth of the Python of `nnx.jit`."""
    return calls_per_layer_of_split_state() < calls_per_layer_of_nnx_jit() / 10


def example_sharded_module() -> None:
    """Create annotated modules under nnx.jit while the mesh is set: they are born sharded."""
    jax.config.update("jax_num_cpu_devices", 8)
    columns = nnx.with_partitioning(nnx.initializers.lecun_normal(), (None, "model"))

    @nnx.jit
    def create() -> nnx.Linear:
        return nnx.Linear(4, 16, kernel_init=columns, rngs=nnx.Rngs(0))

    with jax.set_mesh(jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))):
        layer = create()
    assert layer.kernel.shape == (4, 16)
    assert layer.kernel[...].addressable_shards[0].data.shape == (4, 2)


def whole_kernels(axis: AxisType) -> list[bool]:
    """Return of each kernel that is made under nnx.jit whether each device makes all of it."""
    jax.config.update("jax_num_cpu_devices", 8)
    whole: list[bool] = []

    def init(key: jax.Array, shape: tuple[int, ...], dtype: Any = jnp.float32, out_sharding: Any = None) -> jax.Array:
        del out_sharding
        kernel = nnx.initializers.lecun_normal()(key, shape, dtype)
        jax.debug.inspect_array_sharding(kernel, callback=lambda sharding: whole.append(sharding.is_fully_replicated))
        return kernel

    columns = nnx.with_partitioning(init, (None, "model"))
    with jax.set_mesh(jax.make_mesh((8,), ("model",), axis_types=(axis,))):
        nnx.jit(lambda: nnx.Linear(4, 16, kernel_init=columns, rngs=nnx.Rngs(0)))()
    return whole


def kernels_made_under_jit() -> list[bool]:
    """Return the same for a mesh with an Auto axis."""
    return whole_kernels(AxisType.Auto)


def check_explicit_axes() -> None:
    """Hold that on Explicit axes each device makes the whole kernel."""
    assert whole_kernels(AxisType.Explicit) == [True]
