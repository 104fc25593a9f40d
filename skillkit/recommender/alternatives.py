"""Alternatives: what one may use instead of what is recommended, when, and what it costs."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from skillkit.errors import bad_input, did_you_mean
from skillkit.questionnaire.sizes import number
from skillkit.reading import read
from skillkit.recommender.arithmetic import three_digits
from skillkit.recommender.composing import compose
from skillkit.recommender.draft import Draft, per_step, per_step_sums, scaled
from skillkit.recommender.formulas import product
from skillkit.recommender.situation import Situation


def alternatives(draft: Draft, situation: Situation, folder: Path) -> list[dict[str, Any]]:
    """Return the entries of `alternatives.yaml` that apply, each with its whole configuration.

    There are none where the training is private or several optimizers are at work, as these depend on each other.
    """
    return [_alternative(entry, draft, situation) for entry in _entries(draft, situation, folder)]


def instead(draft: Draft, name: str, situation: Situation, folder: Path) -> Draft:
    """Return the draft with the optimizer that the user names.

    Args:
        draft: What is recommended.
        name: Its own optimizer's name, or an alternative's.
        situation: The answers.
        folder: Where `alternatives.yaml` is.

    Raises:
        BadInput: It is none of these; the message names them.
    """
    if name == draft.name:
        return draft
    entries = {entry["name"]: entry for entry in _entries(draft, situation, folder)}
    if name not in entries:
        known = [draft.name, *entries]
        message = f"no such alternative '{name}'{did_you_mean(name, known)}: one of {', '.join(known)}"
        raise bad_input("--optimizer", message)
    entry = entries[name]
    other = changed(draft, entry["change"])
    settings = ["optimizer"] + (["schedule"] if other.schedule != draft.schedule else [])
    asked = other.because(f"Asked for: {entry['when']} {entry['cost']}", entry["source"], settings)
    sums = _sums(draft, other, entry["change"])
    return asked.because(f"What {name} takes where {draft.name} takes the other.", entry["source"], sums, sums=sums)


def _sums(draft: Draft, other: Draft, change: Mapping[str, Any]) -> dict[str, str]:
    """Return the arithmetic of the rate and the decay that an alternative changes."""
    found = {}
    if other.rate is not None and other.rate != draft.rate:
        scale = draft.rate is not None and "rate_is" not in change
        found["peak_value"] = product(draft.rate or 0, change["rate"]) if scale else number(other.rate)
    if other.decay and other.decay != draft.decay:
        if other.decay["kind"] == "per_step":
            found |= per_step_sums(draft)
        elif draft.decay and "decay_is" not in change:
            found["weight_decay"] = product(draft.decay["value"], change["decay"])
        else:
            found["weight_decay"] = number(other.decay["value"])
    return found


def _entries(draft: Draft, situation: Situation, folder: Path) -> list[Mapping[str, Any]]:
    if situation.answers["privacy"] != "none" or situation.answers["stage"] == "adapter":
        return []
    names = [group.get("optimizer", {}).get("name") for net in draft.networks for group in net.get("groups", [])]
    if any(names):
        return []
    return [entry for entry in read(folder / "alternatives.yaml").value if _applies(entry, draft, situation)]


def _applies(entry: Mapping[str, Any], draft: Draft, situation: Situation) -> bool:
    # a line search compares values of the loss, which must be exact and of one batch
    whole = situation.labels["updates_per_epoch"] == "one" and draft.accumulation == 1
    if entry["name"] == "lbfgs" and not (whole and situation.answers["precision"] == "float32"):
        return False
    families = entry.get("families", [situation.answers["family"]])
    return (
        draft.name in entry["instead_of"]
        and situation.answers["family"] in families
        and situation.answers["stage"] in entry["stages"]
    )


def _alternative(entry: Mapping[str, Any], draft: Draft, situation: Situation) -> dict[str, Any]:
    other = changed(draft, entry["change"])
    configuration = compose(other, situation)
    main = configuration["networks"][0]["groups"][0]
    about = {name: entry[name] for name in ("name", "when", "cost", "source")}
    return about | {
        "optimizer": main["optimizer"],
        "weight_decay": main["weight_decay"] and main["weight_decay"]["value"],
        "schedule": main["schedule"],
        "configuration": configuration,
    }


def changed(draft: Draft, change: Mapping[str, Any]) -> Draft:
    """Return a draft with the change of an alternative."""
    if change.get("muon"):
        return _muon(draft)
    if change.get("schedule_free"):
        return _schedule_free(draft)
    if change.get("adafactor"):
        return _adafactor(draft)
    return replace(
        draft,
        optimizer=_optimizer(draft, change["optimizer"]),
        rate=_rate(draft, change),
        decay=_decay(draft, change),
        clip=_clip(draft, change),
        ema=None if change["optimizer"]["name"] == "lbfgs" else draft.ema,
        schedule=change.get("schedule_or", draft.schedule) if draft.rate is None else draft.schedule,
    )


def _clip(draft: Draft, change: Mapping[str, Any]) -> Mapping[str, Any] | None:
    own = draft.clip is not None and draft.clip["kind"] == "update_rms"  # adafactor's alone
    clip: Mapping[str, Any] | None = change.get("clip_is", None if own else draft.clip)
    return None if change["optimizer"]["name"] == "lbfgs" else clip


def _optimizer(draft: Draft, optimizer: Mapping[str, Any]) -> Mapping[str, Any]:
    # a bare name keeps the arguments, which are the same for adam, adamw and nadamw
    return {**draft.optimizer, **optimizer} if len(optimizer) == 1 else optimizer


def _rate(draft: Draft, change: Mapping[str, Any]) -> float | None:
    if "rate_is" in change:
        rate: float | None = change["rate_is"]
        return rate
    return change.get("rate_or") if draft.rate is None else scaled(draft, change.get("rate", 1))


def _decay(draft: Draft, change: Mapping[str, Any]) -> Mapping[str, Any] | None:
    if "decay_is" in change:
        decay: Mapping[str, Any] = change["decay_is"]
        return decay
    if draft.decay is None or draft.decay["kind"] != "decoupled":
        return None
    return {**draft.decay, "value": three_digits(draft.decay["value"] * change.get("decay", 1))}


def _muon(draft: Draft) -> Draft:
    hidden = {"name": "contrib.muon", "beta": 0.95, "eps": 1e-8, "consistent_rms": 0.2}
    groups = [
        {"name": "hidden", "parameters": "matrices", "optimizer": hidden},
        {"name": "rest", "parameters": "rest"},
    ]
    return replace(draft, networks=tuple({**network, "groups": groups} for network in draft.networks))


def _schedule_free(draft: Draft) -> Draft:
    own = {name: draft.optimizer[name] for name in ("b1", "b2", "eps")}
    schedule = {"name": "constant", "warmup": draft.schedule["warmup"]}
    return replace(draft, optimizer={"name": "contrib.schedule_free_adamw", **own}, schedule=schedule, ema=None)


def _adafactor(draft: Draft) -> Draft:
    optimizer = {"name": "adafactor", "multiply_by_parameter_scale": False, "momentum": None, "decay_rate": 0.8}
    return replace(draft, optimizer=optimizer, decay=per_step(draft))
