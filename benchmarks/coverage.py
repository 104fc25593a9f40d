"""Line coverage of `reference/`: which statements of the topics' functions are run by a block, a check or a correction.

`python -m benchmarks.coverage`. Slices are run, not the modules, so each line that is run is traced back to its source.
"""

import ast
import os
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from skillkit.catalogue.catalogues import Catalogue, load_catalogue
from skillkit.execution.running import CHECK, CODE
from skillkit.places import find_project
from skillkit.proof.proofs import SECONDS
from skillkit.proof.workers import Workers
from skillkit.source.modules import Module
from skillkit.source.slicing import Slice, cut


def runs(catalogue: Catalogue) -> Iterator[tuple[dict[str, Any], dict[str, Slice]]]:
    """Yield jobs, with the slices that their files are."""
    for pattern in catalogue.patterns.values():
        job: dict[str, Any] = {"code": pattern.block.text, "seconds": SECONDS, "trace": True}
        files = {CODE: pattern.block}
        if pattern.check:
            job["check"], files[CHECK] = pattern.check.text, pattern.check
        yield job, files
        for mistake in pattern.mistakes:
            if mistake.instead and catalogue.shelf.module(pattern.topic).runs_alone(mistake.instead):
                code = cut(catalogue.shelf, pattern.topic, [mistake.instead])
                flags = dict(mistake.under)
                yield (
                    {"code": code.text, "call": mistake.instead, "flags": flags, "seconds": SECONDS, "trace": True},
                    {CODE: code},
                )


def statements(module: Module) -> set[int]:
    """Return the lines at which a statement inside a function starts; docstrings are none."""
    return {
        node.lineno
        for definition in module.definitions.values()
        for node in ast.walk(definition)
        if isinstance(node, ast.stmt) and node is not definition and not _is_docstring(node)
    }


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def covered(catalogue: Catalogue) -> dict[Path, set[int]]:
    """Run everything, and return the source lines that were run."""
    chosen = list(runs(catalogue))
    workers = Workers(sys.executable, find_project().warm, os.cpu_count() or 1)
    found: dict[Path, set[int]] = defaultdict(set)
    for index, outcome in workers.ask_all([job for job, _ in chosen]):
        for file, numbers in outcome.get("lines", {}).items():
            for number in numbers:
                line = chosen[index][1][file].lines[number - 1]
                found[line.path].add(line.number)
    workers.close()
    return found


def main() -> None:
    """Print the share of each topic's statements that are run, and the lines of the others."""
    catalogue = load_catalogue(find_project())
    found = covered(catalogue)
    total = missed = 0
    for topic in catalogue.topics:
        module = catalogue.shelf.module(topic.name)
        wanted = statements(module)
        lacking = sorted(wanted - found[module.path])
        total, missed = total + len(wanted), missed + len(lacking)
        print(f"{module.path}: {1 - len(lacking) / len(wanted):.3f} of {len(wanted)}", *lacking)
    print(f"all topics: {1 - missed / total:.3f} of {total} statements")


if __name__ == "__main__":
    main()
