"""Flax NNX code that fails, or that silently does something else."""

import tempfile
from pathlib import Path

import jax
import jax.numpy as jnp
import optax
from flax import nnx
from orbax.checkpoint import v1 as ocp


def optimizer_without_wrt() -> nnx.Optimizer:
    model = nnx.Linear(2, 1, rngs=nnx.Rngs(0))
    return nnx.Optimizer(model, optax.adam(1e-2))


def update_without_model() -> None:
    model = nnx.Linear(2, 1, rngs=nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(1e-2), wrt=nnx.Param)
    grads = nnx.grad(lambda model: jnp.sum(model(jnp.ones((1, 2)))))(model)
    optimizer.update(grads)


def layers_in_a_plain_list() -> nnx.Module:
    class MLP(nnx.Module):
        def __init__(self, rngs: nnx.Rngs) -> None:
            self.layers = [nnx.Linear(4, 4, rngs=rngs) for _ in range(2)]

    return MLP(nnx.Rngs(0))


def fresh_rngs_for_each_layer() -> list[jax.Array]:
    layers = nnx.List([nnx.Linear(4, 4, rngs=nnx.Rngs(0)) for _ in range(2)])
    return [layers[0].kernel[...], layers[1].kernel[...]]


def layers_are_equal(kernels: list[jax.Array]) -> bool:
    return bool(jnp.array_equal(kernels[0], kernels[1]))


def module_from_the_closure() -> jax.Array:
    norm = nnx.BatchNorm(3, rngs=nnx.Rngs(0))
    forward = nnx.jit(lambda x: norm(x))
    return forward(jnp.ones((8, 3)))


def weights_from_the_closure() -> float:
    layer = nnx.Linear(1, 1, use_bias=False, rngs=nnx.Rngs(0))
    forward = nnx.jit(lambda x: layer(x))
    for weight in (1.0, 3.0):
        layer.kernel[...] = jnp.full((1, 1), weight)
        output = forward(jnp.ones((1, 1)))
    return float(output[0, 0])


def old_value_attribute() -> jax.Array:
    layer = nnx.Linear(2, 3, rngs=nnx.Rngs(0))
    return layer.kernel.value


def array_put_over_a_parameter() -> int:
    layer = nnx.Linear(2, 3, rngs=nnx.Rngs(0))
    layer.kernel = 2 * layer.kernel[...]
    return len(jax.tree.leaves(nnx.state(layer, nnx.Param)))


def array_that_is_narrowed() -> str:
    layer = nnx.Linear(2, 3, param_dtype=jnp.bfloat16, rngs=nnx.Rngs(0))
    layer.kernel[...] = jnp.ones((2, 3))
    return str(layer.kernel[...].dtype)


def injected() -> tuple[nnx.Linear, nnx.Optimizer]:
    model = nnx.Linear(2, 1, rngs=nnx.Rngs(0))
    tx = optax.inject_hyperparams(optax.sgd)(learning_rate=0.1)
    return model, nnx.Optimizer(model, tx, wrt=nnx.Param)


def rate_assigned() -> int:
    traces = []

    @nnx.jit
    def step(model, optimizer):
        traces.append(1)
        optimizer.update(model, nnx.grad(lambda model: jnp.sum(model(jnp.ones((8, 2)))))(model))

    model, optimizer = injected()
    step(model, optimizer)
    optimizer.opt_state.hyperparams["learning_rate"] = jnp.asarray(0.01)
    for _ in range(3):
        step(model, optimizer)
    return len(traces)


def rate_assigned_before_saving() -> nnx.State:
    _, optimizer = injected()
    target = nnx.state(optimizer)
    with tempfile.TemporaryDirectory() as folder:
        optimizer.opt_state.hyperparams["learning_rate"] = jnp.asarray(0.01)
        ocp.save(Path(folder) / "optimizer", nnx.state(optimizer))
        return ocp.load(Path(folder) / "optimizer", target)


def jax_grad_of_a_module_with_dropout() -> nnx.Module:
    model = nnx.Sequential(nnx.Linear(2, 3, rngs=nnx.Rngs(0)), nnx.Dropout(0.5, rngs=nnx.Rngs(1)))
    return jax.grad(lambda model: jnp.sum(model(jnp.ones((1, 2)))))(model)


def jax_grad_of_batch_statistics() -> int:
    norm, x = nnx.BatchNorm(3, rngs=nnx.Rngs(0)), jnp.ones((4, 3))
    return len(jax.tree.leaves(jax.grad(lambda norm: jnp.sum(norm(x)))(norm)))


def kernel_size_as_a_number() -> tuple[int, ...]:
    return nnx.Conv(3, 8, kernel_size=3, rngs=nnx.Rngs(0)).kernel.shape


def loaded_without_a_target() -> str:
    layer = nnx.Linear(2, 3, rngs=nnx.Rngs(0))
    with tempfile.TemporaryDirectory() as folder:
        ocp.save(Path(folder) / "model", nnx.state(layer))
        nnx.update(layer, ocp.load(Path(folder) / "model"))
    return type(layer.kernel.get_value()).__name__
