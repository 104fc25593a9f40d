"""Asked: the variables that templates ask for, kept while no template of their folder has changed."""

import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

import skillkit
from skillkit.kept import digest, keep_made, kept_made
from skillkit.places import cache_folder


class Asked:
    """What the templates of a folder ask for, themselves or by what they include.

    Args:
        folder: The templates'.
        names: Of all its files.
    """

    def __init__(self, folder: Path, names: Sequence[str]) -> None:
        self.path = cache_folder() / "templates" / f"{digest(str(folder.absolute()))}.kept"
        self.made_of = _made_of(folder, names)
        found = kept_made(self.path, self.made_of, dict) or {}
        self.known: dict[str, set[str]] = {name: set(words) for name, words in found.items()}

    def of(self, name: str) -> set[str] | None:
        """Return what a template is known to ask for, or None."""
        return self.known.get(name)

    def learn(self, name: str, words: set[str]) -> set[str]:
        """Take a template to ask for this, and return it."""
        self.known[name] = words
        keep_made(self.path, self.made_of, {one: sorted(known) for one, known in self.known.items()})
        return words


def _made_of(folder: Path, names: Sequence[str]) -> str:
    """Return a name for the templates' content, and for what reads them."""
    readers = sorted((Path(skillkit.__file__).parent / "rendering").glob("*.py"))
    return digest(f"{sys.version}\0{version('jinja2')}", [*readers, *(folder / name for name in names)])
