"""Checkpoints as Orbax writes them, in each of its layouts, and spoilt ones."""

import importlib.util
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import optax
import orbax.checkpoint as ocp
import orbax.checkpoint.experimental.v1 as v1
import pytest

from skillkit.errors import BadInput
from skillkit.trees.leaves import Leaf
from skillkit.trees.opening import read_tree

PARAMS: Any = {
    "layers": [{"kernel": jnp.ones((8, 4)), "bias": jnp.ones(4, jnp.bfloat16)} for _ in range(2)],
    "a.b": jnp.ones(3),
    "scalar": jnp.ones(()),
}
LEAVES = {
    "a.b": Leaf((3,)),
    "layers/0/bias": Leaf((4,), "bfloat16"),
    "layers/0/kernel": Leaf((8, 4)),
    "layers/1/bias": Leaf((4,), "bfloat16"),
    "layers/1/kernel": Leaf((8, 4)),
    "scalar": Leaf(()),
}


def training() -> Any:
    opt_state = optax.adam(1e-3).init(PARAMS)
    return {"params": PARAMS, "opt_state": opt_state, "step": jnp.zeros((), jnp.int32), "name": "run", "best": 0.5}


def by_handler(folder: Path, **options: Any) -> None:
    with ocp.Checkpointer(ocp.PyTreeCheckpointHandler(**options)) as checkpointer:
        checkpointer.save(folder, training())


def by_manager(folder: Path) -> None:
    with ocp.CheckpointManager(folder) as manager:
        for step, params in ((9, {"old": jnp.ones(2)}), (10, PARAMS)):
            state, about = ocp.args.StandardSave({"params": params}), ocp.args.JsonSave({"step": step})
            manager.save(step, args=ocp.args.Composite(state=state, about=about))


WRITERS = {
    "files": lambda folder: by_handler(folder, use_ocdbt=False),
    "ocdbt": lambda folder: by_handler(folder),
    "zarr3": lambda folder: by_handler(folder, use_zarr3=True),
    "manager": by_manager,
    "v1": lambda folder: v1.save(folder, PARAMS),
}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("orbax")
    for name, write in WRITERS.items():
        write(folder / name)
    return folder


def refusal(path: Path) -> str:
    with pytest.raises(BadInput) as caught:
        read_tree(str(path))
    return str(caught.value).replace(str(path), "")


@pytest.mark.parametrize("name", WRITERS)
def test_shapes_and_dtypes_are_those_that_were_saved(written: Path, name: str) -> None:
    tree = read_tree(str(written / name))
    assert dict(tree.leaves) == LEAVES
    assert (tree.stored, tree.notes) == (False, ())


def test_what_stands_beside_the_parameters_is_left_out(written: Path) -> None:
    left = read_tree(str(written / "ocdbt")).left_out
    assert left["opt_state/0/mu/scalar"] == left["step"] == "beside params"
    assert read_tree(str(written / "manager")).source.endswith("manager (10/state)")


SHARDED = """
import sys, jax, jax.numpy as jnp, orbax.checkpoint as ocp
from pathlib import Path
mesh = jax.make_mesh((4,), ("data",), axis_types=(jax.sharding.AxisType.Auto,))
place = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("data"))
with ocp.StandardCheckpointer() as checkpointer:
    checkpointer.save(Path(sys.argv[1]), {"w": jax.device_put(jnp.ones((8, 4)), place)})
"""


def test_of_a_sharded_array_the_whole_shape_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XLA_FLAGS", "--xla_force_host_platform_device_count=4")
    path = tmp_path / "sharded"
    subprocess.run([sys.executable, "-c", SHARDED, str(path)], check=True, capture_output=True)
    assert json.loads((path / "_METADATA").read_text())["tree_metadata"]["('w',)"]["value_metadata"]["write_shape"] == [
        2,
        4,
    ]
    assert read_tree(str(path)).leaves == {"w": Leaf((8, 4))}
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    assert "was sharded: reading the shapes of the whole needs tensorstore" in refusal(path)


def test_without_tensorstore_dtypes_are_assumed_and_that_is_said(
    written: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    tree = read_tree(str(written / "v1"))
    assert tree.leaves["layers/0/bias"] == Leaf((4,), "float32")
    assert "float32 is assumed" in tree.notes[0]
    assert read_tree(str(written / "files")).leaves == LEAVES  # of these the dtypes stand in files


def test_jax_is_not_imported(written: Path) -> None:
    code = (
        "import sys; from skillkit.trees.opening import read_tree; read_tree(sys.argv[1]); print('jax' in sys.modules)"
    )
    arguments = [sys.executable, "-c", code, str(written / "ocdbt")]
    assert subprocess.run(arguments, check=True, capture_output=True, text=True).stdout == "False\n"


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        (b"", "/_METADATA: not JSON"),
        (b"[]", "has no 'tree_metadata'"),
        (b'{"tree_metadata": {"x": {"key_metadata": 3}}}', 'says of an array {"key_metadata": 3}'),
        (b'{"tree_metadata": {"x": null}}', "says of an array null, not which keys lead to it"),
        (b'{"tree_metadata": {}}', "there is no parameter in it"),
        (b'{"tree_metadata": {"x": {"key_metadata": [{"key": "x"}], "value_metadata": {"value_type": "jax.Array"}}}}',
         'names the array "x", which is not there: the checkpoint is not whole'),
        (b"[" * 100_000, "is nested too deep"),
    ],
)  # fmt: skip
def test_spoilt_metadata_are_refused(written: Path, tmp_path: Path, metadata: bytes, message: str) -> None:
    for layout in ("files", "ocdbt"):
        path = tmp_path / layout
        shutil.copytree(written / layout, path)
        (path / "_METADATA").write_bytes(metadata)
        assert message in refusal(path)


@pytest.mark.parametrize("raw", [b"", b"nonsense" * 20])
def test_a_spoilt_database_is_refused(written: Path, tmp_path: Path, raw: bytes) -> None:
    path = tmp_path / "spoilt"
    shutil.copytree(written / "ocdbt", path)
    (path / "manifest.ocdbt").write_bytes(raw)
    assert "cannot be read" in refusal(path)
    shutil.copytree(written / "files", tmp_path / "files")
    (tmp_path / "files" / "params.scalar" / ".zarray").write_bytes(raw)
    assert "neither shape nor dtype" in refusal(tmp_path / "files")


def test_of_several_trees_one_must_be_named(written: Path, tmp_path: Path) -> None:
    for name in ("actor", "critic"):
        shutil.copytree(written / "files", tmp_path / name)
    assert "holds several trees: name one of actor, critic in it" in refusal(tmp_path)
    assert read_tree(str(tmp_path / "actor")).leaves == LEAVES
