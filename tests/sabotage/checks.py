"""Checks: what is to catch a falsification, each by the name that the table calls it."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from click.testing import CliRunner

from skillkit.catalogue.catalogues import load_catalogue
from skillkit.catalogue.changes import load_changes
from skillkit.catalogue.libraries import project_libraries
from skillkit.catalogue.remarks import load_remarks
from skillkit.catalogue.rights import require_old_forms
from skillkit.cli import skillkit
from skillkit.configuration.format import read_configuration
from skillkit.errors import BadInput
from skillkit.execution.serving import installed
from skillkit.proof.companions import load_companions
from skillkit.proof.evidence import Run, load_evidence
from skillkit.proof.outcomes import Outcomes
from skillkit.proof.proofs import Proof
from skillkit.proof.statements import project_proofs
from skillkit.proof.verification import Report, Verifier
from skillkit.proof.workers import Workers
from skillkit.questionnaire.questions import decisions_folder, read_questions
from skillkit.recommender.decisions import read_tables
from tests.sabotage.copies import Copy

About = Sequence[str]
NO_TABLES = ("questions", "issues", "alternatives", "prompt")
PROVEN = ("holds", "skipped")  # here, or under other versions
FAILED = 1  # of pytest: tests were run, and some failed


@dataclass
class Checks:
    """The checks, which share a server and the outcomes of what was run before.

    Args:
        copy: The unfalsified one.
        folder: Where outcomes are kept.
    """

    copy: Copy
    folder: Path
    versions: dict[str, str] = field(init=False)
    workers: Workers = field(init=False)
    runs: dict[tuple[str, ...], Run] = field(default_factory=dict)
    passed: set[tuple[str, tuple[str, ...]]] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Start the server."""
        project = self.copy.project
        self.versions = installed(project_libraries(project))
        self.workers = Workers(sys.executable, project.warm, 1, project, self.versions)

    def found(self, name: str, copy: Copy, about: About) -> str:
        """Return what a check finds in a copy, or nothing."""
        if name.startswith("test:"):
            return _failing_test(copy, name.removeprefix("test:"))
        check: Callable[[Copy, About], str] = getattr(self, f"_{name}")
        return check(copy, about)

    def require(self, name: str, about: About) -> None:
        """Hold that a check finds nothing in what is not falsified; once for all that it is to catch there."""
        if (name, tuple(about)) not in self.passed:
            found = self.found(name, self.copy, about)
            assert not found, f"{name} finds something in what is not falsified: {found}"
            self.passed.add((name, tuple(about)))

    def _specs(self, copy: Copy, _: About) -> str:
        with _refusal() as said:
            catalogue = load_catalogue(copy.project)
            require_old_forms(load_changes(copy.project), catalogue.patterns.values())
            load_remarks(copy.project, catalogue)
            load_companions(copy.project)
        return "".join(said)

    def _tables(self, copy: Copy, _: About) -> str:
        folder = decisions_folder(copy.project)
        with _refusal() as said:
            read_questions(folder)
            for path in sorted(folder.glob("*.yaml")):
                if path.stem not in NO_TABLES:
                    read_tables(folder, path.stem)
        return "".join(said)

    def _configurations(self, copy: Copy, _: About) -> str:
        with _refusal() as said:
            for path in sorted((copy.root / "tests" / "configurations").glob("*.yaml")):
                read_configuration(path)
        return "".join(said)

    def _proof(self, copy: Copy, about: About) -> str:
        report = self._report(self._proofs(copy, about))
        assert report.of("holds") or report.of("fails"), f"nothing of {', '.join(about)} was run"
        return "\n".join(f"{one.proof.id}: {one}" for one in report.of("fails"))

    def _names(self, copy: Copy, _: About) -> str:
        return self._proof(copy, ["names"])

    def _evidence(self, copy: Copy, about: About) -> str:
        """Return what is not proven of these by a run of the unfalsified copy, or what is wrong with the file."""
        with _refusal() as said:
            load_evidence(copy.project.evidence)
        proofs = self._proofs(copy, about)
        if copy is self.copy:
            self.runs[tuple(about)] = self._report(proofs).as_run()
        states = {one.id: self.runs[tuple(about)].state(one.id, one.hash) for one in proofs}
        return "\n".join([*said, *(f"{name}: {one}" for name, one in states.items() if one not in PROVEN)])

    def _render(self, copy: Copy, _: About) -> str:
        with contextlib.chdir(copy.root):
            result = CliRunner().invoke(skillkit, ["render", "--check"])
        if isinstance(result.exception, BadInput):
            return str(result.exception)
        return result.output if result.exit_code else ""

    def _proofs(self, copy: Copy, about: About) -> list[Proof]:
        """Return the proofs of some ids, and of the changes whose names begin as `changes/...` says."""
        asked = {name.partition("/")[0] for name in about}
        proofs = project_proofs(copy.project, self.versions, sorted(asked))
        proofs = [one for one in proofs if not one.id.startswith("changes/") or one.id.startswith(tuple(about))]
        self.versions |= installed({name for proof in proofs for name in proof.requires} - self.versions.keys())
        return proofs

    def _report(self, proofs: list[Proof]) -> Report:
        return Verifier(self.workers, Outcomes(self.folder, self.versions), self.versions).verify(proofs)


@contextlib.contextmanager
def _refusal() -> Iterator[list[str]]:
    said: list[str] = []
    try:
        yield said
    except BadInput as error:
        said.append(str(error))


def _failing_test(copy: Copy, node: str) -> str:
    command = [sys.executable, "-m", "pytest", "-q", "--tb=short", "-p", "no:cacheprovider", "-p", "no:xdist", node]
    environment = os.environ | {"PYTHONPATH": str(copy.root), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, cwd=copy.root, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode in (0, FAILED), done.stdout + done.stderr
    return done.stdout if done.returncode else ""
