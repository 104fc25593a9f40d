"""Apart: which forms are known not to be found in which right code, kept while neither has changed."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

from skillkit.catalogue.keeping import toolkit_digest
from skillkit.kept import keep, kept


class Apart:
    """Pairs of a form and code in which it was looked for and not found.

    Args:
        path: The file that keeps them; None to keep and know none.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.known: frozenset[str] = frozenset(_pairs(kept(path)) if path else ())
        self.asked: set[str] = set()

    def holds(self, form: str, code: str) -> bool:
        """Return whether a form is known not to be found in some code.

        Args:
            form: As it is written.
            code: A digest of the code, as `digest` returns it.
        """
        pair = digest(f"{form}\0{code}")
        if pair in self.known:
            self.asked.add(pair)
        return pair in self.known

    def learn(self, form: str, code: str) -> None:
        """Take them for apart."""
        self.asked.add(digest(f"{form}\0{code}"))

    def save(self) -> None:
        """Keep what was asked this time, if it is not what is kept."""
        if self.path and self.asked != self.known:
            keep(self.path, {"toolkit": toolkit_digest(), "pairs": sorted(self.asked)})


def digest(text: str) -> str:
    """Return a name for a text."""
    return hashlib.sha256(text.encode("utf-8", errors="surrogatepass")).hexdigest()[:24]


def _pairs(found: object) -> Iterable[str]:
    if isinstance(found, dict) and found.get("toolkit") == toolkit_digest() and isinstance(found.get("pairs"), list):
        return map(str, found["pairs"])
    return ()
