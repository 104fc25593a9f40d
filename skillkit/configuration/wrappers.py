"""Wrappers: what stands around a network's optimizer, that is clipping, accumulation, privacy and master copies."""

from collections.abc import Mapping
from typing import Any

from skillkit.configuration.expressions import Call, Name, Setting


def clipping(clip: Mapping[str, Any] | None) -> list[Call]:
    """Return what clips a network's gradients before its optimizer sees them, if anything does."""
    if not clip or clip["kind"] == "update_rms":
        return []
    function, keyword = {
        "global_norm": ("optax.clip_by_global_norm", "max_norm"),
        "elementwise": ("optax.clip", "max_delta"),
        "adaptive": ("optax.adaptive_grad_clip", "clipping"),
        "per_example": ("clip_per_example", "max_norm"),
    }[clip["kind"]]
    return [Call(function, {keyword: Setting(clip["max_norm"], "clip")})]


def wrapped(whole: Call, configuration: Mapping[str, Any], clip: list[Call], groups: list[Mapping[str, Any]]) -> Call:
    """Return a network's transformation with what stands around it.

    Args:
        whole: The transformation.
        configuration: Says which accumulation, privacy and precision there is.
        clip: As `clipping` returns it.
        groups: Those that the transformation is of.
    """
    every, privacy = configuration.get("accumulation") or 1, configuration.get("privacy")
    per_example = [part for part in clip if part.function == "clip_per_example"]
    before = [_private(privacy, every)] if privacy else per_example
    inner = [*(part for part in clip if part not in per_example), whole]
    if every > 1:
        inner = [_accumulated(chained(inner), every, groups)]
    elif configuration.get("precision") == "float16":
        inner = [Call("skip_bad_gradients", {"transformation": chained(inner)})]  # until the loss scale has halved
    done = chained([*before, *inner])
    if configuration.get("precision") == "bfloat16-params":
        return Call("keep_master_copy", {"transformation": done})
    return done


def chained(parts: list[Call]) -> Call:
    """Return transformations one after the other as one."""
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
