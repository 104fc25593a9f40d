"""The newest jax of all, where this Python cannot have it and another one on the machine can."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from skillkit.catalogue.catalogues import load_catalogue
from skillkit.catalogue.libraries import project_libraries
from skillkit.places import cache_folder, find_project
from skillkit.proof.environments import NotInstallable, Wanted, interpreter
from skillkit.proof.outcomes import Outcomes
from skillkit.proof.proofs import Proof
from skillkit.proof.statements import project_proofs
from skillkit.proof.verification import Verifier
from skillkit.proof.workers import Workers

PROJECT = find_project(Path(__file__).parent.parent)
LIBRARIES = project_libraries(PROJECT)
STATEMENTS = {"changes", "names", *(topic.name for topic in load_catalogue(PROJECT).topics)}
PYTHONS = ("3.12", "3.13", "3.14")  # jax >= 0.11 needs 3.12
ENOUGH = (3, 12)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("newest"),  # one environment, made once
    pytest.mark.skipif(sys.version_info >= ENOUGH, reason="every other test runs with the newest jax already"),
]


@pytest.fixture(scope="module")
def python() -> Path:
    refusals = []
    for version in PYTHONS:
        try:
            return interpreter(Wanted("jax", version), cache_folder() / "environments", LIBRARIES)
        except NotInstallable as error:
            refusals.append(str(error))
    pytest.skip("; ".join(refusals))


@pytest.fixture(scope="module")
def verifier(python: Path) -> Iterator[Verifier]:
    workers = Workers(str(python), PROJECT.warm, count=1, project=PROJECT)
    versions = workers.ask({"libraries": list(LIBRARIES)})
    yield Verifier(workers, Outcomes(cache_folder(), versions), versions)
    workers.close()


def test_it_is_newer_than_what_the_other_tests_use(verifier: Verifier) -> None:
    assert _numbers(verifier.versions["python"]) >= ENOUGH
    assert _numbers(verifier.versions["jax"]) >= (0, 11)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")[:2]))


@pytest.fixture(scope="module")
def proofs(verifier: Verifier) -> dict[str, list[Proof]]:
    """Return the proofs by topic, table, or `names`."""
    topics = {pattern.id: pattern.topic for pattern in load_catalogue(PROJECT).patterns.values()}
    found: dict[str, list[Proof]] = {}
    for proof in project_proofs(PROJECT, verifier.versions):
        found.setdefault(topics.get(proof.pattern, proof.pattern), []).append(proof)
    return found


@pytest.mark.parametrize("statements", sorted(STATEMENTS))
def test_everything_holds(statements: str, verifier: Verifier, proofs: dict[str, list[Proof]]) -> None:
    report = verifier.verify(proofs[statements])
    assert [str(result) for result in report.of("fails")] == []
    assert report.of("holds")
