"""Schedulers: the curves of all frameworks' schedulers by their names."""

from skillkit.translation import keras_schedules, nanogpt, torch_schedules, transformers_schedules
from skillkit.translation.curves import Maker

SCHEDULERS: dict[str, Maker] = {
    **torch_schedules.SCHEDULERS,
    **transformers_schedules.SCHEDULERS,
    **keras_schedules.SCHEDULERS,
    **nanogpt.SCHEDULERS,
}
