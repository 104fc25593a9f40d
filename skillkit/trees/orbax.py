"""Orbax: the metadata of a checkpoint, of whichever of its layouts; the arrays stay where they are."""

import importlib.util
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from skillkit.errors import bad_input
from skillkit.files import read_json
from skillkit.reading import shown
from skillkit.trees.tree import Entry, Tree, grow

METADATA = "_METADATA"
_ITEMS = (
    "params",
    "model",
    "state",
    "train_state",
    "default",
    "pytree",
)  # what training saves them as, the first first
_ARRAYS = ("jax.Array", "np.ndarray")
_FORM = "the metadata of an Orbax checkpoint"


def orbax_item(folder: Path, steps: bool = True) -> Path | None:
    """Return the folder of the parameters in a checkpoint, or None where there is none.

    Args:
        folder: A checkpoint, or a folder of those of several steps, of which the last is taken.
        steps: Whether it may be the latter.

    Raises:
        BadInput: Several may hold them.
        OSError: A folder cannot be read.
    """
    if (folder / METADATA).is_file():
        return folder
    parts = [path for path in folder.iterdir() if path.is_dir()]
    items = {path.name: path for path in parts if (path / METADATA).is_file()}
    if items:
        known = [name for name in _ITEMS if name in items] or list(items)
        if len(items) > 1 and known == list(items):
            raise bad_input(folder, f"holds several trees: name one of {', '.join(sorted(items))} in it")
        return items[known[0]]
    numbered = {int(found[1]): path for path in parts if (found := re.fullmatch(r"(?:.*_)?([0-9]{1,18})", path.name))}
    return orbax_item(numbered[max(numbered)], steps=False) if steps and numbered else None


def orbax_tree(folder: Path, name: str) -> Tree:
    """Return the tree that was saved into a folder.

    Args:
        folder: It has the file `_METADATA`.
        name: What the user calls it.

    Raises:
        BadInput: The metadata say no tree, or what they lead to is missing.
        OSError: A file cannot be read.
    """
    path = folder / METADATA
    found = read_json(path)
    leaves = found.get("tree_metadata") if isinstance(found, dict) else None
    if not isinstance(leaves, dict):
        raise bad_input(path, "has no 'tree_metadata', which says what was saved")
    keys = [key for leaf in leaves.values() for key in _array(path, leaf)]
    source = name if Path(name) == folder else f"{name} ({folder.relative_to(name)})"
    arrays, notes = _arrays(folder, found, {".".join(key) for key in keys})
    entries = [Entry(key, *_of(path, arrays, ".".join(key))) for key in keys]
    return grow(source, _FORM, entries, notes=notes)


def _array(path: Path, leaf: Any) -> Iterator[tuple[str, ...]]:
    """Yield the keys that lead to an array; numbers, texts and nothing are no parameters."""
    try:
        keys = tuple(str(one["key"]) for one in leaf["key_metadata"])
        if leaf["value_metadata"]["value_type"] in _ARRAYS:
            yield keys
    except (TypeError, KeyError) as error:
        raise bad_input(path, f"says of an array {shown(leaf)}, not which keys lead to it") from error


def _of(path: Path, arrays: Mapping[str, tuple[Any, Any]], name: str) -> tuple[Any, Any]:
    if name not in arrays:
        raise bad_input(path, f"names the array {shown(name)}, which is not there: the checkpoint is not whole")
    return arrays[name]


def _arrays(folder: Path, metadata: Mapping[str, Any], names: set[str]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return shape and dtype of each array by its name, and what was assumed.

    `_METADATA` has of a sharded array the shape of a part, and no dtype: both stand in what Zarr says of the array.
    """
    file = "zarr.json" if metadata.get("use_zarr3") else ".zarray"
    if (folder / "manifest.ocdbt").is_file():
        if importlib.util.find_spec("tensorstore") is None:
            return _without_tensorstore(folder, metadata), (_ASSUMED,)
        texts = _database(folder, file)
    else:
        texts = {name: _text(folder / name / file) for name in names if (folder / name / file).is_file()}
    return {name: _zarr(folder, name, text) for name, text in texts.items() if name in names}, ()


_ASSUMED = "float32 is assumed, as without tensorstore the dtypes cannot be read: pip install tensorstore"


def _text(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(2**20)


def _database(folder: Path, file: str) -> dict[str, bytes]:
    """Return what Zarr says of each array that one database holds, the arrays themselves unread."""
    import tensorstore

    end = f"/{file}".encode()
    try:
        store = tensorstore.KvStore.open({"driver": "ocdbt", "base": f"file://{folder.resolve()}/"}).result()
        keys = [key for key in store.list().result() if key.endswith(end)]
        reads = [store.read(key) for key in keys]
        values = [read.result().value for read in reads]
    except ValueError as error:
        raise bad_input(folder, f"cannot be read: {str(error).partition(' [')[0]}") from error
    return {key.removesuffix(end).decode(errors="replace"): value for key, value in zip(keys, values, strict=True)}


def _zarr(folder: Path, name: str, text: bytes) -> tuple[Any, Any]:
    try:
        about = json.loads(text)
        return about["shape"], about["data_type"] if "data_type" in about else about["dtype"]
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise bad_input(folder, f"says of the array {shown(name)} neither shape nor dtype") from error


def _without_tensorstore(folder: Path, metadata: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    sharding = folder / "_sharding"
    if not sharding.is_file() or "NamedSharding" in sharding.read_text("utf-8", errors="replace"):
        raise bad_input(
            folder, "was sharded: reading the shapes of the whole needs tensorstore: pip install tensorstore"
        )
    found = {}
    for leaf in metadata["tree_metadata"].values():
        about = leaf["value_metadata"]
        found[".".join(str(one["key"]) for one in leaf["key_metadata"])] = (about.get("write_shape"), "float32")
    return found
