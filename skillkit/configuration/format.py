"""Configuration: a saved optimizer configuration, read and checked."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from skillkit.configuration.optimizers import OPTIMIZERS, WITHOUT_RATE
from skillkit.errors import BadInput, Problem, counted, did_you_mean
from skillkit.reading import Document, Key, read
from skillkit.shapes import check as check_shape
from skillkit.shapes import schema

DEFAULTS: dict[str, Any] = {
    "library": "pytree",
    "precision": "float32",
    "devices": 1,
    "accumulation": 1,
    "ema": None,
    "privacy": None,
}
_NEEDS = {
    "exponential": ("end_value",),
    "rsqrt": ("timescale",),
    "wsd": ("decay_steps",),
    "step": ("boundaries", "scale"),
}


def read_configuration(path: Path) -> dict[str, Any]:
    """Return the configuration of a YAML or JSON file, with defaults for what it leaves out.

    Raises:
        BadInput: With the place of everything that is wrong.
    """
    return checked(read(path))


def checked(document: Document) -> dict[str, Any]:
    """Return a document's configuration, with defaults for what it leaves out.

    Raises:
        BadInput: With the place of everything that is wrong.
    """
    problems = list(check_shape(document, schema("configuration"))) or list(_problems(document))
    if problems:
        raise BadInput(problems)
    configuration: dict[str, Any] = DEFAULTS | document.value
    return configuration


def validate(configuration: Mapping[str, Any], path: str = "<configuration>") -> dict[str, Any]:
    """Return a configuration that never was a file, with defaults for what it leaves out.

    Raises:
        BadInput: With everything that is wrong.
    """
    return checked(Document(path, dict(configuration), {}))


def _problems(document: Document) -> Iterator[Problem]:
    networks = document.value["networks"]
    names = [network["name"] for network in networks]
    for index, network in enumerate(networks):
        key: Key = ("networks", index)
        if network["name"] in names[:index]:
            yield document.problem((*key, "name"), f"there are two networks '{network['name']}'")
        yield from _network(document, network, key)


def _network(document: Document, network: Mapping[str, Any], key: Key) -> Iterator[Problem]:
    masks = [group["parameters"] for group in network["groups"]]
    for index, group in enumerate(network["groups"]):
        at = (*key, "groups", index)
        if group["parameters"] in masks[:index]:
            message = f"two groups take the parameters '{group['parameters']}'"
            yield document.problem((*at, "parameters"), message)
        yield from _optimizer(document, group, at)
        yield from _decay(document, group, at)
        yield from _schedule(document, group, at)
        yield from _alone(document, network, group, at)
    last = [selector for selector in masks if selector in ("all", "rest", "dense", "frozen")]
    if len(last) != 1:
        message = "exactly one group must take what is left: all, rest, dense or frozen"
        yield document.problem((*key, "groups"), message)


def _optimizer(document: Document, group: Mapping[str, Any], key: Key) -> Iterator[Problem]:
    name, at = group["optimizer"]["name"], (*key, "optimizer")
    if name not in OPTIMIZERS:
        message = f"unknown optimizer '{name}'{did_you_mean(name, OPTIMIZERS)}: one of {', '.join(OPTIMIZERS)}"
        yield document.problem((*at, "name"), message)
        return
    for keyword in group["optimizer"]:
        known = OPTIMIZERS[name].keywords
        if keyword in ("learning_rate", "weight_decay", "mask", "weight_decay_mask", "adam_weight_decay"):
            message = f"'{keyword}' has its own place: schedule, or weight_decay with value, kind and mask"
            yield document.problem((*at, keyword, "#key"), message)
        elif keyword != "name" and keyword not in known:
            message = (
                f"optax.{name} has no argument '{keyword}'{did_you_mean(keyword, known)}: it has {', '.join(known)}"
            )
            yield document.problem((*at, keyword, "#key"), message)


def _decay(document: Document, group: Mapping[str, Any], key: Key) -> Iterator[Problem]:
    decay, name = group.get("weight_decay"), group["optimizer"]["name"]
    if not decay or not decay["value"] or name not in OPTIMIZERS:
        return
    kinds, at = OPTIMIZERS[name].decays, (*key, "weight_decay")
    if decay["kind"] not in kinds:
        possible = f"its kind is {' or '.join(kinds)}" if kinds else "it has none"
        yield document.problem((*at, "kind"), f"optax.{name} cannot decay weights {decay['kind']}: {possible}")
    elif name == "contrib.prodigy" and decay["mask"] != "all":
        yield document.problem((*at, "mask"), "optax.contrib.prodigy has no mask: mask must be all")


def _schedule(document: Document, group: Mapping[str, Any], key: Key) -> Iterator[Problem]:
    schedule, name, at = group["schedule"], group["optimizer"]["name"], (*key, "schedule")
    kind, warmup, total = schedule["name"], schedule.get("warmup_steps") or 0, schedule.get("total_steps")
    if kind == "none":
        if name not in WITHOUT_RATE:
            yield document.problem((*at, "name"), f"optax.{name} needs a learning rate")
        return
    if name in WITHOUT_RATE:
        yield document.problem((*at, "name"), f"optax.{name} takes no learning rate: the schedule is none")
    for needed in ("peak_value", "total_steps", *_NEEDS.get(kind, ())):
        if schedule.get(needed) is None:
            yield document.problem(at, f"a schedule '{kind}' needs '{needed}'")
    if total is not None and warmup >= total:
        message = f"warmup takes {warmup:,} of {counted(total, 'update')}: it must end before the training does"
        yield document.problem((*at, "warmup_steps"), message)
    elif total is not None:
        yield from _inside(document, schedule, at, warmup, total)
    if name == "contrib.schedule_free_adamw" and kind != "constant":
        yield document.problem((*at, "name"), "a schedule-free optimizer takes no decay: constant, with warmup")


def _inside(document: Document, schedule: Mapping[str, Any], key: Key, warmup: int, total: int) -> Iterator[Problem]:
    length = {"wsd": "decay_steps", "rsqrt": "cooldown_steps"}.get(schedule["name"], "")
    if length and (schedule.get(length) or 0) > total - warmup:
        left = counted(total - warmup, "update")
        message = f"{length} is {schedule[length]}, and the warmup leaves only {left}"
        yield document.problem((*key, length), message)
    for index, boundary in enumerate(schedule.get("boundaries") or ()):
        if not warmup < boundary < total:
            message = f"the boundary {boundary} is not between warmup ({warmup}) and end ({total})"
            yield document.problem((*key, "boundaries", index), message)
    if schedule["name"] == "exponential" and schedule.get("end_value") == 0:
        yield document.problem((*key, "end_value"), "an exponential decay never ends at 0")


def _alone(document: Document, network: Mapping[str, Any], group: Mapping[str, Any], key: Key) -> Iterator[Problem]:
    """Yield what cannot go with a line search or without Adafactor."""
    clip, at = network.get("clip"), key[:2]
    if clip and clip["kind"] == "update_rms" and group["optimizer"]["name"] != "adafactor":
        yield document.problem((*at, "clip", "kind"), "update_rms is Adafactor's own clipping")
    if clip and clip["kind"] != "update_rms" and document.value.get("privacy"):
        message = "differential privacy clips each example itself: clip must be null"
        yield document.problem((*at, "clip"), message)
    if group["optimizer"]["name"] != "lbfgs":
        return
    if len(network["groups"]) > 1 or len(document.value["networks"]) > 1:
        yield document.problem(key, "optax.lbfgs cannot be one of several: its line search needs the whole loss")
    if clip:
        yield document.problem((*at, "clip"), "clipping before a line search gives it a wrong slope: clip must be null")
    precision, every = document.value.get("precision", "float32"), document.value.get("accumulation", 1)
    if every > 1 or document.value.get("privacy") or precision in ("bfloat16-params", "float16"):
        message = "optax.lbfgs needs the full loss and gradient: no accumulation, privacy or half precision"
        yield document.problem((*key, "optimizer", "name"), message)
