"""nanoGPT: the rate of each update, as `get_lr` of its train.py gives it."""

from skillkit.curves.curve import Curve, Given, Maker, arguments, cosine, settled, warmed


def _get_lr(given: Given, rate: float) -> Curve:
    warmup, last, floor = arguments(given, "warmup_iters", "lr_decay_iters", "min_lr")
    left = max(1, last - warmup)
    return warmed(warmup, settled(cosine(rate, floor, left), left), rate / (warmup + 1))


SCHEDULERS: dict[str, Maker] = {"get_lr": _get_lr}
