"""Kinds: which of the configurations that are read a file is, told by what stands in it."""

from skillkit.translation import pytorch
from skillkit.translation.script import Script
from skillkit.translation.values import Recipe

KINDS = ("pytorch",)


def read_recipe(text: str, path: str, kind: str | None = None, updates_per_epoch: int | None = None) -> Recipe:
    """Return what a file says of training.

    Args:
        text: The file's text.
        path: Its name, for messages.
        kind: One of `KINDS`, or None to tell it by the text.
        updates_per_epoch: How many updates an epoch takes, where the file counts epochs.

    Raises:
        BadInput: The file cannot be read as one of its kind.
    """
    del kind
    return pytorch.recipe(Script(text, path), updates_per_epoch)
