"""Files: the text and the tables of what a user keeps, or what is wrong with them."""

import codecs
import json
import tomllib
from pathlib import Path
from typing import Any

from skillkit.errors import bad_input


def read_text(path: Path) -> str:
    """Return a file's text without a byte-order mark, its line ends as they are.

    Raises:
        BadInput: The file is missing, unreadable, or not UTF-8.
    """
    try:
        return decoded(path.read_bytes(), str(path))
    except FileNotFoundError as error:
        raise bad_input(path, "no such file") from error
    except (OSError, ValueError) as error:  # a name with a null character is a ValueError
        raise bad_input(path, f"cannot be read: {getattr(error, 'strerror', None) or error}") from error


def decoded(raw: bytes, path: str) -> str:
    """Return the text of some bytes without a byte-order mark; `path` names them in messages.

    Raises:
        BadInput: They are neither UTF-8 nor UTF-16 with its mark, as PowerShell writes it.
    """
    try:
        return raw.decode("utf-16" if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        column = error.start - raw.rfind(b"\n", 0, error.start)
        raise bad_input(path, "not UTF-8 text: save the file as UTF-8", line, column) from error


def read_toml(path: Path) -> dict[str, Any]:
    """Return the tables of a TOML file.

    Raises:
        BadInput: It cannot be read, or is not TOML.
    """
    try:
        return tomllib.loads(read_text(path))
    except RecursionError as error:
        raise bad_input(path, "is nested too deep") from error
    except ValueError as error:  # beside TOML's own errors that of a number with thousands of digits
        raise bad_input(path, f"not TOML: {error}") from error


def read_json(path: Path) -> Any:
    """Return the content of a JSON file.

    Raises:
        BadInput: It cannot be read, or is not JSON.
    """
    try:
        return json.loads(read_text(path))
    except RecursionError as error:
        raise bad_input(path, "is nested too deep") from error
    except ValueError as error:
        raise bad_input(path, f"not JSON: {error}") from error
