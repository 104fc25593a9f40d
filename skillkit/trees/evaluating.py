"""Evaluating: the shapes of what a user's function would return, found by another process that imports it."""

import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from skillkit.errors import bad_input
from skillkit.trees.tree import Entry, Tree, grow

SECONDS = 600  # a minute is long for the largest models
_FUNCTION = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")


def is_function(name: str) -> bool:
    """Return whether a name has the form of `module:function`."""
    return bool(_FUNCTION.fullmatch(name))


def evaluated_tree(name: str, seconds: float = SECONDS) -> Tree:
    """Return the tree that a function returns under `jax.eval_shape`, which computes none of its arrays.

    Args:
        name: `module:function`; the module is imported, from the current folder too. It takes nothing, a key, or rngs.
        seconds: How long that may take.

    Raises:
        BadInput: jax is missing, or the function is, or it fails, or takes too long, or returns no parameters.
    """
    if importlib.util.find_spec("jax") is None:
        raise bad_input(name, "needs jax, which is not installed: pip install jax")
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "shapes.json"
        command = [sys.executable, "-m", "skillkit.trees.abstract", name, str(answer)]
        try:
            done = subprocess.run(
                command, check=False, stdin=subprocess.DEVNULL, stdout=2, timeout=seconds, env=_environment()
            )
        except subprocess.TimeoutExpired as error:
            raise bad_input(name, f"took longer than {seconds:g} seconds") from error
        if not answer.is_file():
            raise bad_input(name, f"ended with {done.returncode} before it had returned")
        found: dict[str, Any] = json.loads(answer.read_text("utf-8"))
    if "error" in found:
        raise bad_input(name, found["error"].splitlines()[0])
    if not found["leaves"]:
        raise bad_input(name, "returned no array")
    if not all(path for path, _, _ in found["leaves"]):
        raise bad_input(name, "returned an array by itself: return parameters by their names")
    entries = [Entry(tuple(path), shape, dtype) for path, shape, dtype in found["leaves"]]
    return grow(name, "what it returns under jax.eval_shape", entries)


def _environment() -> dict[str, str]:
    # shapes need no accelerator, and taking one from a training that runs would end it
    return {"JAX_PLATFORMS": "cpu", **os.environ}
