"""Plans: a configuration's networks as Optax calls, the one source of scripts, building and memory."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from skillkit.configuration import schedules
from skillkit.configuration.expressions import Call, Name, Setting
from skillkit.configuration.optimizers import OPTIMIZERS, WITHOUT_RATE

SELECTORS = {
    "matrices": "is_hidden_matrix",
    "embeddings": "is_embedding",
    "adapters": "is_adapter",
    "all": "is_any",
    "rest": "is_any",
    "dense": "is_any",
    "frozen": "is_any",
}
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
    rates = {rate_name(group, groups): schedules.call(group["schedule"]) for group in groups if _has_rate(group)}
    each = {group["parameters"]: _group(group, groups, network) for group in groups}
    clip = _clip(network.get("clip"))
    if "frozen" not in each:
        return Transformation(network["name"], rates, _wrapped(_parted(each), configuration, clip, groups))
    if len(each) == 2 or not sees_examples(configuration, network):
        # accumulator, master copy and guard are for what is trained alone
        parts = {
            group["parameters"]: _frozen(each["frozen"], configuration, network)
            if group["parameters"] == "frozen"
            else _wrapped(each[group["parameters"]], configuration, clip, [group])
            for group in groups
        }
        return Transformation(network["name"], rates, _parted(parts))
    clipped = {name: part if name == "frozen" else _chain([*clip, part]) for name, part in each.items()}
    return Transformation(network["name"], rates, _wrapped(_parted(clipped), configuration, [], groups))


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


def split_groups(groups: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the groups in the order in which they take parameters, with Muon kept to hidden matrices.

    Muon on a group of `all` parameters would orthogonalise embeddings and the last layer, and would decay
    norms by `adam_weight_decay` without a mask: such a group becomes Muon's and AdamW's.
    """
    found: list[Mapping[str, Any]] = []
    for group in groups:
        whole = group["optimizer"]["name"] == "contrib.muon" and group["parameters"] == "all"
        found += _muon_and_rest(group) if whole else [group]
    return sorted(found, key=lambda group: list(SELECTORS).index(group["parameters"]))


def rate_name(group: Mapping[str, Any], groups: list[Mapping[str, Any]]) -> str:
    """Return what the transformation calls a group's learning rate."""
    same = all(other["schedule"] == group["schedule"] for other in groups if _has_rate(other))
    return "learning_rate" if same else f"{group['parameters']}_learning_rate"


def _muon_and_rest(group: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    given = group["optimizer"]
    muon = {key: value for key, value in given.items() if not key.startswith("adam_")}
    adamw = {"name": "adamw"} | {
        key.removeprefix("adam_"): given[key] for key in ("adam_b1", "adam_b2", "adam_eps_root", "eps") if key in given
    }
    schedule = dict(group["schedule"])
    if given.get("adam_learning_rate"):
        factor = given["adam_learning_rate"] / schedule["peak_value"]
        rates = ("init_value", "peak_value", "end_value")
        schedule |= {key: schedule[key] * factor for key in rates if schedule.get(key)}
    return [
        {**group, "name": "hidden", "parameters": "matrices", "optimizer": muon},
        {**group, "name": "rest", "parameters": "rest", "optimizer": adamw, "schedule": schedule},
    ]


def _has_rate(group: Mapping[str, Any]) -> bool:
    return group["optimizer"]["name"] not in WITHOUT_RATE and group["schedule"]["name"] != "none"


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
    rate: dict[str, Any] = {"learning_rate": Name(rate_name(group, groups))} if _has_rate(group) else {}
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


def _clip(clip: Mapping[str, Any] | None) -> list[Call]:
    if not clip or clip["kind"] == "update_rms":
        return []
    function, keyword = {
        "global_norm": ("optax.clip_by_global_norm", "max_norm"),
        "elementwise": ("optax.clip", "max_delta"),
        "adaptive": ("optax.adaptive_grad_clip", "clipping"),
        "per_example": ("clip_per_example", "max_norm"),
    }[clip["kind"]]
    return [Call(function, {keyword: Setting(clip["max_norm"], "clip")})]


def _wrapped(whole: Call, configuration: Mapping[str, Any], clip: list[Call], groups: list[Mapping[str, Any]]) -> Call:
    every, privacy = configuration.get("accumulation") or 1, configuration.get("privacy")
    per_example = [part for part in clip if part.function == "clip_per_example"]
    before = [_private(privacy, every)] if privacy else per_example
    inner = [*(part for part in clip if part not in per_example), whole]
    if every > 1:
        inner = [_accumulated(_chain(inner), every, groups)]
    elif configuration.get("precision") == "float16":
        inner = [Call("skip_bad_gradients", {"transformation": _chain(inner)})]  # until the loss scale has halved
    done = _chain([*before, *inner])
    if configuration.get("precision") == "bfloat16-params":
        return Call("keep_master_copy", {"transformation": done})
    return done


def _chain(parts: list[Call]) -> Call:
    flat: list[Call] = []
    for part in parts:
        flat += part.positional if part.function == "optax.chain" else [part]
    return flat[0] if len(flat) == 1 else Call("optax.chain", positional=tuple(flat))


def _accumulated(inner: Call, every: int, groups: list[Mapping[str, Any]]) -> Call:
    if any(group["optimizer"]["name"] == "contrib.muon" for group in groups):
        return Call("accumulate", {"transformation": inner, "every": Setting(every, "accumulation")})
    return Call(
        "optax.MultiSteps",
        {
            "opt": inner,
            "every_k_schedule": Setting(every, "accumulation"),
            "should_skip_update_fn": Name("optax.skip_not_finite"),
        },
        method="gradient_transformation",
    )


def _private(privacy: Mapping[str, Any], every: int) -> Call:
    # each of k micro-batches carries 1/sqrt(k) of the noise, so that their mean carries all of it
    multiplier = privacy["noise_multiplier"] / every**0.5
    return Call(
        "optax.contrib.differentially_private_aggregate",
        {
            "l2_norm_clip": Setting(privacy["l2_norm_clip"], "privacy"),
            "noise_multiplier": Setting(multiplier, "noise_multiplier"),
            "key": Call("secret_key"),
        },
    )
