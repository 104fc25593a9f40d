"""Scores the recommender against published training recipes: which share of their settings it matches.

Run `python -m benchmarks.recipes [-v]`; `--record` writes which are equal. A recipe's scenario
becomes answers by general rules; nothing here or in the tables names a recipe. Of each recipe, the settings that it
publishes are compared, as issue 5 defines it.
"""

import json
import math
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from skillkit.places import own_project
from skillkit.questionnaire.questions import decisions_folder
from skillkit.reading import read
from skillkit.recommender.recommending import recommend_for
from skillkit.writing import write

RECIPES = Path(__file__).with_name("recipes.yaml")
MATCHES = Path(__file__).with_name("matches.yaml")

FAMILIES = {
    "mlp_vision": "mlp",
    "rl_ppo": "rl-on-policy",
    "rl_dqn": "rl-off-policy",
    "rl_sac": "rl-off-policy",
    "protein": "protein-structure",
    "recsys": "recommender",
    "dp_training": "cnn",
    "any (8 workloads)": "other",
}
_DECOUPLED = ("decoupled_lr", "independent")
OPTIMIZERS = {"sgd": "sgd", "contrib.muon": "muon", "contrib.dpsgd": "dpsgd"}
FALLING = {"cosine", "linear", "rsqrt", "step", "wsd", "exponential"}


def answers(recipe: Mapping[str, Any]) -> dict[str, Any]:
    """Return a recipe's scenario as answers to the questionnaire."""
    scenario = recipe["scenario"]
    family = FAMILIES.get(scenario["model_family"], scenario["model_family"].replace("_", "-"))
    found: dict[str, Any] = {"family": family, "stage": scenario["init"].replace("_", "-")}
    if scenario["params"]:
        found["parameters"] = int(scenario["params"])
    found |= _batch(scenario)
    found |= _duration(scenario, found)
    if "anneal" in scenario["task"]:
        found["optimizer_state"] = "kept"  # the last phase of one run
    if scenario["model_family"] == "dp_training":
        found |= {"privacy": "dp-sgd", "epsilon": 1.0}
    return found


def _batch(scenario: Mapping[str, Any]) -> dict[str, Any]:
    if not scenario["batch_size"]:
        return {}
    unit = scenario["batch_unit"]
    # "32 sequences per device": eight devices, as the recipes that say so ran on
    batch = {"batch_size": scenario["batch_size"] * (8 if "per device" in unit else 1)}
    for word in ("tokens", "sequences"):
        if unit.startswith(word):
            length = re.search(r"(?:of|length|bptt) (?:<=)?(\d+)", unit)
            return batch | {"batch_unit": word} | ({"sequence_length": int(length[1])} if length else {})
    return batch | {"batch_unit": "examples"}


