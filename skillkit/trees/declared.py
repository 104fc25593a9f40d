"""Declared: a tree that its user wrote as JSON, a shape and a dtype for each path."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from skillkit.errors import BadInput, Problem, bad_input, counted
from skillkit.reading import Document, Key, parse, shown
from skillkit.trees.tree import Entry, Tree, grow

# what writes such a file, of any pytree of arrays or of their shapes
HOW = """\
import json, pathlib, jax

leaves = jax.tree_util.tree_leaves_with_path(params)
name = lambda path: jax.tree_util.keystr(path, simple=True, separator="/")
shapes = {name(path): {"shape": leaf.shape, "dtype": str(leaf.dtype)} for path, leaf in leaves}
pathlib.Path("params.json").write_text(json.dumps(shapes))
"""


def decoded_json(text: str, path: str) -> Any:
    """Return what a JSON text says.

    Raises:
        BadInput: It is no JSON, or has two equal keys in one place.
    """

    def distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise _Duplicate(twice)
        return found

    try:
        return json.loads(text, object_pairs_hook=distinct)
    except _Duplicate as error:
        parse(text, path)  # says where, unless what is JSON is no YAML
        raise bad_input(path, f"duplicate key {shown(error.args[0])}") from error
    except json.JSONDecodeError as error:
        raise bad_input(path, f"not JSON: {error.msg}", error.lineno, error.colno) from error
    except RecursionError as error:
        raise bad_input(path, "is nested too deep") from error
    except ValueError as error:  # a number with thousands of digits
        raise bad_input(path, f"not JSON: {error}") from error


class _Duplicate(Exception):
    pass


def declared_tree(value: Any, text: str, path: str) -> Tree:
    """Return the tree of a JSON document.

    Args:
        value: What the document says: `{"shape": [...], "dtype": "..."}`, or a bare shape, for each parameter,
            under its whole path or nested.
        text: The document, for the places in it.
        path: The file's name, for messages.

    Raises:
        BadInput: With the place of everything that is no parameter.
    """
    entries = list(_entries(value, ()))
    bare = sum(entry.dtype is None for entry in entries)
    assumed = (f"{counted(bare, 'parameter')} without a dtype: float32 is assumed",) if bare else ()
    documents: list[Document] = []

    def locate(entry: Entry, message: str) -> Problem:
        documents[:] = documents or [_document(value, text, path)]
        return documents[0].problem(entry.path, f"{shown(entry.name)}: {message}")

    if not entries:
        raise bad_input(path, 'names no parameter: write {"path": {"shape": [512, 512], "dtype": "float32"}}')
    typed = (replace(entry, dtype="float32") if entry.dtype is None else entry for entry in entries)
    return grow(path, "shapes in JSON", typed, locate, notes=assumed)


def _document(value: Any, text: str, path: str) -> Document:
    try:
        return parse(text, path)
    except BadInput:  # what is JSON may be no YAML
        return Document(path, value, {})


def _entries(value: Any, key: Key) -> Iterator[Entry]:
    if isinstance(value, dict) and isinstance(value.get("shape"), list) and value.keys() <= {"shape", "dtype"}:
        yield Entry(key, value["shape"], value.get("dtype"))
    elif isinstance(value, list) and not any(isinstance(part, dict | list) for part in value):
        yield Entry(key, value, None)
    elif isinstance(value, dict | list):
        for name, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _entries(part, (*key, name))
    else:
        yield Entry(key, value, None)
