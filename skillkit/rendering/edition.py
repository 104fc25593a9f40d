"""Editions: what of a project is for some versions of the libraries, and what its runs have shown of that."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from packaging.version import Version

from skillkit.catalogue.catalogues import Catalogue, load_catalogue
from skillkit.catalogue.changes import Change, load_changes
from skillkit.catalogue.mentions import known_aliases
from skillkit.catalogue.patterns import Pattern, Topic
from skillkit.catalogue.remarks import load_remarks
from skillkit.catalogue.requirements import is_past, unmet
from skillkit.errors import bad_input, did_you_mean
from skillkit.places import Project
from skillkit.proof.changes import change_proofs, stage_proofs
from skillkit.proof.evidence import Evidence, Run, load_evidence
from skillkit.proof.proofs import Proof
from skillkit.proof.statements import proofs
from skillkit.reading import read
from skillkit.rendering.subjects import plain
from skillkit.rendering.versions import NOT_VERIFIED, History, history, verified

FUNCTIONS = ("verified", "when", "earlier", "likewise", "changed")  # that templates call


class Edition:
    """The patterns, changes and terms of one project that are for some versions.

    Args:
        project: Whose they are.
        versions: Of the libraries; those that are not named may have any recent version, so patterns whose requirements
            end at some version are left out.
    """

    def __init__(self, project: Project, versions: Mapping[str, str]) -> None:
        self.project = project
        self.versions = versions

    @cached_property
    def catalogue(self) -> Catalogue:
        """The project's patterns."""
        return load_catalogue(self.project)

    @cached_property
    def topics(self) -> tuple[Topic, ...]:
        """The topics with those of their patterns that are for the versions."""
        fitting = (replace(topic, patterns=self._fitting(topic.patterns)) for topic in self.catalogue.topics)
        return tuple(topic for topic in fitting if topic.patterns)

    @cached_property
    def patterns(self) -> dict[str, Pattern]:
        """The patterns that are for the versions, by their ids."""
        return {pattern.id: pattern for topic in self.topics for pattern in topic.patterns}

    @cached_property
    def recorded_changes(self) -> tuple[Change, ...]:
        """All changes that the project records, whatever the versions."""
        return load_changes(self.project)

    @cached_property
    def histories(self) -> dict[str, History]:
        """What is proven of the changes that the versions have already, by the changes' ids."""
        fitting = (change for change in self.recorded_changes if self._fits(change.requires))
        found = (history(change, self.evidence, self.versions) for change in fitting)
        return {one.change.id: one for one in found if one}

    @cached_property
    def known_changes(self) -> tuple[str, ...]:
        """The names of all changes, as patterns call them."""
        return tuple(change.id.removeprefix("changes/") for change in self.recorded_changes)

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """The changes that the versions have already and that a run has shown, newest first."""
        shown = (one.change for one in self.histories.values() if one.is_proven)
        return tuple(sorted(shown, key=lambda one: (one.library, Version(one.since)), reverse=True))

    @property
    def unproven(self) -> list[str]:
        """The ids of the patterns that no run under these versions shows, and of the changes, which are left out."""
        patterns = [name for name in self.patterns if verified(self.proofs[name], self.runs) == NOT_VERIFIED]
        return patterns + [name for name, one in self.histories.items() if not one.is_proven]

    @cached_property
    def aliases(self) -> Mapping[str, str]:
        """What the heads of names stand for, as the project's settings and modules say."""
        return known_aliases(self.project, self.catalogue)

    @cached_property
    def glossary(self) -> Any:
        """The terms that `glossary.yaml` explains, or none."""
        return self._table("glossary")

    @cached_property
    def advice(self) -> Any:
        """The decisions and limits that `advice.yaml` lists, or none."""
        return self._table("advice")

    def _table(self, name: str) -> Any:
        path = self.project.reference / f"{name}.yaml"
        if not path.exists():
            return []
        load_remarks(self.project, self.catalogue)  # what it says must be shown by patterns that there are
        return read(path).value

    def _fitting(self, patterns: Iterable[Pattern]) -> tuple[Pattern, ...]:
        """Return the patterns that are for the versions, with those of their mistakes that are."""
        return tuple(
            replace(one, mistakes=tuple(mistake for mistake in one.mistakes if self._fits(mistake.requires)))
            for one in patterns
            if self._fits(one.requires)
        )

    def _fits(self, requires: Mapping[str, str]) -> bool:
        known = {library: wanted for library, wanted in requires.items() if library in self.versions}
        open_ended = {library: wanted for library, wanted in requires.items() if library not in known}
        return not unmet(known, self.versions) and not is_past(open_ended)

    @cached_property
    def evidence(self) -> Evidence:
        """What the project's runs have shown."""
        return load_evidence(self.project.evidence)

    @cached_property
    def runs(self) -> tuple[Run, ...]:
        """The runs under versions that the texts are for."""
        return self.evidence.runs_for(self.versions)

    @cached_property
    def proofs(self) -> dict[str, list[Proof]]:
        """What each pattern that is for the versions states, by its id, and likewise each change."""
        found: dict[str, list[Proof]] = {}
        for proof in proofs(self.catalogue, list(self.patterns.values())):
            found.setdefault(proof.pattern, []).append(proof)
        for change in self.recorded_changes:
            rest = [one for one in change_proofs([change]) if one.kind in ("correction", "figure")]
            found[change.id] = [next(stage_proofs(change)).later, *rest]
        return found

    def verified(self, *statements: Iterable[Mapping[str, Any]]) -> str:
        """Return, in words, the versions under which all these patterns or changes were run."""
        ids = [one["id"] for group in statements for one in group]
        wanted = [proof for name in ids for proof in self.proofs[name]]
        return verified(wanted, self.runs, [self.histories[name] for name in ids if name in self.histories])

    def when(self, change: Mapping[str, Any], named: bool = False) -> str:
        """Return, in words, from which version on an old form fails: `since jax 0.10.0`, where the library is named."""
        return self.histories[change["id"]].when(named)

    def likewise(self, change: Mapping[str, Any]) -> str:
        """Return a remark that names the other old forms that fail as a change's does, or an empty string."""
        return self.histories[change["id"]].likewise()

    def changed(self, pattern: Mapping[str, Any]) -> list[Any]:
        """Return the changes that made a pattern so, as far as runs show them.

        Raises:
            BadInput: The pattern names a change that is not in the table.
        """
        for name in pattern["changed"]:
            if name not in self.known_changes:
                message = f"no such change '{name}'{did_you_mean(name, self.known_changes)}: see changes.yaml"
                raise bad_input(pattern["place"], message)
        found = [self.histories.get(f"changes/{name}") for name in pattern["changed"]]
        return [plain(one.change) for one in found if one and one.is_proven]

    def earlier(self, change: Mapping[str, Any]) -> str:
        """Return, in words, what an old form did in older versions: `warned since 0.8.2`, or an empty string."""
        return self.histories[change["id"]].earlier()
