"""nanoGPT's configuration files: train.py's own rates, what a file overrides, and what it is not sure of."""

import math
import random
from typing import Any

import pytest

from skillkit.configuration.schedules import value
from skillkit.translation.kinds import read_recipe
from skillkit.translation.nanogpt import table
from skillkit.translation.translating import Translation, translate

GPT2 = """# config for training GPT-2 (124M)
wandb_run_name='gpt2-124M' + str(time.time())
batch_size = 12
block_size = 1024
gradient_accumulation_steps = 5 * 8
max_iters = 600000
lr_decay_iters = max_iters
weight_decay = 1e-1
"""


def translated(text: str) -> Translation:
    return translate(read_recipe(text, "config/train.py"))


def group(found: Translation) -> dict[str, Any]:
    one: dict[str, Any] = found.configuration["networks"][0]["groups"][0]
    return one


def rate_of_train_py(it: int, peak: float, warmup: int, last: int, floor: float) -> float:
    if it < warmup:
        return peak * (it + 1) / (warmup + 1)
    if it > last:
        return floor
    share = (it - warmup) / (last - warmup)
    return floor + 0.5 * (1.0 + math.cos(math.pi * share)) * (peak - floor)


@pytest.mark.parametrize("seed", range(8))
def test_every_update_has_the_rate_of_train_py(seed: int) -> None:
    rng = random.Random(seed)
    warmup, last = rng.choice((0, 1, 10, 100)), rng.randint(101, 900)
    numbers = {"learning_rate": rng.choice((1e-3, 6e-4)), "warmup_iters": warmup, "lr_decay_iters": last}
    numbers |= {"min_lr": rng.choice((0.0, 6e-5)), "max_iters": rng.randint(200, 1000)}
    found = translated("".join(f"{name} = {number!r}\n" for name, number in numbers.items()))
    assert not any("rate" in one.text for one in found.differs)
    for it in range(int(numbers["max_iters"]) + 1):
        wanted = rate_of_train_py(it, numbers["learning_rate"], warmup, last, numbers["min_lr"])
        assert value(group(found)["schedule"], it) == pytest.approx(wanted, abs=1e-12), it


def test_train_gpt2_is_whole() -> None:
    found = translated(GPT2)
    assert found.recipe.kind == "nanoGPT configuration"
    assert found.recipe.unread == []
    assert group(found)["optimizer"] == {"name": "adamw", "b1": 0.9, "b2": 0.95, "eps": 1e-8}
    assert group(found)["weight_decay"] == {"value": 0.1, "kind": "decoupled", "mask": "matrices"}
    schedule = group(found)["schedule"]
    kept = ("name", "peak_value", "warmup_steps", "total_steps", "end_value")
    assert [schedule[name] for name in kept] == ["cosine", 6e-4, 2000, 600_000, 6e-5]
    assert found.configuration["networks"][0]["clip"] == {"kind": "global_norm", "max_norm": 1.0}
    assert found.configuration["accumulation"] == 40
    assert found.configuration["precision"] == "bfloat16-compute"
    assert found.recipe.answers["batch_size"] == 12 * 1024 * 40
    assert found.recipe.answers["parameters"] == pytest.approx(124e6, rel=0.01)  # as train.py prints: 123.59M


def test_numbers_have_the_line_that_they_stand_in_or_are_the_defaults_of_train_py() -> None:
    lines = {row.there: row.value.line for _, row in translated(GPT2).rows}
    assert lines == {"learning_rate": 0, "beta1, beta2": 0, "eps": 0, "weight_decay": 8}


def test_a_finetuning_keeps_its_rate_and_is_told_to_be_one() -> None:
    found = translated("init_from = 'gpt2-xl'\nlearning_rate = 3e-5\ndecay_lr = False\nmax_iters = 20\n")
    schedule = group(found)["schedule"]
    assert [schedule[name] for name in ("name", "peak_value", "total_steps")] == ["constant", 3e-5, 21]
    assert found.recipe.answers["stage"] == "finetune"
    assert "parameters" not in found.recipe.answers


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("learning_rte = 1e-3", "2:16: learning_rte is not translated: train.py has no such setting (did you mean"),
        ("beta2 = torch.tensor(0.9)", "2:9: beta2 is not read: torch.tensor(0.9) is no literal"),
        ("warmup_iters = 1.5", "2:16: warmup_iters cannot be 1.5"),
        ("decay_lr = 1", "2:12: decay_lr cannot be 1"),
    ],
)
def test_what_is_not_known_is_named_with_its_line(line: str, words: str) -> None:
    found = translated(f"max_iters = 100\n{line}\nwarmup_iters, grad_clip = 1, 2\nlr_decay_iters = 90\nmin_lr = 0.0\n")
    assert str(found.recipe.unread[0]).startswith(f"config/train.py:{words}")


def test_a_training_script_is_no_configuration() -> None:
    text = "import torch\nlearning_rate = 1e-3\nfor step in range(9):\n    pass\no = torch.optim.SGD(p, learning_rate)"
    assert read_recipe(text, "train.py").kind == "PyTorch script"


def test_the_settings_and_the_others_are_not_the_same() -> None:
    assert not table()["settings"].keys() & set(table()["others"])
