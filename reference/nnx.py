"""Flax NNX: modules that hold their state, as of Flax 0.12."""

import tempfile
from pathlib import Path

import jax
import jax.numpy as jnp
import optax
from flax import nnx
from orbax.checkpoint import v1 as ocp


def train_step(model: nnx.Linear, optimizer: nnx.Optimizer[nnx.Linear], x: jax.Array, y: jax.Array) -> jax.Array:
    """Take one step in place, and return the loss before it."""
    loss, grads = nnx.value_and_grad(lambda model: jnp.mean((model(x) - y) ** 2))(model)
    optimizer.update(model, grads)
    return loss


def example_optimizer() -> None:
    """Say what is trained by `wrt`, and hand the model to every update."""
    model = nnx.Linear(2, 1, rngs=nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(1e-2), wrt=nnx.Param)
    x, y = jnp.ones((8, 2)), jnp.ones((8, 1))
    step = nnx.jit(train_step)
    losses = [step(model, optimizer, x, y) for _ in range(3)]
    assert losses[2] < losses[1] < losses[0]


def check_old_form() -> None:
    """Hold that the old form, without `wrt` and without the model at each update, has a class of its own."""
    model = nnx.Linear(2, 1, rngs=nnx.Rngs(0))
    before = model.kernel[...]
    optimizer = nnx.ModelAndOptimizer(model, optax.adam(1e-2))
    optimizer.update(nnx.grad(lambda model: jnp.sum(model(jnp.ones((1, 2)))))(model))
    assert (model.kernel[...] != before).all()


class MLP(nnx.Module):
    """Layers of one width with a ReLU after each."""

    def __init__(self, width: int, depth: int, rngs: nnx.Rngs) -> None:
        """Create the layers, all from one stream of random keys."""
        self.layers = nnx.List([nnx.Linear(width, width, rngs=rngs) for _ in range(depth)])

    def __call__(self, x: jax.Array) -> jax.Array:
        """Map (batch, width) to (batch, width)."""
        for layer in self.layers:
            x = nnx.relu(layer(x))
        return x


def example_list() -> None:
    """Hold layers in a list that Flax knows."""
    model = MLP(width=4, depth=2, rngs=nnx.Rngs(0))
    assert model(jnp.ones((1, 4))).shape == (1, 4)
    assert len(jax.tree.leaves(nnx.state(model, nnx.Param))) == 4
    assert (model.layers[0].kernel[...] != model.layers[1].kernel[...]).all()


def first_kernels() -> list[jax.Array]:
    """Return two layers' kernels."""
    layers = MLP(width=4, depth=2, rngs=nnx.Rngs(0)).layers
    return [layers[0].kernel[...], layers[1].kernel[...]]


def example_pass_modules() -> None:
    """Pass each module that changes as an argument."""
    norm = nnx.BatchNorm(3, rngs=nnx.Rngs(0))
    forward = nnx.jit(lambda norm, x: norm(x))
    forward(norm, jnp.ones((8, 3)))
    assert jnp.allclose(norm.mean[...], 0.01)  # the running mean has moved towards 1


def output_after_an_update() -> float:
    """Return what a layer of one weight gives for 1, after the weight has become 3."""
    layer = nnx.Linear(1, 1, use_bias=False, rngs=nnx.Rngs(0))
    forward = nnx.jit(lambda layer, x: layer(x))
    for weight in (1.0, 3.0):
        layer.kernel[...] = jnp.full((1, 1), weight)
        output = forward(layer, jnp.ones((1, 1)))
    return float(output[0, 0])


def example_read_and_write() -> None:
    """Read and write a variable's array with [...]."""
    layer = nnx.Linear(2, 3, rngs=nnx.Rngs(0))
    before = layer.kernel[...]
    layer.kernel[...] = 2 * before
    assert jnp.array_equal(layer.kernel[...], 2 * before)
    assert isinstance(layer.kernel, nnx.Param)  # the variable stays, so it is still trained


def check_set_value() -> None:
    """Hold that set_value takes another dtype, and [...] keeps the one that is there."""
    layer = nnx.Linear(2, 3, rngs=nnx.Rngs(0))
    layer.kernel[...] = jnp.ones((2, 3), jnp.bfloat16)
    assert layer.kernel.get_value().dtype == jnp.float32
    layer.kernel.set_value(jnp.ones((2, 3), jnp.bfloat16))
    assert layer.kernel.get_value().dtype == jnp.bfloat16


def dtype_after_set_value() -> str:
    """Return the dtype of a bfloat16 kernel that is given a float32 array."""
    layer = nnx.Linear(2, 3, param_dtype=jnp.bfloat16, rngs=nnx.Rngs(0))
    layer.kernel[...] = jnp.ones((2, 3)).astype(layer.kernel.dtype)
    layer.kernel.set_value(jnp.ones((2, 3)))
    return str(layer.kernel[...].dtype)


