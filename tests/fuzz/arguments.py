"""Arguments: what files of Hugging Face's Trainer, Keras and timm set, with other values, names and lines."""

import json
import random
from typing import Any

import yaml

from skillkit.translation import timm, trainer
from skillkit.translation.kinds import KINDS
from skillkit.translation.tables import entries
from tests.fuzz.mutations import mangled, spoilt
from tests.fuzz.trials import call

VALUES: tuple[Any, ...] = (
    0, 1, -1, 3, 0.5, 1e-30, 1e30, 10**20, float("nan"), float("inf"), None, True, False, "", "x", [], [1], [0.9, 0.99],
    [None, None], {}, {"a": 1}, "cosine", "adamw", 1000, -0.0,
)  # fmt: skip
CURVE: dict[str, Any] = {"initial_learning_rate": 0.1, "decay_steps": 10, "first_decay_steps": 10, "decay_rate": 0.5}
CURVE |= {"boundaries": [3, 5], "values": [1, 0.5, 0.1]}


def arguments(rng: random.Random) -> bytes:
    """Return a file of arguments."""
    made = rng.choice((_timm, _trainer, _keras))(rng)
    text = json.dumps(made, indent=rng.choice((None, 1))) if rng.random() < 0.5 else yaml.safe_dump(made)
    return spoilt(rng, mangled(rng, text) if rng.random() < 0.2 else text)


def give_arguments(raw: bytes) -> None:
    """Have a file of arguments translated, as what it is or as one of any kind."""
    kinds: list[tuple[str, ...]] = [*[()] * 4, *(("--from", one) for one in KINDS)]
    lengths: list[tuple[str, ...]] = [(), ("--updates", "50"), ("--updates-per-epoch", "7")]
    form = ("text", "json", "python")[len(raw) % 3]
    given = (*kinds[len(raw) % len(kinds)], *lengths[len(raw) // 3 % 3])
    call("translate", "-", *given, "--format", form, stdin=raw)


def _timm(rng: random.Random) -> dict[str, Any]:
    made = {name: _value(rng, one) for name, one in timm.table()["settings"].items() if rng.random() < 0.4}
    scheds = ("cosine", "tanh", "poly", "step", "multistep", "wsd", "rsqrt", "constant", "plateau", "none", "x")
    return made | {"opt": rng.choice([*timm.table()["opts"], "x", "lookahead_adam"]), "sched": rng.choice(scheds)}


def _trainer(rng: random.Random) -> dict[str, Any]:
    table = trainer.table()
    made = {name: _value(rng, one) for name, one in table["settings"].items() if rng.random() < 0.5}
    names = ("num_cycles", "min_lr", "min_lr_rate", "power", "num_decay_steps", "timescale", "warmup_lr_rate")
    more = {rng.choice(names): rng.choice(VALUES) for _ in range(rng.randint(0, 2))}
    kinds = {"lr_scheduler_type": rng.choice([*table["schedulers"]]), "optim": rng.choice([*table["optimizers"]])}
    return made | {"output_dir": "out", "lr_scheduler_kwargs": more} | (kinds if rng.random() < 0.8 else {})


def _keras(rng: random.Random) -> dict[str, Any]:
    name, schedule = (
        rng.choice([one for one in entries(part) if one.startswith("keras.")]) for part in ("optimizers", "schedulers")
    )
    known = entries("optimizers")[name].arguments
    made = {key: _value(rng, one.default) for key, one in known.items() if rng.random() < 0.8}
    curve = {
        key: _value(rng, CURVE.get(key, one.default)) for key, one in entries("schedulers")[schedule].arguments.items()
    }
    rate = {"class_name": schedule.removeprefix("keras."), "config": curve} if rng.random() < 0.6 else _value(rng, 0.1)
    return made | {"name": name.removeprefix("keras."), "learning_rate": rate}


def _value(rng: random.Random, usual: Any) -> Any:
    return usual if rng.random() < 0.6 else rng.choice(VALUES)
