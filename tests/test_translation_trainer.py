"""Hugging Face's TrainingArguments: defaults as the installed transformers has them, schedulers as it makes them."""

import dataclasses
import random
from collections.abc import Callable, Mapping
from typing import Any

import pytest
import yaml

from skillkit.configuration.schedules import value
from skillkit.reading import parse
from skillkit.translation import trainer
from skillkit.translation.tables import entries
from skillkit.translation.translating import Translation, translate
from tests.stepping import EQUAL, UPDATES, difference, gradients, optax_run, start

torch: Any = pytest.importorskip("torch", reason="PyTorch is 5 GB with its own: pip install torch transformers")
transformers: Any = pytest.importorskip("transformers", reason="it is not installed: pip install torch transformers")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),  # transformers warns of what is not installed
]
TOTAL = 200
DRAW: Mapping[str, Callable[[random.Random], dict[str, Any]]] = {
    "linear": lambda _: {},
    "cosine": lambda rng: rng.choice(({}, {"num_cycles": 1.0})),
    "cosine_with_restarts": lambda rng: {"num_cycles": rng.randint(1, 3)},
    "polynomial": lambda rng: {"power": rng.choice((1.0, 2.0)), "lr_end": 1e-6},
    "constant": lambda _: {},
    "constant_with_warmup": lambda _: {},
    "inverse_sqrt": lambda rng: rng.choice(({}, {"timescale": 50})),
    "cosine_with_min_lr": lambda rng: rng.choice(({"min_lr": 1e-5}, {"min_lr_rate": 0.1})),
    "cosine_warmup_with_min_lr": lambda rng: rng.choice(
        ({"min_lr": 1e-5}, {"min_lr_rate": 0.1, "warmup_lr_rate": 0.1})
    ),
    "warmup_stable_decay": lambda rng: {
        "num_decay_steps": 40,
        "decay_type": rng.choice(("linear", "cosine", "1-sqrt")),
        "min_lr_ratio": rng.choice((0.0, 0.1)),
    },
}

NOT_COMPARED = {"reduce_lr_on_plateau", "greedy"}  # which follow a measured loss


def translated(arguments: Mapping[str, Any]) -> Translation:
    return translate(trainer.recipe_of_document(parse(yaml.safe_dump(dict(arguments)), "args.yaml")))


def test_the_defaults_and_the_other_arguments_are_those_of_the_installed_transformers() -> None:
    fields = {field.name: field.default for field in dataclasses.fields(transformers.TrainingArguments)}
    for name, default in trainer.table()["settings"].items():
        assert (fields[name] or "" if name == "optim_args" else fields[name]) == default, name
    untranslated = {"average_tokens_across_devices", "deepspeed", "optim_target_modules"}
    assert fields.keys() - trainer.table()["settings"].keys() - set(trainer.table()["others"]) == untranslated


def test_every_scheduler_of_the_table_is_compared() -> None:
    assert DRAW.keys() | NOT_COMPARED == trainer.table()["schedulers"].keys()
    known = {name for name in entries("schedulers") if name.startswith("transformers.")}
    assert known == {f"transformers.{name}" for name in trainer.table()["schedulers"].values()}


@pytest.mark.parametrize("warmup", [0, 17])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", DRAW)
def test_a_scheduler_gives_the_same_rates_or_is_said_to_differ(name: str, seed: int, warmup: int) -> None:
    more = DRAW[name](random.Random(f"{name} {seed}"))
    found = translated(
        {
            "learning_rate": 1e-3,
            "max_steps": TOTAL,
            "warmup_steps": warmup,
            "lr_scheduler_type": name,
            "lr_scheduler_kwargs": more,
            "max_grad_norm": 0,
        }
    )
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], 1e-3)
    scheduler = transformers.get_scheduler(name, optimizer, warmup, TOTAL, more)
    rates = []
    for _ in range(TOTAL):
        rates.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        scheduler.step()
    schedule = found.configuration["networks"][0]["groups"][0]["schedule"]
    off = max(abs(value(schedule, update) - rate) for update, rate in enumerate(rates)) / max(rates)
    print(f"{name}: {off:.1e}")
    assert found.recipe.unread == []
    assert (off <= 1e-6) == (not found.differs), (more, off, found.differs)
    if found.differs:
        assert f"by up to {off:.2g} of the highest rate" in found.differs[0].text


@pytest.mark.parametrize(
    ("optim", "more"),
    [
        ("adamw_torch", None),
        ("adamw_torch_fused", None),
        ("sgd", "momentum=0.9, nesterov=true"),
        ("rmsprop", "alpha=0.9,centered=True"),
        ("adagrad", "eps=1e-7"),
        ("adafactor", None),
    ],
)
def test_an_optimizer_takes_the_steps_of_the_one_that_the_trainer_makes(optim: str, more: str | None) -> None:
    given = {"optim": optim, "optim_args": more, "learning_rate": 1e-2, "adam_beta2": 0.95, "max_grad_norm": 0.0}
    arguments = transformers.TrainingArguments(use_cpu=True, max_steps=UPDATES, lr_scheduler_type="constant", **given)
    made, keywords = transformers.Trainer.get_optimizer_cls_and_kwargs(arguments)
    found = translated(given | {"max_steps": UPDATES, "lr_scheduler_type": "constant"})
    assert found.recipe.unread == []
    params = [torch.nn.Parameter(torch.tensor(part)) for part in start(0)]
    keywords = {name: one for name, one in keywords.items() if name != "fused"}
    optimizer = made([{"params": params, "weight_decay": arguments.weight_decay}], **keywords)  # as the trainer does
    path = []
    for grads in gradients(0):
        for param, grad in zip(params, grads, strict=True):
            param.grad = torch.tensor(grad)
        optimizer.step()
        path.append([param.detach().numpy().copy() for param in params])
    off = difference(path, optax_run(found.configuration, 0), 0)
    print(f"{optim}: {off:.1e}")
    assert (off <= EQUAL) == (not found.differs), (off, found.differs)
    assert bool(found.differs) == (optim == "adagrad")


def test_what_the_trainer_writes_is_read_whole(tmp_path: Any) -> None:
    """TrainingArguments as JSON: all of its fields, in none of which anything is set."""
    text = transformers.TrainingArguments(str(tmp_path), use_cpu=True, max_steps=100, warmup_steps=0.1).to_json_string()
    found = translate(trainer.recipe_of_document(parse(text, "training_args.json")))
    left = {"average_tokens_across_devices", "deepspeed", "optim_target_modules"}
    assert {problem.message.partition(" ")[0] for problem in found.recipe.unread} <= left
    assert found.configuration["networks"][0]["groups"][0]["schedule"]["warmup_steps"] == 10
