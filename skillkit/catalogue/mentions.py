"""Mentions: the dotted names of libraries in the patterns' prose."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from skillkit.catalogue.patterns import Catalogue, Pattern
from skillkit.catalogue.slicing import Shelf
from skillkit.places import Project


@dataclass(frozen=True)
class Mention:
    """A dotted name that some prose mentions.

    Args:
        name: In full: `jax.numpy.where` where the prose says `jnp.where`.
        gone: Whether the pattern says that it does not exist, or not for long.
        requires: Library versions for which the prose is written.
        place: Of the pattern.
    """

    name: str
    gone: bool
    requires: Mapping[str, str]
    place: str


def mentioned(catalogue: Catalogue, modules: Iterable[str], aliases: Mapping[str, str]) -> Iterator[Mention]:
    """Yield the names that the patterns' prose mentions, and those that they list as gone.

    Args:
        catalogue: The patterns.
        modules: Names that start with one of these, or with an alias of a part, are taken for code.
        aliases: What they stand for, by alias; see `known_aliases`.
    """
    modules = tuple(modules)
    heads = [*modules, *(alias for alias, name in aliases.items() if name.partition(".")[0] in modules)]
    if not heads:
        return
    dotted = re.compile(rf"(?<![\w./-])(?:{'|'.join(map(re.escape, heads))})(?:\.[A-Za-z_]\w*)+")
    for pattern in catalogue.patterns.values():
        gone = {full_name(name, aliases) for name in pattern.gone}
        for text, requires in _prose(pattern):
            for name in sorted({full_name(name, aliases) for name in dotted.findall(text)} - gone):
                yield Mention(name, False, requires, pattern.place)
        for name in sorted(gone):
            yield Mention(name, True, _all_met(pattern), pattern.place)


def known_aliases(project: Project, shelf: Shelf) -> dict[str, str]:
    """Return what the heads of dotted names stand for, by the project's settings and its modules' imports."""
    found = {}
    for path in sorted(project.reference.glob("*.py")):
        for name, (first, *_) in shelf.module(path.stem).imports.items():
            if first.alias and not first.name:
                found[name] = first.module
    return found | dict(project.aliases)


def full_name(name: str, aliases: Mapping[str, str]) -> str:
    """Return a dotted name with the alias at its head written out."""
    head, _, rest = name.partition(".")
    return f"{aliases.get(head, head)}.{rest}"


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
