"""Safetensors: the header of such a file, or of all files that an index names; never the arrays."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from skillkit.errors import bad_input, counted
from skillkit.files import decoded
from skillkit.reading import shown
from skillkit.trees.declared import decoded_json
from skillkit.trees.tree import Entry, Tree, grow

LARGEST = 100_000_000  # bytes of a header, by the format's own rule
INDEX = "weight_map"


def safetensors_tree(path: Path) -> Tree:
    """Return the tree of one file, of which the header alone is read.

    Raises:
        BadInput: The header is cut off, too long, or none.
        OSError: The file cannot be read.
    """
    header, whole = _header(path)
    notes = () if whole else ("the file ends before its arrays do; their shapes stand at its beginning",)
    return grow(str(path), "the header of a safetensors file", _entries(header), stored=True, notes=notes)


def indexed_tree(index: Mapping[str, Any], path: Path) -> Tree:
    """Return the tree of all files that an index names, each of which lies beside it.

    Args:
        index: What the index says: `weight_map`, from each parameter to its file.
        path: The index itself.

    Raises:
        BadInput: A file is missing, or has not what the index says, or has no header.
        OSError: A file cannot be read.
    """
    files = index[INDEX]
    if not isinstance(files, dict) or not files:
        raise bad_input(path, f"{INDEX} must say for each parameter in which file it is, not {shown(files)}")
    known: dict[str, dict[str, Entry]] = {}
    entries = []
    for name, file in files.items():
        if not isinstance(file, str) or Path(file).name != file:
            raise bad_input(path, f"{shown(name)} must be in a file beside the index, not in {shown(file)}")
        if file not in known:
            known[file] = {entry.name: entry for entry in _entries(_shard(path, file))}
        if name not in known[file]:
            raise bad_input(path.with_name(file), f"has no parameter {shown(name)}, which the index names")
        entries.append(known[file][name])
    form = f"the headers of {counted(len(known), 'safetensors file')}"
    return grow(str(path), form, entries, stored=True)


def _shard(index: Path, file: str) -> dict[str, Any]:
    path = index.with_name(file)
    if not path.is_file():
        raise bad_input(index, f"names {shown(file)}, which is not beside it: the shapes stand in the files it names")
    return _header(path)[0]


def _header(path: Path) -> tuple[dict[str, Any], bool]:
    """Return a file's header, and whether the file is as long as that says."""
    with path.open("rb") as file:
        size = path.stat().st_size
        length = int.from_bytes(file.read(8), "little")
        if size < 8 or length > min(LARGEST, size - 8):
            raise bad_input(path, _wrong_length(length, size))
        text = decoded(file.read(length), str(path))
    header = decoded_json(text, str(path))
    if not isinstance(header, dict):
        raise bad_input(path, f"is no safetensors file: its header must be a mapping, not {shown(header)}")
    header.pop("__metadata__", None)
    ends = [_end(path, name, about) for name, about in header.items()]
    return header, 8 + length + max(ends, default=0) <= size


def _wrong_length(length: int, size: int) -> str:
    if size < 8:
        return f"is no safetensors file: it has {counted(size, 'byte')}, and the length of the header alone takes 8"
    if length > LARGEST:
        return f"is no safetensors file: a header of {length:,} bytes, where at most {LARGEST:,} are allowed"
    return f"is cut off within its header, which has {counted(length, 'byte')} of the file's {size:,}: fetch it again"


def _end(path: Path, name: str, about: Any) -> int:
    """Return where an array ends."""
    if not isinstance(about, dict) or not {"dtype", "shape", "data_offsets"} <= about.keys():
        raise bad_input(path, f"{shown(name)}: must have dtype, shape and data_offsets, not {shown(about)}")
    offsets = about["data_offsets"]
    numbers = isinstance(offsets, list) and [type(number) for number in offsets] == [int, int]
    if not numbers or not 0 <= offsets[0] <= offsets[1]:
        raise bad_input(path, f"{shown(name)}: data_offsets must be where it begins and ends, not {shown(offsets)}")
    return int(offsets[1])


def _entries(header: Mapping[str, Any]) -> Iterator[Entry]:
    return (Entry((name,), about["shape"], about["dtype"]) for name, about in header.items())
