"""Abstract: `python -m skillkit.trees.abstract MODULE:FUNCTION FILE` writes the shapes of what a function returns.

This imports the user's module and jax, in a process of its own; the function is traced and computes nothing.
"""

import contextlib
import importlib
import inspect
import json
import sys
import traceback
from pathlib import Path
from typing import Any


def main(name: str, file: str) -> None:
    """Write a list of path, shape and dtype of each array, or what went wrong, to a file."""
    Path(file).write_text(json.dumps(_answer(name)), encoding="utf-8")


def _answer(name: str) -> dict[str, Any]:
    module, _, function = name.partition(":")
    try:
        with contextlib.redirect_stdout(sys.stderr):  # standard output is for the result alone
            return {"leaves": _leaves(_found(module, function))}
    except (Exception, SystemExit) as error:
        return {"error": f"{_place(error)}{type(error).__name__}: {error}"}


def _found(module: str, function: str) -> Any:
    found = importlib.import_module(module)
    for part in function.split("."):
        found = getattr(found, part)
    return found


def _leaves(function: Any) -> list[tuple[list[str], list[int], str]]:
    import jax

    traced = _traced(function)
    found = []
    for path, leaf in jax.tree_util.tree_leaves_with_path(traced):
        if hasattr(leaf, "shape") and hasattr(leaf, "dtype"):
            keys = [jax.tree_util.keystr((key,), simple=True) for key in path]
            drawn = jax.numpy.issubdtype(leaf.dtype, jax.dtypes.extended)
            found.append((keys, list(leaf.shape), "uint32" if drawn else str(leaf.dtype)))  # a key is two of these
    return found


def _traced(function: Any) -> Any:
    import jax

    if "flax.nnx" in sys.modules:
        from flax import nnx

        made = nnx.eval_shape(lambda: function(*_arguments(function)))
        return nnx.state(made, nnx.Param) if isinstance(made, nnx.Module) else made
    if "equinox" in sys.modules:
        import equinox

        return equinox.filter_eval_shape(lambda: function(*_arguments(function)))
    return jax.eval_shape(lambda: function(*_arguments(function)))


def _arguments(function: Any) -> list[Any]:
    """Return what a function needs: nothing, or a key, or what makes keys for flax.nnx."""
    import jax

    made = isinstance(function, type)
    # of a class what it is made of: the metaclass of flax.nnx's modules hides it
    parameters = list(inspect.signature(function.__init__ if made else function).parameters.values())[made:]
    needed = [one.name for one in parameters if one.default is one.empty and one.kind not in _OPTIONAL]
    if len(needed) > 1:
        raise TypeError(f"it takes {', '.join(needed)}: name a function that takes nothing, a key or rngs")
    if needed == ["rngs"]:
        from flax import nnx

        return [nnx.Rngs(0)]
    return [jax.random.key(0)] if needed else []


_OPTIONAL = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def _place(error: BaseException) -> str:
    """Return the line of the user's that raised, if there is one."""
    apart = ("site-packages", "lib/python", "<frozen", __file__)
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if not any(part in frame.filename for part in apart)]
    return f"{own[-1].filename}:{own[-1].lineno}: " if own else ""


if __name__ == "__main__":
    main(*sys.argv[1:])
