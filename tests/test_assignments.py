"""What is said of each parameter is what Optax does with it."""

import json
import math
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
import pytest
from flax import linen, nnx

from skillkit.configuration import building, masks, supplements
from skillkit.configuration.assignments import Assignment, assignments, rows
from skillkit.configuration.format import read_configuration
from skillkit.configuration.memory import PARTS, estimate
from skillkit.trees.declared import HOW
from skillkit.trees.leaves import Leaf
from skillkit.trees.opening import read_tree

FILES = sorted((Path(__file__).parent / "configurations").glob("*.yaml"))
STATE = ("optimizer_state", "accumulator", "master_copy")


class Block(nnx.Module):
    def __init__(self, rngs: nnx.Rngs) -> None:
        self.norm = nnx.LayerNorm(16, rngs=rngs)
        self.attention = nnx.MultiHeadAttention(4, 16, rngs=rngs)
        self.mlp = nnx.Linear(16, 16, rngs=rngs, param_dtype=jnp.bfloat16)


class Model(nnx.Module):
    def __init__(self) -> None:
        rngs = nnx.Rngs(0)
        self.embed = nnx.Embed(32, 16, rngs=rngs)
        self.layers = nnx.List([Block(rngs) for _ in range(3)])
        self.dropout = nnx.Dropout(0.1, rngs=rngs)
        self.head = nnx.Linear(16, 32, rngs=rngs)


class Net(linen.Module):
    @linen.compact
    def __call__(self, tokens: jax.Array) -> jax.Array:
        hidden = linen.Embed(32, 16)(tokens)
        hidden = linen.BatchNorm(use_running_average=True)(linen.Dense(16)(hidden))
        return linen.Conv(8, (3,))(hidden)


def nested() -> Any:
    block = {
        "attn": {"query": {"kernel": jnp.ones((16, 4, 4)), "bias": jnp.ones((4, 4))}, "norm": {"scale": jnp.ones(16)}}
    }
    return {"embed": {"embedding": jnp.ones((32, 16))}, "layers": [block, block], "lora_a": jnp.ones((16, 2))}


def stacked() -> Any:
    block = {"w": jnp.ones((6, 16, 16)), "bias": jnp.ones((6, 16)), "norm1": {"scale": jnp.ones((6, 16))}}
    return {"wte": jnp.ones((32, 16)), "blocks": block, "lm_head": jnp.ones((16, 32))}


def torch_names() -> Any:
    shapes = {"mlp.up_proj.weight": (48, 16), "input_layernorm.weight": (16,), "self_attn.q_proj.weight": (16, 16)}
    layers = {f"model.layers.{index}.{name}": jnp.ones(shape) for index in range(2) for name, shape in shapes.items()}
    return {"model.embed_tokens.weight": jnp.ones((32, 16)), **layers, "lm_head.weight": jnp.ones((32, 16))}


TREES = {
    "nested": nested,
    "stacked": stacked,
    "torch": torch_names,
    "nnx": lambda: nnx.state(Model(), nnx.Param),
    "linen": lambda: Net().init(jax.random.key(0), jnp.ones((1, 8), int))["params"],
    "equinox": lambda: eqx.filter(eqx.nn.MLP(4, 4, 8, 2, key=jax.random.key(0)), eqx.is_array),
}


