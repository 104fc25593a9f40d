"""Kinds: which of the configurations that are read a file is, told by what stands in it."""

import re
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from skillkit.errors import bad_input
from skillkit.reading import Document, parse, shown
from skillkit.translation import keras, nanogpt, pytorch, timm, trainer
from skillkit.translation.script import Script
from skillkit.translation.values import Recipe

KINDS = ("pytorch", "transformers", "nanogpt", "keras", "timm")


def read_recipe(
    text: str,
    path: str,
    kind: str | None = None,
    updates: int | None = None,
    updates_per_epoch: int | None = None,
) -> Recipe:
    """Return what a file says of training.

    Args:
        text: The file's text.
        path: Its name, for messages.
        kind: One of `KINDS`, or None to tell it by the text.
        updates: How many updates the run takes, where the file's own number is not meant.
        updates_per_epoch: How many updates an epoch takes, where the file counts epochs.

    Raises:
        BadInput: The file cannot be read as one of its kind.
    """
    if _is_data(text, path):
        return _of_document(parse(text, path), kind, updates, updates_per_epoch)
    if kind in ("keras", "timm"):
        raise bad_input(path, f"is Python, and what is read for {kind} is {'JSON' if kind == 'keras' else 'YAML'}")
    script = Script(text, path)
    call = next((call for call in script.calls() if trainer.is_call(script, call)), None)
    if kind == "transformers" or (kind is None and call is not None):
        if call is None:
            raise bad_input(path, "there is no call of TrainingArguments")
        return trainer.recipe_of_call(script, call, updates, updates_per_epoch)
    if kind == "nanogpt" or (kind is None and nanogpt.is_configuration(script)):
        return nanogpt.recipe(script, updates)
    return pytorch.recipe(script, updates_per_epoch)


def _is_data(text: str, path: str) -> bool:
    """Return whether a file is YAML or JSON: by its name, or by how it begins where it has none."""
    suffix = PurePath(path).suffix
    if suffix in (".json", ".yaml", ".yml", ".py"):
        return suffix != ".py"
    return bool(re.match(r"\s*(\{|---|[A-Za-z_]+: )", text))


def _of_document(document: Document, kind: str | None, updates: int | None, updates_per_epoch: int | None) -> Recipe:
    value = document.value
    if not isinstance(value, dict):
        raise bad_input(document.path, f"must be a mapping of settings, not {shown(value)}", 1, 1)
    if kind in ("pytorch", "nanogpt"):
        raise bad_input(document.path, f"is data, and what is read for {kind} is Python")
    if kind == "keras" or (kind is None and keras.is_optimizer(value)):
        return keras.recipe(document)
    if kind == "timm" or (kind is None and timm.is_arguments(value)):
        return timm.recipe(document, updates, updates_per_epoch)
    if kind is None and not _is_trainer(value):
        message = "is none of the configurations that are read: --from says which it is"
        raise bad_input(document.path, message)
    return trainer.recipe_of_document(document, updates, updates_per_epoch)


def _is_trainer(value: Mapping[str, Any]) -> bool:
    names = {*trainer.table()["settings"], *trainer.table()["earlier"]} & value.keys()
    return len(names) >= 2 or "output_dir" in value
