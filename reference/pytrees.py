"""Pytrees: parameters and state in containers that JAX can see into."""

from collections import OrderedDict, defaultdict, deque
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class TrainState:
    """Arrays are data, whatever else is static: hashed, compared, and a reason to compile anew."""

    weight: jax.Array
    step: jax.Array
    activation: str = field(metadata={"static": True}, default="tanh")


@jax.jit
def advance(state: TrainState) -> TrainState:
    """Return the next state."""
    return replace(state, weight=0.5 * state.weight, step=state.step + 1)


def example_register() -> None:
    """Send a dataclass through jit and tree.map."""
    state = advance(TrainState(weight=jnp.ones(2), step=jnp.int32(0)))
    assert state.step == 1
    assert state.activation == "tanh"
    assert len(jax.tree.leaves(state)) == 2


class Point(NamedTuple):
    """A named tuple, which is a container too."""

    x: float
    y: float


def check_containers() -> None:
    """Hold what is a container by itself, and that other sequences and mappings are leaves."""
    for tree in ([1, 2], (1, 2), Point(1, 2), {"a": 1, "b": 2}, OrderedDict(a=1, b=2), defaultdict(int, a=1, b=2)):
        assert len(jax.tree.leaves(tree)) == 2
    assert jax.tree.leaves(None) == []
    for leaf in ({1, 2}, deque([1, 2]), MappingProxyType({"a": 1, "b": 2})):
        assert jax.tree.leaves(leaf) == [leaf]


def leaves_of_dict() -> int:
    """Return the number of leaves of a plain dict of two arrays."""
    return len(jax.tree.leaves({"kernel": jnp.ones(2), "bias": jnp.ones(2)}))


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Normaliser:
    """A layer with a constant array, which is data like the trained one."""

    scale: jax.Array
    mean: jax.Array
    axis: int = field(metadata={"static": True}, default=-1)


def example_static_fields() -> None:
    """Call twice with different constants, and trace once."""
    traces = []

    @jax.jit
    def normalise(layer: Normaliser, x: jax.Array) -> jax.Array:
        traces.append(layer.axis)  # runs at tracing only
        return layer.scale * (x - jax.lax.stop_gradient(layer.mean))

    for mean in (1.0, 2.0):
        layer = Normaliser(scale=jnp.ones(2), mean=jnp.full(2, mean))
        assert normalise(layer, jnp.full(2, 3.0)).tolist() == [3.0 - mean] * 2
    assert traces == [-1]


def traces_with_rate_as_data() -> int:
    """Return how often a function of a state with a learning rate is traced over four rates."""
    traces = []

    @jax.jit
    def step(layer: Normaliser) -> jax.Array:
        traces.append(layer.axis)
        return layer.scale * layer.mean

    for rate in (0.1, 0.2, 0.3, 0.4):
        step(Normaliser(scale=jnp.float32(rate), mean=jnp.ones(2)))
    return len(traces)


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Kernel:
    """A matrix; the constructor takes what it is given, since JAX calls it with anything."""

    matrix: jax.Array

    @classmethod
    def from_rows(cls, rows: list[list[float]]) -> "Kernel":
        """Convert and check what a user hands in."""
        matrix = jnp.array(rows)
        if matrix.ndim != 2:
            raise ValueError(f"a kernel is a matrix, not of rank {matrix.ndim}")
        return cls(matrix)


def example_post_init() -> None:
    """Build one from lists, and fill its place with a flag and a shape."""
    kernel = Kernel.from_rows([[1.0, 2.0], [3.0, 4.0]])
    assert jax.tree.map(lambda leaf: leaf.ndim >= 2, kernel).matrix is True  # as a decay mask does
    assert jax.eval_shape(lambda kernel: kernel, kernel).matrix.shape == (2, 2)


def example_map_none() -> None:
    """Update a layer that has no bias."""
    params = {"bias": None, "kernel": jnp.ones(2)}
    grads = {"bias": jnp.ones(2), "kernel": jnp.full(2, 0.25)}
    updated = jax.tree.map(
        lambda param, grad: None if param is None else param - grad,
        params,
        grads,
        is_leaf=lambda node: node is None,
    )
    assert updated["bias"] is None
    assert updated["kernel"].tolist() == [0.75, 0.75]


def check_map_none() -> None:
    """Hold that a None in a later tree is handed to the function."""
    assert jax.tree.map(lambda *leaves: leaves, {"bias": 1.0}, {"bias": None}) == {"bias": (1.0, None)}


def updated_kernel() -> float:
    """Return a kernel of 1 after a step along its gradient of 0.25, beside a missing bias."""
    params = {"bias": None, "kernel": 1.0}
    grads = {"bias": 100.0, "kernel": 0.25}
    updated = jax.tree.map(
        lambda param, grad: None if param is None else param - grad,
        params,
        grads,
        is_leaf=lambda node: node is None,
    )
    return float(updated["kernel"])


