"""Verification: every proof run, and a report of what holds."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from skillkit.catalogue.libraries import imports
from skillkit.catalogue.requirements import unmet
from skillkit.proof.evidence import Run
from skillkit.proof.outcomes import Outcomes
from skillkit.proof.proofs import Proof
from skillkit.proof.verdicts import Verdict
from skillkit.proof.workers import Workers


@dataclass(frozen=True)
class Result:
    """What a run says of one proof.

    Args:
        proof: The statement.
        state: `holds`, `fails` or `skipped`.
        verdict: Why it fails or was skipped, and where.
        seconds: How long the run took; 0 where its outcome was known.
    """

    proof: Proof
    state: str
    verdict: Verdict
    seconds: float

    def __str__(self) -> str:
        """Return the place and the message, or the state where there is nothing to say."""
        place = self.verdict.place or self.proof.place
        return f"{place}: {self.verdict.message}" if self.verdict.message else self.state


@dataclass(frozen=True)
class Report:
    """The results of one run.

    Args:
        results: In the order of the proofs.
        versions: Of Python, the platform and the libraries.
    """

    results: tuple[Result, ...]
    versions: Mapping[str, str]

    def count(self, kind: str) -> int:
        """Return how many proofs of a kind were not skipped."""
        return sum(result.proof.kind == kind and result.state != "skipped" for result in self.results)

    def of(self, state: str) -> list[Result]:
        """Return the results in one state."""
        return [result for result in self.results if result.state == state]

    def as_run(self) -> Run:
        """Return the report as evidence."""
        states = {result.proof.id: result.state for result in self.results}
        return Run(self.versions, states, {result.proof.id: result.proof.hash for result in self.results})

    def as_data(self) -> dict[str, Any]:
        """Return the report as `skillkit verify --json` prints it."""
        return {
            "patterns": len({result.proof.pattern for result in self.results if result.proof.kind == "block"}),
            "blocks": self.count("block"),
            "mistakes": self.count("mistake"),
            "corrections": self.count("correction"),
            "changes": self.count("change"),
            "earlier versions": self.count("before"),
            "figures": self.count("figure"),
            "names": sum(len(result.proof.job.get("names", ())) for result in self.results),
            "failed": [
                {"id": result.proof.id, "kind": result.proof.kind, **_words(result)} for result in self.of("fails")
            ],
            "skipped": [
                {"id": result.proof.id, "kind": result.proof.kind, **_words(result)} for result in self.of("skipped")
            ],
            "versions": dict(self.versions),
        }


def unmade(label: str, place: str, message: str) -> Report:
    """Return the report of an environment that could not be made, in which nothing could be run.

    Args:
        label: The environment in words.
        place: Where it is asked for.
        message: Why it could not be made.
    """
    verdict = Verdict(f"{label} can't be installed: {message}")
    proof = Proof(label, "environment", label, place, {}, lambda _: verdict)
    return Report((Result(proof, "fails", verdict, 0.0),), {})


def _words(result: Result) -> dict[str, str]:
    return {"place": result.verdict.place or result.proof.place, "message": result.verdict.message}


@dataclass
class Verifier:
    """Runs proofs under one interpreter.

    Args:
        workers: The servers that run them.
        outcomes: What is known from earlier runs.
        versions: Of the interpreter, the platform and the libraries.
        libraries: Those without which what imports them is skipped.
    """

    workers: Workers
    outcomes: Outcomes
    versions: Mapping[str, str]
    libraries: Sequence[str] = ()

    def verify(self, proofs: Sequence[Proof], tell: Callable[[Result], None] = lambda _: None) -> Report:
        """Run the proofs whose outcome is not known, and judge all.

        Args:
            proofs: What to prove.
            tell: Called with each result as it comes.
        """
        results: dict[int, Result] = {}
        try:
            for index, result in self._results(proofs):
                results[index] = result
                tell(result)
        finally:
            self.outcomes.save()  # what was run before an interrupt need not be run again
        return Report(tuple(results[index] for index in range(len(proofs))), self.versions)

    def _absent(self, proof: Proof) -> str:
        """Return which library the proof's code imports that is not installed, or an empty string."""
        for library in self.libraries:
            if library not in self.versions and imports(proof.code, library):
                return f"needs {library}, which is not installed"
        return ""

    def _results(self, proofs: Sequence[Proof]) -> Iterator[tuple[int, Result]]:
        waiting: dict[str, list[int]] = {}
        for index, proof in enumerate(proofs):
            if lacking := unmet(proof.requires, self.versions) or self._absent(proof):
                yield index, Result(proof, "skipped", Verdict(lacking), 0.0)
            elif known := self.outcomes.known(proof.run_hash):
                yield index, _judged(proof, known, 0.0)
            else:
                waiting.setdefault(proof.run_hash, []).append(index)
        alike = list(waiting.values())  # what several statements are about is run once
        for position, outcome in self.workers.ask_all([proofs[first].job for first, *_ in alike]):
            self.outcomes.learn(proofs[alike[position][0]].run_hash, outcome)
            seconds = outcome["seconds"]
            for index in alike[position]:
                yield index, _judged(proofs[index], outcome, seconds)
                seconds = 0.0


def _judged(proof: Proof, outcome: dict[str, Any], seconds: float) -> Result:
    verdict = proof.judge(outcome)
    return Result(proof, "fails" if verdict.message else "holds", verdict, seconds)
