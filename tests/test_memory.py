import itertools
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax.sharding import AbstractMesh, NamedSharding, PartitionSpec

from skillkit.configuration import building, memory, scripts
from skillkit.configuration.format import read_configuration
from skillkit.configuration.optimizers import OPTIMIZERS
from skillkit.places import own_project
from skillkit.questionnaire.questions import decisions_folder, read_questions
from skillkit.reading import Document
from skillkit.recommender.recommending import recommend
from skillkit.trees.leaves import Leaf

FILES = sorted((Path(__file__).parent / "configurations").glob("*.yaml"))
STATE = ("optimizer_state", "accumulator", "master_copy")


def measured(configuration: Any, leaves: Any) -> int:
    total = 0
    for network, optimizer in building.build(configuration).items():
        params = {
            path: jax.ShapeDtypeStruct(leaf.shape, jnp.dtype(leaf.dtype)) for path, leaf in leaves[network].items()
        }
        state = jax.tree.leaves(jax.eval_shape(optimizer.init, params))
        total += sum(math.prod(array.shape) * array.dtype.itemsize for array in state)
    return total


def test_every_optimizer_has_a_configuration_here() -> None:
    found = {
        group["optimizer"]["name"]
        for path in FILES
        for network in read_configuration(path)["networks"]
        for group in network["groups"]
    }
    assert OPTIMIZERS.keys() == found


@pytest.mark.parametrize("parameters", [1, 1_234, 1_000_003, 6_900_000_000])
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_state_is_what_init_returns_to_the_byte(path: Path, parameters: int) -> None:
    configuration = read_configuration(path)
    leaves = memory.assumed_leaves(configuration, parameters)
    found = memory.estimate(configuration, parameters)["bytes"]
    assert measured(configuration, leaves) == sum(found[part] for part in STATE)


UNUSUAL = {
    "scalar": (),
    "conv/kernel": (3, 3, 128, 256),
    "conv/bias": (256, 1, 1),
    "square/kernel": (200, 200),
    "thin/kernel": (127, 4096),
    "embed/table": (500, 130),
    "lora_a": (16, 4),
    "stacked": (128, 128, 256),
}


@pytest.mark.parametrize("dtypes", [("float32",), ("bfloat16",), ("float32", "bfloat16")], ids="-".join)
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_state_of_unusual_shapes_is_what_init_returns(path: Path, dtypes: tuple[str, ...]) -> None:
    configuration = read_configuration(path)
    dtype = itertools.cycle(dtypes)
    own = {path: Leaf(shape, next(dtype)) for path, shape in UNUSUAL.items()}
    leaves = {network["name"]: own for network in configuration["networks"]}
    found = memory.estimate(configuration, leaves=leaves)["bytes"]
    assert measured(configuration, leaves) == sum(found[part] for part in STATE)


def test_assumed_shapes_have_exactly_the_parameters() -> None:
    configuration = read_configuration(FILES[0])
    for count in (1, 2, 17, 5_000, 125_000_000, 405_000_000_000):
        leaves = memory.assumed_leaves(configuration, count)["model"]
        assert count == sum(leaf.size for leaf in leaves.values())


def test_parts_of_adamw_in_float32() -> None:
    configuration = read_configuration(FILES[0].with_name("sgd_plain.yaml"))
    found = memory.estimate(configuration | {"ema": 0.99, "accumulation": 4}, 1000)["bytes"]
    sizes = {"parameters": 4000, "gradients": 4000, "ema": 4000, "accumulator": 4000, "master_copy": 0}
    assert found == sizes | {"optimizer_state": found["optimizer_state"]}
    assert found["optimizer_state"] < 20  # sgd without momentum counts, and holds nothing


def test_frozen_parameters_have_no_gradients() -> None:
    configuration = read_configuration(FILES[0].with_name("adapters.yaml"))
    found = memory.estimate(configuration, 10_000, adapter_parameters=100)["bytes"]
    assert (found["parameters"], found["gradients"]) == (40_000, 400)


