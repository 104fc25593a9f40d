"""The user's own model: what a recommendation takes from its tree, and what it says of it."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from skillkit.cli import skillkit
from skillkit.errors import BadInput

LAYER = {"attn/q/kernel": [64, 64], "mlp/kernel": [64, 256], "mlp/bias": [256], "norm/scale": [64]}
TREE: dict[str, Any] = {
    "embed": {"embedding": [1000, 64]},
    "layers": {str(index): LAYER for index in range(12)},
    "head": {"kernel": [64, 1000]},
}
COUNT = 2 * 64_000 + 12 * (64 * 64 + 64 * 256 + 256 + 64)


def run(value: Any, *arguments: str, family: str = "decoder-lm") -> Result:
    path = Path("params.json")
    path.write_text(json.dumps(value))
    given = ["--set", f"family={family}", "--params", "params.json", *arguments]
    return CliRunner().invoke(skillkit, ["recommend-optimizer", *given])


def answer(value: Any, *arguments: str, **options: str) -> dict[str, Any]:
    found = run(value, *arguments, "--json", **options)
    assert found.exit_code == 0, found.output
    result: dict[str, Any] = json.loads(found.stdout)
    return result


def refusal(value: Any, *arguments: str, **options: str) -> str:
    error = run(value, *arguments, **options).exception
    assert isinstance(error, BadInput)
    return str(error)


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def typed(dtype: str) -> dict[str, Any]:
    return {"w": {"shape": [64, 64], "dtype": dtype}, "bias": {"shape": [64], "dtype": dtype}}


def test_the_tree_says_how_many_parameters_there_are() -> None:
    found = answer(TREE)
    assert found["answers"]["parameters"] == found["tree"]["parameters"] == COUNT
    assert found["tree"]["answers"] == ["parameters"]
    assert "parameters" not in found["assumed"]
    assert found["memory"]["bytes"]["parameters"] == 4 * COUNT
    assert found["memory"]["assumes"] == "the shapes given"


def test_rows_are_folded_and_add_up() -> None:
    found = answer(TREE)
    rows = {row["paths"]: row for row in found["tree"]["rows"]}
    assert list(rows) == ["embed/embedding", *(f"layers/0..11/{name}" for name in LAYER), "head/kernel"]
    assert rows["layers/0..11/norm/scale"]["weight_decay"] == 0
    assert rows["layers/0..11/norm/scale"]["undecayed"] == "of rank 1"
    assert rows["layers/0..11/mlp/kernel"]["weight_decay"] == 0.1
    assert sum(row["bytes"]["parameters"] for row in rows.values()) == 4 * COUNT


def test_an_answer_may_be_rounded_and_not_contradict() -> None:
    assert answer(TREE, "--set", f"parameters={COUNT * 1.05:.0f}")["answers"]["parameters"] == COUNT
    message = refusal(TREE, "--set", "parameters=1M")
    assert message == f"parameters: answered is 1,000,000, and params.json has {COUNT:,}: leave the answer out"


def test_several_networks_stand_at_the_top_by_name() -> None:
    tree = {"generator": {"w": [8, 8]}, "discriminator": {"w": [8, 4], "b": [4]}}
    found = answer(tree, family="gan")
    assert found["answers"]["parameters"] == 64
    assert found["memory"]["bytes"]["parameters"] == 4 * (64 + 36)
    assert [(row["network"], row["paths"]) for row in found["tree"]["rows"]][:2] == [
        ("generator", "w"),
        ("discriminator", "w"),
    ]
    assert "the network 'generator' are missing: at its top are embed, head, layers" in refusal(TREE, family="gan")
    assert answer({"actor": {"w": [4, 4]}, "critic": {"w": [8, 4]}}, family="rl-off-policy")["tree"]["leaves"] == 2


@pytest.mark.parametrize(
    ("dtype", "arguments", "kept", "answered"),
    [
        ("float32", [], 4, ["parameters"]),
        ("bfloat16", [], 2, ["parameters", "precision"]),
        ("float64", [], 8, ["parameters"]),
        ("bfloat16", ["--set", "precision=float32"], 4, ["parameters"]),
        ("float32", ["--set", "precision=bfloat16-params"], 2, ["parameters"]),
    ],
)
def test_dtypes_are_the_tree_s_unless_a_precision_is_answered(
    dtype: str, arguments: list[str], kept: int, answered: list[str]
) -> None:
    found = answer(typed(dtype), *arguments)
    assert found["memory"]["bytes"]["parameters"] == kept * (64 * 64 + 64)
    assert found["tree"]["answers"] == answered
    assert any("counted as they are" in text for text in found["warnings"]) == (dtype == "float64")


def test_bfloat16_parameters_get_a_master_copy() -> None:
    assert answer(typed("bfloat16"))["memory"]["bytes"]["master_copy"] == 4 * (64 * 64 + 64)


def test_what_is_only_stored_in_a_dtype_is_trained_in_float32() -> None:
    about = {"h.0.weight": {"dtype": "BF16", "shape": [8, 8], "data_offsets": [0, 128]}}
    raw = json.dumps(about).encode()
    Path("model.safetensors").write_bytes(len(raw).to_bytes(8, "little") + raw)
    given = ["--set", "family=decoder-lm", "--params", "model.safetensors", "--set", "priority=speed", "--json"]
    found = json.loads(CliRunner().invoke(skillkit, ["recommend-optimizer", *given]).stdout)
    assert found["memory"]["bytes"]["parameters"] == 4 * 64
    assert found["answers"]["precision"] == "float32"
    assert "stored as bfloat16, counted as float32, in which the parameters are trained" in found["tree"]["notes"]
    assert any("outputs first" in text for text in found["warnings"])


def test_adapters_are_those_of_the_tree_or_are_added() -> None:
    own = answer({**TREE, "lora_a": [64, 8]}, "--set", "stage=adapter")
    assert own["answers"]["adapter_parameters"] == 512
    assert own["memory"]["bytes"]["gradients"] == 4 * 512
    added = answer(TREE, "--set", "stage=adapter", "--set", "adapter_parameters=1000")
    assert added["memory"]["bytes"]["gradients"] == 4 * 1000
    assert added["tree"]["rows"][-1]["paths"] == "adapter/lora"


def test_the_table_is_on_stdout_where_it_is_asked_for_and_else_beside_the_script() -> None:
    alone, beside = run(TREE, "--format", "table"), run(TREE)
    assert alone.stdout.splitlines()[0].split() == [
        "path",
        "shape",
        "dtype",
        "optimizer",
        "weight",
        "decay",
        "parameters",
        "gradients",
        "state",
    ]
    assert "layers/0..11/mlp/bias" in alone.stdout
    assert alone.stdout.splitlines()[-1].startswith("all ")
    assert alone.stdout in beside.stderr
    assert "| layers/0..11/mlp/bias | 12 of 256 |" in run(TREE, "--format", "markdown").stdout
    assert "Read: params.json, shapes in JSON: 377,600 parameters in 50 arrays\n" in beside.stderr


def test_on_devices_the_table_says_what_is_split() -> None:
    text = run(TREE, "--set", "devices=8", "--format", "table").stdout
    assert "axis 0 over 8" in text
    assert text.splitlines()[-1].startswith("all, on each device ")


def test_a_long_table_is_cut_beside_a_script_and_whole_alone() -> None:
    tree = {f"w{index}": [index + 1, 8] for index in range(100)}
    assert "… and 60 more lines" in run(tree).stderr
    assert len(run(tree, "--format", "table").stdout.splitlines()) == 102


def test_without_a_tree_the_table_is_of_assumed_shapes_and_that_is_said() -> None:
    found = CliRunner().invoke(skillkit, ["recommend-optimizer", "--set", "family=mlp", "--format", "table"])
    assert "layer_0" in found.stdout
    assert "for assumed shapes: --params FILE takes your own" in found.stderr


MIXTRAL = {
    "model_type": "mixtral",
    "vocab_size": 32000,
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "num_local_experts": 8,
    "num_experts_per_tok": 2,
}


def test_a_configuration_says_how_many_parameters_a_token_uses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Mixtral 8x7B: of 46.7 billion parameters 12.9 (arXiv:2401.04088 says 47 and 13)."""
    monkeypatch.chdir(tmp_path)
    answers = answer(MIXTRAL, family="moe-lm")["answers"]
    assert (round(answers["parameters"] / 1e8), round(answers["active_parameters"] / 1e8)) == (467, 129)
    assert "active_parameters" not in answer(MIXTRAL, family="decoder-lm")["answers"]
    assumed = answer({**MIXTRAL, "num_experts_per_tok": None}, family="moe-lm")
    assert assumed["answers"]["active_parameters"] == assumed["answers"]["parameters"] // 8
    assert "num_experts_per_tok must be a whole number of at least 1, not 0" in refusal(
        {**MIXTRAL, "num_experts_per_tok": 0}, family="moe-lm"
    )
