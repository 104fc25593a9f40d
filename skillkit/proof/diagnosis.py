"""Diagnosis: what is proven, and what has changed, for somebody's versions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from skillkit.catalogue.changes import Change
from skillkit.catalogue.libraries import imports, only_libraries
from skillkit.catalogue.requirements import unmet
from skillkit.proof.evidence import Evidence, Run, minor
from skillkit.proof.proofs import Proof


@dataclass(frozen=True)
class Diagnosis:
    """What can be said of a catalogue for some versions.

    Args:
        proven: Patterns all of whose statements held in a run with the same minor versions of what they import.
        failing: Patterns of which a statement failed in such a run.
        unmet: Patterns that need other versions, with what they need.
        absent: Patterns about a library whose version is not known, with the library.
        unknown: Patterns without evidence for these versions.
        run: The run that was consulted, or None.
        gone: Changes that these versions have already: the old form fails.
        coming: Changes of later versions: the old form still works.
    """

    proven: list[str] = field(default_factory=list)
    failing: list[str] = field(default_factory=list)
    unmet: dict[str, str] = field(default_factory=dict)
    absent: dict[str, str] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)
    run: Run | None = None
    gone: list[Change] = field(default_factory=list)
    coming: list[Change] = field(default_factory=list)


def diagnose(
    versions: Mapping[str, str], proofs: Sequence[Proof], changes: Sequence[Change], evidence: Evidence
) -> Diagnosis:
    """Return what is proven, and what has changed, for these versions.

    Args:
        versions: Of the libraries, as far as they are known.
        proofs: Of the catalogue's patterns.
        changes: The table of changes.
        evidence: The runs on record.
    """
    run = nearest_run(versions, evidence)
    libraries = list(dict.fromkeys(name for one in evidence.runs for name in only_libraries(one.versions)))
    diagnosis = Diagnosis(run=run)
    grouped: dict[str, list[Proof]] = {}
    for proof in proofs:
        grouped.setdefault(proof.pattern, []).append(proof)
    for pattern, group in grouped.items():
        known = {name: wanted for name, wanted in group[0].requires.items() if name in versions}
        absent = next((name for name in _imported(group, libraries) if name not in versions), None)
        states = {run.state(proof.id, proof.hash) for proof in group} if run else {"unknown"}
        if run and not _agree(run.versions, versions, group):
            states = {"unknown"}
        if lacking := unmet(known, versions):
            diagnosis.unmet[pattern] = lacking
        elif absent:
            diagnosis.absent[pattern] = absent
        elif "fails" in states:
            diagnosis.failing.append(pattern)
        elif states == {"holds"}:
            diagnosis.proven.append(pattern)
        else:
            diagnosis.unknown.append(pattern)
    for change in changes:
        if change.library in versions:
            there = change.at(versions[change.library])
            (diagnosis.gone if there else diagnosis.coming).append(there or change)
    return diagnosis


def _agree(found: Mapping[str, str], versions: Mapping[str, str], proofs: Sequence[Proof]) -> bool:
    """Return whether a run had the minor versions of the libraries that these proofs import."""
    used = _imported(proofs, [name for name in only_libraries(versions) if name in found])
    return all(minor(found[name]) == minor(versions[name]) for name in used)


def _imported(proofs: Sequence[Proof], libraries: Sequence[str]) -> list[str]:
    code = "".join(proof.code for proof in proofs)
    return [name for name in libraries if imports(code, name)]


def nearest_run(versions: Mapping[str, str], evidence: Evidence) -> Run | None:
    """Return the run whose versions agree most, among those with the same minor version of the principal library.

    That is the one that `versions` names first, beside Python and the platform; without any, every run will do.
    """
    principal = next(iter(only_libraries(versions)), None)
    alike = [
        run
        for run in evidence.runs
        if principal is None or minor(run.versions.get(principal, "0")) == minor(versions[principal])
    ]
    return max(
        alike, key=lambda run: sum(run.versions.get(name) == found for name, found in versions.items()), default=None
    )
