"""Which kind a file is, and of data what is read, what is named with its line, and what is refused."""

import json
from typing import Any

import pytest

from skillkit.errors import BadInput
from skillkit.translation.kinds import read_recipe
from skillkit.translation.translating import Translation, translate

ARGUMENTS = """output_dir: out
learning_rate: 2e-5
weight_decay: 0.01
max_steps: 1000
warmup_ratio: 0.1
lr_scheduler_type: cosine
gradient_accumulation_steps: 4
bf16: true
"""
ADAM = {"name": "adam", "learning_rate": 0.0010000000474974513, "beta_1": 0.9, "beta_2": 0.999, "epsilon": 1e-07}
COSINE = {"initial_learning_rate": 0.1, "decay_steps": 100, "alpha": 0.1}
SCHEDULED = {"name": "SGD", "learning_rate": {"class_name": "CosineDecay", "config": COSINE}, "momentum": 0.0}


def translated(text: str, path: str = "-", **options: Any) -> Translation:
    return translate(read_recipe(text, path, **options), options.get("updates"))


def group(found: Translation) -> dict[str, Any]:
    one: dict[str, Any] = found.configuration["networks"][0]["groups"][0]
    return one


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (ARGUMENTS, "Hugging Face TrainingArguments"),
        (json.dumps({"learning_rate": 1e-4, "weight_decay": 0.1}), "Hugging Face TrainingArguments"),
        ("args = TrainingArguments('out', learning_rate=1e-4)", "Hugging Face TrainingArguments"),
        ("from trl import SFTConfig\nargs = SFTConfig(learning_rate=1e-4)", "Hugging Face TrainingArguments"),
        (json.dumps(ADAM), "Keras optimizer"),
        (json.dumps({"optimizer": {"class_name": "Adam", "config": ADAM}}), "Keras optimizer"),
        ("learning_rate = 1e-3\nmax_iters = 10\n", "nanoGPT configuration"),
        ("import torch\ntorch.optim.SGD(p)\n", "PyTorch script"),
    ],
)
def test_a_file_is_told_by_what_stands_in_it(text: str, kind: str) -> None:
    assert read_recipe(text, "-").kind == kind


def test_training_arguments_are_read_with_the_defaults_of_transformers() -> None:
    found = translated(ARGUMENTS, "args.yaml")
    assert found.recipe.unread == []
    assert group(found)["optimizer"] == {"name": "adamw", "b1": 0.9, "b2": 0.999, "eps": 1e-8}
    assert group(found)["weight_decay"] == {"value": 0.01, "kind": "decoupled", "mask": "matrices"}
    schedule = group(found)["schedule"]
    kept = ("name", "peak_value", "warmup_steps", "total_steps", "end_value", "init_value")
    assert [schedule[name] for name in kept] == ["cosine", 2e-5, 100, 1000, 0.0, 0.0]
    assert found.configuration["networks"][0]["clip"] == {"kind": "global_norm", "max_norm": 1.0}
    assert (found.configuration["accumulation"], found.configuration["precision"]) == (4, "bfloat16-compute")
    lines = {row.there: row.value.line for _, row in found.rows}
    assert lines == {"learning_rate": 2, "adam_beta1, adam_beta2": 0, "adam_epsilon": 0, "weight_decay": 3}


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("lerning_rate: 1", "2:1: lerning_rate is not translated: it is not known (did you mean 'learning_rate'?)"),
        ("optim: adamw_torch_fusd", "2:1: optim adamw_torch_fusd is not translated: it is not known (did you mean"),
        ("lr_scheduler_type: cosin", "2:1: lr_scheduler_type cosin is not translated: it is not known (did you mean"),
        ("lr_scheduler_type: greedy", "2:1: get_greedy_schedule is not translated: its rate follows"),
        ("adam_beta1: high", '2:1: adam_beta1 cannot be "high"; its default 0.9 stands in its place'),
        (
            "optim_args: momentun=0.9",
            "2:1: optim_args momentun is not translated: it is not known of torch",
        ),
        ("lr_scheduler_kwargs: {num_cycle: 1}", "2:1: transformers.get_linear_schedule_with_warmup has no argument"),
    ],
)
def test_of_training_arguments_what_is_not_known_is_named_with_its_line(line: str, words: str) -> None:
    found = translated(f"output_dir: out\n{line}\nmax_steps: 10\n", "args.yaml")
    assert str(found.recipe.unread[0]).startswith(f"args.yaml:{words}"), found.recipe.unread


