"""timm: the arguments of its train.py, as the args.yaml of a run or a file for `--config` has them."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from skillkit.errors import did_you_mean
from skillkit.reading import Document, shown
from skillkit.scalars import is_finite
from skillkit.translation.stepped import scheduler
from skillkit.translation.tables import Entry, entries, read_table
from skillkit.translation.values import Given, Part, Recipe, Value, document_values

KIND = "timm arguments"


def table() -> dict[str, Any]:
    """Return what train.py sets of an optimizer: `settings`, `opts` and `others`."""
    return read_table("timm")


def is_arguments(value: Mapping[str, Any]) -> bool:
    """Return whether a mapping is arguments of timm's train.py."""
    return "opt" in value and len(value.keys() & table()["settings"].keys()) >= 2


def recipe(document: Document, updates: int | None = None, updates_per_epoch: int | None = None) -> Recipe:
    """Return what the arguments of a timm run say of training.

    Args:
        document: The arguments.
        updates: How many updates the run takes.
        updates_per_epoch: How many of these an epoch takes, in which timm counts.
    """
    found = Recipe(document.path, KIND)
    given = document_values(document)
    values = _values(found, given)
    rate = _rate(found, values)
    made, of, epochs = scheduler(found, values, updates, updates_per_epoch)
    found.updates = updates or max(1, round(epochs * (updates_per_epoch or 1)))
    optimizer = _optimizer(found, values, rate)
    found.parts.append(Part(optimizer, made, of, clip=_clip(values), mask="matrices"))
    _settings(found, values)
    if not updates and not updates_per_epoch:
        found.answers["epochs"] = max(1, round(epochs))
    return found


def _values(found: Recipe, given: Mapping[str, Value]) -> dict[str, Value]:
    settings = table()["settings"]
    values = {name: Value(default, called=name) for name, default in settings.items()}
    for name, value in given.items():
        if name in settings:
            if value.plain is None or (_fits(value.plain, settings[name]) and _is_possible(name, value.plain)):
                plain = settings[name] if value.plain is None else value.plain
                values[name] = replace(value, plain=plain, called=name)
            else:
                found.miss(value, f"{name} cannot be {shown(value.plain)}; {shown(settings[name])} stands in its place")
        elif name not in table()["others"]:
            near = did_you_mean(name, [*settings, *table()["others"]])
            found.miss(value, f"{name} is not translated: train.py has no such argument{near}")
    return values


def _fits(value: Any, default: Any) -> bool:
    if isinstance(default, bool | str | dict):
        return isinstance(value, type(default))
    if isinstance(value, list):
        return not isinstance(default, int | float) and all(is_finite(part) for part in value)
    return is_finite(value) and not isinstance(default, list)


def _is_possible(name: str, value: Any) -> bool:
    return not is_finite(value) or ((value > 0 if name in _COUNTS else value >= 0) and value < _LARGEST)


_COUNTS = ("lr_base_size", "batch_size", "grad_accum_steps", "epochs", "decay_epochs", "lr_cycle_mul", "lr_cycle_limit")
_LARGEST = 1e15  # beyond any number of a training run


def _rate(found: Recipe, values: Mapping[str, Value]) -> Value:
    """Return `lr`, or what train.py makes of `lr_base` and the batch."""
    if values["lr"].plain:
        return values["lr"]
    base, size, scale = (values[name] for name in ("lr_base", "lr_base_size", "lr_base_scale"))
    batch = values["batch_size"].plain * values["grad_accum_steps"].plain
    share = batch / size.plain
    adapts = any(word in values["opt"].plain.lower() for word in ("ada", "lamb"))
    root = scale.plain == "sqrt" or (not scale.plain and adapts)
    found.assumed.append(
        f"the run was on one GPU: a batch of {batch:,}, and lr = lr_base {base.plain:g} x "
        f"{'the root of ' if root else ''}{batch:,} / {size.plain:,}"
    )
    return replace(base, plain=base.plain * (share**0.5 if root else share), called="lr by lr_base")


def _optimizer(found: Recipe, values: Mapping[str, Value], rate: Value) -> Given:
    opt = values["opt"]
    ahead, _, name = opt.plain.lower().rpartition("_")
    if ahead:
        found.miss(opt, f"{ahead} is not translated: optax.lookahead wraps an optimizer, with parameters of its own")
    if name not in table()["opts"]:
        near = did_you_mean(name, table()["opts"])
        instead = "sgd" if "sgd" in name else "adamw"
        found.miss(opt, f"opt {name} is not translated: nothing equal is known{near}; {instead} stands in its place")
        name = instead
    row = table()["opts"][name]
    entry = entries("optimizers")[row["is"]]
    arguments = {key: Value(plain) for key, plain in row.get("with", {}).items()}
    arguments |= {"lr": rate, "weight_decay": values["weight_decay"], **_numbers(values, entry)}
    own = values["opt_kwargs"]
    arguments |= {key: replace(own, plain=plain, called=f"opt_kwargs {key}") for key, plain in own.plain.items()}
    return Given(entry.name, arguments, opt.line, opt.column)


def _numbers(values: Mapping[str, Value], entry: Entry) -> dict[str, Value]:
    """Return momentum, betas and eps, of which timm drops what an optimizer does not take."""
    wanted = {"momentum": "momentum", "betas": "opt_betas", "eps": "opt_eps"}
    return {
        name: values[there]
        for name, there in wanted.items()
        if name in entry.arguments and values[there].plain is not None
    }


def _clip(values: Mapping[str, Value]) -> Given | None:
    norm = values["clip_grad"]
    names = {
        "norm": ("torch.nn.utils.clip_grad_norm_", "max_norm"),
        "value": ("torch.nn.utils.clip_grad_value_", "clip_value"),
    }
    name, bound = names.get(values["clip_mode"].plain, ("timm.adaptive_clip_grad", "max_norm"))
    return None if norm.plain is None else Given(name, {bound: norm}, norm.line, norm.column)


def _settings(found: Recipe, values: Mapping[str, Value]) -> None:
    plain = {name: value.plain for name, value in values.items()}
    found.settings = {"accumulation": max(1, int(plain["grad_accum_steps"]))}
    if plain["amp"]:
        found.settings["precision"] = "bfloat16-compute" if plain["amp_dtype"] == "bfloat16" else "float16"
    decay = plain["model_ema_decay"]
    if plain["model_ema"] and 0 < decay <= 1:
        begins = "timm's average begins with the parameters after the first update and has its decay from then on"
        found.average("model_ema", begins, decay, "https://huggingface.co/docs/timm/training_script")
    for name, why in _LEFT.items():
        if plain[name]:
            found.miss(values[name], f"{name} is not translated: {why}")
    found.assumed.append(
        "what a model names in no_weight_decay, as position and class tokens, is decayed as matrices are"
    )
    families = [family for family, words in _FAMILIES.items() if any(word in plain["model"] for word in words)]
    asked = {name: part for name, part in found.settings.items() if name != "ema"}
    found.answers = {**asked, "batch_size": int(plain["batch_size"]) * found.settings["accumulation"]}
    found.answers |= {"stage": "finetune"} if plain["pretrained"] else {}
    found.answers |= {"family": families[0]} if families else {}


_LEFT = {
    "layer_decay": "each layer has a rate lower than the next by it; optax.partition by depth gives each its own",
    "lr_noise": "the rate is disturbed at random",
}
_FAMILIES = {
    "vit": ("vit", "deit", "swin", "beit", "eva", "mixer", "cait"),
    "cnn": ("resn", "efficientnet", "convnext", "mobilenet", "regnet", "densenet", "nfnet", "vgg", "inception"),
}
