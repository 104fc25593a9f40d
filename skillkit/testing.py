"""Testing: a project's proofs as items of its own test suite."""

import sys
from functools import cache
from pathlib import Path

from skillkit.catalogue.libraries import project_libraries
from skillkit.places import find_project
from skillkit.proof import proofs
from skillkit.proof.outcomes import Outcomes
from skillkit.proof.proofs import Proof
from skillkit.proof.serving import installed
from skillkit.proof.verification import WARM, Result, Verifier
from skillkit.proof.workers import Workers


def project_proofs(start: Path = Path()) -> list[Proof]:
    """Return everything that the project around a folder states about code.

    Raises:
        BadInput: Its specs or its code cannot be used.
    """
    project = find_project(start)
    return proofs.project_proofs(project, installed(project_libraries(project)))


def prove(proof: Proof) -> Result:
    """Run a proof in a process of its own, under this interpreter."""
    versions = _versions() | installed(proof.requires)
    (result,) = Verifier(_workers(), Outcomes(None, versions), versions).verify([proof]).results
    return result


@cache
def _versions() -> dict[str, str]:
    return installed(project_libraries(find_project()))


@cache
def _workers() -> Workers:
    return Workers(sys.executable, WARM, count=1, project=find_project())
