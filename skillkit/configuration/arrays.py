"""Arrays: what training holds beside the parameters, by shape and size."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from skillkit.configuration.expressions import Name
from skillkit.trees.leaves import ITEMSIZES, Leaves, Shape


@dataclass(frozen=True)
class Array:
    """An array that training holds.

    Args:
        part: What it is for: `optimizer_state`, `accumulator`, ...
        shape: Its shape.
        itemsize: Bytes of an element.
        of: The path of the parameter that it is for; empty for counts and the like.
    """

    part: str
    shape: Shape
    itemsize: int
    of: str = ""

    @property
    def bytes(self) -> int:
        """Its size."""
        return math.prod(self.shape) * self.itemsize

    def bytes_on_each(self, devices: int) -> int:
        """Its size on one device, where scripts split an axis that divides."""
        return self.bytes if split_axis(self.shape, devices) is None else self.bytes // devices


def split_axis(shape: Shape, devices: int) -> int | None:
    """Return which axis scripts split over the devices, the longest that divides, or None where none does."""
    divisible = [axis for axis, size in enumerate(shape) if size % devices == 0]
    return max(divisible, key=lambda axis: shape[axis], default=None)


def scalar(size: int = 4) -> Array:
    """Return a number of an optimizer's state, of so many bytes."""
    return Array("optimizer_state", (), size)


def like(leaves: Leaves, dtype: Any = None, part: str = "optimizer_state") -> Iterator[Array]:
    """Yield an array like each leaf, in another dtype where one is said."""
    size = dtype and ITEMSIZES[dtype.name.removeprefix("jnp.") if isinstance(dtype, Name) else dtype]
    return (Array(part, leaf.shape, size or leaf.itemsize, path) for path, leaf in leaves.items())


def lowest(leaves: Leaves) -> int:
    """Return the bytes of an element where they are fewest."""
    return min((leaf.itemsize for leaf in leaves.values()), default=4)
