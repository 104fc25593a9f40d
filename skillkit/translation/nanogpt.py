"""nanoGPT: the assignments of its configuration files, in place of train.py's own."""

import ast
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from skillkit.errors import did_you_mean
from skillkit.reading import shown
from skillkit.translation.literals import NotLiteral
from skillkit.translation.script import Script
from skillkit.translation.tables import read_table
from skillkit.translation.values import Given, Part, Recipe, Value

KIND = "nanoGPT configuration"


def table() -> dict[str, Any]:
    """Return train.py's defaults: `settings` of the optimizer and the run, and `others`."""
    return read_table("nanogpt")


def assignments(script: Script) -> dict[str, ast.expr]:
    """Return what a script's top level assigns to names, the last where there are several."""
    return {
        target.id: node.value
        for node in script.tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def is_configuration(script: Script) -> bool:
    """Return whether a script is one of nanoGPT's configuration files: assignments alone, of its names."""
    plain = all(isinstance(node, ast.Assign | ast.Expr | ast.Import | ast.ImportFrom) for node in script.tree.body)
    names = assignments(script).keys()
    ours = names & table()["settings"].keys()
    return plain and bool(ours) and len(names & {*table()["settings"], *table()["others"]}) * 2 >= len(names)


def recipe(script: Script, updates: int | None = None) -> Recipe:
    """Return what a nanoGPT configuration says of training."""
    found = Recipe(script.path, KIND)
    settings = table()["settings"]
    values = {name: Value(default) for name, default in settings.items()}
    for name, node in assignments(script).items():
        place = Value(None, *script.place(node))
        if name not in settings:
            if name not in table()["others"]:
                near = did_you_mean(name, [*settings, *table()["others"]])
                found.miss(place, f"{name} is not translated: train.py has no such setting{near}")
            continue
        try:
            value = script.value(node)
        except NotLiteral:
            found.miss(place, f"{name} is not read: {ast.unparse(node)[:60]} is no literal; train.py's default stands")
            continue
        if _fits(value.plain, settings[name]):
            values[name] = value
        else:
            found.miss(place, f"{name} cannot be {shown(value.plain)}; train.py's default stands in its place")
    return _filled(found, values, updates)


def _fits(value: Any, default: Any) -> bool:
    if isinstance(default, bool | str):
        return isinstance(value, type(default))
    whole = isinstance(value, int) and not isinstance(value, bool)
    return whole if isinstance(default, int) else (whole or isinstance(value, float)) and abs(value) < float("inf")


def _filled(found: Recipe, values: dict[str, Value], updates: int | None) -> Recipe:
    values = {name: replace(value, called=name) for name, value in values.items()}
    plain = {name: value.plain for name, value in values.items()}
    found.updates = updates or max(plain["max_iters"], 0) + 1  # its loop ends above max_iters
    betas = [values["beta1"], values["beta2"]]
    where = next((beta for beta in betas if beta.line), betas[0])
    given = {
        "lr": values["learning_rate"],
        "betas": replace(where, plain=[beta.plain for beta in betas], called="beta1, beta2"),
        "weight_decay": values["weight_decay"],
    }
    rate = values["learning_rate"]
    optimizer = Given("torch.optim.AdamW", given, rate.line, rate.column)
    wanted = ("warmup_iters", "lr_decay_iters", "min_lr")
    scheduler = Given("nanogpt.get_lr", {name: values[name] for name in wanted}, rate.line, rate.column)
    norm = values["grad_clip"]
    clip = Given("torch.nn.utils.clip_grad_norm_", {"max_norm": norm}, norm.line, norm.column)
    decays = scheduler if plain["decay_lr"] else None
    if decays:
        found.assumed.append("train.py is of December 2024 or later; before, the first update's rate was 0")
    found.parts.append(Part(optimizer, decays, clip=clip if norm.plain else None, mask="matrices"))
    every = max(plain["gradient_accumulation_steps"], 1)
    if every > 1:
        found.assumed.append(f"one device takes all {every} micro-batches; train.py divides them among its GPUs")
    found.settings = {"accumulation": every, "precision": _PRECISION.get(plain["dtype"], "float32")}
    found.answers = {"family": "decoder-lm", **found.settings, **_answers(plain, every)}
    return found


def _answers(plain: Mapping[str, Any], every: int) -> dict[str, Any]:
    told: dict[str, Any] = {}
    tokens = plain["batch_size"] * plain["block_size"] * every
    if tokens > 0:
        told |= {"batch_size": tokens, "batch_unit": "tokens"}
    if plain["init_from"].startswith("gpt2"):
        told["stage"] = "finetune"
    elif plain["n_layer"] > 0 and plain["n_embd"] > 0:
        # 12 width^2 in each block, and the table of GPT-2's tokens, filled up to a multiple of 64
        told["parameters"] = 12 * plain["n_layer"] * plain["n_embd"] ** 2 + 50304 * plain["n_embd"]
    return told


_PRECISION = {"bfloat16": "bfloat16-compute", "float16": "float16"}
