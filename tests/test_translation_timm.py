"""timm's arguments: what is read and named, and, where timm is installed, its own rates and steps side by side."""

import random
import types
from collections.abc import Mapping
from typing import Any

import pytest
import yaml

from skillkit.configuration.schedules import value
from skillkit.errors import BadInput
from skillkit.translation.kinds import read_recipe
from skillkit.translation.timm import table
from skillkit.translation.translating import Translation, translate
from tests.stepping import EQUAL, difference, drawn, gradients, optax_run, start

ARGUMENTS = """aa: rand-m9-mstd0.5-inc1
batch_size: 256
clip_grad: 1.0
clip_mode: agc
epochs: 300
lr: null
lr_base: 0.0005
lr_base_size: 1024
min_lr: 1.0e-05
model: vit_base_patch16_224
model_ema: true
model_ema_decay: 0.9999
opt: adamw
opt_betas: [0.9, 0.98]
opt_eps: 1.0e-06
opt_kwargs: {}
sched: cosine
warmup_epochs: 20
warmup_lr: 1.0e-06
warmup_prefix: true
weight_decay: 0.05
"""
EPOCHS = {"epochs": 12, "warmup_epochs": 3, "decay_epochs": 2.4, "decay_milestones": [5, 9], "decay_rate": 0.5}


def translated(arguments: str | Mapping[str, Any], **options: Any) -> Translation:
    text = arguments if isinstance(arguments, str) else yaml.safe_dump(dict(arguments))
    return translate(read_recipe(text, "args.yaml", **options))


def group(found: Translation) -> dict[str, Any]:
    one: dict[str, Any] = found.configuration["networks"][0]["groups"][0]
    return one


def test_a_run_s_arguments_are_read() -> None:
    found = translated(ARGUMENTS, updates_per_epoch=100)
    assert found.recipe.kind == "timm arguments"
    assert found.recipe.unread == []
    assert group(found)["optimizer"] == {"name": "adamw", "b1": 0.9, "b2": 0.98, "eps": 1e-6}
    assert group(found)["weight_decay"] == {"value": 0.05, "kind": "decoupled", "mask": "matrices"}
    schedule = group(found)["schedule"]
    kept = ("name", "init_value", "warmup_steps", "total_steps", "end_value")
    assert [schedule[name] for name in kept] == ["cosine", 1e-6, 2000, 32_000, 1e-5]
    assert schedule["peak_value"] == pytest.approx(0.0005 * (256 / 1024) ** 0.5)  # by the root, as Adam's kind
    assert found.configuration["networks"][0]["clip"] == {"kind": "adaptive", "max_norm": 1.0}
    assert found.configuration["ema"] == 0.9999
    assert found.recipe.answers["family"] == "vit"


