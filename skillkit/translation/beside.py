"""Beside: what the recommender would set, setting by setting, in the place of what was translated."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skillkit.configuration.reasons import Reasons
from skillkit.questionnaire.questions import LENGTHS
from skillkit.reading import Document
from skillkit.recommender.recommending import recommend
from skillkit.translation.translating import Translation

_OPTIMIZER = ("name", "b1", "b2", "eps", "momentum")
_SCHEDULE = ("name", "peak_value", "warmup_steps", "total_steps", "end_value")
_NAMES = {"name": "schedule"}


@dataclass(frozen=True)
class Pair:
    """One setting, twice.

    Args:
        setting: Its name.
        here: What was translated, None where there is none.
        recommended: What the recommender would set.
        because: Why.
        source: Where that was read.
    """

    setting: str
    here: Any
    recommended: Any
    because: str
    source: str


def answers_of(translation: Translation, settings: Document) -> list[Document]:
    """Return what the recommender is told: what the file says, then what the user does."""
    told = dict(translation.recipe.answers)
    total = translation.configuration["networks"][0]["groups"][0]["schedule"].get("total_steps")
    if total and not any(name in LENGTHS for name in (*told, *settings.value)):
        told["steps"] = total
    if any(name in LENGTHS for name in settings.value):
        told = {name: answer for name, answer in told.items() if name not in LENGTHS}
    return [Document(translation.recipe.path, told, {}), settings]


def pairs(translation: Translation, settings: Document, folder: Path) -> list[Pair] | None:
    """Return each setting beside the recommender's, or None where no family is known.

    Args:
        translation: With one network, or several of which the first is compared.
        settings: Further answers, which overrule what the file says.
        folder: Where the decision tables are.

    Raises:
        BadInput: An answer cannot be used.
    """
    documents = answers_of(translation, settings)
    if not any(document.value.get("family") for document in documents) and not settings.value:
        return None
    found = recommend(documents, folder)
    here, there = _flat(translation.configuration), _flat(found["configuration"])
    return list(_paired(here, there, Reasons(found["reasons"])))


def _paired(here: Mapping[str, Any], there: Mapping[str, Any], reasons: Reasons) -> Iterator[Pair]:
    for setting in dict.fromkeys([*here, *there]):
        ours, theirs = here.get(setting), there.get(setting)
        if ours is None and theirs is None:
            continue
        entry = reasons.entry(setting)
        because, source = (entry["because"], entry["source"]) if entry else ("", "")
        yield Pair(setting, ours, theirs, because, source)


def _flat(configuration: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a configuration's first network in one mapping."""
    network = configuration["networks"][0]
    group = network["groups"][0]
    decay, clip = group.get("weight_decay") or {}, network.get("clip") or {}
    optimizer = {"optimizer" if key == "name" else key: group["optimizer"].get(key) for key in _OPTIMIZER}
    schedule = {_NAMES.get(key, key): group["schedule"].get(key) for key in _SCHEDULE}
    return {
        **optimizer,
        **schedule,
        "weight_decay": decay.get("value"),
        "weight_decay_mask": decay.get("mask"),
        "clip": clip.get("max_norm"),
        "ema": configuration["ema"],
        "accumulation": configuration["accumulation"],
        "precision": configuration["precision"],
    }
