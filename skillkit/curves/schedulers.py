"""Schedulers: the curves of all frameworks' schedulers by their names."""

from skillkit.curves import keras, nanogpt, pytorch, timm, transformers
from skillkit.curves.curve import Maker

SCHEDULERS: dict[str, Maker] = {
    **pytorch.SCHEDULERS,
    **transformers.SCHEDULERS,
    **keras.SCHEDULERS,
    **nanogpt.SCHEDULERS,
    **timm.SCHEDULERS,
}
