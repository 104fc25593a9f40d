"""The renderer: Jinja templates and the catalogue become the texts that assistants read."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from packaging.version import Version

from skillkit.catalogue.catalogues import Catalogue, load_catalogue
from skillkit.catalogue.changes import Change, load_changes
from skillkit.catalogue.entries import Entry
from skillkit.catalogue.mentions import known_aliases
from skillkit.catalogue.patterns import Pattern, Topic
from skillkit.catalogue.remarks import load_remarks
from skillkit.catalogue.requirements import is_past, unmet
from skillkit.errors import bad_input, did_you_mean
from skillkit.places import Project, own_project
from skillkit.proof.changes import change_proofs, stage_proofs
from skillkit.proof.evidence import Evidence, Run, load_evidence
from skillkit.proof.proofs import Proof
from skillkit.proof.statements import proofs
from skillkit.reading import read
from skillkit.rendering.contexts import context_data
from skillkit.rendering.frontmatter import require_front_matter
from skillkit.rendering.subjects import plain
from skillkit.rendering.templates import Templates
from skillkit.rendering.texts import MARK, SUFFIX, Text, text_name
from skillkit.rendering.versions import NOT_VERIFIED, History, history, needs, verified
from skillkit.rendering.words import cell, failure, message, minimum, not_run, oneline


class Renderer:
    """The templates of one project with what they may speak of.

    Args:
        project: Whose texts they are.
        versions: Of the libraries that the texts are for; those that are not named may have any recent version,
            so patterns whose requirements end at some version are left out.
    """

    def __init__(self, project: Project, versions: Mapping[str, str] | None = None) -> None:
        self.project = project
        self.versions = versions or {}
        filters = {"failure": failure, "oneline": oneline, "cell": cell, "message": message}
        functions = {"minimum": minimum, "needs": needs, "not_run": not_run}
        functions |= {name: getattr(self, name) for name in ("verified", "when", "earlier", "likewise", "changed")}
        self.templates = Templates(project.templates, filters, functions)
        self._subjects: dict[str, Any] = {}

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

    def texts(self) -> dict[str, list[str]]:
        """Return the templates of each text's name."""
        found: dict[str, list[str]] = {}
        for template in self.templates.names():
            name = Path(template).name
            if name.endswith(SUFFIX) and not name.startswith("_"):
                found.setdefault(text_name(template), []).append(template)
        return found

    def render(self, names: Iterable[str] = ()) -> Iterator[Text]:
        """Yield the texts of these names, or all.

        Raises:
            BadInput: There is no such text, or its template fails.
        """
        known = self.texts()
        for name in names:
            if name not in known:
                message = f"no such text{did_you_mean(name, known)}: one of {', '.join(known)}"
                raise bad_input(name, message)
        made: dict[Path, str] = {}
        for name in names or known:
            for template in known[name]:
                for text in self.files(name, template):
                    if made.setdefault(text.path, template) != template:
                        message = f"renders {text.path}, as {made[text.path]} does: rename one of them"
                        raise bad_input(self.project.templates / template, message)
                    yield text

    def files(self, name: str, template: str) -> Iterator[Text]:
        """Yield the file of a template, or, where its name says `{topic}`, one for each topic.

        Raises:
            BadInput: Its name holds other braces, or it cannot be filled.
        """
        path = Path(template.removesuffix(".j2"))
        if "{" in template.replace("{topic}", ""):
            raise bad_input(self.project.templates / template, "a template's name may hold {topic}, and no other brace")
        if "{topic}" not in template:
            yield Text(name, path, self.fill(template))
            return
        for topic in self.topics:
            file = Path(path.as_posix().replace("{topic}", topic.name))
            yield Text(name, file, self.fill(template, topic=plain(topic)))

    def fill(self, template: str, **values: Any) -> str:
        """Return a filled template, ending in the mark that says who wrote it.

        Raises:
            BadInput: The template has an error or speaks of something unknown, or its front matter cannot be loaded.
        """
        text = self.templates.fill(template, self.context(template, values) | values)
        require_front_matter(text, self.project.templates / template)
        return f"{text.rstrip()}\n\n{MARK}\n"

    def context(self, template: str, given: Iterable[str] = ()) -> dict[str, Any]:
        """Return the values that a template, or what it includes, asks for.

        Args:
            template: Its name.
            given: What it asks for and is given otherwise.
        """
        wanted = self.templates.wanted(template) - {*given}
        context = {name: self._subject(name) for name in _SPOKEN_OF & wanted}
        return context | self.registered if wanted - context.keys() else context

    def _subject(self, name: str) -> Any:
        if name not in self._subjects:
            self._subjects[name] = plain(getattr(self, name))
        return self._subjects[name]

    @cached_property
    def registered(self) -> dict[str, Any]:
        """What the project's own contexts give its templates; computed where one asks for it."""
        contexts = (context_data(name, self.project) for name in self.project.contexts)
        return {name: value for context in contexts for name, value in context.items()}

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


_SPOKEN_OF = {"topics", "patterns", "changes", "glossary", "advice", "aliases"}


def render_entry(project: Project, entry: Entry) -> str:
    """Return the Markdown of a pattern, a change or a term, to paste.

    A project without a template `_pattern.md.j2`, `_change.md.j2` or `_term.md.j2` shows them by skillkit's.
    """
    template = f"_{entry.kind}{SUFFIX}"
    if not (project.templates / template).is_file():
        project = replace(project, templates=own_project(project.root).templates)
    return Renderer(project).fill(template, **{entry.kind: plain(entry.subject)}).removesuffix(f"\n{MARK}\n")
