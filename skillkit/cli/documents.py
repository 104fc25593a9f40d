"""Documents: what a command is given as a file, or on standard input where its name is `-`."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from skillkit.errors import bad_input
from skillkit.files import decoded, read_text
from skillkit.reading import Document, parse

STDIN = "<stdin>"


def given(name: str) -> Document:
    """Return the document that an argument names.

    Raises:
        BadInput: It cannot be read, or is neither YAML nor JSON.
    """
    return parse(*given_text(name))


def given_text(name: str) -> tuple[str, str]:
    """Return the text that an argument names, and what messages call it.

    Raises:
        BadInput: It cannot be read.
    """
    if name != "-":
        return read_text(Path(name)), name
    if sys.stdin is None:
        raise bad_input(STDIN, "is closed")
    if sys.stdin.isatty():  # else whoever typed the name of no file would wait for something to happen
        click.echo("reading what you type: Ctrl-D on a line of its own ends it", err=True)
    return decoded(sys.stdin.buffer.read(), STDIN), STDIN


def set_answers(settings: Sequence[str]) -> Document:
    """Return the answers that were given one by one as `KEY=VALUE`.

    Raises:
        BadInput: One of them is not of this form.
    """
    value: dict[str, Any] = {}
    for setting in settings:
        key, equals, text = setting.partition("=")
        if not equals or not key:
            raise bad_input("--set", f"must be KEY=VALUE, not '{setting}'")
        value[key.strip()] = text.strip() or None
    return Document("--set", value, {})