def parameters_after_writing() -> int:
    """Return how many parameters a layer has after its kernel was written."""
    layer = nnx.Linear(2, 3, rngs=nnx.Rngs(0))
    layer.kernel[...] = 2 * layer.kernel[...]
    return len(jax.tree.leaves(nnx.state(layer, nnx.Param)))


def example_learning_rate() -> None:
    """Write the rate into its variable: the compiled step takes it."""
    model = nnx.Linear(2, 1, rngs=nnx.Rngs(0))
    tx = optax.inject_hyperparams(optax.sgd)(learning_rate=0.1)
    optimizer = nnx.Optimizer(model, tx, wrt=nnx.Param)
    step = nnx.jit(train_step)
    step(model, optimizer, jnp.ones((8, 2)), jnp.ones((8, 1)))
    before = model.kernel[...]
    optimizer.opt_state.hyperparams["learning_rate"][...] = 0.0
    step(model, optimizer, jnp.ones((8, 2)), jnp.ones((8, 1)))
    assert jnp.array_equal(model.kernel[...], before)
    optimizer.opt_state.hyperparams["learning_rate"][...] = 0.01
    step(model, optimizer, jnp.ones((8, 2)), jnp.ones((8, 1)))
    assert not jnp.array_equal(model.kernel[...], before)


def traces_with_rate_written() -> int:
    """Return how often a step is traced whose rate is written between calls."""
    traces = []

    @nnx.jit
    def step(model: nnx.Linear, optimizer: nnx.Optimizer[nnx.Linear]) -> None:
        traces.append(1)
        optimizer.update(model, nnx.grad(lambda model: jnp.sum(model(jnp.ones((8, 2)))))(model))

    model = nnx.Linear(2, 1, rngs=nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.inject_hyperparams(optax.sgd)(learning_rate=0.1), wrt=nnx.Param)
    for rate in (0.1, 0.01, 0.01):
        optimizer.opt_state.hyperparams["learning_rate"][...] = rate
        step(model, optimizer)
    return len(traces)


def example_gradient() -> None:
    """Differentiate with respect to parameters only."""
    rngs = nnx.Rngs(0)
    model = nnx.Sequential(nnx.Linear(2, 3, rngs=rngs), nnx.BatchNorm(3, rngs=rngs))
    x = jnp.arange(8.0).reshape(4, 2)
    grads = nnx.grad(lambda model: jnp.sum(model(x) ** 4))(model)
    assert len(jax.tree.leaves(grads)) == 4  # kernel and bias, scale and bias


def differentiated_arrays() -> int:
    """Return how many arrays of a batch normalisation are differentiated."""
    norm, x = nnx.BatchNorm(3, rngs=nnx.Rngs(0)), jnp.ones((4, 3))
    return len(jax.tree.leaves(nnx.grad(lambda norm: jnp.sum(norm(x)))(norm)))


def example_conv() -> None:
    """Give the kernel one size per spatial axis."""
    conv = nnx.Conv(3, 8, kernel_size=(3, 3), rngs=nnx.Rngs(0))
    assert conv.kernel.shape == (3, 3, 3, 8)  # height, width, in, out
    assert conv(jnp.ones((1, 32, 32, 3))).shape == (1, 32, 32, 8)


def kernel_shape() -> tuple[int, ...]:
    """Return the shape of a convolution's kernel for images."""
    return nnx.Conv(3, 8, kernel_size=(3, 3), rngs=nnx.Rngs(0)).kernel.shape


def example_checkpoint() -> None:
    """Save the state, and load it onto the state of a new model."""
    model = nnx.Linear(2, 3, rngs=nnx.Rngs(0))
    restored = nnx.Linear(2, 3, rngs=nnx.Rngs(1))
    with tempfile.TemporaryDirectory() as folder:
        ocp.save(Path(folder) / "model", nnx.state(model))
        nnx.update(restored, ocp.load(Path(folder) / "model", nnx.state(restored)))
    assert jnp.array_equal(restored(jnp.ones((1, 2))), model(jnp.ones((1, 2))))


def kind_of_restored_kernel() -> str:
    """Return what a restored layer's parameter holds."""
    layer = nnx.Linear(2, 3, rngs=nnx.Rngs(0))
    with tempfile.TemporaryDirectory() as folder:
        ocp.save(Path(folder) / "model", nnx.state(layer))
        nnx.update(layer, ocp.load(Path(folder) / "model", nnx.state(layer)))
    value = layer.kernel.get_value()
    return "Array" if isinstance(value, jax.Array) else type(value).__name__