def test_the_rate_of_sgd_follows_the_batch_itself() -> None:
    found = translated({"opt": "momentum", "lr_base": 0.1, "batch_size": 64, "grad_accum_steps": 2, "sched": "none"})
    assert group(found)["schedule"]["peak_value"] == 0.05
    assert group(found)["optimizer"] == {"name": "sgd", "momentum": 0.9}
    assert found.configuration["accumulation"] == 2
    assert found.recipe.assumed[0] == "the run was on one GPU: a batch of 128, and lr = lr_base 0.1 x 128 / 256"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("layer_decay: 0.75", "3:1: layer_decay is not translated: each layer has a rate lower than the next"),
        ("lr_noise: [0.4, 0.9]", "3:1: lr_noise is not translated: the rate is disturbed at random"),
        ("warmup_epoch: 3", "3:1: warmup_epoch is not translated: train.py has no such argument (did you mean"),
        ("opt: adan", "3:1: opt adan is not translated: nothing equal is known (did you mean 'adam'?); adamw stands"),
        ("opt: lookahead_rmsproptf", "3:1: lookahead is not translated: optax.lookahead wraps an optimizer"),
        ("sched: plateau", "3:1: PlateauLRScheduler is not translated: its rate follows"),
        ("sched: cosin", "3:1: sched cosin is not translated: it is not known"),
        ("opt_betas: 0.9", "3:1: betas cannot be 0.9"),
        ("min_lr: low", '3:1: min_lr cannot be "low"; 0.0 stands in its place'),
        ("lr_base_size: 0", "3:1: lr_base_size cannot be 0; 256 stands in its place"),
        (
            "lr_cycle_mul: 9.0\nlr_cycle_limit: 900",
            "4:1: the cycles are longer than any run; one stands in",
        ),
        ("opt_kwargs: {nestrov: true}", "3:1: torch.optim.SGD has no argument 'nestrov' that is known (did you mean"),
    ],
)
def test_what_is_not_known_is_named_with_its_line_and_the_rest_is_translated(line: str, words: str) -> None:
    name = line.partition(":")[0]
    before = {"opt": "opt: sgd\n"} if name != "opt" else {"lr": "# one more\n"}
    if name == "opt_betas":
        before = {"opt": "opt: adamw\n"}
    found = translated("".join(before.values()) + f"lr: 0.1\n{line}\nepochs: 30\n", updates_per_epoch=10)
    assert str(found.recipe.unread[0]).startswith(f"args.yaml:{words}"), found.recipe.unread
    assert group(found)["schedule"]["total_steps"] >= 30


def test_epochs_need_the_updates_of_one() -> None:
    arguments = {"opt": "sgd", "lr": 0.1, "epochs": 30, "warmup_epochs": 0}
    assert "CosineLRScheduler is stepped once in an epoch" in str(translated(arguments).recipe.unread[0])
    found = translated(arguments | {"sched_on_updates": True})
    assert "counts the updates of an epoch: --updates-per-epoch says how many" in str(found.recipe.unread[0])
    assert found.recipe.answers["epochs"] == 30
    assert group(translated(arguments, updates=3000))["schedule"]["total_steps"] == 3000


def test_a_rate_of_zero_is_refused() -> None:
    with pytest.raises(BadInput, match="no learning rate"):
        translated({"opt": "sgd", "lr_base": 0.0, "epochs": 30, "sched": "none"})


def test_no_argument_is_both_translated_and_left_out() -> None:
    assert not table()["settings"].keys() & set(table()["others"])


# ---- beside timm itself


@pytest.fixture
def _timm() -> None:
    pytest.importorskip("torch", reason="PyTorch is 5 GB with its own: pip install torch torchvision timm")
    pytest.importorskip("timm", reason="it is not installed: pip install timm")


def rates_of(arguments: Mapping[str, Any], per_epoch: int) -> list[float]:
    """Return the rate of each update as train.py steps timm's scheduler."""
    import torch
    from timm.scheduler import create_scheduler

    given = {name: arguments.get(name, default) for name, default in table()["settings"].items()}
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], given["lr"])
    scheduler, epochs = create_scheduler(types.SimpleNamespace(**given), optimizer, per_epoch)
    rates: list[float] = []
    for epoch in range(int(epochs)):
        for _ in range(per_epoch):
            rates.append(optimizer.param_groups[0]["lr"])
            scheduler.step_update(len(rates))
        scheduler.step(epoch + 1)
    return rates


SCHEDULED = [
    ({"sched": "cosine"}, False),
    ({"sched": "cosine", "warmup_prefix": True, "cooldown_epochs": 2, "min_lr": 0.01}, True),
    ({"sched": "cosine", "warmup_epochs": 0, "lr_cycle_limit": 2, "lr_cycle_mul": 2.0}, False),
    ({"sched": "cosine", "warmup_epochs": 0, "lr_k_decay": 2.0}, False),
    ({"sched": "tanh"}, False),
    ({"sched": "tanh", "warmup_epochs": 0}, False),
    ({"sched": "poly", "decay_rate": 1.0, "warmup_prefix": True}, True),
    ({"sched": "poly"}, False),
    ({"sched": "step"}, False),
    ({"sched": "step", "warmup_epochs": 2}, True),
    ({"sched": "step", "warmup_prefix": True}, True),
    ({"sched": "multistep"}, True),
    ({"sched": "multistep", "warmup_prefix": True}, True),
    ({"sched": "constant"}, True),
    ({"sched": "wsd"}, False),
    ({"sched": "wsd", "decay_epochs": 0.2, "warmup_prefix": True}, False),
    ({"sched": "rsqrt", "decay_epochs": 0.3, "min_lr": 0.01}, False),
]


