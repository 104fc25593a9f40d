"""Groups: which parameters each optimizer of a network takes, in which order, and what their rates are called."""

from collections.abc import Iterable, Mapping
from typing import Any

from skillkit.configuration.optimizers import WITHOUT_RATE

SELECTORS = {
    "matrices": "is_hidden_matrix",
    "embeddings": "is_embedding",
    "adapters": "is_adapter",
    "all": "is_any",
    "rest": "is_any",
    "dense": "is_any",
    "frozen": "is_any",
}


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
    same = all(other["schedule"] == group["schedule"] for other in groups if has_rate(other))
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


def has_rate(group: Mapping[str, Any]) -> bool:
    """Return whether the optimizer of a group takes a learning rate, and has one."""
    return group["optimizer"]["name"] not in WITHOUT_RATE and group["schedule"]["name"] != "none"
