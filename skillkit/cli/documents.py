"""Documents: what a command is given as a file, or on standard input where its name is `-`."""

import sys
from pathlib import Path

from skillkit.errors import bad_input
from skillkit.files import decoded
from skillkit.reading import Document, parse, read

STDIN = "<stdin>"


def given(name: str) -> Document:
    """Return the document that an argument names.

    Raises:
        BadInput: It cannot be read, or is neither YAML nor JSON.
    """
    if name != "-":
        return read(Path(name))
    if sys.stdin is None:
        raise bad_input(STDIN, "is closed")
    return parse(decoded(sys.stdin.buffer.read(), STDIN), STDIN)
