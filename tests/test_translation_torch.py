"""Equality with PyTorch: what a translation calls equal takes the same steps, and what it says differs does not.

Both sides get the same text, parameters and gradients in float64; PyTorch runs the text, skillkit reads it.
"""

import importlib
import inspect
import random
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from skillkit.configuration.schedules import value
from skillkit.translation.pytorch import recipe
from skillkit.translation.script import Script
from skillkit.translation.tables import entries
from skillkit.translation.translating import Translation, translate
from tests.stepping import EQUAL, difference, drawn, gradients, optax_run, start

torch: Any = pytest.importorskip(
    "torch", reason="PyTorch is 5 GB with its own: pip install torch, to step both side by side"
)

pytestmark = pytest.mark.slow
Settings = dict[str, Any]


def adams(rng: random.Random) -> Settings:
    return {
        "lr": drawn(rng, 1e-4, 1e-1),
        "betas": (rng.choice((0.0, 0.5, 0.9)), rng.choice((0.9, 0.95, 0.999))),
        "eps": drawn(rng, 1e-10, 1e-3),
        "weight_decay": rng.choice((0.0, drawn(rng, 1e-3, 0.3))),
    }


def sgd(rng: random.Random) -> Settings:
    momentum = rng.choice((0.0, 0.5, 0.9))
    found = {
        "lr": drawn(rng, 1e-3, 1.0),
        "momentum": momentum,
        "weight_decay": rng.choice((0.0, drawn(rng, 1e-4, 0.1))),
    }
    if momentum and rng.random() < 0.6:
        found |= rng.choice(({"nesterov": True}, {"dampening": 0.3}))
    return found


def rmsprop(rng: random.Random) -> Settings:
    return {
        "lr": drawn(rng, 1e-4, 1e-1),
        "alpha": rng.choice((0.9, 0.99)),
        "eps": drawn(rng, 1e-10, 1e-3),
        "weight_decay": rng.choice((0.0, 0.1)),
        "momentum": rng.choice((0.0, 0.9)),
        "centered": rng.random() < 0.5,
    }


DRAW: Mapping[str, Callable[[random.Random], Settings]] = {
    "AdamW": lambda rng: adams(rng) | {"amsgrad": rng.random() < 0.2, "maximize": rng.random() < 0.1},
    "Adam": lambda rng: adams(rng) | {"amsgrad": rng.random() < 0.2, "decoupled_weight_decay": rng.random() < 0.3},
    "SGD": sgd,
    "RMSprop": rmsprop,
    "Adagrad": lambda rng: {
        "lr": drawn(rng, 1e-3, 1.0),
        "lr_decay": rng.choice((0.0, 0.0, 0.01)),
        "weight_decay": rng.choice((0.0, 0.1)),
        "initial_accumulator_value": rng.choice((0.0, 0.1)),
        "eps": rng.choice((0.0, 1e-6)),
    },
    "Adadelta": lambda rng: {
        "lr": drawn(rng, 0.1, 2.0),
        "rho": rng.choice((0.5, 0.9)),
        "eps": drawn(rng, 1e-8, 1e-3),
        "weight_decay": rng.choice((0.0, 0.1)),
    },
    "Adamax": adams,
    "RAdam": lambda rng: adams(rng) | {"decoupled_weight_decay": rng.random() < 0.3},
    "NAdam": lambda rng: adams(rng) | {"decoupled_weight_decay": rng.random() < 0.3},
    "Adafactor": lambda rng: {"lr": drawn(rng, 0.2, 0.5), "weight_decay": rng.choice((0.0, 0.1))},
    "ASGD": lambda rng: {"lr": drawn(rng, 1e-3, 0.1), "lambd": 1e-2},
}
# nothing is called equal of these, and their steps need a closure, matrices alone, sparse gradients, or have no equal
NOT_STEPPED = {"LBFGS", "Muon", "SparseAdam", "Rprop"}

