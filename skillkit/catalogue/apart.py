"""Apart: which forms are known not to be found in which right code, kept while neither has changed."""

from pathlib import Path

from skillkit.catalogue.keeping import toolkit_digest
from skillkit.kept import digest, keep_made, kept_made


class Apart:
    """Pairs of a form and code in which it was looked for and not found.

    Args:
        path: The file that keeps them; None to keep and know none.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        found = kept_made(path, toolkit_digest(), list) if path else None
        self.known: frozenset[str] = frozenset(map(str, found or ()))
        self.asked: set[str] = set()

    def holds(self, form: str, code: str) -> bool:
        """Return whether a form is known not to be found in some code.

        Args:
            form: As it is written.
            code: A digest of the code.
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
            keep_made(self.path, toolkit_digest(), sorted(self.asked))
