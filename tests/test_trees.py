"""What is read of a file of parameters, and what is refused with its place."""

import doctest
import json
import os
import pickle
from pathlib import Path
from typing import Any

import pytest

from skillkit.errors import BadInput
from skillkit.trees import dtypes
from skillkit.trees.dtypes import dtype_named
from skillkit.trees.leaves import Leaf
from skillkit.trees.opening import read_tree
from skillkit.trees.tree import Tree


def read(tmp_path: Path, value: Any) -> Tree:
    path = tmp_path / "params.json"
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return read_tree(str(path))


def refusal(tmp_path: Path, value: Any) -> str:
    with pytest.raises(BadInput) as caught:
        read(tmp_path, value)
    return str(caught.value).replace(str(tmp_path), "")


KERNEL = {"shape": [4, 8], "dtype": "float32"}


def test_paths_may_be_nested_flat_and_in_lists(tmp_path: Path) -> None:
    nested = read(tmp_path, {"layers": [{"w": KERNEL}, {"w": KERNEL}], "h.0": {"w": KERNEL}})
    flat = read(tmp_path, {"layers/0/w": KERNEL, "layers/1/w": KERNEL, "h.0/w": KERNEL})
    assert nested.leaves == flat.leaves == dict.fromkeys(("layers/0/w", "layers/1/w", "h.0/w"), Leaf((4, 8)))


def test_a_shape_alone_is_float32_and_that_is_said(tmp_path: Path) -> None:
    tree = read(tmp_path, {"w": [4, 8], "scalar": {"shape": []}})
    assert tree.leaves == {"w": Leaf((4, 8)), "scalar": Leaf(())}
    assert tree.notes == ("2 parameters without a dtype: float32 is assumed",)


def test_a_parameter_may_be_called_shape(tmp_path: Path) -> None:
    assert list(read(tmp_path, {"a": {"shape": KERNEL, "dtype": KERNEL}}).leaves) == ["a/shape", "a/dtype"]


def test_variables_of_nnx_are_named_as_the_masks_name_them(tmp_path: Path) -> None:
    assert list(read(tmp_path, {"linear": {"kernel": {"value": KERNEL}}}).leaves) == ["linear/kernel"]


def test_of_a_training_state_the_parameters_are_taken(tmp_path: Path) -> None:
    counted = {"shape": [], "dtype": "int32"}
    tree = read(tmp_path, {"params": {"params": {"w": KERNEL}}, "opt_state": [{"mu": {"w": KERNEL}}], "step": counted})
    assert tree.leaves == {"w": Leaf((4, 8))}
    assert tree.left_out == {"opt_state/0/mu/w": "beside params", "step": "beside params"}
    assert list(read(tmp_path, {"model": {"w": KERNEL}, "step": counted}).leaves) == ["w"]
    assert list(read(tmp_path, {"model": {"w": KERNEL}, "head": KERNEL}).leaves) == ["model/w", "head"]


def test_what_is_not_trained_is_left_out_and_said(tmp_path: Path) -> None:
    norm = {name: {"shape": [8], "dtype": "float32"} for name in ("scale", "mean", "var")}
    tree = read(
        tmp_path,
        {
            "norm": norm,
            "bn.running_mean": [8],
            "bn.num_batches_tracked": {"shape": [], "dtype": "torch.int64"},
            "h.0.attn.bias": [1, 1, 64, 64],
            "h.0.attn.c_attn.bias": [64],
            "mean": [8],
        },
    )
    assert list(tree.leaves) == ["norm/scale", "h.0.attn.c_attn.bias", "mean"]
    assert tree.left_out == {
        "norm/mean": "a running statistic",
        "norm/var": "a running statistic",
        "bn.running_mean": "a running statistic",
        "bn.num_batches_tracked": "int64 has no gradient",
        "h.0.attn.bias": "a constant",
    }


