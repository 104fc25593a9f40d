"""Alternatives: what one may use instead of what is recommended, when, and what it costs."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from skillkit.reading import read
from skillkit.recommender.arithmetic import three_digits
from skillkit.recommender.choices import Choice, per_step, scaled
from skillkit.recommender.composing import compose
from skillkit.recommender.facts import Facts


def alternatives(choice: Choice, facts: Facts, folder: Path) -> list[dict[str, Any]]:
    """Return the entries of `alternatives.yaml` that apply, each with its whole configuration.

    There are none where the training is private or several optimizers are at work, as these depend on each other.
    """
    if facts.answers["privacy"] != "none" or facts.answers["stage"] == "adapter":
        return []
    names = [group.get("optimizer", {}).get("name") for net in choice.networks for group in net.get("groups", [])]
    if any(names):
        return []
    entries = read(folder / "alternatives.yaml").value
    return [_alternative(entry, choice, facts) for entry in entries if _applies(entry, choice, facts)]


def _applies(entry: Mapping[str, Any], choice: Choice, facts: Facts) -> bool:
    # a line search compares values of the loss, which must be exact and of one batch
    if entry["name"] == "lbfgs" and (facts.answers["precision"] != "float32" or choice.accumulation > 1):
        return False
    families = entry.get("families", [facts.answers["family"]])
    return (
        choice.name in entry["instead_of"]
        and facts.answers["family"] in families
        and facts.answers["stage"] in entry["stages"]
    )


def _alternative(entry: Mapping[str, Any], choice: Choice, facts: Facts) -> dict[str, Any]:
    other = changed(choice, entry["change"])
    configuration = compose(other, facts)
    main = configuration["networks"][0]["groups"][0]
    about = {name: entry[name] for name in ("name", "when", "cost", "source")}
    return about | {
        "optimizer": main["optimizer"],
        "weight_decay": main["weight_decay"] and main["weight_decay"]["value"],
        "schedule": main["schedule"],
        "configuration": configuration,
    }


def changed(choice: Choice, change: Mapping[str, Any]) -> Choice:
    """Return a choice with the change of an alternative."""
    if change.get("muon"):
        return _muon(choice)
    if change.get("schedule_free"):
        return _schedule_free(choice)
    if change.get("adafactor"):
        return _adafactor(choice)
    return replace(
        choice,
        optimizer=_optimizer(choice, change["optimizer"]),
        rate=_rate(choice, change),
        decay=_decay(choice, change),
        clip=_clip(choice, change),
        ema=None if change["optimizer"]["name"] == "lbfgs" else choice.ema,
        schedule=change.get("schedule_or", choice.schedule) if choice.rate is None else choice.schedule,
    )


def _clip(choice: Choice, change: Mapping[str, Any]) -> Mapping[str, Any] | None:
    own = choice.clip is not None and choice.clip["kind"] == "update_rms"  # adafactor's alone
    clip: Mapping[str, Any] | None = change.get("clip_is", None if own else choice.clip)
    return None if change["optimizer"]["name"] == "lbfgs" else clip


def _optimizer(choice: Choice, optimizer: Mapping[str, Any]) -> Mapping[str, Any]:
    # a bare name keeps the arguments, which are the same for adam, adamw and nadamw
    return {**choice.optimizer, **optimizer} if len(optimizer) == 1 else optimizer


def _rate(choice: Choice, change: Mapping[str, Any]) -> float | None:
    if "rate_is" in change:
        rate: float | None = change["rate_is"]
        return rate
    return change.get("rate_or") if choice.rate is None else scaled(choice, change.get("rate", 1))


def _decay(choice: Choice, change: Mapping[str, Any]) -> Mapping[str, Any] | None:
    if "decay_is" in change:
        decay: Mapping[str, Any] = change["decay_is"]
        return decay
    if choice.decay is None or choice.decay["kind"] != "decoupled":
        return None
    return {**choice.decay, "value": three_digits(choice.decay["value"] * change.get("decay", 1))}


def _muon(choice: Choice) -> Choice:
    hidden = {"name": "contrib.muon", "beta": 0.95, "eps": 1e-8, "consistent_rms": 0.2}
    groups = [
        {"name": "hidden", "parameters": "matrices", "optimizer": hidden},
        {"name": "rest", "parameters": "rest"},
    ]
    return replace(choice, networks=tuple({**network, "groups": groups} for network in choice.networks))


def _schedule_free(choice: Choice) -> Choice:
    own = {name: choice.optimizer[name] for name in ("b1", "b2", "eps")}
    schedule = {"name": "constant", "warmup": choice.schedule["warmup"]}
    return replace(choice, optimizer={"name": "contrib.schedule_free_adamw", **own}, schedule=schedule, ema=None)


def _adafactor(choice: Choice) -> Choice:
    optimizer = {"name": "adafactor", "multiply_by_parameter_scale": False, "momentum": None, "decay_rate": 0.8}
    return replace(choice, optimizer=optimizer, decay=per_step(choice))