def _duration(scenario: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    examples = _size(str(scenario["dataset_size"]))
    size = {"dataset_size": examples} if examples else {}
    duration = scenario["duration"] or {}
    for unit in ("tokens", "steps", "epochs"):
        if isinstance(duration.get(unit), int | float):
            return {unit: duration[unit]} | ({} if unit == "tokens" else size)
    for unit in ("images", "samples"):
        if unit in duration:
            return {"steps": int(duration[unit] / known["batch_size"])} | size
    if "env_steps" in duration:
        # each transition is used four times: PPO's epochs, and DQN's replay every fourth step of a batch
        return {"steps": int(duration["env_steps"] / 4)}
    return size


def _size(text: str) -> int | None:
    match = re.match(
        r"~?([\d.,]+)\s*([kMB]?)\s*(images|examples|pairs|points|graphs|series|samples|segments|sequences)", text
    )
    if not match:
        return None
    return int(float(match[1].replace(",", "")) * {"": 1, "k": 1e3, "M": 1e6, "B": 1e9}[match[2]])


def compare(recipe: Mapping[str, Any], found: Mapping[str, Any], strict: bool = True) -> Iterator[tuple[str, bool]]:
    """Yield the name of each published setting and whether the recommendation matches it."""
    published, optimizer = recipe["published"], found["optimizer"]
    yield "optimizer", _name(optimizer) in recipe["accept_optimizers"]
    yield "rate", _within(published["peak_lr"], found["schedule"]["peak_value"], 3)
    if published["b2"] is not None and "b2" in optimizer:
        b2 = optimizer["b2"] if optimizer["b2"] is not None else optimizer.get("decay")
        yield "b2", b2 is not None and _within(1 - published["b2"], 1 - b2, 3)
    yield "decay", _decay_matches(published, optimizer)
    yield "clip", _clip_matches(published["grad_clip"], found["clip"])
    yield "schedule", _schedule_matches(published["schedule"], found["schedule"]["name"], strict)


def matches(recipe: Mapping[str, Any], found: Mapping[str, Any]) -> dict[str, str]:
    """Return what is recommended of each setting beside what is published: `equal`, or `0.001 for 0.0006`.

    Args:
        recipe: The publication.
        found: What is recommended for its scenario.
    """
    published, optimizer, schedule = recipe["published"], found["optimizer"], found["schedule"]
    decay = "optax_weight_decay" if published["weight_decay_kind"] in _DECOUPLED else "weight_decay"
    steps = (published["warmup"] or {"steps": 0}).get("steps")
    pairs = {
        "optimizer": (published["optimizer"], _name(optimizer)),
        "rate": (published["peak_lr"], schedule["peak_value"]),
        **{name: (published[name], optimizer.get(name)) for name in ("b1", "b2", "eps") if name in optimizer},
        "decay": (published[decay], optimizer["weight_decay"]),
        "clip": (_limit(published["grad_clip"]), found["clip"]["max_norm"] if found["clip"] else None),
        "schedule": (_class(published["schedule"]), schedule["name"]),
        **({"warmup": (steps, schedule["warmup_steps"])} if steps is not None else {}),
        "end": (published["final_lr"], schedule["end_value"]),
    }
    return {name: _match(*pair) for name, pair in pairs.items()}


def _match(wanted: Any, found: Any) -> str:
    if isinstance(wanted, str):
        return "equal" if wanted == found else f"{found} for {wanted}"
    return "equal" if _same(wanted, found) else f"{_plain(found)} for {_plain(wanted)}"


def _plain(number: float | None) -> str:
    return "none" if number is None else f"{number:.6g}"


def _same(wanted: float | None, found: float | None) -> bool:
    return math.isclose(wanted or 0.0, found or 0.0, rel_tol=1e-9)


def _name(optimizer: Mapping[str, Any]) -> str:
    name = OPTIMIZERS.get(optimizer["name"], optimizer["name"])
    return "sgd_momentum" if name == "sgd" and optimizer["momentum"] else name


def _within(wanted: float | None, found: float | None, factor: float) -> bool:
    if not wanted or not found:
        return not wanted and not found
    return abs(math.log(wanted / found)) <= math.log(factor) + 1e-9


def _decay_matches(published: Mapping[str, Any], optimizer: Mapping[str, Any]) -> bool:
    if published["weight_decay_kind"] in _DECOUPLED:
        return _within(published["optax_weight_decay"], optimizer["weight_decay"], 3)
    coupled = optimizer["weight_decay_kind"] == "l2" or optimizer["name"] == "lars"
    return coupled and _within(published["weight_decay"], optimizer["weight_decay"], 3)


def _clip_matches(published: Any, found: Mapping[str, Any] | None) -> bool:
    return _within(_limit(published), found["max_norm"] if found else None, 2)


def _limit(published: Any) -> float | None:
    return published if isinstance(published, int | float) or published is None else float(published.split()[-1])


def _schedule_matches(published: str, found: str, strict: bool) -> bool:
    wanted = _class(published)
    return found == wanted or (not strict and wanted in FALLING and found in FALLING)


def _class(text: str) -> str:
    same = {"inverse_sqrt": "rsqrt", "noam": "rsqrt", "x0.95": "step", "polynomial": "linear"}
    lower = text.lower()
    # what is said first is the class, the rest explains it: "constant (two 500-step phases)"
    first = min((word for word in (*FALLING, *same, "constant", "none") if word in lower), key=lower.index)
    return same.get(first, first)


def all_matches(folder: Path) -> dict[str, dict[str, str]]:
    """Return the matches of each recipe, by its id."""
    recipes = read(RECIPES).value["recipes"]
    return {recipe["id"]: matches(recipe, recommend_for(answers(recipe), folder)) for recipe in recipes}


def as_text(found: Mapping[str, Mapping[str, str]]) -> str:
    """Return matches as the file that holds them."""
    rows = [f"{name}: {json.dumps(one)}" for name, one in found.items()]
    return "\n".join(
        ["# What is recommended for published runs; `python -m benchmarks.recipes --record` writes it.", *rows, ""]
    )


def main() -> None:
    """Print the share of settings matched, and with -v each that is not."""
    folder = decisions_folder(own_project(Path()))
    if "--record" in sys.argv:
        write(MATCHES, as_text(all_matches(folder)))
    for strict in (True, False):
        matched: Counter[str] = Counter()
        total: Counter[str] = Counter()
        for recipe in read(RECIPES).value["recipes"]:
            found = recommend_for(answers(recipe), folder)
            for setting, match in compare(recipe, found, strict):
                total[setting] += 1
                matched[setting] += match
                if strict and not match and "-v" in sys.argv:
                    print(f"{recipe['id']}: {setting}: {_shown(recipe, found)}")
        parts = ", ".join(f"{name} {matched[name]}/{total[name]}" for name in total)
        kind = "same class of schedule" if strict else "any falling schedule for a falling one"
        print(f"{matched.total() / total.total():.3f} of {total.total()} settings ({kind}): {parts}")


def _shown(recipe: Mapping[str, Any], found: Mapping[str, Any]) -> str:
    published, optimizer = recipe["published"], found["optimizer"]
    return (
        f"published {published['optimizer']} {published['peak_lr']} b2 {published['b2']}"
        f" wd {published['optax_weight_decay']}"
        f" clip {published['grad_clip']} {published['schedule']}; recommended {_name(optimizer)}"
        f" {found['schedule']['peak_value']} b2 {optimizer['b2']} wd {optimizer['weight_decay']}"
        f" clip {found['clip']}"
        f" {found['schedule']['name']}"
    )


if __name__ == "__main__":
    main()
