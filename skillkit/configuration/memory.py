"""Memory: the bytes that training holds, by part, in closed form and without jax."""

from collections.abc import Iterator, Mapping
from typing import Any

from skillkit.configuration.expressions import Call
from skillkit.configuration.states import Array, Shape, Shapes, is_frozen, state
from skillkit.configuration.transformations import transformations

PARTS = ("parameters", "gradients", "optimizer_state", "ema", "accumulator", "master_copy")


def estimate(
    configuration: Mapping[str, Any],
    parameters: float | Mapping[str, float] | None = None,
    shapes: Mapping[str, Shapes] | None = None,
    adapter_parameters: float | None = None,
) -> dict[str, Any]:
    """Return the bytes of all networks by part, in total and on each device.

    Activations, and the copy in a lower precision to compute with, come on top.

    Args:
        configuration: One that `skillkit.configuration.format` accepts.
        parameters: How many there are in each network, or in every one of them; shapes are assumed.
        shapes: Instead: each network's shapes by the path of the leaf.
        adapter_parameters: How many of them the adapters have, where there are any.

    Returns:
        `bytes` by part, `total`, `per_device` (`bytes` and `total`), and `assumes` in words.
    """
    known = shapes or assumed_shapes(configuration, parameters or 0, adapter_parameters)
    arrays = [
        array
        for made in transformations(configuration)
        for array in _network(configuration, made.optimizer, known[made.network])
    ]
    devices = configuration.get("devices") or 1
    whole = {part: sum(array.bytes for array in arrays if array.part == part) for part in PARTS}
    each = {part: sum(array.bytes_on_each(devices) for array in arrays if array.part == part) for part in PARTS}
    return {
        "bytes": whole,
        "total": sum(whole.values()),
        "per_device": {"bytes": each, "total": sum(each.values())},
        "assumes": "the shapes given" if shapes else _ASSUMES,
    }


_ASSUMES = "an embedding, matrices of (width, 4 * width), and a vector of what is left; without activations"


def assumed_shapes(
    configuration: Mapping[str, Any], parameters: float | Mapping[str, float], adapter_parameters: float | None = None
) -> dict[str, Shapes]:
    """Return shapes of that many parameters for each network, like those of a transformer."""
    found: dict[str, Shapes] = {}
    for network in configuration["networks"]:
        count = int(parameters[network["name"]] if isinstance(parameters, Mapping) else parameters)
        chosen = {group["parameters"] for group in network["groups"]}
        if network["name"] == "temperature":
            found["temperature"] = {"log_temperature": ()}
        elif "adapters" in chosen:
            own = int(adapter_parameters or max(count // 200, 1))
            found[network["name"]] = {"adapter/lora": (own,), **_shapes(max(count - own, 0), 0.5)}
        else:
            # a recommender is nearly all tables; elsewhere a table has at most half of the parameters
            found[network["name"]] = _shapes(count, 0.95 if "embeddings" in chosen else 0.5)
    return found


def _shapes(count: int, embedded: float) -> Shapes:
    width = max(round((count * 64 / 12) ** (1 / 3)), 1)  # 12 * width^2 in each of width / 64 layers
    rows = int(count * embedded) // width if embedded > 0.5 else min(50_304, int(count * embedded) // width)
    layers, rest = divmod(count - rows * width, 4 * width**2)
    found: dict[str, Shape] = {"embedding/table": (rows, width)} if rows else {}
    found |= {f"layer_{index}/kernel": (width, 4 * width) for index in range(layers)}
    return found | ({"rest/bias": (rest,)} if rest else {})


def _network(configuration: Mapping[str, Any], optimizer: Call, shapes: Shapes) -> Iterator[Array]:
    size = 2 if configuration.get("precision") == "bfloat16-params" else 4
    for name, shape in shapes.items():
        yield Array("parameters", shape, size)
        if not is_frozen(optimizer, name, shape):
            yield Array("gradients", shape, size)
        if configuration.get("ema"):
            yield Array("ema", shape, 4)
    yield from state(optimizer, shapes, size)
