"""Evidence: which statements held under which versions, as a file that runs write and texts cite."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packaging.version import Version

from skillkit.errors import bad_input

_FORMAT = 2
CITED = ("jax", "optax", "flax", "equinox", "orbax-checkpoint", "clu")


@dataclass(frozen=True)
class Run:
    """One run of the catalogue.

    Args:
        versions: Of Python, the platform and the libraries.
        states: `holds`, `fails` or `skipped` for each proof's id.
        hashes: What was run for each proof's id; an entry counts only while this is still what would be run.
    """

    versions: Mapping[str, str]
    states: Mapping[str, str]
    hashes: Mapping[str, str]

    def state(self, proof: str, digest: str) -> str:
        """Return the state of a proof, or `unknown` where other code was run than would be now."""
        return self.states[proof] if self.hashes.get(proof) == digest else "unknown"


@dataclass(frozen=True)
class Evidence:
    """The runs on record, oldest jax first."""

    runs: tuple[Run, ...] = ()

    def with_run(self, run: Run) -> "Evidence":
        """Return the evidence with this run, which replaces what one under the same versions said of its proofs."""
        others = self.without(run.versions).runs
        for one in self.runs:
            if dict(one.versions) == dict(run.versions):
                run = Run(run.versions, {**one.states, **run.states}, {**one.hashes, **run.hashes})
        return Evidence(tuple(sorted([*others, run], key=_order)))

    def without(self, versions: Mapping[str, str]) -> "Evidence":
        """Return the evidence without what a run under these versions said."""
        return Evidence(tuple(run for run in self.runs if dict(run.versions) != dict(versions)))

    def as_text(self) -> str:
        """Return the file's content."""
        runs = [
            {
                "versions": dict(run.versions),
                "proofs": {name: [run.states[name], run.hashes[name]] for name in run.states},
            }
            for run in self.runs
        ]
        return json.dumps({"format": _FORMAT, "seal": _seal(runs), "runs": runs}, indent=1, sort_keys=True) + "\n"


def load_evidence(path: Path) -> Evidence:
    """Read the evidence; a missing file is none.

    Raises:
        BadInput: The file cannot be read, or was changed by hand.
    """
    if not path.exists():
        return Evidence()
    try:
        data: Any = json.loads(path.read_text("utf-8"))
        runs, seal = data["runs"], data["seal"]
        if data["format"] != _FORMAT:
            raise ValueError(f"format {data['format']}, not {_FORMAT}")
        evidence = Evidence(tuple(_run(entry) for entry in runs))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise bad_input(
            path, f"not a file of evidence: delete it and run 'skillkit verify --record' ({error})"
        ) from error
    if seal != _seal(runs):
        message = "was changed by hand, so it proves nothing: run 'skillkit verify --record' again"
        raise bad_input(path, message)
    return evidence


def cited_versions(runs: Iterable[Run], libraries: Iterable[str] = CITED) -> str:
    """Return the libraries' versions of some runs in words: `jax 0.7.2–0.12.0, optax 0.2.8`."""
    runs = list(runs)
    words = []
    for library in libraries:
        found = sorted({run.versions[library] for run in runs if library in run.versions}, key=Version)
        if found:
            words.append(f"{library} {found[0]}" + (f"–{found[-1]}" if len(found) > 1 else ""))
    return ", ".join(words)


def minor(version: str) -> tuple[int, int]:
    """Return the first two numbers of a version."""
    parsed = Version(version)
    return parsed.major, parsed.minor


def _run(entry: dict[str, Any]) -> Run:
    proofs, versions = entry["proofs"], entry["versions"]
    for library, version in versions.items():
        if library != "platform":
            Version(version)
    states = {name: state for name, (state, _) in proofs.items()}
    return Run(versions, states, {name: digest for name, (_, digest) in proofs.items()})


def _seal(runs: list[dict[str, Any]]) -> str:
    return hashlib.sha256(json.dumps(runs, sort_keys=True).encode()).hexdigest()


def _order(run: Run) -> tuple[Version, str]:
    return Version(run.versions.get("jax", "0")), json.dumps(dict(run.versions), sort_keys=True)
