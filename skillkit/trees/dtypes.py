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
    # as numpy.dtype.str has them, of either byte order
    **{f"f{size}": f"float{8 * size}" for size in (2, 4)},
    **{f"i{size}": f"int{8 * size}" for size in (1, 2, 4)},
    **{f"u{size}": f"uint{8 * size}" for size in (1, 2, 4)},
    "b1": "bool",
}
# of these one letter and a number may count bits or bytes: eight of either
_MARKED = {"f8": "float64", "i8": "int64", "u8": "uint64"}


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
    marked = name.startswith(("<", ">", "|", "="))
    word = name.strip("<>|=").rpartition(".")[2].lower()
    found = _MARKED.get(word) if marked else None
    found = found or (word if word in ITEMSIZES else _ALSO.get(word))
    if found is None:
        raise ValueError(f"unknown dtype {shown(name)}{did_you_mean(word, ITEMSIZES)}: one of {', '.join(ITEMSIZES)}")
    return found
