"""Shelves: the modules of one folder of reference code, and what is known of them."""

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from skillkit.source.binding import read_module
from skillkit.source.modules import Module


@dataclass(frozen=True)
class Seen:
    """What was asked of a shelf.

    Args:
        modules: The modules that the answers are taken from, by the shelf's names.
        facts: The names of the facts.
    """

    modules: set[str] = field(default_factory=set)
    facts: set[str] = field(default_factory=set)


class Shelf:
    """The modules of one folder of reference code, each read once, and only if what is asked is not known.

    Args:
        folder: The package's folder; its name is the package's name.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.facts: dict[str, Any] = {}
        self._from: dict[str, set[str]] = {}
        self._modules: dict[str, Module] = {}
        self._watching: list[Seen] = []

    def path(self, name: str) -> Path:
        """Return the file of the module `prng` or `mistakes.prng`."""
        return self.folder.joinpath(*name.split(".")).with_suffix(".py")

    def module(self, name: str) -> Module:
        """Return the module `prng` or `mistakes.prng`.

        Raises:
            BadInput: As for `read_module`.
        """
        for seen in self._watching:
            seen.modules.add(name)
        if name not in self._modules:
            self._modules[name] = read_module(self.path(name))
        return self._modules[name]

    def local(self, module: str) -> str | None:
        """Return the shelf's name of an imported module, or None where it is not on this shelf."""
        package, _, name = module.partition(".")
        return name or None if package == self.folder.name else None

    def fact(self, question: object, answer: Callable[[], Any]) -> Any:
        """Return what is known of the modules, or else the answer, which is known from then on.

        Args:
            question: Plain data that tells it from others.
            answer: Asks the modules.
        """
        name = json.dumps(question)
        if name not in self.facts:
            with self.watched() as seen:
                found = answer()
            self.learn(name, found, seen.modules)
        for one in self._watching:
            one.facts.add(name)
            one.modules.update(self._from[name])
        return self.facts[name]

    def learn(self, name: str, value: Any, modules: Iterable[str]) -> None:
        """Take a fact for known.

        Args:
            name: Of the fact.
            value: What is so.
            modules: What it was taken from.
        """
        self.facts[name] = value
        self._from[name] = set(modules)

    @contextmanager
    def watched(self) -> Iterator[Seen]:
        """Note what is asked."""
        seen = Seen()
        self._watching.append(seen)
        try:
            yield seen
        finally:
            self._watching.pop()


def runs_alone(shelf: Shelf, module: str, name: str) -> bool:
    """Return whether a module's definition is a function whose body a call without arguments runs."""
    known: bool = shelf.fact(["runs alone", module, name], lambda: shelf.module(module).runs_alone(name))
    return known


def module_libraries(shelf: Shelf, module: str) -> frozenset[str]:
    """Return the packages that a module imports from."""
    known: frozenset[str] = shelf.fact(["libraries", module], lambda: frozenset(shelf.module(module).libraries()))
    return known


def module_aliases(shelf: Shelf, module: str) -> dict[str, str]:
    """Return what a module's imports call other modules: `jnp` for `jax.numpy`."""

    def found() -> dict[str, str]:
        first = {name: one for name, (one, *_) in shelf.module(module).imports.items()}
        return {name: one.module for name, one in first.items() if one.alias and not one.name}

    known: dict[str, str] = shelf.fact(["aliases", module], found)
    return known
