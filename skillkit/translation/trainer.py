"""Trainer: Hugging Face's TrainingArguments, in YAML or JSON, or as a call in a script."""

import ast
import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from skillkit.errors import did_you_mean
from skillkit.reading import Document, shown
from skillkit.scalars import is_finite
from skillkit.translation.literals import NotLiteral
from skillkit.translation.script import Script
from skillkit.translation.tables import read_table
from skillkit.translation.values import Given, Part, Recipe, Value, document_values

KIND = "Hugging Face TrainingArguments"


def table() -> dict[str, Any]:
    """Return what TrainingArguments sets of an optimizer: `settings`, `optimizers`, `schedulers`, `others`."""
    return read_table("trainer")


def is_call(script: Script, call: ast.Call) -> bool:
    """Return whether a call makes TrainingArguments, or those of a trainer made of Trainer."""
    return script.name(call.func).rpartition(".")[2].endswith(("TrainingArguments", "SFTConfig"))


def recipe_of_call(
    script: Script, call: ast.Call, updates: int | None = None, updates_per_epoch: int | None = None
) -> Recipe:
    """Return what a call of TrainingArguments says of training."""
    found = Recipe(script.path, KIND)
    given: dict[str, Value] = {}
    for keyword in call.keywords:
        place = Value(None, *script.place(keyword.value))
        if keyword.arg is None:
            found.miss(place, f"the arguments in {ast.unparse(keyword.value)[:60]} are not read: write them out")
            continue
        try:
            given[keyword.arg] = script.value(keyword.value)
        except NotLiteral:
            if keyword.arg not in table()["others"]:
                found.miss(place, f"{keyword.arg} is not read: {ast.unparse(keyword.value)[:60]} is no literal")
    found.assumed += script.assumed
    return _filled(found, given, Value(None, *script.place(call)), updates, updates_per_epoch)


def recipe_of_document(document: Document, updates: int | None = None, updates_per_epoch: int | None = None) -> Recipe:
    """Return what a YAML or JSON file of TrainingArguments says of training."""
    given = document_values(document)
    return _filled(Recipe(document.path, KIND), given, Value(None, 1, 1), updates, updates_per_epoch)


def _filled(
    found: Recipe, given: Mapping[str, Value], place: Value, updates: int | None, updates_per_epoch: int | None
) -> Recipe:
    settings = {**table()["settings"], **table()["earlier"]}
    values = {name: Value(default) for name, default in settings.items()}
    for name, value in given.items():
        if value.plain is None and name in settings:
            values[name] = replace(value, plain=_NULL.get(name, settings[name]))
        elif name in settings and _fits(value.plain, settings[name]):
            values[name] = value
        elif name in settings:
            found.miss(
                value, f"{name} cannot be {shown(value.plain)}; its default {settings[name]} stands in its place"
            )
        elif name not in table()["others"]:
            near = did_you_mean(name, [*settings, *table()["others"]])
            found.miss(value, f"{name} is not translated: it is not known{near}")
    total = updates or _total(found, values, updates_per_epoch)
    found.updates = total
    found.parts.append(_part(found, values, total, place))
    _others(found, values)
    return found


_NULL = {"max_grad_norm": 0.0}  # which clips nothing; any other stands for its default


def _fits(value: Any, default: Any) -> bool:
    if default is None:
        return value is None or isinstance(value, dict)
    if isinstance(default, bool | str):
        return isinstance(value, type(default))
    return is_finite(value)


def _total(found: Recipe, values: Mapping[str, Value], updates_per_epoch: int | None) -> int:
    steps, epochs = values["max_steps"].plain, values["num_train_epochs"]
    if steps > 0:
        return int(steps)
    if updates_per_epoch:
        return int(max(1, math.ceil(epochs.plain * updates_per_epoch)))
    found.assumed.append(
        f"the run's {epochs.plain:g} epochs are 10,000 updates (--updates or --updates-per-epoch says otherwise)"
    )
    return 10_000