def test_state_lies_on_devices_as_its_parameters_do() -> None:
    configuration = read_configuration(FILES[0].with_name("lion.yaml")) | {"devices": 4}
    leaves = {"model": {"kernel": Leaf((8, 6)), "bias": Leaf((3,))}}
    found = memory.estimate(configuration, leaves=leaves)["per_device"]["bytes"]
    assert found["parameters"] == 8 * 6 * 4 // 4 + 3 * 4


FOLDER = decisions_folder(own_project(Path()))
SIZES = ("1M", "124M", "7B")
DEVICES = (2, 8, 24, 32, 64)
CASES = [
    *({"family": family} for family in read_questions(FOLDER)["family"].choices),
    {"family": "decoder-lm", "stage": "adapter", "accumulation": 4, "precision": "bfloat16-params"},
    {"family": "decoder-lm", "priority": "memory", "accumulation": 2},
    {"family": "decoder-lm", "priority": "speed", "precision": "bfloat16-params"},
    {"family": "cnn", "privacy": "dp-sgd"},
]


def case(answers: dict[str, Any], size: str, devices: int) -> dict[str, Any]:
    return recommend([Document("test", answers | {"parameters": size, "devices": devices}, {})], FOLDER)


def planned_shardings(configuration: Any, devices: int) -> Callable[[Any], Any]:
    """Return the script's own plan, on a mesh of devices that are not there."""
    text = scripts.script({"configuration": configuration})
    body = text[text.index("def shardings(") : text.index("class TrainState")]
    mesh = AbstractMesh((devices,), ("data",), axis_types=(jax.sharding.AxisType.Auto,))
    known: dict[str, Any] = {"mesh": mesh, "jax": jax, "Any": Any}
    known |= {"NamedSharding": NamedSharding, "PartitionSpec": PartitionSpec}
    exec(body, known)
    planned: Callable[[Any], Any] = known["shardings"]
    return planned


def measured_on_each(configuration: Any, leaves: Any, devices: int) -> int:
    """Return the bytes of parameters and state on one device."""
    held = []
    for network, optimizer in building.build(configuration).items():
        params = {
            path: jax.ShapeDtypeStruct(leaf.shape, jnp.dtype(leaf.dtype)) for path, leaf in leaves[network].items()
        }
        held += [params, jax.eval_shape(optimizer.init, params)]
        held += [{path: jax.ShapeDtypeStruct(leaf.shape, jnp.float32) for path, leaf in params.items()}] * bool(
            configuration["ema"]
        )
    places = planned_shardings(configuration, devices)(held)
    return sum(
        math.prod(place.shard_shape(array.shape)) * array.dtype.itemsize
        for array, place in zip(jax.tree.leaves(held), jax.tree.leaves(places), strict=True)
    )


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("answers", CASES, ids=lambda answers: "-".join(map(str, answers.values())))
def test_memory_falls_as_one_over_the_devices(answers: dict[str, Any], size: str) -> None:
    alone = case(answers, size, 1)["memory"]["total"]
    for devices in DEVICES:
        each = case(answers, size, devices)["memory"]["per_device"]["total"]
        assert each == pytest.approx(alone / devices, rel=0.02), devices


@pytest.mark.parametrize("devices", DEVICES)
@pytest.mark.parametrize("answers", CASES, ids=lambda answers: "-".join(map(str, answers.values())))
def test_memory_on_each_device_is_what_the_scripts_shardings_give(answers: dict[str, Any], devices: int) -> None:
    found = case(answers, "124M", devices)
    parts = found["memory"]["per_device"]["bytes"]
    own = found["answers"].get("adapter_parameters")
    leaves = memory.assumed_leaves(found["configuration"], found["answers"]["parameters"], own)
    expected = measured_on_each(found["configuration"], leaves, devices)
    assert sum(parts.values()) - parts["gradients"] == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize("changes", [{"accumulation": 4}, {"precision": "bfloat16-params"}])
def test_adapters_pay_for_adapters_alone(changes: dict[str, Any]) -> None:
    configuration = read_configuration(FILES[0].with_name("adapters.yaml")) | changes
    leaves = memory.assumed_leaves(configuration, 10_000, adapter_parameters=100)
    found = memory.estimate(configuration, 10_000, adapter_parameters=100)["bytes"]
    assert found["accumulator"] + found["master_copy"] == 400
    assert measured(configuration, leaves) == sum(found[part] for part in STATE)
