"""Statements: everything that a project says of code, as proofs."""

from collections.abc import Iterable, Iterator, Mapping

from skillkit.catalogue.catalogues import Catalogue, load_catalogue
from skillkit.catalogue.changes import load_changes
from skillkit.catalogue.patterns import Pattern
from skillkit.catalogue.remarks import load_remarks
from skillkit.catalogue.rights import require_old_forms
from skillkit.places import Project
from skillkit.proof.blocks import block_proof
from skillkit.proof.changes import change_proofs
from skillkit.proof.figures import pattern_figures, remark_figures
from skillkit.proof.mistakes import correction_proof, mistake_proof
from skillkit.proof.names import name_proof
from skillkit.proof.proofs import Proof


def project_proofs(
    project: Project, libraries: Mapping[str, str], ids: Iterable[str] = (), anew: bool = False
) -> list[Proof]:
    """Return what a project states about code: of these patterns and topics, in `changes`, by `names`, or all.

    Args:
        project: Whose specs and code they are.
        libraries: The installed ones, as for `name_proof`.
        ids: As `skillkit verify` takes them.
        anew: Whether to read also what was read before and has not changed.

    Raises:
        BadInput: The specs or the code cannot be used, or there is no such pattern.
    """
    ids = list(ids)
    chosen: list[Proof] = []
    named = [name for name in ids if name not in ("changes", "names")]
    if named or "names" in ids or not ids:
        catalogue = load_catalogue(project, [] if "names" in ids else named, anew)
    if named or not ids:
        patterns = catalogue.select(named)
        chosen += proofs(catalogue, patterns)
        chosen += remark_figures(load_remarks(project, catalogue, [one.id for one in patterns] if named else ()))
    if "changes" in ids or not ids:
        changes = load_changes(project)
        require_old_forms(changes, () if ids else catalogue.patterns.values())
        chosen += change_proofs(changes)
    if "names" in ids or not ids:
        chosen.append(name_proof(project, catalogue, libraries))
    return chosen


def proofs(catalogue: Catalogue, patterns: list[Pattern]) -> Iterator[Proof]:
    """Yield what there is to prove of these patterns."""
    for pattern in patterns:
        yield block_proof(pattern)
        for mistake in pattern.mistakes:
            yield mistake_proof(catalogue, pattern, mistake)
            correction = correction_proof(catalogue, pattern, mistake)
            if correction:
                yield correction
        yield from pattern_figures(pattern)