def _part(found: Recipe, values: Mapping[str, Value], total: int, place: Value) -> Part:
    optim = values["optim"]
    name = "adafactor" if values["adafactor"].plain else optim.plain
    entry = table()["optimizers"].get(name)
    if entry is None:
        near = did_you_mean(name, table()["optimizers"])
        found.miss(optim, f"optim {name} is not translated: it is not known{near}; adamw_torch stands in its place")
        entry = table()["optimizers"]["adamw_torch"]
    if "differs" in entry:
        found.differs.append((f"optim {name}: {entry['differs']}", table()["documentation"]))
    values = {name: replace(value, called=name) for name, value in values.items()}
    arguments = {"lr": values["learning_rate"], "weight_decay": values["weight_decay"]}
    if entry["is"].endswith("AdamW"):
        arguments["betas"] = _betas(values)
        arguments["eps"] = values["adam_epsilon"]
    elif entry["is"].endswith("Lion32bit"):
        arguments["betas"] = replace(
            values["adam_beta1"], plain=[values["adam_beta1"].plain, values["adam_beta2"].plain]
        )
    elif entry["is"].endswith("Adafactor"):
        arguments |= {"scale_parameter": Value(False), "relative_step": Value(False)}
    arguments |= _more(found, values["optim_args"], entry)
    optimizer = Given(entry["is"], arguments, optim.line or place.line, optim.column or place.column)
    clip = values["max_grad_norm"]
    clipped = Given("torch.nn.utils.clip_grad_norm_", {"max_norm": clip}, clip.line, clip.column)
    scheduler = _scheduler(found, values, total, place)
    return Part(optimizer, scheduler, clip=clipped if clip.plain > 0 else None, mask="matrices")


def _betas(values: Mapping[str, Value]) -> Value:
    betas = [values["adam_beta1"], values["adam_beta2"]]
    where = next((beta for beta in betas if beta.line), betas[0])
    return replace(where, plain=[beta.plain for beta in betas], called="adam_beta1, adam_beta2")


def _more(found: Recipe, given: Value, entry: Mapping[str, Any]) -> dict[str, Value]:
    """Return what `optim_args` gives an optimizer: `momentum=0.9, nesterov=true`."""
    pairs = [part.partition("=") for part in str(given.plain or "").replace(" ", "").split(",") if part]
    arguments = {}
    for name, _, text in pairs:
        if name not in entry.get("more", ()):
            found.miss(given, f"optim_args {name} is not translated: it is not known of {entry['is']}")
            continue
        if name in ("nesterov", "centered"):
            arguments[name] = replace(given, plain=text.lower() in ("true", "1", "yes"))
            continue
        try:
            arguments[name] = replace(given, plain=float(text))
        except ValueError:
            found.miss(given, f"optim_args {name} cannot be {text[:40]}")
    return arguments


def _scheduler(found: Recipe, values: Mapping[str, Value], total: int, place: Value) -> Given | None:
    kind = values["lr_scheduler_type"]
    name = table()["schedulers"].get(kind.plain)
    if name is None:
        near = did_you_mean(kind.plain, table()["schedulers"])
        found.miss(kind, f"lr_scheduler_type {kind.plain} is not translated: it is not known{near}")
        return None
    steps, share = values["warmup_steps"].plain, values["warmup_ratio"].plain
    share = share if not steps else steps if steps < 1 else 0
    warmup = int(steps) if steps >= 1 else math.ceil(total * share)
    arguments = {"num_warmup_steps": Value(warmup), "num_training_steps": Value(total)}
    kept = {"get_constant_schedule": 0, "get_constant_schedule_with_warmup": 1, "get_inverse_sqrt_schedule": 1}
    known = dict(list(arguments.items())[: kept.get(name, 2)])
    more = values["lr_scheduler_kwargs"]
    extra = {key: Value(part, more.line, more.column) for key, part in (more.plain or {}).items()}
    line, column = (kind.line, kind.column) if kind.line else (place.line, place.column)
    return Given(f"transformers.{name}", known | extra, line, column)


def _others(found: Recipe, values: Mapping[str, Value]) -> None:
    every = values["gradient_accumulation_steps"].plain
    if every > 1:
        found.settings["accumulation"] = int(every)
        text = (
            "a micro-batch counts by its tokens where the model tells their number; optax.MultiSteps counts all alike"
        )
        found.differs.append((text, table()["documentation"]))
    if values["fp16"].plain or values["bf16"].plain:
        found.settings["precision"] = "float16" if values["fp16"].plain else "bfloat16-compute"
    found.assumed.append("biases and norms, which are not decayed, are told by their names and shapes")
