"""Composing: a draft as a configuration, plain data with every number computed."""

from collections.abc import Mapping
from typing import Any

from skillkit.recommender.arithmetic import three_digits, three_digits_up, warmup_updates
from skillkit.recommender.draft import Draft
from skillkit.recommender.privacy import noise_multiplier
from skillkit.recommender.situation import Situation

Configuration = dict[str, Any]

_WITHOUT_DECAY = ("set_to_zero", "lbfgs")
_DECOUPLED = ("adamw", "nadamw", "lion", "lamb", "lars", "contrib.muon", "contrib.schedule_free_adamw")


def compose(draft: Draft, situation: Situation) -> Configuration:
    """Return the configuration of a draft."""
    answers = situation.answers
    private = answers["privacy"] == "dp-sgd"
    return {
        "skillkit": "1",
        "library": answers["library"],
        "precision": answers["precision"],
        "devices": answers["devices"],
        "accumulation": 1 if draft.rate is None else draft.accumulation,
        "ema": draft.ema,
        "networks": [_network(network, draft, situation) for network in draft.networks],
        "privacy": _privacy(draft, situation) if private else None,
    }


def _network(network: Mapping[str, Any], draft: Draft, situation: Situation) -> dict[str, Any]:
    clip = network.get("clip", draft.clip)
    if situation.answers["privacy"] == "dp-sgd":
        clip = None  # the private aggregation clips, and nothing may clip after it
    groups = network.get("groups", [{"name": "all", "parameters": "all"}])
    return {
        "name": network["name"],
        "clip": clip and dict(clip),
        "groups": [_group({**network, **group}, draft, situation) for group in groups],
    }


def _group(group: Mapping[str, Any], draft: Draft, situation: Situation) -> dict[str, Any]:
    own = group.get("optimizer", {})
    # a group that names no optimizer of its own changes those arguments that the main one has
    changed = {name: value for name, value in own.items() if name in draft.optimizer}
    optimizer = dict(own) if "name" in own else {**draft.optimizer, **changed}
    idle = optimizer["name"] == "set_to_zero"
    rate = None if idle else group.get("rate", draft.rate)
    decay = None if optimizer["name"] in _WITHOUT_DECAY else group.get("decay", draft.decay)
    return {
        "name": group["name"] if "parameters" in group else "all",
        "parameters": group.get("parameters", "all"),
        "optimizer": optimizer,
        "weight_decay": decay and _fitting(decay, optimizer["name"]),
        "schedule": {"name": "none"} if rate is None else _schedule(draft.schedule, rate, situation),
    }


def _fitting(decay: Mapping[str, Any], name: str) -> dict[str, Any] | None:
    # a group under another optimizer than the main one keeps the decay only where it means the same
    kinds = {"decoupled": _DECOUPLED, "per_step": ("adafactor",)}
    fits = decay["kind"] not in kinds or name in kinds[decay["kind"]]
    return {name: decay[name] for name in ("value", "kind", "mask")} if fits else None


def _schedule(schedule: Mapping[str, Any], peak: float, situation: Situation) -> dict[str, Any]:
    total = situation.updates
    warmup = situation.answers.get("warmup_steps", warmup_updates(schedule["warmup"], situation.numbers))
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


def _privacy(draft: Draft, situation: Situation) -> dict[str, float]:
    noise = noise_multiplier(situation.answers["epsilon"], delta(situation), sampling(situation), situation.updates)
    assert draft.clip is not None
    # networks that see the same examples tell about them at once, as one gradient of their norms' root sum of squares
    whole = noise * len(draft.networks) ** 0.5
    return {"l2_norm_clip": draft.clip["max_norm"], "noise_multiplier": three_digits_up(whole)}


def sampling(situation: Situation) -> float:
    """Return the probability with which an example of the data set is in a batch."""
    share: float = situation.numbers["examples_per_update"] / examples(situation)
    return min(1.0, share)


def delta(situation: Situation) -> float:
    """Return the probability with which a privacy budget may fail, a little below one in the data set's size."""
    return three_digits(examples(situation) ** -1.1)


def examples(situation: Situation) -> float:
    """Return how many examples the promise of privacy is about."""
    # without a known data set, a batch is a hundredth of it
    return float(situation.answers.get("dataset_size") or 100 * situation.numbers["examples_per_update"])
