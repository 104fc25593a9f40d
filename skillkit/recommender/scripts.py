"""Scripts: a recommendation becomes a complete training script in the user's library."""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import jinja2

from skillkit.catalogue.slicing import Shelf, cut
from skillkit.places import own_project
from skillkit.recommender.calls import names, source
from skillkit.recommender.plans import Plan, plans
from skillkit.recommender.reasons import Reasons

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
    "tempfile": "import tempfile",
    "ocp": "import orbax.checkpoint as ocp",
}
_STANDARD = ("argparse", "functools", "math", "re", "tempfile", "collections", "pathlib", "typing")


def optuna_study(recommendation: Mapping[str, Any]) -> str:
    """Return the script of an Optuna study around a recommendation; see `studies.optuna_study`."""
    from skillkit.recommender import studies

    return studies.optuna_study(recommendation)


def script(recommendation: Mapping[str, Any]) -> str:
    """Return the training script of a recommendation.

    Args:
        recommendation: With `configuration`, and where known `reasons` and `title`.
    """
    configuration = recommendation["configuration"]
    body = environment().get_template(f"{configuration['library']}.py.j2").render(_context(recommendation))
    title = recommendation.get("title") or "Training with " + ", ".join(_optimizers(configuration))
    head = _TITLE.format(title=title)
    return f"{head}\n{imports(body)}\n{tidy(body)}"


_TITLE = '''"""{title}.

Written by skillkit for jax>=0.7.2 and optax>=0.2.8. The model and the data are stand-ins: put yours in their
place and keep the rest. Above each number stands where it comes from.
"""
'''


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


def _context(recommendation: Mapping[str, Any]) -> dict[str, Any]:
    configuration = recommendation["configuration"]
    found, networks = plans(configuration), configuration["networks"]
    reasons = Reasons(recommendation.get("reasons") or ())
    precision = configuration.get("precision") or "float32"
    compute = {"bfloat16-compute": "jnp.bfloat16", "float16": "jnp.float16"}.get(precision)
    clips = {(network.get("clip") or {}).get("kind") for network in networks}
    optimizers = _optimizers(configuration)
    every = configuration.get("accumulation") or 1
    return {
        "library": configuration["library"],
        "networks": [network["name"] for network in networks],
        "many": len(networks) > 1,
        "optimizer": pieces_source(_mentioned(found, optimizers)) + "\n\n".join(_assignments(found, reasons)),
        "per_example": bool(configuration.get("privacy")) or "per_example" in clips,
        "every": every,
        "ema": configuration.get("ema"),
        "ema_note": reasons.comment("ema"),
        "float16": precision == "float16",
        "objective": "objective" if precision == "float16" else "loss_fn",
        "dtype": "jnp.bfloat16" if precision == "bfloat16-params" else "jnp.float32",
        "compute_dtype": compute,
        "compute": lambda tree: f"optax.tree.cast({tree}, {compute})" if compute else tree,
        "lbfgs": "lbfgs" in optimizers,
        "schedule_free": "contrib.schedule_free_adamw" in optimizers,
        "adapters": any(group["parameters"] == "adapters" for one in networks for group in one["groups"]),
        "devices": configuration.get("devices") or 1,
        "steps": 20 * every,
        "total": f"{_total(configuration):_}",
    }


def _optimizers(configuration: Mapping[str, Any]) -> list[str]:
    groups = (group for network in configuration["networks"] for group in network["groups"])
    return list(dict.fromkeys(group["optimizer"]["name"] for group in groups))


def _total(configuration: Mapping[str, Any]) -> int:
    groups = (group for network in configuration["networks"] for group in network["groups"])
    return max((group["schedule"].get("total_steps") or 0 for group in groups), default=0)


def _assignments(found: list[Plan], reasons: Reasons) -> Iterator[str]:
    for plan in found:
        prefix = f"{plan.network}_" if len(found) > 1 else ""
        of_network = reasons.of(plan.network)
        for name, call in plan.schedules.items():
            yield f"{prefix}{name} = {source(call, of_network.note)}"
        text = f"{prefix}optimizer = {source(plan.optimizer, of_network.note)}"
        for name in plan.schedules if prefix else ():
            text = re.sub(rf"\b{name}(?=[,)])", f"{prefix}{name}", text)
        yield text + "\n"


def _mentioned(found: list[Plan], optimizers: list[str]) -> list[str]:
    calls = [call for plan in found for call in (*plan.schedules.values(), plan.optimizer)]
    averaged = ["schedule_free_params"] if "contrib.schedule_free_adamw" in optimizers else []
    return [name for call in calls for name in names(call)] + averaged


def pieces_source(wanted: Iterable[str]) -> str:
    """Return the source of functions of `selectors` and `pieces`, with the functions that they call."""
    shelf, known, texts = Shelf(Path(__file__).parents[1]), frozenset[str](), []
    for module in ("recommender.selectors", "recommender.pieces"):
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
