"""Mentions: the dotted names of libraries in the patterns' prose."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from skillkit.catalogue.patterns import Catalogue, Pattern

ALIASES = {
    "jnp": "jax.numpy",
    "lax": "jax.lax",
    "nnx": "flax.nnx",
    "nn": "flax.linen",
    "linen": "flax.linen",
    "eqx": "equinox",
    "ocp": "orbax.checkpoint.v1",
}
LIBRARIES = ("jax", "optax", "flax", "equinox", "orbax", "clu")
_DOTTED = re.compile(rf"(?<![\w./-])(?:{'|'.join([*ALIASES, *LIBRARIES])})(?:\.[A-Za-z_]\w*)+")


@dataclass(frozen=True)
class Mention:
    """A dotted name that some prose mentions.

    Args:
        name: In full: `jax.numpy.where` where the prose says `jnp.where`.
        gone: Whether the pattern says that it does not exist, or not for long.
        place: Of the pattern.
    """

    name: str
    gone: bool
    place: str


def mentioned(catalogue: Catalogue) -> Iterator[Mention]:
    """Yield the names that the patterns' prose mentions, and those that they list as gone."""
    for pattern in catalogue.patterns.values():
        gone = {full_name(name) for name in pattern.gone}
        for name in sorted({full_name(name) for name in _DOTTED.findall(_prose(pattern))} | gone):
            yield Mention(name, name in gone, pattern.place)


def full_name(name: str) -> str:
    """Return a dotted name with the conventional alias at its head written out."""
    head, _, rest = name.partition(".")
    return f"{ALIASES.get(head, head)}.{rest}"


def _prose(pattern: Pattern) -> str:
    texts = [pattern.title, pattern.when, pattern.rule, pattern.why, *(one.why for one in pattern.mistakes)]
    return "\n".join(texts)
