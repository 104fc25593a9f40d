"""Evidence: which statements held under which versions, as a file that runs write and texts cite."""

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from packaging.version import Version

from skillkit.errors import bad_input

_FORMAT = 3
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

    def only(self, proofs: Collection[str]) -> "Run":
        """Return what the run says of these proofs."""
        states = {name: state for name, state in self.states.items() if name in proofs}
        return Run(self.versions, states, {name: self.hashes[name] for name in states})


@dataclass(frozen=True)
class Evidence:
    """The runs on record, oldest jax first.

    Args:
        runs: Of the catalogue, each under one set of versions.
        sides: Of what must be run under one very version of a library.
    """

    runs: tuple[Run, ...] = ()
    sides: tuple[Run, ...] = ()

    def with_run(self, run: Run) -> "Evidence":
        """Return the evidence with this run, which replaces what one under the same versions said of its proofs."""
        return replace(self, runs=_with(self.runs, run))

    def with_side(self, run: Run) -> "Evidence":
        """Return the evidence with this run under the very versions of what it proves, likewise."""
        return replace(self, sides=_with(self.sides, run))

    def merged(self, parts: Iterable["Evidence"]) -> "Evidence":
        """Return the evidence with what others have shown since that began with it; where two differ, the worse counts.

        Args:
            parts: What they have recorded.
        """
        parts = list(parts)
        runs = _merged(self.runs, [one for part in parts for one in part.runs])
        return replace(self, runs=runs, sides=_merged(self.sides, [one for part in parts for one in part.sides]))

    def without(self, versions: Mapping[str, str]) -> "Evidence":
        """Return the evidence without what a run under these versions said."""
        return replace(self, runs=_without(self.runs, versions))

    def only(self, hashes: Mapping[str, str]) -> "Evidence":
        """Return the evidence without what its sides say of other statements than these, by their ids."""
        kept = (
            run.only({name for name, found in run.hashes.items() if hashes.get(name) == found}) for run in self.sides
        )
        return replace(self, sides=tuple(run for run in kept if run.states))

    def runs_for(self, versions: Mapping[str, str]) -> tuple[Run, ...]:
        """Return the runs that had the minor versions of all these libraries."""
        return tuple(
            run
            for run in self.runs
            if all(name in run.versions and minor(run.versions[name]) == minor(one) for name, one in versions.items())
        )

    def versions(self, proof: str, digest: str, library: str) -> list[str]:
        """Return the versions of a library under which a proof held, oldest first."""
        held = [run for run in (*self.runs, *self.sides) if run.state(proof, digest) == "holds"]
        return sorted({run.versions[library] for run in held if library in run.versions}, key=Version)

    def as_text(self) -> str:
        """Return the file's content."""
        data = {"runs": [_data(run) for run in self.runs], "sides": [_data(run) for run in self.sides]}
        return json.dumps({"format": _FORMAT, "seal": _seal(data), **data}, indent=1, sort_keys=True) + "\n"


def load_evidence(path: Path) -> Evidence:
    """Read the evidence; a missing file is none, and one of an older form proves nothing of what is stated now.

    Raises:
        BadInput: The file cannot be read, or was changed by hand.
    """
    if not path.exists():
        return Evidence()
    try:
        data: Any = json.loads(path.read_text("utf-8"))
        if data["format"] < _FORMAT:
            return Evidence()
        if data["format"] > _FORMAT:
            raise ValueError(f"format {data['format']}, not {_FORMAT}")
        content, seal = {name: data[name] for name in ("runs", "sides")}, data["seal"]
        evidence = Evidence(**{name: tuple(map(_run, entries)) for name, entries in content.items()})
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise bad_input(
            path, f"not a file of evidence: delete it and run 'skillkit verify --record' ({error})"
        ) from error
    if seal != _seal(content):
        message = "was changed by hand, so it proves nothing: run 'skillkit verify --record' again"
        raise bad_input(path, message)
    return evidence


def cited_versions(runs: Iterable[Run], libraries: Iterable[str] = CITED) -> str:
    """Return the libraries' versions of some runs in words: `jax 0.7.2 and 0.12.0; optax 0.2.8`, and never a range."""
    runs = list(runs)
    known = {name: {run.versions[name] for run in runs if name in run.versions} for name in libraries}
    words = [f"{name} {listed(sorted(found, key=Version))}" for name, found in known.items() if found]
    return ("; " if any(len(found) > 1 for found in known.values()) else ", ").join(words)


def listed(words: Sequence[str]) -> str:
    """Return words as a list in prose: `a, b and c`."""
    return " and ".join(word for word in (", ".join(words[:-1]), words[-1] if words else "") if word)


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


def _data(run: Run) -> dict[str, Any]:
    proofs = {name: [run.states[name], run.hashes[name]] for name in run.states}
    return {"versions": dict(run.versions), "proofs": proofs}


def _seal(data: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()


def _with(runs: tuple[Run, ...], run: Run) -> tuple[Run, ...]:
    for one in runs:
        if dict(one.versions) == dict(run.versions):
            run = Run(run.versions, {**one.states, **run.states}, {**one.hashes, **run.hashes})
    return tuple(sorted([*_without(runs, run.versions), run], key=_order))


def _merged(runs: tuple[Run, ...], others: Sequence[Run]) -> tuple[Run, ...]:
    before = {_key(run): run for run in runs}
    since: dict[str, dict[str, tuple[str, str]]] = {}
    versions = {_key(run): run.versions for run in others}
    for run in others:
        old, new = before.get(_key(run)), since.setdefault(_key(run), {})
        for name, state in run.states.items():
            known = old.state(name, run.hashes[name]) if old else ""
            worst = new[name][0] if name in new else "holds"
            if known != state and _BADNESS.index(state) >= _BADNESS.index(worst):
                new[name] = state, run.hashes[name]
    for key, found in since.items():
        states = {name: state for name, (state, _) in found.items()}
        runs = _with(runs, Run(versions[key], states, {name: digest for name, (_, digest) in found.items()}))
    return runs


_BADNESS = ("holds", "skipped", "fails")


def _key(run: Run) -> str:
    return json.dumps(dict(run.versions), sort_keys=True)


def _without(runs: tuple[Run, ...], versions: Mapping[str, str]) -> tuple[Run, ...]:
    return tuple(run for run in runs if dict(run.versions) != dict(versions))


def _order(run: Run) -> tuple[Version, str]:
    return Version(run.versions.get("jax", "0")), json.dumps(dict(run.versions), sort_keys=True)
