"""Asked: the variables that templates ask for, kept while no template of their folder has changed."""

import hashlib
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

import skillkit
from skillkit.kept import keep, kept
from skillkit.places import cache_folder


class Asked:
    """What the templates of a folder ask for, themselves or by what they include.

    Args:
        folder: The templates'.
        names: Of all its files.
    """

    def __init__(self, folder: Path, names: Sequence[str]) -> None:
        self.path = (
            cache_folder() / "templates" / f"{hashlib.sha256(str(folder.absolute()).encode()).hexdigest()[:24]}.kept"
        )
        self.made_of = _digest(folder, names)
        found = kept(self.path)
        same = isinstance(found, dict) and found.get("of") == self.made_of and isinstance(found.get("asked"), dict)
        self.known: dict[str, set[str]] = {name: set(words) for name, words in found["asked"].items()} if same else {}

    def of(self, name: str) -> set[str] | None:
        """Return what a template is known to ask for, or None."""
        return self.known.get(name)

    def learn(self, name: str, words: set[str]) -> set[str]:
        """Take a template to ask for this, and return it."""
        self.known[name] = words
        keep(self.path, {"of": self.made_of, "asked": {one: sorted(known) for one, known in self.known.items()}})
        return words


def _digest(folder: Path, names: Sequence[str]) -> str:
    """Return a name for the templates' content, and for what reads them."""
    digest = hashlib.sha256("\0".join([sys.version, version("jinja2")]).encode())
    readers = sorted((Path(skillkit.__file__).parent / "rendering").glob("*.py"))
    for path in [*readers, *(folder / name for name in names)]:
        digest.update(f"\0{path}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:24]
