"""Leaves: the shape and the dtype of a parameter, and what it takes."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

Shape = tuple[int, ...]

# JAX's names, with the bytes of an element
FLOATING = {
    "float64": 8,
    "float32": 4,
    "float16": 2,
    "bfloat16": 2,
    "float8_e4m3fn": 1,
    "float8_e5m2": 1,
    "float8_e8m0fnu": 1,
    "complex64": 8,
    "complex128": 16,
}
OTHERS = {"bool": 1, **{f"{kind}{bits}": bits // 8 for kind in ("int", "uint") for bits in (8, 16, 32, 64)}}
ITEMSIZES = FLOATING | OTHERS


@dataclass(frozen=True)
class Leaf:
    """A parameter, without its values.

    Args:
        shape: Its shape.
        dtype: JAX's name of its dtype.
    """

    shape: Shape
    dtype: str = "float32"

    @property
    def size(self) -> int:
        """How many elements it has."""
        return math.prod(self.shape)

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return ITEMSIZES[self.dtype]


Leaves = Mapping[str, Leaf]
