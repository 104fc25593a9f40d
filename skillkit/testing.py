"""Testing: a project's proofs as items of its own test suite."""

import sys
from functools import cache
from pathlib import Path

from skillkit.catalogue.libraries import project_libraries
from skillkit.errors import bad_input
from skillkit.execution.serving import installed
from skillkit.places import Project, find_project
from skillkit.proof import statements
from skillkit.proof.outcomes import Outcomes
from skillkit.proof.proofs import Proof
from skillkit.proof.verification import Result, Verifier
from skillkit.proof.workers import Workers


def project_proofs(start: Path = Path()) -> list[Proof]:
    """Return everything that the project around a folder states about code.

    Raises:
        BadInput: There is no project around it, or its specs or its code cannot be used.
    """
    project = _project(start)
    return statements.project_proofs(project, _versions(project.root.resolve()))


def prove(proof: Proof) -> Result:
    """Run a proof in a process of its own, under this interpreter."""
    project = _project(_folder(proof))
    root = project.root.resolve()
    versions = _versions(root) | installed(proof.requires)
    verifier = Verifier(_workers(root), Outcomes(None, versions), versions, project_libraries(project))
    (result,) = verifier.verify([proof]).results
    return result


def _folder(proof: Proof) -> Path:
    """Return the folder of the spec that states it; the names in prose are stated by a folder."""
    path = Path(proof.place if proof.kind == "names" else proof.place.rsplit(":", 2)[0])
    return path if path.is_dir() else path.parent


def _project(start: Path) -> Project:
    project = find_project(start)
    if project.bundled:
        raise bad_input(start.resolve(), "no project here: no pyproject.toml around it has a table [tool.skillkit]")
    return project


@cache
def _versions(root: Path) -> dict[str, str]:
    return installed(project_libraries(find_project(root)))


@cache
def _workers(root: Path) -> Workers:
    project = find_project(root)
    return Workers(sys.executable, project.warm, count=1, project=project, versions=_versions(root))