def test_the_parameters_are_counted(tmp_path: Path) -> None:
    assert read(tmp_path, {"w": [3, 5], "scalar": [], "none": [0, 7]}).parameters == 16


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": {"w": {\n "shape": [4, -8], "dtype": "float32"}}}',
         ':1:13: "a/w": a size must be a whole number of at least 0, not -8'),
        ('{"a": [4, 2.0]}', ':1:7: "a": a size must be a whole number of at least 0, not 2.0'),
        ('{"a": [true]}', "not true"),
        ('{"a": {"shape": [4], "dtype": "flaot32"}}', "unknown dtype \"flaot32\" (did you mean 'float32'?)"),
        ('{"a": {"shape": [4], "dtype": 32}}', "a dtype must be a name as float32, not 32"),
        ('{"a": {"shape": "4x4"}}', ':1:17: "a/shape": a shape must be a list of sizes as [512, 512], not "4x4"'),
        ('{"a": 3}', '"a": a shape must be a list of sizes'),
        ('{"a": [1],\n "a": [2]}', ":2:2: duplicate key 'a': first given in line 1"),
        ('{"a": {"b": [1]}, "a/b": [1]}', ':1:26: "a/b": there are two parameters of this path'),
        ('{"a": {"": [1]}}', "a part of the path is empty"),
        ('{"a\\u001b[2J": [1]}', "the path holds a control character"),
        ('{"a\\ud800": [1]}', "the path holds a control character"),
        ('{"a": [10000000000, 10000000000]}', "a parameter has at most 1e+18 elements"),
        ('{"a": [' + "9" * 5000 + "]}", "not JSON: Exceeds the limit"),
        ('{"a": ' + str([1] * 33) + "}", "a shape has at most 32 axes, not 33"),
        ("{", ":1:2: not JSON: Expecting property name"),
        ("[" * 100_000, "is nested too deep"),
        ("{}", "names no parameter"),
        ('{"step": {"shape": [], "dtype": "int32"}}', "there is no parameter in it: of 1 array none is trained"),
    ],
)  # fmt: skip
def test_what_no_parameter_can_have_is_refused_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    assert message in refusal(tmp_path, text)


def test_of_very_many_problems_a_hundred_are_said(tmp_path: Path) -> None:
    assert len(refusal(tmp_path, {f"a{index}": -1 for index in range(5000)}).splitlines()) == 100


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (pickle.dumps({"w": [1, 2]}), "is a pickle, which cannot be read without loading it"),
        (b"PK\x03\x04" + bytes(100), "is a ZIP archive"),
        (b"\x93NUMPY\x01", "is a NumPy array"),
        (b"", "holds no shapes that can be read"),
        (b"\x00" * 100, "holds no shapes that can be read"),
        (b'{"a": "\xff"}', "not UTF-8 text"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, raw: bytes, message: str) -> None:
    (tmp_path / "x").write_bytes(raw)
    with pytest.raises(BadInput, match=message):
        read_tree(str(tmp_path / "x"))


@pytest.mark.parametrize("name", ["no-such", "a\0b", "/dev/zero", "pipe", "x" * 5000])
def test_what_is_no_file_is_refused_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    with pytest.raises(BadInput):
        read_tree(name)


def test_json_may_be_utf_16_as_powershell_writes_it(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{"w": [4]}', "utf-16")
    assert read_tree(str(tmp_path / "x.json")).leaves == {"w": Leaf((4,))}


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing")
    with pytest.raises(BadInput, match=r"holds neither .* nor an Orbax checkpoint"):
        read_tree(str(tmp_path))


def test_no_json_that_is_longer_than_any_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "long.json"
    with path.open("wb") as file:
        file.write(b"{")
        file.truncate(2**33)
    with pytest.raises(BadInput, match="is longer than 64 MiB"):
        read_tree(str(path))


@pytest.mark.parametrize(
    ("name", "dtype"),
    [("float32", "float32"), ("torch.float16", "float16"), ("BF16", "bfloat16"), ("<f8", "float64"), ("|u1", "uint8"),
     ("jnp.int8", "int8"), ("F8_E4M3", "float8_e4m3fn"), ("U8", "uint8"), ("|b1", "bool"), ("I64", "int64")],
)  # fmt: skip
def test_dtypes_have_many_names(name: str, dtype: str) -> None:
    assert dtype_named(name) == dtype


@pytest.mark.parametrize("name", ["F4", "f8", "<f16", "<float32", "float128", "object", ""])
def test_other_names_are_no_dtypes(name: str) -> None:
    with pytest.raises(ValueError, match="unknown dtype"):
        dtype_named(name)


def test_the_examples_in_the_docstrings_hold() -> None:
    assert doctest.testmod(dtypes).attempted
    assert doctest.testmod(dtypes).failed == 0
