"""Keras: an optimizer's `get_config()`, or what `keras.optimizers.serialize` makes of it, as JSON."""

import re
import struct
from collections.abc import Mapping
from typing import Any

from skillkit.errors import bad_input, did_you_mean
from skillkit.reading import Document, Key, shown
from skillkit.translation.tables import entries
from skillkit.translation.values import Given, Part, Recipe, Value

KIND = "Keras optimizer"
_SOURCE = "https://keras.io/api/optimizers/"


def is_optimizer(value: Mapping[str, Any]) -> bool:
    """Return whether a mapping is an optimizer's configuration, or holds one."""
    named = {"class_name", "optimizer_config"} & value.keys() or {"name", "learning_rate"} <= value.keys()
    return bool(named) or "class_name" in (value.get("optimizer") or ())


def recipe(document: Document) -> Recipe:
    """Return what an optimizer's configuration says of training.

    Raises:
        BadInput: It names no optimizer.
    """
    found = Recipe(document.path, KIND)
    name, config, at = _optimizer(document)
    known = {one.removeprefix("keras."): one for one in entries("optimizers") if one.startswith("keras.")}
    spelt = {one.lower(): one for one in known}
    plain = re.sub(r"_\d+$", "", name.lower())  # the second Adam of a session is called adam_1
    short = spelt.get(plain.replace("_", ""))
    if short is None:
        message = f"the optimizer {name} is not known{did_you_mean(name, known)}: one of {', '.join(known)}"
        raise bad_input(document.path, message, *document.places.get(at, (1, 1)))
    arguments = {key: _value(document, (*at, key), part) for key, part in config.items() if key not in _OWN}
    schedule = _schedule(found, document, (*at, "learning_rate"), config.get("learning_rate"))
    if isinstance(config.get("learning_rate"), dict):
        first = _first(schedule)
        if schedule is None:
            place = Value(None, *document.places.get((*at, "learning_rate"), (0, 0)))
            found.miss(place, f"learning_rate is not read: {first} stands in its place")
        arguments["learning_rate"] = Value(first, *document.places.get((*at, "learning_rate"), (0, 0)))
    arguments = {key: value for key, value in arguments.items() if value.plain is not None}
    line, column = document.places.get(at, (1, 1))
    given = Given(known[short], arguments, line, column)
    _settings(found, arguments)
    # Keras' schedules count batches, and an update is taken in the last of some
    batches = found.settings.get("accumulation", 1)
    found.parts.append(Part(given, schedule, batches=batches, clip=_clip(arguments)))
    if config.get("decay"):
        place = Value(None, *document.places.get((*at, "decay"), (0, 0)))
        found.miss(place, "decay is not translated: the rate of Keras 2 is divided by 1 + decay x the updates so far")
    found.assumed.append("no variable is left out by exclude_from_weight_decay, of which no configuration tells")
    return found


_OWN = ("name", "decay", "is_legacy_optimizer", "jit_compile")  # of earlier versions


def _optimizer(document: Document) -> tuple[str, Mapping[str, Any], Key]:
    value: Mapping[str, Any] = document.value
    at: Key = ()
    # as a training configuration holds it, or an optimizer that scales the loss
    for key in ("optimizer_config", "optimizer", "config", "inner_optimizer"):
        if isinstance(value.get(key), dict) and (key != "config" or "inner_optimizer" in value[key]):
            value, at = value[key], (*at, key)
    if isinstance(value.get("config"), dict) and "class_name" in value:
        return str(value["class_name"]).rpartition(">")[2], value["config"], (*at, "config")
    return str(value.get("name", value.get("class_name", ""))), value, at


def _value(document: Document, key: Key, plain: Any) -> Value:
    return Value(_short(plain), *document.places.get(key, (0, 0)))


def _short(plain: Any) -> Any:
    """Return a number of 32 bits as it was written: 0.001, where Keras says 0.0010000000474974513."""
    if isinstance(plain, float):
        written = float(f"{plain:.7g}")
        if abs(plain) < 3e38 and struct.pack("f", written) == struct.pack("f", plain):
            return written
    if isinstance(plain, list):
        return [_short(part) for part in plain]
    return plain


def _schedule(found: Recipe, document: Document, at: Key, value: Any) -> Given | None:
    if not isinstance(value, dict):
        return None
    line, column = document.places.get(at, (1, 1))
    name = f"keras.{str(value.get('class_name', '')).rpartition('>')[2]}"
    config = value.get("config")
    if name not in entries("schedulers") or not isinstance(config, dict):
        short = name.removeprefix("keras.")
        known = [one.removeprefix("keras.") for one in entries("schedulers") if one.startswith("keras.")]
        place = Value(None, line, column)
        found.miss(place, f"the schedule {short or shown(value)} is not translated{did_you_mean(short, known)}")
        return None
    arguments = {
        key: _value(document, (*at, "config", key), part)
        for key, part in config.items()
        if key != "name" and part is not None
    }
    return Given(name, arguments, line, column)


def _first(schedule: Given | None) -> Any:
    """Return a rate to stand for the optimizer's own, which a schedule takes the place of."""
    given = {} if schedule is None else schedule.arguments
    rate = given.get("initial_learning_rate", Value(None)).plain
    return rate if isinstance(rate, int | float) and rate > 0 else 0.001


def _clip(arguments: Mapping[str, Value]) -> Given | None:
    for key, name, bound in (
        ("global_clipnorm", "clip_by_global_norm", "max_norm"),
        ("clipvalue", "clip_by_value", "clip_value"),
    ):
        if key in arguments:
            value = arguments[key]
            return Given(f"keras.{name}", {bound: value}, value.line, value.column)
    return None


def _settings(found: Recipe, arguments: Mapping[str, Value]) -> None:
    every = arguments.get("gradient_accumulation_steps", Value(None)).plain
    if isinstance(every, int) and every > 1:
        found.settings["accumulation"] = every
    momentum = arguments.get("ema_momentum", Value(0.99)).plain
    if arguments.get("use_ema", Value(False)).plain and isinstance(momentum, float) and 0 < momentum <= 1:
        begins = "Keras' average begins with the parameters after the first update and has ema_momentum from then on"
        found.average("use_ema", begins, momentum, _SOURCE)
