"""Configurations of Hugging Face's models, whose shapes are those that transformers builds."""

import json
from pathlib import Path
from typing import Any

import pytest

from skillkit.errors import BadInput
from skillkit.trees.huggingface import ARCHITECTURES
from skillkit.trees.opening import read_tree
from skillkit.trees.tree import Tree

RECORDED = json.loads(
    (Path(__file__).parent / "trees" / "huggingface.json").read_text("utf-8")
)  # by benchmarks.architectures
SMALL = [case for case in RECORDED["cases"] if "shapes" in case]
USUAL = [case for case in RECORDED["cases"] if "parameters" in case]
LLAMA = {
    "model_type": "llama",
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "vocab_size": 100,
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def read(folder: Path, config: dict[str, Any]) -> Tree:
    (folder / "config.json").write_text(json.dumps(config))
    return read_tree(str(folder))


def refusal(folder: Path, config: dict[str, Any]) -> str:
    with pytest.raises(BadInput) as caught:
        read(folder, config)
    return str(caught.value).removeprefix(str(folder) + "/")


def named(case: dict[str, Any]) -> str:
    return "-".join((case["config"]["model_type"], *case["config"]["architectures"]))


def test_every_model_type_was_recorded_with_and_without_a_head_and_in_its_usual_size() -> None:
    assert {case["config"]["model_type"] for case in USUAL} == ARCHITECTURES.keys()
    bare = {case["config"]["model_type"] for case in SMALL if case["config"]["architectures"][0].endswith("Model")}
    assert bare == ARCHITECTURES.keys()


@pytest.mark.parametrize("case", SMALL, ids=named)
def test_names_and_shapes_are_those_that_transformers_builds(folder: Path, case: dict[str, Any]) -> None:
    found = read(folder, case["config"]).leaves
    assert {path: list(leaf.shape) for path, leaf in found.items()} == case["shapes"]


@pytest.mark.parametrize("case", USUAL, ids=named)
def test_models_of_usual_size_have_as_many_parameters(folder: Path, case: dict[str, Any]) -> None:
    assert read(folder, case["config"]).parameters == case["parameters"]


def test_the_stored_dtype_is_read_under_either_name(folder: Path) -> None:
    for said in ({"torch_dtype": "float16"}, {"dtype": "float16"}):
        tree = read(folder, LLAMA | said)
        assert {leaf.dtype for leaf in tree.leaves.values()} == {"float16"}
        assert tree.stored
    assert "a configuration of llama with its head" in tree.form


def test_safetensors_beside_it_are_preferred(folder: Path) -> None:
    about = json.dumps({"w": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}).encode()
    (folder / "model.safetensors").write_bytes(len(about).to_bytes(8, "little") + about + bytes(8))
    assert list(read(folder, LLAMA).leaves) == ["w"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model_type": "lama"}, "are not known here (did you mean 'llama'?): name its safetensors instead"),
        ({"model_type": 3}, "of the model_type 3 the shapes are not known here"),
        ({"model_type": "mamba"}, "Known are bert, camembert"),
        ({"hidden_size": None}, "config.json: lacks hidden_size, from which the shapes follow"),
        ({"hidden_size": -4}, "hidden_size must be a whole number from 1 to 1e+09, not -4"),
        ({"hidden_size": "64"}, 'not "64"'),
        ({"hidden_size": True}, "not true"),
        ({"num_hidden_layers": 10**6}, "1,000,000 layers are more than any model has"),
        ({"attention_bias": "yes"}, 'attention_bias must be true or false, not "yes"'),
        ({"architectures": ["LlamaForTokenClassification"]}, 'of "LlamaForTokenClassification" the head is'),
        ({"torch_dtype": "int7"}, 'unknown dtype "int7"'),
        ({"model_type": "phi", "qk_layernorm": True}, "with qk_layernorm true the shapes are not known here"),
        ({"model_type": "opt", "ffn_dim": 96, "max_position_embeddings": 32, "word_embed_proj_dim": 32},
         "with word_embed_proj_dim 32 the shapes are not known here"),
    ],
)  # fmt: skip
def test_what_says_no_shapes_is_refused(folder: Path, change: dict[str, Any], message: str) -> None:
    assert message in refusal(folder, LLAMA | change)