def declared(params: Any, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the leaves of what the README's few lines write of some parameters."""
    monkeypatch.chdir(folder)
    exec(HOW, {"params": params})
    return read_tree("params.json").leaves


@pytest.fixture(params=TREES)
def params(request: pytest.FixtureRequest) -> Any:
    return TREES[request.param]()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_bytes_of_state_are_those_of_init(
    path: Path, params: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configuration = read_configuration(path)
    leaves = declared(params, tmp_path, monkeypatch)
    networks = {network["name"]: leaves for network in configuration["networks"]}
    found = estimate(configuration, leaves=networks)["bytes"]
    states = [jax.eval_shape(optimizer.init, params) for optimizer in building.build(configuration).values()]
    arrays = jax.tree.leaves(states)
    assert sum(math.prod(array.shape) * array.dtype.itemsize for array in arrays) == sum(found[part] for part in STATE)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_rows_and_counts_are_all_that_is_held(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    configuration = read_configuration(path) | {"devices": 4}
    networks = dict.fromkeys(
        (network["name"] for network in configuration["networks"]), declared(nested(), tmp_path, monkeypatch)
    )
    memory, table = estimate(configuration, leaves=networks), rows(configuration, networks)
    for part in PARTS:
        counts = 250 * len(networks) if part == "optimizer_state" else 0
        assert 0 <= memory["bytes"][part] - sum(row["bytes"][part] for row in table) <= counts
        assert 0 <= memory["per_device"]["bytes"][part] - sum(row["per_device"][part] for row in table) <= counts


def of_all(configuration: Any, leaves: Any) -> dict[str, Assignment]:
    (found,) = assignments(configuration, {configuration["networks"][0]["name"]: leaves}).values()
    return found


DECAYING = (
    *((name, "nested") for name in ("adam_l2", "lion", "muon", "nadamw", "lamb", "sgd_l2", "adafactor", "prodigy")),
    *((name, tree) for name in ("adamw", "adapters", "schedule_free", "tables") for tree in TREES),
)


@pytest.mark.parametrize(("name", "tree"), DECAYING)
def test_what_is_decayed_moves_without_a_gradient_and_nothing_else(
    name: str, tree: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configuration = read_configuration(FILES[0].with_name(f"{name}.yaml")) | {"accumulation": 1}
    params = jax.tree.map(lambda leaf: jnp.ones(leaf.shape), TREES[tree]())
    said = of_all(configuration, declared(params, tmp_path, monkeypatch))
    optimizer = next(iter(building.build(configuration).values()))
    state, zeros = optimizer.init(params), optax.tree.zeros_like(params)
    moved = dict.fromkeys(said, False)
    for _ in range(3):  # the first update of a warmup may have a rate of zero
        updates, state = optimizer.update(zeros, state, params)
        for place, update in jax.tree_util.tree_leaves_with_path(updates):
            moved[supplements.name_of(place)] |= bool(jnp.any(jnp.abs(update) > 1e-6))  # less is rounding
    assert {name: bool(one.decay) for name, one in said.items()} == moved


def test_groups_are_those_that_the_optimizer_labels(
    params: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configuration = read_configuration(FILES[0].with_name("muon.yaml"))
    said = of_all(configuration, declared(params, tmp_path, monkeypatch))
    label = supplements.label_by(matrices=masks.is_hidden_matrix, rest=masks.is_any)
    labels = {supplements.name_of(path): one for path, one in jax.tree_util.tree_leaves_with_path(label(params))}
    assert {name: one.group for name, one in said.items()} == labels
    assert {one.optimizer for one in said.values() if one.group == "rest"} == {"adamw"}


def test_muon_s_axes_are_those_that_the_optimizer_is_given(
    params: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    leaves = declared(params, tmp_path, monkeypatch)
    table = rows(read_configuration(FILES[0].with_name("muon.yaml")), {"model": leaves})
    numbers = jax.tree_util.tree_leaves_with_path(
        supplements.muon_dimensions(params),
        is_leaf=lambda node: isinstance(node, optax.contrib.MuonDimensionNumbers),
    )
    given = {
        supplements.name_of(path): {"reduction_axis": list(one.reduction_axis), "output_axis": list(one.output_axis)}
        for path, one in numbers
    }
    said = {row["paths"]: row["muon"] for row in table if row["muon"] and row["members"] == 1}
    assert said == {name: given[name] for name in said}
    assert {row["optimizer"] for row in table if row["muon"]} <= {"contrib.muon"}


def test_what_lies_on_devices_is_said_axis_by_axis() -> None:
    configuration = read_configuration(FILES[0].with_name("lion.yaml")) | {"devices": 4}
    tree = {"a": (8, 12), "b": (8, 6), "c": (3, 5), "d": ()}
    leaves = {name: Leaf(shape) for name, shape in tree.items()}
    found = {row["paths"]: row["sharding"] for row in rows(configuration, {"model": leaves})}
    assert found == {"a": [None, "data"], "b": ["data", None], "c": None, "d": None}
    alone = rows(configuration | {"devices": 1}, {"model": leaves})
    assert {row["sharding"] for row in alone} == {None}


def test_rows_are_data() -> None:
    configuration = read_configuration(FILES[0].with_name("muon.yaml"))
    leaves = {f"layers/{layer}/kernel": Leaf((8, 8)) for layer in range(4)}
    (row,) = json.loads(json.dumps(rows(configuration, {"model": leaves})))
    assert (row["paths"], row["members"], row["bytes"]["parameters"]) == ("layers/0..3/kernel", 4, 4 * 64 * 4)
