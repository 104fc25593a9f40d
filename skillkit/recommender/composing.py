"""Composing: a choice as a configuration, plain data with every number computed."""

from collections.abc import Mapping
from typing import Any

from skillkit.recommender.arithmetic import noise_multiplier, three_digits, warmup_updates
from skillkit.recommender.choices import Choice
from skillkit.recommender.facts import Facts

Configuration = dict[str, Any]

_WITHOUT_DECAY = ("set_to_zero", "lbfgs")
_DECOUPLED = ("adamw", "nadamw", "lion", "lamb", "lars", "contrib.muon")


def compose(choice: Choice, facts: Facts) -> Configuration:
    """Return the configuration of a choice."""
    answers = facts.answers
    private = answers["privacy"] == "dp-sgd"
    return {
        "skillkit": "1",
        "library": answers["library"],
        "precision": answers["precision"],
        "devices": answers["devices"],
        "accumulation": 1 if choice.rate is None else choice.accumulation,
        "ema": choice.ema,
        "networks": [_network(network, choice, facts) for network in choice.networks],
        "privacy": _privacy(choice, facts) if private else None,
    }


def _network(network: Mapping[str, Any], choice: Choice, facts: Facts) -> dict[str, Any]:
    clip = network.get("clip", choice.clip)
    if facts.answers["privacy"] == "dp-sgd":
        clip = None  # the private aggregation clips, and nothing may clip after it
    groups = network.get("groups", [{"name": "all", "parameters": "all"}])
    return {
        "name": network["name"],
        "clip": clip and dict(clip),
        "groups": [_group({**network, **group}, choice, facts) for group in groups],
    }


def _group(group: Mapping[str, Any], choice: Choice, facts: Facts) -> dict[str, Any]:
    own = group.get("optimizer", {})
    # a group that names no optimizer of its own changes those arguments that the main one has
    changed = {name: value for name, value in own.items() if name in choice.optimizer}
    optimizer = dict(own) if "name" in own else {**choice.optimizer, **changed}
    idle = optimizer["name"] == "set_to_zero"
    rate = None if idle else group.get("rate", choice.rate)
    decay = None if optimizer["name"] in _WITHOUT_DECAY else group.get("decay", choice.decay)
    return {
        "name": group["name"] if "parameters" in group else "all",
        "parameters": group.get("parameters", "all"),
        "optimizer": optimizer,
        "weight_decay": decay and _fitting(decay, optimizer["name"]),
        "schedule": {"name": "none"} if rate is None else _schedule(choice.schedule, rate, facts),
    }


def _fitting(decay: Mapping[str, Any], name: str) -> dict[str, Any] | None:
    # a group under another optimizer than the main one keeps the decay only where it means the same
    kinds = {"decoupled": _DECOUPLED, "per_step": ("adafactor",)}
    fits = decay["kind"] not in kinds or name in kinds[decay["kind"]]
    return {name: decay[name] for name in ("value", "kind", "mask")} if fits else None


def _schedule(schedule: Mapping[str, Any], peak: float, facts: Facts) -> dict[str, Any]:
    total = facts.updates
    warmup = facts.answers.get("warmup_steps", warmup_updates(schedule["warmup"], facts.numbers))
    name = schedule["name"]
    end = peak if name == "constant" else three_digits(peak * schedule.get("floor", 0.0))
    shape: dict[str, Any] = {
        "name": name,
        "init_value": 0.0 if warmup else peak,
        "peak_value": peak,
        "warmup_steps": warmup,
        "total_steps": total,
        "end_value": end,
    }
    if name == "step":
        return _steps(shape, schedule)
    if name == "wsd":
        return shape | {"decay_steps": min(max(1, round(schedule["decay"] * total)), total - warmup)}
    if name == "rsqrt":
        return _rsqrt(shape, schedule)
    return shape


def _steps(shape: dict[str, Any], schedule: Mapping[str, Any]) -> dict[str, Any]:
    warmup, total, scale = shape["warmup_steps"], shape["total_steps"], schedule["scale"]
    wanted = sorted({round(part * total) for part in schedule["boundaries"]})
    boundaries = [boundary for boundary in wanted if warmup < boundary < total]
    if not boundaries:
        return shape | {"name": "constant", "end_value": shape["peak_value"]}
    end = three_digits(shape["peak_value"] * scale ** len(boundaries))
    return shape | {"end_value": end, "boundaries": boundaries, "scale": scale}


def _rsqrt(shape: dict[str, Any], schedule: Mapping[str, Any]) -> dict[str, Any]:
    warmup, total, peak = shape["warmup_steps"], shape["total_steps"], shape["peak_value"]
    timescale = max(1, min(schedule.get("timescale", warmup), warmup or total))
    cooldown = min(round(schedule.get("cooldown", 0) * total), total - warmup)
    end = 0.0 if cooldown else three_digits(peak / (1 + (total - warmup) / timescale) ** 0.5)
    return shape | {"end_value": end, "timescale": timescale, "cooldown_steps": cooldown}


def _privacy(choice: Choice, facts: Facts) -> dict[str, float]:
    sampling = min(1.0, facts.numbers["examples_per_update"] / _examples(facts))
    noise = noise_multiplier(facts.answers["epsilon"], delta(facts), sampling, facts.updates)
    assert choice.clip is not None
    return {"l2_norm_clip": choice.clip["max_norm"], "noise_multiplier": three_digits(noise)}


def delta(facts: Facts) -> float:
    """Return the probability with which a privacy budget may fail, a little below one in the data set's size."""
    return three_digits(_examples(facts) ** -1.1)


def _examples(facts: Facts) -> float:
    # without a known data set, a batch is a hundredth of it
    return float(facts.answers.get("dataset_size") or 100 * facts.numbers["examples_per_update"])
