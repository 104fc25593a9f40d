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
from skillkit.catalogue.libraries import imports, only_libraries
from skillkit.catalogue.mentions import known_aliases
from skillkit.catalogue.patterns import Pattern, Topic
from skillkit.catalogue.remarks import load_remarks
from skillkit.catalogue.requirements import is_past, unmet
from skillkit.errors import bad_input, did_you_mean
from skillkit.places import Project, own_project
from skillkit.proof.changes import change_proofs
from skillkit.proof.evidence import CITED, Evidence, Run, cited_versions, load_evidence, minor
from skillkit.proof.proofs import Proof
from skillkit.proof.statements import proofs
from skillkit.reading import read
from skillkit.rendering.contexts import registered_context
from skillkit.rendering.frontmatter import require_front_matter
from skillkit.rendering.subjects import plain
from skillkit.rendering.templates import Templates
from skillkit.rendering.texts import MARK, SUFFIX, Text, text_name
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
        functions = {"verified": self.verified, "minimum": minimum, "not_run": not_run}
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
    def changes(self) -> tuple[Change, ...]:
        """The changes that the versions have already, newest first."""
        known = (change for change in load_changes(self.project) if self._has(change))
        return tuple(sorted(known, key=lambda one: (one.library, Version(one.since)), reverse=True))

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
        return tuple(one for one in patterns if self._fits(one.requires))

    def _fits(self, requires: Mapping[str, str]) -> bool:
        known = {library: wanted for library, wanted in requires.items() if library in self.versions}
        open_ended = {library: wanted for library, wanted in requires.items() if library not in known}
        return not unmet(known, self.versions) and not is_past(open_ended)

    def _has(self, change: Change) -> bool:
        version = self.versions.get(change.library)
        return self._fits(change.requires) and (version is None or Version(change.since) <= Version(version))

    @cached_property
    def evidence(self) -> Evidence:
        """What the project's runs have shown."""
        return load_evidence(self.project.evidence)

    def _is_for(self, run: Run) -> bool:
        """Return whether a run had the minor versions that the texts are for."""
        asked = {name: version for name, version in self.versions.items() if name in run.versions}
        return all(minor(run.versions[name]) == minor(version) for name, version in asked.items())

    @cached_property
    def proofs(self) -> dict[str, list[Proof]]:
        """What each pattern states, by its id, and likewise each change."""
        found: dict[str, list[Proof]] = {}
        for proof in proofs(self.catalogue, list(self.catalogue.patterns.values())):
            found.setdefault(proof.pattern, []).append(proof)
        for change in self.changes:
            found[change.id] = list(change_proofs([change]))
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
        contexts = (plain(registered_context(name, self.project)) for name in self.project.contexts)
        return {name: value for context in contexts for name, value in context.items()}

    def verified(self, statements: Iterable[Mapping[str, Any]]) -> str:
        """Return, in words, the versions with which all these patterns or changes were proven.

        A statement that needs other versions than a run had does not speak against that run, but must hold in one.
        """
        wanted = [proof for one in statements for proof in self.proofs[one["id"]]]
        runs = [
            run
            for run in self.evidence.runs
            if self._is_for(run) and all(run.state(one.id, one.hash) in ("holds", "skipped") for one in wanted)
        ]
        if not all(any(run.state(one.id, one.hash) == "holds" for run in runs) for one in wanted):
            return "Not verified."
        code = "".join(proof.code for proof in wanted if proof.kind in ("block", "change"))
        known = dict.fromkeys(name for run in runs for name in only_libraries(run.versions))
        used = [name for name in known if imports(code, name)]
        cited = [name for name in CITED if name in used] or used or ["python"]
        return f"Every block and every failure below was run with {cited_versions(runs, cited)}."


_SPOKEN_OF = {"topics", "patterns", "changes", "glossary", "advice", "aliases"}


def render_entry(project: Project, entry: Entry) -> str:
    """Return the Markdown of a pattern, a change or a term, to paste.

    A project without a template `_pattern.md.j2`, `_change.md.j2` or `_term.md.j2` shows them by skillkit's.
    """
    template = f"_{entry.kind}{SUFFIX}"
    if not (project.templates / template).is_file():
        project = replace(project, templates=own_project(project.root).templates)
    return Renderer(project).fill(template, **{entry.kind: plain(entry.subject)}).removesuffix(f"\n{MARK}\n")