def test_null_is_as_not_given() -> None:
    text = "max_steps: 10\nmax_grad_norm: null\nwarmup_ratio: null\nlr_scheduler_kwargs: null\noptim_args: null\n"
    found = translated(text, "args.yaml")
    assert found.recipe.unread == []
    assert found.configuration["networks"][0]["clip"] is None


def test_epochs_need_the_updates_of_one_or_are_assumed() -> None:
    text = "output_dir: out\nnum_train_epochs: 2.5\n"
    assert group(translated(text, "a.yaml", updates_per_epoch=101))["schedule"]["total_steps"] == 253
    assert translated(text, "a.yaml").recipe.assumed[0].startswith("the run's 2.5 epochs are 10,000 updates")


def test_the_adafactor_of_the_trainer_does_not_follow_the_parameters_size() -> None:
    found = translated("optim: adafactor\nmax_steps: 10\nlearning_rate: 1e-3\nlr_scheduler_type: constant\n", "a.yaml")
    assert group(found)["optimizer"]["multiply_by_parameter_scale"] is False
    assert not found.differs or [one.what for one in found.differs] == ["clip_grad_norm_"]


def test_a_keras_optimizer_is_read_with_the_numbers_as_they_were_written() -> None:
    found = translated(json.dumps(ADAM), "adam.json")
    assert group(found)["schedule"]["peak_value"] == 0.001
    assert group(found)["optimizer"] == {"name": "adam", "b1": 0.9, "b2": 0.999, "eps": 1e-7}
    assert "before the second moment is corrected for its bias" in found.differs[0].text


def test_a_keras_schedule_counts_batches_of_which_several_make_an_update() -> None:
    plain = group(translated(json.dumps(SCHEDULED)))["schedule"]
    assert (plain["name"], plain["total_steps"], plain["end_value"]) == ("cosine", 100, 0.01)
    found = translated(json.dumps(SCHEDULED | {"gradient_accumulation_steps": 5}))
    assert (found.configuration["accumulation"], group(found)["schedule"]["total_steps"]) == (5, 20)
    assert [one.what for one in found.differs] == ["CosineDecay"]


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({**ADAM, "beta_3": 1}, "keras.Adam has no argument 'beta_3' that is known (did you mean 'beta_2'?)"),
        ({**ADAM, "decay": 1e-4}, "decay is not translated: the rate of Keras 2"),
        ({**ADAM, "learning_rate": {"class_name": "Own", "config": {}}}, "the schedule Own is not translated"),
        ({**ADAM, "learning_rate": "fast"}, 'learning_rate cannot be "fast"'),
    ],
)
def test_of_a_keras_optimizer_what_is_not_known_is_named_with_its_line(config: dict[str, Any], words: str) -> None:
    found = translated(json.dumps(config, indent=2), "adam.json")
    line = 1 + list(config).index("learning_rate" if "learning_rate" in words or "Own" in words else list(config)[-1])
    unread = [problem for problem in found.recipe.unread if problem.message.startswith(words)]
    assert [problem.line for problem in unread] == [line + 1], found.recipe.unread


@pytest.mark.parametrize(
    ("text", "path", "kind", "words"),
    [
        ("[1, 2]", "a.json", None, "a.json:1:1: must be a mapping of settings, not"),
        ('{"a": 1}', "a.json", None, "a.json: is none of the configurations that are read: --from says which it is"),
        ('{"a": 1}', "a.json", "pytorch", "a.json: is data, and what is read for pytorch is Python"),
        ("a = 1", "a.py", "keras", "a.py: is Python, and what is read for keras is JSON"),
        ("a = 1", "a.py", "transformers", "a.py: there is no call of TrainingArguments"),
        (
            '{"class_name": "Adan", "config": {}}',
            "a.json",
            None,
            "a.json:1:34: the optimizer Adan is not known",
        ),
    ],
)
def test_what_is_of_no_kind_is_refused(text: str, path: str, kind: str | None, words: str) -> None:
    with pytest.raises(BadInput) as error:
        translated(text, path, kind=kind)
    assert str(error.value).startswith(words)
