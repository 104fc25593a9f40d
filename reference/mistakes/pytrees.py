"""Trees that are not what they look like."""

from dataclasses import dataclass, field
from typing import NamedTuple

import jax
import jax.numpy as jnp


def class_not_registered():
    @dataclass
    class TrainState:
        weight: jax.Array

    state = TrainState(weight=jnp.ones(2))
    return jax.jit(lambda state: state.weight + 1.0)(state)


def subclass_of_dict() -> int:
    class Params(dict):
        pass

    params = Params(kernel=jnp.ones(2), bias=jnp.ones(2))
    return len(jax.tree.leaves(params))


def array_in_static_field():
    @jax.tree_util.register_dataclass
    @dataclass(frozen=True)
    class Normaliser:
        scale: jax.Array
        mean: jax.Array = field(metadata={"static": True})

    normalise = jax.jit(lambda layer, x: layer.scale * (x - layer.mean))
    for _ in range(2):
        layer = Normaliser(scale=jnp.ones(2), mean=jnp.ones(2))
        outputs = normalise(layer, jnp.ones(2))
    return outputs


def rate_in_static_field() -> int:
    @jax.tree_util.register_dataclass
    @dataclass(frozen=True)
    class Optimizer:
        weight: jax.Array
        rate: float = field(metadata={"static": True})

    traces = []

    @jax.jit
    def step(optimizer):
        traces.append(optimizer.rate)
        return optimizer.weight * optimizer.rate

    for rate in (0.1, 0.2, 0.3, 0.4):
        step(Optimizer(weight=jnp.ones(2), rate=rate))
    return len(traces)


def conversion_in_post_init():
    @jax.tree_util.register_dataclass
    @dataclass
    class Kernel:
        matrix: jax.Array

        def __post_init__(self):
            self.matrix = jnp.asarray(self.matrix)

    return jax.eval_shape(lambda kernel: kernel, Kernel([[1.0, 2.0], [3.0, 4.0]]))


def check_in_post_init():
    @jax.tree_util.register_dataclass
    @dataclass
    class Kernel:
        matrix: jax.Array

        def __post_init__(self):
            if self.matrix.ndim != 2:
                raise ValueError("a kernel is a matrix")

    return jax.vmap(lambda kernel: kernel.matrix)(Kernel(jnp.ones((2, 2))))


def none_mapped():
    params = {"bias": None, "kernel": 1.0}
    grads = {"bias": 100.0, "kernel": 0.25}
    return jax.tree.map(lambda param, grad: param - grad, params, grads)


def leaves_zipped() -> float:
    params = {"bias": None, "kernel": 1.0}
    grads = {"bias": 100.0, "kernel": 0.25}
    (kernel,) = (param - grad for param, grad in zip(jax.tree.leaves(params), jax.tree.leaves(grads)))
    return kernel


def leaves_counted_as_layers() -> int:
    params = {f"layer{i}": {"kernel": jnp.eye(2), "bias": jnp.ones(2)} for i in range(3)}
    depth = len(jax.tree.leaves(params))
    return depth


def layers_in_dict_order() -> list[float]:
    params = {"hidden": jnp.float32(2.0), "decoder": jnp.float32(1.0)}

    def apply(params):
        x = jnp.zeros(())
        for layer in params.values():
            x = 10.0 * x + layer
        return x

    return [float(apply(params)), float(jax.jit(apply)(params))]


def numbered_names() -> list[float]:
    params = {f"layer{i}": float(i) for i in range(12)}
    return jax.tree.leaves(params)


def list_for_a_tuple():
    target = (1.0, 2.0)
    loaded = [3.0, 4.0]
    return jax.tree.map(lambda old, new: old + new, target, loaded)


def branches_of_other_structure():
    state = [jnp.zeros(2), jnp.zeros(())]  # as loaded

    def step(state):
        weight, count = state
        return weight, count + 1.0

    return jax.lax.cond(True, step, lambda state: state, state)


def named_tuple_loaded_as_a_dict() -> list[float]:
    class Layer(NamedTuple):
        weight: float
        bias: float

    target, loaded = Layer(weight=1.0, bias=0.0), {"weight": 1.0, "bias": 0.0}
    restored = jax.tree.unflatten(jax.tree.structure(target), jax.tree.leaves(loaded))
    return [restored.weight, restored.bias]


def plain_keystr() -> list[bool]:
    params = {"head": {"kernel": jnp.ones(2)}, "tail": {"kernel": jnp.ones(2)}}
    paths = [path for path, _ in jax.tree.leaves_with_path(params)]
    return [jax.tree_util.keystr(path) == "head/kernel" for path in paths]


def stack_mapped_over_list() -> list[list[int]]:
    layers = [{"kernel": jnp.ones((2, 2))} for _ in range(3)]
    stacked = jax.tree.map(jnp.stack, layers)
    return [list(leaf.shape) for leaf in jax.tree.leaves(stacked)]