@pytest.mark.slow
@pytest.mark.usefixtures("_timm")
@pytest.mark.parametrize("on_updates", [True, False])
@pytest.mark.parametrize(("more", "exact"), SCHEDULED, ids=[str(more) for more, _ in SCHEDULED])
def test_a_scheduler_gives_the_same_rates_or_is_said_to_differ(
    more: dict[str, Any], exact: bool, on_updates: bool
) -> None:
    arguments = {"opt": "sgd", "lr": 0.5, "warmup_lr": 0.1, **EPOCHS, "sched_on_updates": on_updates, **more}
    rates = rates_of(arguments, 10)
    found = translated(arguments, updates_per_epoch=10)
    assert found.recipe.unread == []
    assert found.recipe.updates == len(rates)
    schedule = group(found)["schedule"]
    off = max(abs(value(schedule, update) - rate) for update, rate in enumerate(rates)) / max(rates)
    print(f"{off:.1e}")
    assert (off <= 1e-9) == (not found.differs), (off, found.differs)
    if found.differs:
        assert f"by up to {off:.2g} of the highest rate" in found.differs[0].text
    assert (not found.differs) == (on_updates and exact)


@pytest.mark.slow
@pytest.mark.usefixtures("_timm")
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("opt", [opt for opt in table()["opts"] if not opt.startswith("fused")])  # those need apex
def test_an_optimizer_takes_the_steps_of_timm_s_or_is_said_to_differ(opt: str, seed: int) -> None:
    import torch
    from timm.optim import create_optimizer_v2, optimizer_kwargs

    rng = random.Random(f"{opt} {seed}")
    arguments: dict[str, Any] = {
        "opt": opt,
        "lr": drawn(rng, 1e-3, 1e-2),
        "momentum": rng.choice((0.0, 0.9)) if opt != "sgd" and opt != "nesterov" else 0.9,
        "opt_betas": rng.choice((None, [0.8, 0.95])),
        "opt_eps": 1e-4 if opt == "radam" else rng.choice((None, 1e-4)),  # by whose place alone that one differs
        "weight_decay": rng.choice((0.0, 0.05)),
    }
    found = translated(arguments | {"sched": "none"})
    assert found.recipe.unread == []
    found.configuration["networks"][0]["groups"][0]["weight_decay"] = (group(found)["weight_decay"] or None) and {
        **group(found)["weight_decay"],
        "mask": "all",
    }
    params = [torch.nn.Parameter(torch.tensor(part)) for part in start(seed)]
    optimizer = create_optimizer_v2(params, **optimizer_kwargs(types.SimpleNamespace(**arguments)))
    path = []
    for grads in gradients(seed):
        for param, grad in zip(params, grads, strict=True):
            param.grad = torch.tensor(grad)
        optimizer.step()
        path.append([param.detach().numpy().copy() for param in params])
    off = difference(path, optax_run(found.configuration, seed), seed)
    print(f"{opt}: {off:.1e}")
    assert (off <= EQUAL) == (not found.differs), (arguments, off, found.differs)


@pytest.mark.slow
@pytest.mark.usefixtures("_timm")
def test_the_average_begins_with_the_parameters_after_the_first_update() -> None:
    import torch
    from timm.utils import ModelEmaV3

    model = torch.nn.Linear(1, 1)
    average = ModelEmaV3(model, decay=0.9)
    with torch.no_grad():
        model.weight.fill_(2.0)
    average.update(model, step=1)
    assert average.module.weight.tolist() == [[2.0]]
