"""Mentions: the dotted names of libraries in published prose."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from skillkit.catalogue.catalogues import Catalogue
from skillkit.catalogue.changes import Change, load_changes
from skillkit.catalogue.patterns import Pattern
from skillkit.places import Project
from skillkit.source.shelf import module_aliases


@dataclass(frozen=True)
class Mention:
    """A dotted name that some prose mentions.

    Args:
        name: In full: `jax.numpy.where` where the prose says `jnp.where`.
        gone: Whether the prose says that it does not exist, or not for long.
        requires: Library versions for which the prose is written.
        place: Where the prose stands.
    """

    name: str
    gone: bool
    requires: Mapping[str, str]
    place: str


@dataclass(frozen=True)
class Names:
    """The dotted names that are taken for code of libraries.

    Args:
        modules: The libraries' top-level modules.
        aliases: What else may stand at the head of a name, and for which module; see `known_aliases`.
    """

    modules: tuple[str, ...]
    aliases: Mapping[str, str]

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        aliases = (alias for alias, name in self.aliases.items() if name.partition(".")[0] in self.modules)
        heads = "|".join(map(re.escape, [*self.modules, *aliases])) or "(?!)"
        return re.compile(rf"(?<![\w./-])(?:{heads})(?:\.[A-Za-z_]\w*+)++(?!\*)")

    def of(self, text: str) -> list[str]:
        """Return the names in a text, in full, each once."""
        return sorted({self.full(name) for name in self._pattern.findall(text)})

    def places(self, text: str) -> Iterator[tuple[str, int]]:
        """Yield each name in a text, in full, with its line from 1."""
        for found in self._pattern.finditer(text):
            yield self.full(found.group()), text.count("\n", 0, found.start()) + 1

    def full(self, name: str) -> str:
        """Return a dotted name with the alias at its head written out."""
        head, _, rest = name.partition(".")
        return f"{self.aliases.get(head, head)}.{rest}"


def mentioned(project: Project, catalogue: Catalogue, modules: Iterable[str]) -> Iterator[Mention]:
    """Yield the names that a project's texts mention, and those that its patterns list as gone.

    These are the prose of patterns, changes, glossary and advice, each for the versions of its statement, and what
    the templates and the published texts say beyond that, for all versions.

    Args:
        project: Whose texts they are.
        catalogue: Its patterns.
        modules: The libraries' top-level modules.
    """
    names = Names(tuple(modules), known_aliases(project, catalogue))
    changes = load_changes(project)
    known = {name for text in _code(catalogue, changes) for name in names.of(text)}
    for pattern in catalogue.patterns.values():
        gone = {names.full(name) for name in pattern.gone}
        known |= gone
        for text, requires in _prose(pattern):
            for name in sorted(set(names.of(text)) - gone):
                yield Mention(name, False, requires, pattern.place)
                known.add(name)
        for name in sorted(gone):
            yield Mention(name, True, _all_met(pattern), pattern.place)
    for change in changes:
        for name in names.of(change.note):
            yield Mention(name, False, {change.library: f">={change.since}", **change.requires}, change.place)
            known.add(name)
    for path in _texts(project):
        for name, line in names.places(prose(path.read_text("utf-8", errors="replace"))):
            if name not in known:
                yield Mention(name, False, {}, f"{path}:{line}:1")


def prose(text: str) -> str:
    """Return a text without its fenced code, whose lines stay as empty ones."""
    return _FENCE.sub(lambda found: "\n" * found.group().count("\n"), text)


_FENCE = re.compile(r"^( *)```.*?^\1```$", re.MULTILINE | re.DOTALL)


def _texts(project: Project) -> Iterator[Path]:
    """Yield the files whose words are published: tables beside the specs, templates, and what was rendered of them."""
    for name in ("glossary.yaml", "advice.yaml"):
        if (project.reference / name).is_file():
            yield project.reference / name
    yield from sorted(project.templates.rglob("*.md.j2"))
    yield from sorted(project.outputs.rglob("*.md"))


def _code(catalogue: Catalogue, changes: Iterable[Change]) -> Iterator[str]:
    """Yield what is published as code, right and wrong, and proven as such."""
    for pattern in catalogue.patterns.values():
        yield pattern.writes
        for mistake in pattern.mistakes:
            yield f"{mistake.writes} {mistake.stated}"
    for change in changes:
        yield f"{change.given} {change.writes} {change.instead} {change.stated}"
        yield from (f"{name} {code}" for name, code in change.likewise.items())


def known_aliases(project: Project, catalogue: Catalogue) -> dict[str, str]:
    """Return what the heads of dotted names stand for, by the project's settings and its modules' imports."""
    found: dict[str, str] = {}
    for topic in catalogue.topics:
        found |= module_aliases(catalogue.shelf, topic.name)
    return found | dict(project.aliases)


def _all_met(pattern: Pattern) -> dict[str, str]:
    """Return the versions for which everything holds that a pattern says, what its mistakes need included."""
    combined: dict[str, str] = {}
    for requires in (pattern.requires, *(one.requires for one in pattern.mistakes)):
        for library, versions in requires.items():
            combined[library] = f"{combined[library]},{versions}" if library in combined else versions
    return combined


def _prose(pattern: Pattern) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Yield texts with the versions that they are for."""
    yield "\n".join([pattern.title, pattern.when, pattern.rule, pattern.why]), pattern.requires
    for mistake in pattern.mistakes:
        yield mistake.why, {**pattern.requires, **mistake.requires}
