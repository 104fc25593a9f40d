"""The renderer: Jinja templates and the catalogue become the texts that assistants read."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from skillkit.catalogue.entries import Entry
from skillkit.errors import bad_input, did_you_mean
from skillkit.places import Project, own_project
from skillkit.rendering.contexts import context_data
from skillkit.rendering.edition import FUNCTIONS, Edition
from skillkit.rendering.frontmatter import require_front_matter
from skillkit.rendering.subjects import plain
from skillkit.rendering.templates import Templates
from skillkit.rendering.texts import MARK, SUFFIX, Text, text_name
from skillkit.rendering.versions import needs
from skillkit.rendering.words import cell, failure, message, minimum, not_run, oneline


class Renderer:
    """The templates of one project with what they may speak of.

    Args:
        project: Whose texts they are.
        versions: Of the libraries that the texts are for, as for `Edition`.
    """

    def __init__(self, project: Project, versions: Mapping[str, str] | None = None) -> None:
        self.project = project
        self.edition = Edition(project, versions or {})
        filters = {"failure": failure, "oneline": oneline, "cell": cell, "message": message}
        functions = {"minimum": minimum, "needs": needs, "not_run": not_run}
        functions |= {name: getattr(self.edition, name) for name in FUNCTIONS}
        self.templates = Templates(project.templates, filters, functions)
        self._subjects: dict[str, Any] = {}

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
        for topic in self.edition.topics:
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
            self._subjects[name] = plain(getattr(self.edition, name))
        return self._subjects[name]

    @cached_property
    def registered(self) -> dict[str, Any]:
        """What the project's own contexts give its templates; computed where one asks for it."""
        contexts = (context_data(name, self.project) for name in self.project.contexts)
        return {name: value for context in contexts for name, value in context.items()}


_SPOKEN_OF = {"topics", "patterns", "changes", "glossary", "advice", "aliases"}


def render_entry(project: Project, entry: Entry) -> str:
    """Return the Markdown of a pattern, a change or a term, to paste.

    A project without a template `_pattern.md.j2`, `_change.md.j2` or `_term.md.j2` shows them by skillkit's.
    """
    template = f"_{entry.kind}{SUFFIX}"
    if not (project.templates / template).is_file():
        project = replace(project, templates=own_project(project.root).templates)
    return Renderer(project).fill(template, **{entry.kind: plain(entry.subject)}).removesuffix(f"\n{MARK}\n")