def forward(layers: list[dict[str, jax.Array]], x: jax.Array) -> jax.Array:
    """Apply the layers in the order of the list; no activation after the last."""
    *hidden, last = layers
    for layer in hidden:
        x = jax.nn.relu(x @ layer["kernel"] + layer["bias"])
    return x @ last["kernel"] + last["bias"]


def example_depth() -> None:
    """Count the layers of a list, and its leaves."""
    layers = [{"kernel": jnp.eye(2), "bias": jnp.ones(2)} for _ in range(3)]
    assert len(layers) == 3
    assert len(jax.tree.leaves(layers)) == 6
    assert forward(layers, jnp.zeros(2)).tolist() == [3.0, 3.0]


def depth_of_list() -> int:
    """Return the number of layers in a list of three."""
    return len([{"kernel": jnp.eye(2), "bias": jnp.ones(2)} for _ in range(3)])


def example_key_order() -> None:
    """Apply layers in an order that the code states, not the dict."""
    params = {"hidden": jnp.float32(2.0), "decoder": jnp.float32(1.0)}

    def apply(params: dict[str, jax.Array]) -> jax.Array:
        x = jnp.zeros(())
        for name in ("hidden", "decoder"):
            x = 10.0 * x + params[name]
        return x

    assert apply(params) == jax.jit(apply)(params) == 21.0
    assert list(jax.tree.map(abs, params)) == ["decoder", "hidden"]  # sorted, whatever it was


def layers_in_stated_order() -> list[float]:
    """Apply a hidden layer of 2 and a decoder of 1, eagerly and under jit."""
    params = {"hidden": jnp.float32(2.0), "decoder": jnp.float32(1.0)}

    def apply(params: dict[str, jax.Array]) -> jax.Array:
        return 10.0 * params["hidden"] + params["decoder"]

    return [float(apply(params)), float(jax.jit(apply)(params))]


def order_of_list() -> list[float]:
    """Return the leaves of a list of twelve."""
    return [float(leaf) for leaf in jax.tree.leaves([float(number) for number in range(12)])]


def example_structure() -> None:
    """Give loaded leaves the structure of a target before they meet it."""
    target = (jnp.zeros(2), {"count": jnp.zeros(())})
    loaded = [jnp.ones(2), {"count": jnp.ones(())}]  # JSON and some loaders turn tuples into lists
    restored = jax.tree.unflatten(jax.tree.structure(target), jax.tree.leaves(loaded))
    assert isinstance(restored, tuple)
    _, rest = jax.tree.map(jnp.add, target, restored)  # they fit now
    assert rest["count"] == 1.0


class Layer(NamedTuple):
    """Two numbers whose names are not in the order of the alphabet."""

    weight: float
    bias: float


def layer_rebuilt_by_name() -> list[float]:
    """Return the weight 1 and the bias 0 of a layer that was loaded as a dict."""
    loaded = {"bias": 0.0, "weight": 1.0}
    return list(Layer(**loaded))


def names_of(params: Any) -> Any:
    """Return a tree of the same structure whose leaves are their own paths."""
    return jax.tree.map_with_path(lambda path, _: jax.tree_util.keystr(path, simple=True, separator="/"), params)


def example_paths() -> None:
    """Select by name."""
    params = {"encoder": [{"kernel": jnp.ones(2)}], "head": {"kernel": jnp.ones(2)}}
    names = names_of(params)
    assert names == {"encoder": [{"kernel": "encoder/0/kernel"}], "head": {"kernel": "head/kernel"}}
    trained = jax.tree.map(lambda name: name.startswith("head/"), names)
    assert trained == {"encoder": [{"kernel": False}], "head": {"kernel": True}}


def matches_of_plain_path() -> list[bool]:
    """Return which leaves are the head's kernel."""
    params = {"head": {"kernel": jnp.ones(2)}, "tail": {"kernel": jnp.ones(2)}}
    return [name == "head/kernel" for name in jax.tree.leaves(names_of(params))]


def example_stack() -> None:
    """Stack three layers along a new axis, and take the second back out."""
    layers = [{"kernel": jnp.full((2, 2), float(number))} for number in range(3)]
    stacked = jax.tree.map(lambda *leaves: jnp.stack(leaves), *layers)
    assert stacked["kernel"].shape == (3, 2, 2)
    second = jax.tree.map(lambda leaf: leaf[1], stacked)
    assert jnp.array_equal(second["kernel"], layers[1]["kernel"])


def shapes_after_stacking() -> list[list[int]]:
    """Return the shapes of the leaves of three stacked layers."""
    layers = [{"kernel": jnp.ones((2, 2))} for _ in range(3)]
    stacked = jax.tree.map(lambda *leaves: jnp.stack(leaves), *layers)
    return [list(leaf.shape) for leaf in jax.tree.leaves(stacked)]