SCHEDULERS: Mapping[str, Callable[[random.Random], Settings]] = {
    "StepLR": lambda rng: {"step_size": rng.randint(1, 60), "gamma": rng.choice((0.1, 0.5, 0.97))},
    "MultiStepLR": lambda rng: {"milestones": sorted(rng.sample(range(1, 70), 3)), "gamma": rng.choice((0.1, 0.5))},
    "ConstantLR": lambda rng: {"factor": rng.choice((0.1, 0.5, 1.0)), "total_iters": rng.randint(1, 60)},
    "LinearLR": lambda rng: {
        "start_factor": rng.choice((0.01, 1.0)),
        "end_factor": rng.choice((1.0, 0.2, 0.0)),
        "total_iters": rng.randint(1, 60),
    },
    "ExponentialLR": lambda rng: {"gamma": rng.choice((0.9, 0.999))},
    "CosineAnnealingLR": lambda rng: {"T_max": rng.randint(20, 70), "eta_min": rng.choice((0.0, 1e-5))},
    "CosineAnnealingWarmRestarts": lambda rng: {
        "T_0": rng.choice((9, 60)), "T_mult": rng.randint(1, 2), "eta_min": rng.choice((0.0, 1e-5))
    },
    "PolynomialLR": lambda rng: {"total_iters": rng.randint(2, 70), "power": rng.choice((1.0, 2.0))},
    "OneCycleLR": lambda rng: {
        "max_lr": drawn(rng, 1e-3, 1e-1),
        "total_steps": rng.choice((50, 60)),
        "pct_start": rng.choice((0.3, 0.25)),
        "anneal_strategy": rng.choice(("cos", "linear")),
        "cycle_momentum": False,
        "three_phase": rng.random() < 0.2,
        "div_factor": rng.choice((25.0, 5.0)),
    },
    "CyclicLR": lambda rng: {
        "base_lr": 1e-3,
        "max_lr": drawn(rng, 2e-3, 1e-1),
        "step_size_up": rng.randint(3, 40),
        "mode": rng.choice(("triangular", "triangular2", "exp_range")),
        "gamma": 0.99,
        "cycle_momentum": False,
    },
}  # fmt: skip
SPECIAL = {
    "LambdaLR": ("optimizer, lambda update: min(1.0, (update + 1) / 10)", True),
    "LambdaLR, a wave": ("optimizer, lambda update: 1 + 0.1 * math.cos(update)", False),
    "SequentialLR": (
        "optimizer, [torch.optim.lr_scheduler.LinearLR(optimizer, 0.1, total_iters=10), "
        "torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 40)], milestones=[10]",
        True,
    ),
    "SequentialLR, of steps": (
        "optimizer, [torch.optim.lr_scheduler.LinearLR(optimizer, 0.01, total_iters=5), "
        "torch.optim.lr_scheduler.StepLR(optimizer, 9, 0.5)], milestones=[5]",
        True,
    ),
    "SequentialLR, with a plateau": (
        "optimizer, [torch.optim.lr_scheduler.LinearLR(optimizer, 0.1, total_iters=10), "
        "torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 30)], milestones=[20]",
        False,
    ),
    "ChainedScheduler": (
        "[torch.optim.lr_scheduler.LinearLR(optimizer, 0.5, total_iters=10), "
        "torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.99)]",
        False,
    ),
}


def script(optimizer: str, settings: Settings, scheduler: str = "", loop: str = "for update in range(50):") -> str:
    arguments = ", ".join(f"{name}={part!r}" for name, part in settings.items())
    lines = [
        "import math",
        "import torch",
        f"optimizer = torch.optim.{optimizer}(params, {arguments})",
        *([f"scheduler = torch.optim.lr_scheduler.{scheduler}"] if scheduler else []),
        *loop.splitlines(),
        "        optimizer.step()" if "\n" in loop else "    optimizer.step()",
        *(["    scheduler.step()"] if scheduler else []),
    ]
    return "\n".join(lines) + "\n"


def translated(text: str, **options: Any) -> Translation:
    return translate(recipe(Script(text, "train.py"), **options), None)


