"""Assignments: what a configuration does with each parameter of a tree, and the bytes that this takes."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from skillkit.configuration import masks
from skillkit.configuration.arrays import Array, split_axis
from skillkit.configuration.groups import SELECTORS, split_groups
from skillkit.configuration.memory import PARTS, held
from skillkit.configuration.transformations import MASKS, transformation
from skillkit.trees.folding import folded
from skillkit.trees.leaves import Leaves, Shape

Bytes = tuple[int, ...]


@dataclass(frozen=True)
class Assignment:
    """What is done with a parameter.

    Args:
        network: The network that it belongs to.
        shape: Its shape.
        dtype: JAX's name of its dtype.
        group: Which parameters its optimizer is for.
        optimizer: Optax's function.
        because: What the parameter is, which decided on the group.
        decay: The weight decay, 0 for none.
        undecayed: Why there is none although others have one.
        inputs: How many of its axes Muon takes for inputs, or None where another optimizer moves it.
        stacked: How many axes before these count layers or experts, each of which Muon takes by itself.
        split: The axis that is split over the devices, or None.
        whole: Bytes of each of `memory.PARTS`, on all devices together.
        each: The same on one device.
    """

    network: str
    shape: Shape
    dtype: str
    group: str
    optimizer: str
    because: str
    decay: float
    undecayed: str
    inputs: int | None
    stacked: int
    split: int | None
    whole: Bytes
    each: Bytes


def assignments(configuration: Mapping[str, Any], networks: Mapping[str, Leaves]) -> dict[str, dict[str, Assignment]]:
    """Return what a configuration does with each parameter, by network and path.

    Args:
        configuration: One that `skillkit.configuration.format` accepts.
        networks: Each network's parameters by their paths.
    """
    known = {network["name"]: network for network in configuration["networks"]}
    return {name: dict(_network(configuration, known[name], leaves)) for name, leaves in networks.items()}


def rows(configuration: Mapping[str, Any], networks: Mapping[str, Leaves]) -> list[dict[str, Any]]:
    """Return the same as plain data, one row for parameters that differ in the indices of their paths alone."""
    return [
        _row(fold.paths, len(fold.members), own[fold.members[0]])
        for own in assignments(configuration, networks).values()
        for fold in folded(own)
    ]


def _network(
    configuration: Mapping[str, Any], network: Mapping[str, Any], leaves: Leaves
) -> Iterator[tuple[str, Assignment]]:
    devices = configuration.get("devices") or 1
    groups = split_groups(network["groups"])
    arrays: dict[str, list[Array]] = {}
    for array in held(configuration, transformation(configuration, network), leaves):
        arrays.setdefault(array.of, []).append(array)
    for path, leaf in leaves.items():
        rank, own = len(leaf.shape), arrays[path]
        group = groups[0] if len(groups) == 1 else next(one for one in groups if _takes(one, path, rank))
        muon = group["optimizer"]["name"] == "contrib.muon"
        decay, undecayed = _decay(group, path, rank)
        yield (
            path,
            Assignment(
                network=network["name"],
                shape=leaf.shape,
                dtype=leaf.dtype,
                group=group["parameters"],
                optimizer=group["optimizer"]["name"],
                because=_what(path, rank),
                decay=decay,
                undecayed=undecayed,
                inputs=masks.input_axes(path, rank) if muon else None,
                stacked=masks.stacked_axes(path, rank) if muon else 0,
                split=split_axis(leaf.shape, devices) if devices > 1 else None,
                whole=_sums(own, 1),
                each=_sums(own, devices),
            ),
        )


def _takes(group: Mapping[str, Any], path: str, rank: int) -> bool:
    return bool(getattr(masks, SELECTORS[group["parameters"]])(path, rank))


def _sums(arrays: list[Array], devices: int) -> Bytes:
    sums: Counter[str] = Counter()
    for array in arrays:
        sums[array.part] += array.bytes_on_each(devices)
    return tuple(sums[part] for part in PARTS)


def _decay(group: Mapping[str, Any], path: str, rank: int) -> tuple[float, str]:
    """Return the weight decay of a parameter, and why there is none."""
    decay = group.get("weight_decay")
    if group["optimizer"]["name"] == "set_to_zero":
        return 0.0, "frozen"
    if not decay or not decay["value"]:
        return 0.0, ""
    mask = MASKS.get(decay["mask"])
    takes = {None: masks.is_any, "decay_matrices": masks.is_matrix}.get(mask, masks.is_decayed_matrix)
    return (decay["value"], "") if takes(path, rank) else (0.0, _what(path, rank))


def _what(path: str, rank: int) -> str:
    """Return what the selectors take a parameter for."""
    if masks.is_adapter(path, rank):
        return "an adapter"
    if rank < 2:
        return f"of rank {rank}"
    if masks.is_position(path, rank):
        return "a position or token of its own"
    if masks.is_embedding(path, rank):
        return "an embedding"
    if masks.is_head(path, rank):
        return "the last layer"
    return "a hidden matrix" if masks.is_matrix(path, rank) else "a bias or norm, by its name"


def _row(paths: str, members: int, one: Assignment) -> dict[str, Any]:
    axes, inputs = list(range(len(one.shape))), one.inputs
    own = axes[one.stacked :]
    spec = ["data" if axis == one.split else None for axis in axes]
    return {
        "paths": paths,
        "members": members,
        "network": one.network,
        "shape": list(one.shape),
        "dtype": one.dtype,
        "is": one.because,
        "group": one.group,
        "optimizer": one.optimizer,
        "weight_decay": one.decay,
        "undecayed": one.undecayed or None,
        "muon": None if inputs is None else {"reduction_axis": own[:inputs], "output_axis": own[inputs:]},
        "sharding": spec if one.split is not None else None,
        "bytes": dict(zip(PARTS, (members * part for part in one.whole), strict=True)),
        "per_device": dict(zip(PARTS, (members * part for part in one.each), strict=True)),
    }
