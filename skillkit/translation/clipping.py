"""Clipping: what another framework's clipping of gradients is in a configuration, and how far that is the same."""

from dataclasses import dataclass
from typing import Any

from skillkit.translation.values import Given, Remark


@dataclass(frozen=True)
class Clip:
    """A kind of clipping.

    Args:
        kind: As a configuration calls it.
        source: Its documentation.
        equal: What is the same.
        differs: What is not.
    """

    kind: str
    source: str
    equal: tuple[Remark, ...] = ()
    differs: tuple[Remark, ...] = ()


def bound_of(given: Given) -> Any:
    """Return the bound that a call clips to."""
    arguments = given.arguments
    return next((arguments[name].plain for name in ("max_norm", "clip_value") if name in arguments), None)


def clipping(given: Given) -> Clip | None:
    """Return what a call clips, or None where its bound is no positive number."""
    bound = bound_of(given)
    if not isinstance(bound, int | float) or isinstance(bound, bool) or not 0 < bound < float("inf"):
        return None
    framework, _, short = given.name.rpartition(".")
    source = _SOURCES.get(framework, _PYTORCH.format(name=given.name))
    if "clip_value" in given.arguments:
        text = "each element is clipped to the same bound"
        return Clip("elementwise", source, (Remark(short, text, source),))
    if framework == "keras":
        text = "the norm of all gradients together is clipped to the same bound"
        return Clip("global_norm", source, (Remark(short, text, source),))
    if framework == "timm":
        text = "timm leaves the last layer out, and a linear layer's outputs are its first axis, as PyTorch has them"
        return Clip("adaptive", source, differs=(Remark(short, text, source),))
    text = "PyTorch divides by the norm plus 1e-6: a clipped gradient is longer here, by 1e-6 over its norm"
    return Clip("global_norm", source, differs=(*_order(given, short, source), Remark(short, text, source)))


_PYTORCH = "https://docs.pytorch.org/docs/stable/generated/{name}.html"
_SOURCES = {
    "keras": "https://keras.io/api/optimizers/",
    "timm": "https://github.com/huggingface/pytorch-image-models/blob/main/timm/utils/agc.py",
}


def _order(given: Given, short: str, source: str) -> tuple[Remark, ...]:
    order = given.arguments["norm_type"].plain if "norm_type" in given.arguments else 2
    text = f"the norm is of the order {order}, Optax's is the Euclidean one"
    return () if order == 2 else (Remark(short, text, source),)