def torch_run(text: str, seed: int, each: Callable[[Any, Any, int], None] | None = None) -> list[list[np.ndarray]]:
    """Return PyTorch's parameters after each update of a script's optimizer."""
    known: dict[str, Any] = {"params": [torch.nn.Parameter(torch.tensor(part)) for part in start(seed)]}
    exec(text.partition("\nfor ")[0], known)
    scheduler, path = known.get("scheduler"), []
    for update, grads in enumerate(gradients(seed)):
        for param, grad in zip(known["params"], grads, strict=True):
            param.grad = torch.tensor(grad)
        if each:
            each(known, scheduler, update)
        else:
            known["optimizer"].step()
            if scheduler:
                scheduler.step()
        path.append([param.detach().numpy().copy() for param in known["params"]])
    return path


def measured(text: str, seed: int, **options: Any) -> tuple[Translation, float]:
    found = translated(text, **options)
    assert not found.recipe.unread
    return found, difference(torch_run(text, seed), optax_run(found.configuration, seed), seed)


def signature(name: str) -> dict[str, Any]:
    """Return the arguments of a class of PyTorch with their defaults, without the first."""
    module, _, short = name.rpartition(".")
    parameters = inspect.signature(getattr(importlib.import_module(module), short).__init__).parameters
    return {key: one.default for key, one in list(parameters.items())[2:]}


def plain(default: Any) -> Any:
    return list(default) if isinstance(default, tuple) else default


@pytest.mark.parametrize("part", ["optimizers", "schedulers"])
def test_the_table_has_the_arguments_and_defaults_of_the_installed_pytorch(part: str) -> None:
    found = {name: entry for name, entry in entries(part).items() if name.startswith("torch.")}
    assert len(found) > 12
    for name, entry in found.items():
        theirs = signature(name)
        known = {key: argument for key, argument in entry.arguments.items() if not entry.instead or argument.to}
        if entry.short == "ChainedScheduler":  # its optimizer stands last, and is what others begin with
            theirs = {"schedulers": inspect.Parameter.empty}
        assert known.keys() - theirs.keys() <= {"foreach", "capturable", "differentiable", "fused", "maximize"}, name
        if not entry.instead:
            assert theirs.keys() - known.keys() <= {"last_epoch"}, name
        own = [key for key in known if key in theirs and key not in ("foreach", "maximize", "fused")]
        assert own[:3] == [key for key in theirs if key in own][:3], name
        for key, argument in known.items():
            if key in theirs:
                wanted = inspect.Parameter.empty if argument.required else argument.default
                assert plain(theirs[key]) == wanted, (name, key)


def test_every_optimizer_of_the_table_is_stepped_or_said_not_to_be() -> None:
    torchs = {name.rpartition(".")[2] for name in entries("optimizers") if name.startswith("torch.")}
    assert torchs == DRAW.keys() | NOT_STEPPED


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("name", DRAW)
def test_an_optimizer_takes_the_same_steps_or_is_said_to_differ(name: str, seed: int) -> None:
    settings = DRAW[name](random.Random(f"{name} {seed}"))
    found, off = measured(script(name, settings), seed)
    print(f"{name}: {off:.1e}")
    assert (off <= EQUAL) == (not found.differs), (settings, off, found.differs)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", SCHEDULERS)
def test_a_scheduler_gives_the_same_rates_or_is_said_to_differ(name: str, seed: int) -> None:
    rng = random.Random(f"{name} {seed}")
    arguments = ", ".join(f"{key}={part!r}" for key, part in SCHEDULERS[name](rng).items())
    text = script("SGD", {"lr": drawn(rng, 1e-3, 1e-1)}, f"{name}(optimizer, {arguments})")
    found, off = measured(text, seed)
    print(f"{name}: {off:.1e}")
    assert (off <= EQUAL) == (not found.differs), (text, off, found.differs)
    rates_are_as_said(found, text, seed)


@pytest.mark.parametrize("case", SPECIAL)
def test_schedulers_made_of_others_too(case: str) -> None:
    given, equal = SPECIAL[case]
    text = script("AdamW", {"lr": 0.01}, f"{case.partition(',')[0]}({given})")
    found, off = measured(text, 0)
    assert ((off <= EQUAL), not found.differs) == (equal, equal), (off, found.differs)
    rates_are_as_said(found, text, 0)


