"""Transformations: a configuration's networks as Optax calls, the one source of scripts, building and memory."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from skillkit.configuration import schedules
from skillkit.configuration.expressions import Call, Name, Setting
from skillkit.configuration.groups import SELECTORS, has_rate, rate_name, split_groups
from skillkit.configuration.optimizers import OPTIMIZERS
from skillkit.configuration.wrappers import chained, clipping, wrapped

MASKS = {"matrices": "decay_matrices", "not_norm_bias_embedding": "decay_matrices_not_embeddings"}
_DTYPES = {"bfloat16", "float32", "float16"}


@dataclass(frozen=True)
class Transformation:
    """What one network's optimizer is, in Optax's terms.

    Args:
        network: The network's name.
        schedules: The learning rates by the name that the optimizer calls them.
        optimizer: The transformation.
    """

    network: str
    schedules: dict[str, Call]
    optimizer: Call


def transformation(configuration: Mapping[str, Any], network: Mapping[str, Any]) -> Transformation:
    """Return the transformation of one of a configuration's networks."""
    groups = split_groups(network["groups"])
    rates = {rate_name(group, groups): schedules.call(group["schedule"]) for group in groups if has_rate(group)}
    each = {group["parameters"]: _group(group, groups, network) for group in groups}
    clip = clipping(network.get("clip"))
    if "frozen" not in each:
        return Transformation(network["name"], rates, wrapped(_parted(each), configuration, clip, groups))
    if len(each) == 2 or not sees_examples(configuration, network):
        # accumulator, master copy and guard are for what is trained alone
        parts = {
            group["parameters"]: _frozen(each["frozen"], configuration, network)
            if group["parameters"] == "frozen"
            else wrapped(each[group["parameters"]], configuration, clip, [group])
            for group in groups
        }
        return Transformation(network["name"], rates, _parted(parts))
    clipped = {name: part if name == "frozen" else chained([*clip, part]) for name, part in each.items()}
    return Transformation(network["name"], rates, wrapped(_parted(clipped), configuration, [], groups))


def _parted(each: Mapping[str, Call]) -> Call:
    if len(each) == 1:
        return next(iter(each.values()))
    labels = Call("label_by", {selector: Name(SELECTORS[selector]) for selector in each})
    return Call("optax.partition", {"transforms": dict(each), "param_labels": labels})


def _frozen(own: Call, configuration: Mapping[str, Any], network: Mapping[str, Any]) -> Call:
    # where gradients have an axis of examples, zeros like them have the wrong shape
    return Call("freeze") if sees_examples(configuration, network) else own


def sees_examples(configuration: Mapping[str, Any], network: Mapping[str, Any]) -> bool:
    """Return whether a network's gradients come with an axis of examples."""
    return bool(configuration.get("privacy")) or (network.get("clip") or {}).get("kind") == "per_example"


def trains_adapters_alone(configuration: Mapping[str, Any]) -> bool:
    """Return whether all but the adapters of the one network is frozen."""
    networks = configuration["networks"]
    return len(networks) == 1 and {group["parameters"] for group in networks[0]["groups"]} == {"adapters", "frozen"}


def transformations(configuration: Mapping[str, Any]) -> list[Transformation]:
    """Return the transformation of every network."""
    return [transformation(configuration, network) for network in configuration["networks"]]


def _group(group: Mapping[str, Any], groups: list[Mapping[str, Any]], network: Mapping[str, Any]) -> Call:
    name = group["optimizer"]["name"]
    keywords = _keywords(group, groups, network.get("clip"))
    if name == "contrib.schedule_free_adamw":
        own = _schedule_free(group, keywords)
    elif name == "contrib.prodigy":
        prodigy = Call("optax.contrib.prodigy", keywords | _decay_keywords(group))
        own = [Call("skip_bad_gradients", {"transformation": prodigy})]
    else:
        own = [*_decay_before(group), Call(f"optax.{name}", keywords | _decay_keywords(group))]
    return own[0] if len(own) == 1 else Call("optax.chain", positional=tuple(own))


def _keywords(
    group: Mapping[str, Any], groups: list[Mapping[str, Any]], clip: Mapping[str, Any] | None
) -> dict[str, Any]:
    given = {key: value for key, value in group["optimizer"].items() if key != "name"}
    name = group["optimizer"]["name"]
    rate: dict[str, Any] = {"learning_rate": Name(rate_name(group, groups))} if has_rate(group) else {}
    keywords = rate | {key: Setting(_plain(value), key) for key, value in given.items()}
    if name == "adafactor" and clip and clip["kind"] == "update_rms":
        keywords["clipping_threshold"] = Setting(clip["max_norm"], "clip")
    if name == "contrib.muon":
        keywords["muon_weight_dimension_numbers"] = Name("muon_dimensions")
    if name == "lars":
        keywords["trust_ratio_mask"] = Name("decay_matrices")
    return keywords


def _plain(value: Any) -> Any:
    if isinstance(value, str) and value in _DTYPES:
        return Name(f"jnp.{value}")
    return tuple(value) if isinstance(value, list) else value


def _decay_keywords(group: Mapping[str, Any]) -> dict[str, Any]:
    optimizer, decay = OPTIMIZERS[group["optimizer"]["name"]], group.get("weight_decay")
    if optimizer.decay_keyword is None:
        return {}
    if not decay or not decay["value"]:
        # said even where it is 0: some of Optax's defaults decay, and silently
        return {} if optimizer.decay_keyword == "weight_decay_rate" else {optimizer.decay_keyword: 0.0}
    mask = MASKS.get(decay["mask"])
    keywords: dict[str, Any] = {optimizer.decay_keyword: Setting(decay["value"], "weight_decay")}
    if optimizer.mask_keyword and mask:
        keywords[optimizer.mask_keyword] = Setting(Name(mask), "weight_decay_mask")
    return keywords


def _decay_before(group: Mapping[str, Any]) -> list[Call]:
    decay = group.get("weight_decay")
    if not decay or not decay["value"] or OPTIMIZERS[group["optimizer"]["name"]].decay_keyword:
        return []
    return [_added_decay(decay)]


def _added_decay(decay: Mapping[str, Any]) -> Call:
    mask = MASKS.get(decay["mask"])
    keywords: dict[str, Any] = {"weight_decay": Setting(decay["value"], "weight_decay")}
    return Call(
        "optax.add_decayed_weights",
        keywords | ({"mask": Setting(Name(mask), "weight_decay_mask")} if mask else {}),
    )


def _schedule_free(group: Mapping[str, Any], keywords: dict[str, Any]) -> list[Call]:
    """Spell out `optax.contrib.schedule_free_adamw`, whose weight decay has no mask."""
    second = {"decay": keywords.get("b2", 0.999), "eps": keywords.get("eps", 1e-8)}
    decay = group.get("weight_decay")
    base = Call(
        "optax.chain",
        positional=(
            Call("optax.scale_by_rms", second | {"eps_in_sqrt": False, "bias_correction": True}),
            *([_added_decay(decay)] if decay and decay["value"] else []),
            Call("optax.scale_by_learning_rate", {"learning_rate": keywords["learning_rate"]}),
        ),
    )
    outer = {key: value for key, value in keywords.items() if key not in ("b2", "eps")}
    return [Call("optax.contrib.schedule_free", {"base_optimizer": base} | outer)]
