"""Layout: the templates of scripts, their imports and blank lines, and the functions that they carry."""

import ast
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import jinja2

from skillkit.places import own_project
from skillkit.source.shelf import Shelf
from skillkit.source.slicing import cut

IMPORTS = {
    "eqx": "import equinox as eqx",
    "functools": "import functools",
    "jax": "import jax",
    "jnp": "import jax.numpy as jnp",
    "linen": "from flax import linen",
    "nnx": "from flax import nnx",
    "NamedSharding": "from jax.sharding import NamedSharding",
    "PartitionSpec": "from jax.sharding import PartitionSpec",
    "NamedTuple": "from typing import NamedTuple",
    "Any": "from typing import Any",
    "Callable": "from collections.abc import Callable",
    "Iterator": "from collections.abc import Iterator",
    "Path": "from pathlib import Path",
    "argparse": "import argparse",
    "math": "import math",
    "np": "import numpy as np",
    "sklearn": "import sklearn.datasets",
    "optax": "import optax",
    "optuna": "import optuna",
    "re": "import re",
    "secrets": "import secrets",
    "tempfile": "import tempfile",
    "ocp": "import orbax.checkpoint as ocp",
}
_STANDARD = ("argparse", "functools", "math", "re", "secrets", "tempfile", "collections", "pathlib", "typing")


def imports(body: str) -> str:
    """Return the import statements that a script's body needs, in ruff's order."""
    used = {node.id for node in ast.walk(ast.parse(body)) if isinstance(node, ast.Name)}
    merged: dict[str, list[str]] = {}
    for name in used & IMPORTS.keys() - {"ocp"}:
        start, found, bound = IMPORTS[name].partition(" import ")
        merged.setdefault(start + found, []).append(bound)
    lines = [start + ", ".join(sorted(bound)) for start, bound in merged.items()]
    standard = [line for line in lines if line.split()[1].partition(".")[0] in _STANDARD]
    others = [line for line in lines if line not in standard]
    blocks = ["\n".join(sorted(block, key=_order)) for block in (standard, others) if block]
    return "\n\n".join(blocks) + "\n" + (_OPTIONAL if "ocp" in used else "")


_OPTIONAL = """
try:
    import orbax.checkpoint as ocp
except ImportError:
    ocp = None
"""


def _order(line: str) -> tuple[bool, str]:
    return line.startswith("from"), line


def tidy(body: str) -> str:
    """Put two blank lines around each top-level definition, at most one elsewhere outside of them."""
    lines: list[str] = []
    start, blanks = "", 0
    for line in body.strip("\n").split("\n"):
        if not line.strip():
            blanks += 1
            continue
        if line[0] not in " )]}":
            defines = line.startswith(_DEFINITIONS)
            apart = (defines and not start.startswith("@")) or (start.startswith(_DEFINITIONS) and not defines)
            blanks = 2 if lines and apart else min(blanks, 1)
            start = line
        lines += [""] * min(blanks, 2) + [line.rstrip()]
        blanks = 0
    return "\n".join(lines) + "\n"


_DEFINITIONS = ("def ", "class ", "@")


def supplements_source(wanted: Iterable[str]) -> str:
    """Return the source of functions of `masks` and `supplements`, with the functions that they call."""
    shelf, known, texts = Shelf(Path(__file__).parents[1]), frozenset[str](), []
    for module in ("configuration.masks", "configuration.supplements"):
        symbols = [name for name in dict.fromkeys(wanted) if name in shelf.module(module).definitions]
        if symbols:
            piece = cut(shelf, module, symbols, known=known)
            known |= piece.names - IMPORTS.keys()
            lines = [line.text for line in piece.lines if not line.text.startswith(("import ", "from "))]
            texts.append("\n".join(lines).strip("\n") + "\n\n\n")
    return "".join(texts)


@cache
def environment() -> jinja2.Environment:
    """Return the templates of scripts."""
    loader = jinja2.FileSystemLoader(own_project(Path()).templates / "scripts")
    return jinja2.Environment(
        loader=loader, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False
    )