def rates_are_as_said(found: Translation, text: str, seed: int) -> None:
    """Compare the largest difference of the rates with what the translation says it is."""
    rates: list[float] = []

    def step(known: Mapping[str, Any], scheduler: Any, _: int) -> None:
        rates.append(known["optimizer"].param_groups[0]["lr"])
        known["optimizer"].step()
        scheduler.step()

    torch_run(text, seed, step)
    schedule = found.configuration["networks"][0]["groups"][0]["schedule"]
    off = max(abs(value(schedule, update) - rate) for update, rate in enumerate(rates)) / max(rates)
    if found.differs:
        assert f"by up to {off:.2g} of the highest rate" in found.differs[0].text
    else:
        assert off <= EQUAL


@pytest.mark.parametrize(
    ("scheduler", "settings"), [("StepLR", {"step_size": 3}), ("CosineAnnealingLR", {"T_max": 10})]
)
def test_a_scheduler_that_is_stepped_once_in_an_epoch(scheduler: str, settings: Settings) -> None:
    arguments = ", ".join(f"{key}={part!r}" for key, part in settings.items())
    loop = "for epoch in range(10):\n    for batch in loader:"
    text = script("SGD", {"lr": 0.1}, f"{scheduler}(optimizer, {arguments})", loop)
    found = translated(text, updates_per_epoch=5)

    def step(known: Mapping[str, Any], scheduler: Any, update: int) -> None:
        known["optimizer"].step()
        if update % 5 == 4:
            scheduler.step()

    off = difference(torch_run(text, 0, step), optax_run(found.configuration, 0), 0)
    assert (off <= EQUAL, not found.differs) == ((scheduler == "StepLR"),) * 2


@pytest.mark.filterwarnings("ignore:Detected call of `lr_scheduler.step")  # which is what is tested
def test_a_scheduler_that_is_stepped_before_the_optimizer_skips_its_first_rate() -> None:
    text = script("SGD", {"lr": 0.1}, "StepLR(optimizer, step_size=3)")
    text = text.replace("    optimizer.step()\n    scheduler.step()", "    scheduler.step()\n    optimizer.step()")
    found = translated(text)

    def step(known: Mapping[str, Any], scheduler: Any, _: int) -> None:
        scheduler.step()
        known["optimizer"].step()

    assert not found.differs
    assert found.configuration["networks"][0]["groups"][0]["schedule"]["boundaries"][0] == 2
    assert difference(torch_run(text, 0, step), optax_run(found.configuration, 0), 0) <= EQUAL


@pytest.mark.parametrize("momentum", [0.0, 0.9])
def test_momentum_and_a_schedule_together(momentum: float) -> None:
    for name in ("SGD", "RMSprop", "AdamW", "Adam"):
        settings = {"lr": 0.01} if name.startswith("Adam") else {"lr": 0.01, "momentum": momentum}
        found, off = measured(script(name, settings, "CosineAnnealingLR(optimizer, 50)"), 0)
        assert (off <= EQUAL) == (not found.differs)
        assert bool(found.differs) == (name == "RMSprop" and momentum > 0)


def test_a_clipped_gradient_is_shorter_by_as_much_as_is_said() -> None:
    text = script("SGD", {"lr": 0.1}).replace("    optimizer.step()", CLIP + "    optimizer.step()")

    def step(known: Mapping[str, Any], _: Any, __: int) -> None:
        exec(CLIP.strip(), dict(known))
        known["optimizer"].step()

    found = translated(text)
    off = difference(torch_run(text, 0, step), optax_run(found.configuration, 0), 0)
    assert found.configuration["networks"][0]["clip"] == {"kind": "global_norm", "max_norm": 0.01}
    (said,) = found.differs
    assert "1e-6 over its norm" in said.text
    assert EQUAL / 100 < off < 1e-4  # the gradients' norms lie between 0.01 and 100


CLIP = "    torch.nn.utils.clip_grad_norm_(params, 0.01)\n"
