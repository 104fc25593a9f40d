"""Names: the proof that the dotted names in prose are what the prose takes them for."""

from collections.abc import Iterable, Iterator, Mapping

from skillkit.catalogue.catalogues import Catalogue
from skillkit.catalogue.libraries import module_of, only_libraries
from skillkit.catalogue.mentions import Mention, mentioned
from skillkit.catalogue.requirements import unmet
from skillkit.execution.running import Outcome
from skillkit.places import Project
from skillkit.proof.proofs import Proof, new_job
from skillkit.proof.verdicts import HOLDS, Verdict, broken


def name_proof(project: Project, catalogue: Catalogue, libraries: Mapping[str, str]) -> Proof:
    """Return the proof that every dotted name in published prose is what the prose takes it for.

    Args:
        project: Whose specs they are.
        catalogue: Its patterns.
        libraries: The installed ones; names of others are passed over.
    """
    modules = map(module_of, only_libraries(libraries))
    mentions = [one for one in mentioned(project, catalogue, modules) if not unmet(one.requires, libraries)]
    job = new_job(names=sorted({one.name for one in mentions}))

    def judge(outcome: Outcome) -> Verdict:
        if message := broken(outcome):
            return Verdict(message)
        faults = list(_faulty_names(mentions, outcome["names"]))
        return Verdict("\n".join(faults)) if faults else HOLDS

    return Proof("names", "names", "names", str(project.reference), job, judge)


def _faulty_names(mentions: Iterable[Mention], found: Mapping[str, str]) -> Iterator[str]:
    for mention in mentions:
        state = found[mention.name]
        if mention.gone and state == "fine":
            yield f"{mention.place}: {mention.name} is said to be gone, and is there"
        if not mention.gone and state == "absent":
            yield f"{mention.place}: there is no {mention.name}: correct it, or list it under 'gone'"
        if not mention.gone and state not in ("fine", "absent"):
            yield f"{mention.place}: {mention.name} is deprecated: {state}"
