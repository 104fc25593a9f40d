"""Studies: a recommendation becomes a script that searches around it, by Optuna or by a rising rate."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from skillkit.configuration.expressions import Call, Name, Setting, literal, names, source
from skillkit.configuration.groups import rate_name, split_groups
from skillkit.configuration.layout import environment, imports, supplements_source, tidy
from skillkit.configuration.optimizers import OPTIMIZERS
from skillkit.configuration.reasons import Reasons
from skillkit.configuration.transformations import Transformation, transformation
from skillkit.errors import bad_input

_HEAD = '''"""An Optuna study around a recommended optimizer.

Written by skillkit for jax>=0.7.2, optax>=0.2.8 and optuna>=4. It trains on scikit-learn's digits: put your
training in their place. Of several networks the main one is tuned; accumulation and precision are left out,
since they change no number that is searched.
"""
'''


def optuna_study(recommendation: Mapping[str, Any]) -> str:
    """Return the script of a study of the recommendation's main optimizer.

    Raises:
        BadInput: The optimizer has no numbers to search.
    """
    configuration, network = _alone(recommendation["configuration"])
    group = network["groups"][0]
    ranges = list(_ranges(recommendation.get("tuning") or {}, group))
    if not ranges:
        raise bad_input("tuning", f"optax.{group['optimizer']['name']} has no numbers to search")
    group["optimizer"] = _spelled(group["optimizer"], ranges)
    body = (
        environment()
        .get_template("optuna.py.j2")
        .render(_context(recommendation, transformation(configuration, network), group, ranges))
    )
    return f"{_HEAD}\n{imports(body)}\n{tidy(body)}"


_RANGE = '''"""A learning-rate range test around a recommended optimizer (Smith, arXiv:1506.01186).

Written by skillkit for jax>=0.7.2 and optax>=0.2.8. In one short run the rate rises from a thousandth of the
recommended one to ten times it. It trains on scikit-learn's digits: put your training in their place. Of several
networks the main one is tested.
"""
'''


def range_test(recommendation: Mapping[str, Any]) -> str:
    """Return the script of a learning-rate range test of the recommendation's main optimizer.

    Raises:
        BadInput: The optimizer has no learning rate.
    """
    configuration, network = _alone(recommendation["configuration"])
    made = transformation(configuration, network)
    if not made.schedules:
        raise bad_input("--format range-test", f"optax.{network['groups'][0]['optimizer']['name']} has no rate to test")
    mentioned = [name for call in (*made.schedules.values(), made.optimizer) for name in names(call)]
    groups = split_groups(network["groups"])
    peaks = {rate_name(group, groups): literal(group["schedule"].get("peak_value")) for group in groups}
    text = source(made.optimizer, indent=4)
    known = {
        "supplements": supplements_source(mentioned),
        "peaks": {name: peak for name, peak in peaks.items() if name in made.schedules},
        "peak": literal(network["groups"][0]["schedule"]["peak_value"]),
        "optimizer": text,
        "per_example": "per_example" in text or "differentially_private" in text,
    }
    body = environment().get_template("range_test.py.j2").render(known)
    return f"{_RANGE}\n{imports(body)}\n{tidy(body)}"


def _alone(configuration: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the main network with its main group on all parameters; Muon keeps the group of the rest."""
    network = dict(configuration["networks"][0])
    groups = [dict(group) for group in network["groups"]]
    if groups[0]["optimizer"]["name"] != "contrib.muon":
        groups = [groups[0] | {"parameters": "all"}]
    alone = {"privacy": configuration.get("privacy"), "precision": "float32", "accumulation": 1}
    return alone, network | {"groups": groups}


