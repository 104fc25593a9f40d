"""Keeping: topics as they were read before, while nothing has changed that they were read from.

What is kept is believed where its seal is whole, as Python believes its compiled modules. What is recorded as evidence
is read anew.
"""

import hashlib
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from packaging import __version__ as packaging_version

import skillkit
from skillkit.catalogue.patterns import Topic
from skillkit.catalogue.plain import decoded, encoded
from skillkit.catalogue.specs import load_topic
from skillkit.kept import digest, keep, kept
from skillkit.source.shelf import Seen, Shelf, module_aliases, module_libraries, runs_alone
from skillkit.source.slicing import cut


class Keeper:
    """The topics of a folder, kept in another.

    Args:
        folder: Where they are kept; None to keep and know none.
        shelf: The modules that they are about; it comes to know what was cut from them.
    """

    def __init__(self, folder: Path | None, shelf: Shelf) -> None:
        self.folder = folder
        self.shelf = shelf

    def topic(self, spec: Path) -> Topic:
        """Return the topic of a spec.

        Raises:
            BadInput: As for `load_topic`.
        """
        if not self.folder:
            return load_topic(spec, self.shelf)
        path = self.folder / f"{digest(str(spec.absolute()))}.kept"
        known = self._known(kept(path), spec)
        if known:
            return known
        with self.shelf.watched() as seen:
            topic = load_topic(spec, self.shelf)
            _prepare(topic, self.shelf)
        self._keep(path, spec, topic, seen)
        return topic

    def _known(self, found: Any, spec: Path) -> Topic | None:
        try:
            modules = found["of"]["modules"]
            if found["of"] != self._sources(spec, modules):
                return None
            topic = decoded(found["topic"])
            facts = {name: decoded(value) for name, value in found["facts"].items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None
        if not isinstance(topic, Topic) or topic.name != spec.stem:
            return None
        for name, value in facts.items():
            self.shelf.learn(name, value, modules)
        return topic

    def _keep(self, path: Path, spec: Path, topic: Topic, seen: Seen) -> None:
        try:
            facts = {name: encoded(self.shelf.facts[name]) for name in sorted(seen.facts)}
            data = {"of": self._sources(spec, seen.modules), "topic": encoded(topic), "facts": facts}
        except (OSError, TypeError):  # nothing is lost but time
            return
        keep(path, data)

    def _sources(self, spec: Path, modules: Iterable[str]) -> dict[str, Any]:
        files = {name: self.shelf.path(name) for name in sorted(modules)}
        return {
            "toolkit": toolkit_digest(),
            "folder": str(self.shelf.folder),
            "spec": _digest(spec.read_bytes()),
            "modules": {name: _digest(file.read_bytes()) if file.exists() else "" for name, file in files.items()},
        }


def _prepare(topic: Topic, shelf: Shelf) -> None:
    """Have the shelf know what the proofs of a topic ask of it."""
    for pattern in topic.patterns:
        for mistake in pattern.mistakes:
            wrong = [mistake.symbol, *([mistake.stated] if mistake.kind == "shows" else [])]
            for symbol in wrong:
                cut(shelf, f"mistakes.{topic.name}", [symbol])
            if mistake.instead and runs_alone(shelf, topic.name, mistake.instead):
                cut(shelf, topic.name, [mistake.instead])
    module_aliases(shelf, topic.name)
    module_libraries(shelf, topic.name)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:24]


@cache
def toolkit_digest() -> str:
    """Return a digest of what reads topics: this package's code, Python's own parser, and YAML's."""
    versions = f"{sys.version} {yaml.__version__} {packaging_version}"
    return digest(versions, _code())


def _code() -> Iterator[Path]:
    package = Path(skillkit.__file__).parent
    yield from sorted(package.glob("*.py"))
    yield from sorted((package / "schemas").glob("*.json"))
    for room in ("catalogue", "source"):
        yield from sorted((package / room).glob("*.py"))
