import itertools
import math
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from skillkit.configuration import building, memory
from skillkit.configuration.format import read_configuration
from skillkit.configuration.optimizers import OPTIMIZERS
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
