"""Patterns: what a spec says of a topic's code, with the blocks that are published of it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from skillkit.catalogue.figures import Figure
from skillkit.catalogue.values import as_numbers
from skillkit.source.slicing import Slice


@dataclass(frozen=True)
class Mistake:
    """Wrong code that fails as stated.

    Args:
        symbol: A function without required parameters in `mistakes/TOPIC.py`.
        why: What goes wrong, and why it goes unnoticed.
        kind: `raises`, `warns`, `returns` or `shows`.
        stated: The exception's or warning's class, the wrong value, or the predicate's name.
        match: What is found in the message; empty unless `kind` is `raises` or `warns`.
        writes: What one must not write, as a form; it is found in the function, or in what that calls.
        words: What one must not do, where no form can tell it from what is right.
        value: Of what `stated` is the value, as a noun phrase; where `kind` is `shows`, what is so, as a clause.
        right: What `instead` returns, where `kind` is `returns` and it is worth saying.
        under: Configuration flags of the library that are set first.
        instead: A symbol of the topic's module that is right under the same flags, or None for the block.
        requires: Library versions under which it fails so.
        figures: What shows the numbers and comparisons of `why`.
        cited: Words of `why` that no run shows, each with the source that says them.
        place: Where the spec states it.
    """

    symbol: str
    why: str
    kind: str
    stated: Any
    match: str = ""
    writes: str = ""
    words: str = ""
    value: str = ""
    right: Any = None
    under: Mapping[str, Any] = field(default_factory=dict)
    instead: str | None = None
    requires: Mapping[str, str] = field(default_factory=dict)
    figures: tuple[Figure, ...] = ()
    cited: Mapping[str, str] = field(default_factory=dict)
    place: str = ""


@dataclass(frozen=True)
class Pattern:
    """One rule with the code that shows it and the mistakes that it prevents.

    Args:
        topic: The stem of the spec and its module.
        block: The code that is published.
        check: The code of the hidden check that runs after the block, or None.
        writes: What one should write, as a form; it is found in the block.
        core: Whether it belongs in the one-file skill: True with its block, `title`
            or `rule` by that, `writes` and its first mistake alone.
        changed: The changes that made it so, by their ids without `changes/`.
        gone: Dotted names that the prose mentions and that no longer exist or are deprecated.
        requires: Library versions under which the block runs.
        figures: What shows the numbers and comparisons of the texts.
        cited: Words of the texts that no run shows, each with the source that says them.
        place: Where the spec states it.

    The other fields are the spec's texts.
    """

    id: str
    title: str
    when: str
    rule: str
    topic: str
    block: Slice
    check: Slice | None = None
    why: str = ""
    writes: str = ""
    core: bool | str = False
    changed: tuple[str, ...] = ()
    mistakes: tuple[Mistake, ...] = ()
    no_mistake: str = ""
    gone: tuple[str, ...] = ()
    requires: Mapping[str, str] = field(default_factory=dict)
    sources: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    cited: Mapping[str, str] = field(default_factory=dict)
    place: str = ""

    def as_data(self) -> dict[str, Any]:
        """Return the pattern as `skillkit list --json` prints it: its spec, topic and published block."""
        data = {name: getattr(self, name) for name in _PLAIN if getattr(self, name)}
        data["block"] = self.block.text
        data |= _shown(self.figures)
        data["mistakes"] = [
            {"symbol": one.symbol, one.kind: as_numbers(one.stated)}
            | {
                name: as_numbers(getattr(one, name))
                for name in _PLAIN_OF_MISTAKE
                if getattr(one, name) not in (None, "", {})
            }
            | _shown(one.figures)
            for one in self.mistakes
        ]
        return data


_PLAIN = (
    "id",
    "topic",
    "title",
    "when",
    "rule",
    "why",
    "writes",
    "core",
    "changed",
    "no_mistake",
    "gone",
    "requires",
    "sources",
    "cited",
)
_PLAIN_OF_MISTAKE = ("match", "writes", "words", "value", "right", "under", "instead", "requires", "why", "cited")


def _shown(figures: Iterable[Figure]) -> dict[str, Any]:
    named = {one.words: one.symbol for one in figures}
    return {"figures": named} if named else {}


@dataclass(frozen=True)
class Topic:
    """A module with its spec.

    Args:
        name: Their stem.
        title: The first sentence of the module's docstring.
        patterns: In the order of the spec.
    """

    name: str
    title: str
    patterns: tuple[Pattern, ...]
