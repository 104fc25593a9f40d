"""Stepped: timm's scheduler of a run, which counts epochs or updates, with how many updates it takes to a step."""

from collections.abc import Mapping
from typing import Any

from skillkit.translation.values import Given, Recipe, Value

_NAMES = {
    "cosine": "CosineLRScheduler",
    "tanh": "TanhLRScheduler",
    "poly": "PolyLRScheduler",
    "step": "StepLRScheduler",
    "constant": "StepLRScheduler",
    "multistep": "MultiStepLRScheduler",
    "wsd": "WSDLRScheduler",
    "rsqrt": "WSDLRScheduler",
    "plateau": "PlateauLRScheduler",
}


def scheduler(
    found: Recipe, values: dict[str, Value], updates: int | None, updates_per_epoch: int | None
) -> tuple[Given | None, int | None, float]:
    """Return a run's scheduler as the tables know it, how many updates its step takes, and the run's epochs.

    Args:
        found: Notes what is not translated.
        values: The arguments of train.py.
        updates: How many updates the run takes, or None.
        updates_per_epoch: How many an epoch takes, or None.
    """
    plain = {name: value.plain for name, value in values.items()}
    sched = values["sched"]
    try:
        epochs = _epochs(plain)
    except OverflowError:
        found.miss(values["lr_cycle_limit"], "the cycles are longer than any run; one stands in their place")
        return scheduler(found, values | {"lr_cycle_limit": Value(1)}, updates, updates_per_epoch)
    per_epoch = updates_per_epoch or (max(1, round(updates / epochs)) if updates else None)
    name = _NAMES.get(sched.plain)
    if name is None:
        if sched.plain != "none":
            found.miss(sched, f"sched {sched.plain} is not translated: it is not known")
        return None, 1, epochs
    each = per_epoch or 1 if plain["sched_on_updates"] else 1
    arguments = {key: Value(part) for key, part in _arguments(plain, each).items()}
    given = Given(f"timm.scheduler.{name}", arguments, sched.line, sched.column)
    if not plain["sched_on_updates"]:
        return given, per_epoch, epochs
    if per_epoch is None:
        found.miss(sched, f"{name} counts the updates of an epoch: --updates-per-epoch says how many; here it is 1")
    return given, 1, epochs


def _epochs(plain: Mapping[str, Any]) -> float:
    """Return how many epochs a run takes, with its cycles, the warmup before them and the cooldown."""
    epochs, prefix = plain["epochs"], plain["warmup_epochs"] if plain["warmup_prefix"] else 0
    if plain["sched"] not in ("cosine", "tanh", "poly"):
        cooldown = plain["cooldown_epochs"] if plain["sched"] in ("wsd", "rsqrt") else 0
        return float(max(1, epochs + prefix + cooldown))
    cycles, longer = max(1, plain["lr_cycle_limit"]), plain["lr_cycle_mul"]
    whole = epochs * cycles if longer == 1 else int(-epochs * (longer**cycles - 1) / (1 - longer))
    return float(max(1, whole + prefix + plain["cooldown_epochs"]))


def _arguments(plain: Mapping[str, Any], each: int) -> dict[str, Any]:
    """Return the scheduler's arguments as create_scheduler_v2 gives them, with so many steps in an epoch."""
    warmup = plain["warmup_epochs"] * each
    rising = {"warmup_t": warmup, "warmup_lr_init": plain["warmup_lr"], "warmup_prefix": plain["warmup_prefix"]}
    falls = {"t_initial": plain["epochs"] * each, "lr_min": plain["min_lr"]}
    cycles = {name: plain[f"lr_{name}"] for name in ("cycle_mul", "cycle_decay", "cycle_limit")}
    kinds: dict[str, dict[str, Any]] = {
        "cosine": {**falls, **cycles, "k_decay": plain["lr_k_decay"]},
        "tanh": {**falls, **cycles},
        "poly": {**falls, **cycles, "k_decay": plain["lr_k_decay"], "power": plain["decay_rate"]},
        "step": {"decay_t": plain["decay_epochs"] * each, "decay_rate": plain["decay_rate"]},
        "constant": {"decay_t": 1, "decay_rate": 1.0},
        "multistep": {
            "decay_t": [milestone * each for milestone in plain["decay_milestones"]],
            "decay_rate": plain["decay_rate"],
        },
        "plateau": {},
    }
    if plain["sched"] in kinds:
        return kinds[plain["sched"]] | rising
    whole = plain["epochs"] - (0 if plain["warmup_prefix"] else plain["warmup_epochs"])
    share = plain["decay_epochs"]
    decay = round(share * whole * each) if 0 < share < 1 else round(share * each)
    rsqrt = plain["sched"] == "rsqrt"
    return {
        "t_initial": whole * each,
        "decay_t": decay,
        "lr_min": plain["min_lr"],
        "stable_fn": "rsqrt" if rsqrt else "constant",
        "stable_timescale": warmup or None,
        "decay_fn": "linear" if rsqrt else "1-sqrt",
        "warmup_t": warmup,
        "warmup_lr_init": plain["warmup_lr"],
    }
