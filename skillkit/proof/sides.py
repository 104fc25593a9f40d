"""Sides: the very versions between which statements begin to hold, and what is run under each."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from packaging.version import Version

from skillkit.catalogue.changes import Change
from skillkit.catalogue.libraries import imports
from skillkit.proof.changes import Shown, stage_proofs
from skillkit.proof.companions import Companions, companions_of
from skillkit.proof.environments import Wanted
from skillkit.proof.evidence import Evidence
from skillkit.proof.proofs import Proof


@dataclass(frozen=True)
class Side:
    """One release of a library, and what is to be shown under it.

    Args:
        library: The library.
        version: The release.
        proofs: What is shown under this release and no other.
        wanted: The environment: the release, what it needs beside it, and what else the proofs import.
    """

    library: str
    version: str
    proofs: tuple[Proof, ...]
    wanted: Wanted


def sides(proofs: Iterable[Proof], table: Sequence[Companions], libraries: Sequence[str]) -> Iterator[Side]:
    """Yield the releases under which these proofs must be run, by library, the newest first.

    Args:
        proofs: What is stated; those that any version will do for are passed over.
        table: What old releases need beside them.
        libraries: Those that may be installed beside a release, where a proof imports them.
    """
    grouped: dict[tuple[str, str], list[Proof]] = {}
    for proof in proofs:
        if proof.at[0]:
            grouped.setdefault(proof.at, []).append(proof)
    for library, version in sorted(grouped, key=lambda at: (at[0], Version(at[1])), reverse=True):
        found = tuple(grouped[library, version])
        yield Side(library, version, found, _wanted(library, version, found, table, libraries))


def sides_shown(changes: Iterable[Change], evidence: Evidence) -> dict[str, list[str]]:
    """Return the ids of the changes that are proven at `both` sides of their versions, at the `later` alone, at `none`.

    Args:
        changes: The table.
        evidence: The runs that may have shown it.
    """
    found: dict[str, list[str]] = {"both": [], "later": [], "none": []}
    for change in changes:
        words = {reach(change.library, shown, evidence)[0] for shown in stage_proofs(change)}
        name = "none" if "" in words else "later" if "by" in words else "both"
        found[name].append(change.id)
    return found


def reach(library: str, shown: Shown, evidence: Evidence) -> tuple[str, str]:
    """Return what may be said of when an old form began to fail.

    Returns:
        `since` and the version, where both sides are proven; `by` and the oldest version that it failed under, where
        only that is known; two empty strings where nothing is.
    """
    later, earlier, since = shown.later, shown.earlier, shown.stage.since
    failed = evidence.versions(later.id, later.hash, library)
    right = evidence.versions(earlier.id, earlier.hash, library) if earlier else []
    if right and since in failed:
        return "since", since
    return ("by", failed[0]) if failed else ("", "")


def _wanted(
    library: str, version: str, proofs: Sequence[Proof], table: Sequence[Companions], libraries: Sequence[str]
) -> Wanted:
    companions = companions_of(table, library, version)
    stated = companions.requirements(version)
    code = "\n".join(proof.code for proof in proofs)
    extra = [name for name in libraries if name != library and imports(code, name)]
    return Wanted(" ".join((*stated, *extra)), companions.python)
