"""Mentions: the dotted names of libraries in the patterns' prose."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from skillkit.catalogue.patterns import Catalogue, Pattern

ALIASES = {
    "jnp": "jax.numpy",
    "lax": "jax.lax",
    "nnx": "flax.nnx",
    "nn": "flax.linen",
    "linen": "flax.linen",
    "eqx": "equinox",
    "np": "numpy",
    "ocp": "orbax.checkpoint.v1",
}


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


def mentioned(catalogue: Catalogue, modules: Iterable[str]) -> Iterator[Mention]:
    """Yield the names that the patterns' prose mentions, and those that they list as gone.

    Args:
        catalogue: The patterns.
        modules: Names that start with one of these, or with the conventional alias of a part, are taken for code.
    """
    modules = tuple(modules)
    heads = [*modules, *(alias for alias, name in ALIASES.items() if name.partition(".")[0] in modules)]
    if not heads:
        return
    dotted = re.compile(rf"(?<![\w./-])(?:{'|'.join(map(re.escape, heads))})(?:\.[A-Za-z_]\w*)+")
    for pattern in catalogue.patterns.values():
        gone = {full_name(name) for name in pattern.gone}
        for text, requires in _prose(pattern):
            for name in sorted({full_name(name) for name in dotted.findall(text)} - gone):
                yield Mention(name, False, requires, pattern.place)
        for name in sorted(gone):
            yield Mention(name, True, _all_met(pattern), pattern.place)


def full_name(name: str) -> str:
    """Return a dotted name with the conventional alias at its head written out."""
    head, _, rest = name.partition(".")
    return f"{ALIASES.get(head, head)}.{rest}"


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
