"""Testing: a project's proofs as items of its own test suite."""

import sys
from functools import cache
from pathlib import Path

from skillkit.places import find_project
from skillkit.proof import proofs
from skillkit.proof.outcomes import Outcomes
from skillkit.proof.proofs import Proof
from skillkit.proof.serving import installed
from skillkit.proof.verification import LIBRARIES, WARM, Result, Verifier
from skillkit.proof.workers import Workers


def project_proofs(start: Path = Path()) -> list[Proof]:
    """Return everything that the project around a folder states about code.

    Raises:
        BadInput: Its specs or its code cannot be used.
    """
    return proofs.project_proofs(find_project(start), installed(list(LIBRARIES)))


def prove(proof: Proof) -> Result:
    """Run a proof in a process of its own, under this interpreter."""
    (result,) = _verifier().verify([proof]).results
    return result


@cache
def _verifier() -> Verifier:
    versions = installed(list(LIBRARIES))
    return Verifier(Workers(sys.executable, WARM, count=1), Outcomes(None, versions), versions)
