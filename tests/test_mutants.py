"""Published blocks whose own functions compute something else: an assertion of theirs notices."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from skillkit.catalogue.catalogues import load_catalogue
from skillkit.catalogue.libraries import project_libraries
from skillkit.catalogue.patterns import Pattern
from skillkit.catalogue.requirements import unmet
from skillkit.execution.serving import installed
from skillkit.places import find_project
from skillkit.proof.proofs import SECONDS
from skillkit.proof.workers import Workers
from tests.mutants import WAYS, mutant

PROJECT = find_project(Path(__file__).parent)
VERSIONS = installed(project_libraries(PROJECT))
PATTERNS = {
    name: one
    for name, one in load_catalogue(PROJECT).patterns.items()
    if mutant(one.block.text, WAYS[0]) and not unmet(one.requires, VERSIONS)
}
# Blocks that assert something else than what their functions return.
UNMOVED = {
    "ckpt-target": "the types and the sharding of what was restored",
    "linen-compact": "the shapes of parameters that a module makes",
    "mp-nnx-dtypes": "dtypes of gradients, which are the parameters'",
    "pure-ref": "what a function leaves in a reference",
    "par-pmap-batch": "what is computed on a mesh",
    "par-replicate": "what lies on the devices of a mesh",
    "par-set-mesh": "what lies on the devices of a mesh",
}


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    servers = Workers(sys.executable, PROJECT.warm, 1, PROJECT, VERSIONS)
    yield servers
    servers.close()


@pytest.mark.slow
@pytest.mark.parametrize("name", PATTERNS)
def test_an_assertion_is_about_what_the_block_computes(name: str, workers: Workers) -> None:
    assert notices(PATTERNS[name], workers) is (name not in UNMOVED)


def test_what_is_not_moved_is_there() -> None:
    assert UNMOVED.keys() <= PATTERNS.keys()


def notices(pattern: Pattern, workers: Workers) -> bool:
    """Return whether an assertion of a pattern's block or check fails for some mutant."""
    for way in WAYS:
        job = {"code": mutant(pattern.block.text, way), "seconds": SECONDS}
        error = workers.ask(job | ({"check": pattern.check.text} if pattern.check else {})).get("error")
        if error and error["type"] == "AssertionError":
            return True
    return False
