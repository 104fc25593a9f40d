"""Memory: the bytes that training holds, by part, in closed form and without jax."""

from collections.abc import Iterator, Mapping
from typing import Any

from skillkit.configuration.arrays import Array
from skillkit.configuration.states import is_frozen, state
from skillkit.configuration.transformations import Transformation, transformations
from skillkit.trees.leaves import Leaf, Leaves, Shape

Shapes = dict[str, Shape]
PARTS = ("parameters", "gradients", "optimizer_state", "ema", "accumulator", "master_copy")


def estimate(
    configuration: Mapping[str, Any],
    parameters: float | Mapping[str, float] | None = None,
    leaves: Mapping[str, Leaves] | None = None,
    adapter_parameters: float | None = None,
) -> dict[str, Any]:
    """Return the bytes of all networks by part, in total and on each device.

    Activations, and the copy in a lower precision to compute with, come on top.

    Args:
        configuration: One that `skillkit.configuration.format` accepts.
        parameters: How many there are in each network, or in every one of them; shapes are assumed.
        leaves: Instead: each network's parameters by their paths.
        adapter_parameters: How many of them the adapters have, where there are any.

    Returns:
        `bytes` by part, `total`, `per_device` (`bytes` and `total`), and `assumes` in words.
    """
    known = leaves or assumed_leaves(configuration, parameters or 0, adapter_parameters)
    arrays = [
        array for made in transformations(configuration) for array in held(configuration, made, known[made.network])
    ]
    devices = configuration.get("devices") or 1
    whole = {part: sum(array.bytes for array in arrays if array.part == part) for part in PARTS}
    each = {part: sum(array.bytes_on_each(devices) for array in arrays if array.part == part) for part in PARTS}
    return {
        "bytes": whole,
        "total": sum(whole.values()),
        "per_device": {"bytes": each, "total": sum(each.values())},
        "assumes": "the shapes given" if leaves else _ASSUMES,
    }


_ASSUMES = "an embedding, matrices of (width, 4 * width), a width that the devices divide; without activations"


def assumed_leaves(
    configuration: Mapping[str, Any], parameters: float | Mapping[str, float], adapter_parameters: float | None = None
) -> dict[str, Leaves]:
    """Return that many parameters for each network, in shapes like those of a transformer."""
    dtype, found = kept_dtype(configuration), dict[str, Leaves]()
    devices = configuration.get("devices") or 1
    for network in configuration["networks"]:
        count = int(parameters[network["name"]] if isinstance(parameters, Mapping) else parameters)
        chosen = {group["parameters"] for group in network["groups"]}
        if network["name"] == "temperature":
            shapes: Shapes = {"log_temperature": ()}
        elif "adapters" in chosen:
            own = int(adapter_parameters or max(count // 200, 1))
            shapes = _vector("adapter/lora", own, devices) | _shapes(max(count - own, 0), 0.5, devices)
        else:
            # a recommender is nearly all tables; elsewhere a table has at most half of the parameters
            shapes = _shapes(count, 0.95 if "embeddings" in chosen else 0.5, devices)
        found[network["name"]] = {path: Leaf(shape, dtype) for path, shape in shapes.items()}
    return found


def kept_dtype(configuration: Mapping[str, Any]) -> str:
    """Return in which dtype parameters are kept where a configuration's precision says it."""
    return "bfloat16" if configuration.get("precision") == "bfloat16-params" else "float32"


def _shapes(count: int, embedded: float, devices: int) -> Shapes:
    usual = (count * 64 / 12) ** (1 / 3)  # 12 * width^2 in each of width / 64 layers
    width = max(round(usual / devices), 1) * devices  # an axis that does not divide is not split
    rows = int(count * embedded) // width if embedded > 0.5 else min(50_304, int(count * embedded) // width)
    rows -= rows % devices
    left = count - rows * width
    columns = left // (width * devices) * devices
    layers = max(columns // (4 * width), 1)
    found: Shapes = {"embedding/table": (rows, width)} if rows else {}
    found |= {f"layer_{index}/kernel": (width, 4 * width) for index in range(layers - 1)}
    found |= {"last/kernel": (width, columns - 4 * width * (layers - 1))} if columns else {}
    return found | _vector("rest/bias", left - columns * width, devices)


def _vector(path: str, count: int, devices: int) -> Shapes:
    """Return a vector of so many elements, and apart those, fewer than the devices, that each of these holds."""
    whole = count % devices
    shapes: Shapes = {path: (count - whole,), f"{path}_whole": (whole,)}
    return {path: shape for path, shape in shapes.items() if shape != (0,)}


def held(configuration: Mapping[str, Any], made: Transformation, leaves: Leaves) -> Iterator[Array]:
    """Yield every array that the training of a network holds, without activations."""
    for path, leaf in leaves.items():
        yield Array("parameters", leaf.shape, leaf.itemsize, path)
        if not is_frozen(made.optimizer, path, leaf.shape):
            yield Array("gradients", leaf.shape, leaf.itemsize, path)
        if configuration.get("ema"):
            yield Array("ema", leaf.shape, 4, path)
    yield from state(made.optimizer, leaves)