def _ranges(tuning: Mapping[str, Any], group: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    known = OPTIMIZERS[group["optimizer"]["name"]].keywords
    rate, decay = group["schedule"].get("peak_value"), group.get("weight_decay")
    found = tuning.get("parameters") or []
    if rate and not any(one["setting"] == "peak_value" for one in found):
        yield {"setting": "peak_value", "low": rate / 3, "high": rate * 3, "scale": "log"}
    for one in found:
        searched = {
            "peak_value": bool(rate),
            "warmup_steps": bool(group["schedule"].get("warmup_steps")),
            "weight_decay": bool(decay and decay["value"]),
        }
        if searched.get(one["setting"], one["setting"] in known):
            yield one


def _spelled(optimizer: Mapping[str, Any], ranges: list[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the optimizer with the searched arguments written out, also where they have their defaults."""
    known = OPTIMIZERS[optimizer["name"]].keywords
    defaults = {one["setting"]: known[one["setting"]] for one in ranges if one["setting"] in known}
    return {**defaults, **optimizer}


def _context(
    recommendation: Mapping[str, Any],
    made: Transformation,
    group: Mapping[str, Any],
    ranges: list[Mapping[str, Any]],
) -> dict[str, Any]:
    tuning, schedule = recommendation.get("tuning") or {}, group["schedule"]
    reasons = Reasons(recommendation.get("reasons") or ()).of(made.network)
    chosen = {one["setting"] for one in ranges} - {"peak_value", "warmup_steps"}
    optimizer = _searched(made.optimizer, chosen, group["parameters"])
    mentioned = [name for call in (*made.schedules.values(), optimizer) for name in names(call)]
    averaged = group["optimizer"]["name"] == "contrib.schedule_free_adamw"
    mentioned += ["schedule_free_params"] if averaged else []
    text = source(optimizer, reasons.note, 4)
    return {
        "supplements": supplements_source(mentioned),
        "stretched": bool(made.schedules),
        "rates": list(made.schedules),
        "schedules": "\n".join(
            f"recommended_{name} = {source(call, reasons.note)}" for name, call in made.schedules.items()
        ),
        "optimizer": text,
        "total": literal(schedule.get("total_steps") or 1),
        "warmup": literal(schedule.get("warmup_steps") or 0),
        "peak": literal(schedule.get("peak_value")),
        "because": (tuning.get("because") or "the learning rate alone").rstrip(".").replace("\n", " "),
        "suggestions": [_suggestion(one, schedule) for one in ranges],
        "trials": tuning.get("trials") or 16,
        "per_example": "per_example" in text or "differentially_private" in text,
        "evaluated": "schedule_free_params(opt_state, params)" if averaged else "params",
    }


def _searched(value: Any, chosen: set[str], selector: str) -> Any:
    """Return an expression in which the main group's chosen settings are looked up in the trial's numbers."""
    if isinstance(value, Setting):
        found = value.setting in chosen and isinstance(value.value, int | float)
        return Name(f'chosen["{value.setting}"]') if found else value
    if isinstance(value, dict):
        inside = {selector} & value.keys() or value.keys()
        return {key: _searched(part, chosen, selector) if key in inside else part for key, part in value.items()}
    if isinstance(value, Call):
        positional = tuple(_searched(part, chosen, selector) for part in value.positional)
        keywords = {key: _searched(part, chosen, selector) for key, part in value.keywords.items()}
        return Call(value.function, keywords, positional, value.method)
    return value


def _suggestion(one: Mapping[str, Any], schedule: Mapping[str, Any]) -> str:
    name, low, high = one["setting"], one["low"], one["high"]
    if name == "warmup_steps":
        total = schedule["total_steps"]
        name, low, high = "warmup_share", low / total, high / total
    if one["scale"] == "one-minus-log":
        bounds = f"{_short(1 - high)}, {_short(1 - low)}, log=True"
        return f'"{name}": 1 - trial.suggest_float("one_minus_{name}", {bounds})'
    logarithmic = ", log=True" if one["scale"] == "log" else ""
    return f'"{name}": trial.suggest_float("{name}", {_short(low)}, {_short(high)}{logarithmic})'


def _short(value: float) -> str:
    return re.sub(r"e([-+])0(\d)$", r"e\1\2", repr(float(f"{value:.3g}")))
