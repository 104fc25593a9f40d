"""Dtypes: what JAX, PyTorch, NumPy and safetensors call them, under JAX's names."""

from typing import Any

from skillkit.errors import did_you_mean
from skillkit.reading import shown
from skillkit.trees.leaves import ITEMSIZES

_ALSO = {
    "f64": "float64",
    "double": "float64",
    "float": "float32",
    "f32": "float32",
    "fp32": "float32",
    "f16": "float16",
    "fp16": "float16",
    "half": "float16",
    "bf16": "bfloat16",
    "f8_e4m3": "float8_e4m3fn",
    "f8_e5m2": "float8_e5m2",
    "f8_e8m0": "float8_e8m0fnu",
    "c64": "complex64",
    "long": "int64",
    "int": "int32",
    "boolean": "bool",
    **{f"{kind[0]}{bits}": f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)},
}
# numpy.dtype.str, which begins with the order of the bytes, and counts these where the others count bits
_MARKED = {
    "b1": "bool",
    **{f"f{size}": f"float{8 * size}" for size in (2, 4, 8)},
    **{f"c{size}": f"complex{8 * size}" for size in (8, 16)},
    **{f"{kind[0]}{size}": f"{kind}{8 * size}" for kind in ("int", "uint") for size in (1, 2, 4, 8)},
}


def dtype_named(name: Any) -> str:
    """Return JAX's name of a dtype.

    Args:
        name: As `float32`, `torch.float32`, `F32`, `<f4` or `bf16`.

    Raises:
        ValueError: There is none of that name; the message says so.

    Example:
        >>> dtype_named("torch.bfloat16"), dtype_named("F32"), dtype_named("<f8"), dtype_named("U8")
        ('bfloat16', 'float32', 'float64', 'uint8')
    """
    if not isinstance(name, str):
        raise ValueError(f"a dtype must be a name as float32, not {shown(name)}")
    word = name.rpartition(".")[2].lower()
    marked = name.startswith(("<", ">", "|", "="))
    found = _MARKED.get(word[1:]) if marked else word if word in ITEMSIZES else _ALSO.get(word)
    if found is None:
        raise ValueError(f"unknown dtype {shown(name)}{did_you_mean(word, ITEMSIZES)}: one of {', '.join(ITEMSIZES)}")
    return found
