"""Headers of safetensors files, whole, cut off and wrong."""

import json
import struct
from pathlib import Path
from typing import Any

import pytest

from skillkit.errors import BadInput
from skillkit.trees.leaves import Leaf
from skillkit.trees.opening import read_tree

LAYERS = {"model.layers.0.weight": [4, 8], "model.layers.1.weight": [4, 8], "norm.weight": [8]}


def header(shapes: dict[str, list[int]], dtype: str = "BF16") -> dict[str, Any]:
    found: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    begin = 0
    for name, shape in shapes.items():
        size = 2
        for axis in shape:
            size *= axis
        found[name] = {"dtype": dtype, "shape": shape, "data_offsets": [begin, begin + size]}
        begin += size
    return found


def raw(about: Any, data: int = 144, length: int | None = None) -> bytes:
    text = about if isinstance(about, bytes) else json.dumps(about).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + bytes(data)


def refusal(path: Path) -> str:
    with pytest.raises(BadInput) as caught:
        read_tree(str(path))
    return str(caught.value).replace(str(path.parent) + "/", "")


def test_the_header_gives_names_shapes_and_stored_dtypes(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(raw(header(LAYERS)))
    tree = read_tree(str(path))
    assert tree.leaves == {name: Leaf(tuple(shape), "bfloat16") for name, shape in LAYERS.items()}
    assert (tree.stored, tree.notes) == (True, ())


def test_the_arrays_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    about = header({"w": [2**20, 2**20]})
    path.write_bytes(raw(about, 0))
    assert read_tree(str(path)).notes == ("the file ends before its arrays do; their shapes stand at its beginning",)
    with path.open("r+b") as file:
        file.truncate(2**41 + 4096)  # sparse: two terabytes that take no place
    assert read_tree(str(path)).notes == ()


def test_it_is_told_by_its_content_even_where_its_length_looks_like_text(tmp_path: Path) -> None:
    about = json.dumps(header({"w": [8]})).encode()
    path = tmp_path / "model.bin"
    path.write_bytes(raw(about.ljust(0x7B + 0x100), 16))  # the length begins with the byte of an opening brace
    assert path.read_bytes().startswith(b"{")
    assert list(read_tree(str(path)).leaves) == ["w"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is no safetensors file: it has 0 bytes"),
        (b"\x01\x02", "it has 2 bytes, and the length of the header alone takes 8"),
        (raw(header(LAYERS))[:60], "is cut off within its header, which has"),
        (raw(b"{}", length=2**63), "a header of 9,223,372,036,854,775,808 bytes, where at most 100,000,000"),
        (raw(b"{}", 0, 2**20), "is cut off within its header, which has 1,048,576 bytes of the file's 10"),
        (raw(b'{"w": }'), "model.safetensors:1:7: not JSON: Expecting value"),
        (raw(b"[]"), "its header must be a mapping, not []"),
        (raw(b'{"w": \xff}'), "not UTF-8 text"),
        (raw({"w": {"dtype": "F32", "shape": [2]}}), '"w": must have dtype, shape and data_offsets'),
        (raw({"w": {"dtype": "F32", "shape": [2], "data_offsets": [8, 0]}}), "not [8, 0]"),
        (raw({"w": {"dtype": "F32", "shape": [2], "data_offsets": [0, True]}}), "not [0, true]"),
        (raw({"w": {"dtype": "F32", "shape": [-2], "data_offsets": [0, 8]}}), '"w": a size must be a whole number'),
        (raw({"w": {"dtype": "F4", "shape": [2], "data_offsets": [0, 8]}}), '"w": unknown dtype "F4"'),
        (raw(b'{"w": {}, "w": {}}'), "duplicate key 'w'"),
        (raw({"__metadata__": {}}), "there is no parameter in it"),
        (b'{"w": [4]}', "a header of 3,772,644,546,911,347,323 bytes"),
    ],
)
def test_what_is_no_header_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(content)
    assert message in refusal(path)


def index(folder: Path, files: dict[str, str]) -> Path:
    for file in set(files.values()):
        own = {name: LAYERS[name] for name, at in files.items() if at == file}
        (folder / file).write_bytes(raw(header(own)))
    path = folder / "model.safetensors.index.json"
    path.write_text(json.dumps({"metadata": {"total_size": 144}, "weight_map": files}))
    return path


def test_an_index_leads_to_the_headers_of_its_files(tmp_path: Path) -> None:
    path = index(tmp_path, dict(zip(LAYERS, ["1.safetensors", "1.safetensors", "2.safetensors"], strict=True)))
    tree = read_tree(str(path))
    assert tree.leaves == {name: Leaf(tuple(shape), "bfloat16") for name, shape in LAYERS.items()}
    assert tree.form == "the headers of 2 safetensors files"
    assert read_tree(str(tmp_path)).leaves == tree.leaves


def test_what_an_index_names_must_be_there(tmp_path: Path) -> None:
    path = index(tmp_path, dict.fromkeys(LAYERS, "1.safetensors"))
    written = json.loads(path.read_text())
    for files, message in [
        (dict.fromkeys(LAYERS, "3.safetensors"), 'names "3.safetensors", which is not beside it'),
        ({"other": "1.safetensors"}, '1.safetensors: has no parameter "other", which the index names'),
        ({"w": "../1.safetensors"}, '"w" must be in a file beside the index'),
        ({"w": 1}, "must be in a file beside the index"),
        ([], "weight_map must say for each parameter in which file it is, not []"),
    ]:
        path.write_text(json.dumps(written | {"weight_map": files}))
        assert message in refusal(path)
