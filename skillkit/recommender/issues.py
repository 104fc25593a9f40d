"""Issues: what goes wrong in training, what to check, and what each changes in a choice."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from skillkit.reading import read
from skillkit.recommender.arithmetic import three_digits
from skillkit.recommender.choices import ADAMS, Choice, replaced
from skillkit.recommender.facts import Facts

Issue = Mapping[str, Any]
Changes = dict[str, Any] | None


def read_issues(folder: Path, names: list[str]) -> list[Issue]:
    """Return the entries of a folder's `issues.yaml` for some issues."""
    if not names:
        return []
    return [entry for entry in read(folder / "issues.yaml").value if entry["issue"] in names]


def treat(choice: Choice, issue: Issue, facts: Facts) -> Choice:
    """Return the choice with what an issue changes; a change that does not apply is left out."""
    for setting, change in issue["change"].items():
        explained, changed = _CHANGES[setting]
        changes = changed(choice, change, facts)
        if changes:
            because = f"{issue['issue']}: {issue['because']}"
            choice = choice.because(because, issue["source"], [explained], **changes)
    return choice


def _warmup(choice: Choice, change: Any, facts: Facts) -> Changes:
    schedule = choice.schedule
    if schedule["name"] == "none" or "warmup_steps" in facts.answers:
        return None
    longer = {name: value * change["times"] for name, value in schedule["warmup"].items() if name != "at_most"}
    if not any(longer.values()):
        longer = {"fraction": change["at_least"]}
    at_most = {"at_most": schedule["warmup"].get("at_most", 0.1)}
    return {"schedule": {**schedule, "warmup": longer | at_most}}


def _clip(choice: Choice, limit: Any, _: Facts) -> Changes:
    possible = choice.clip is None or choice.clip["kind"] == "global_norm"
    if not possible or choice.rate is None or (choice.clip and choice.clip["max_norm"] <= limit):
        return None
    return {"clip": {"kind": "global_norm", "max_norm": limit}}


def _b1(choice: Choice, change: Any, _: Facts) -> Changes:
    b1 = choice.optimizer.get("b1", 0.0)
    # where the tables leave out momentum, as for adversarial networks, more of it does harm
    if choice.name not in ADAMS or not 0.9 <= b1 < change["at_least"]:
        return None
    return {"optimizer": {**choice.optimizer, "b1": change["at_least"]}}


def _b2(choice: Choice, change: Any, _: Facts) -> Changes:
    if choice.name not in ADAMS or choice.optimizer["b2"] <= change["at_most"]:
        return None
    return {"optimizer": {**choice.optimizer, "b2": change["at_most"]}}


def _decay(choice: Choice, change: Any, _: Facts) -> Changes:
    if choice.decay is None:
        return None
    return {"decay": {**choice.decay, "value": three_digits(choice.decay["value"] * change["times"])}}


def _mu_dtype(choice: Choice, dtype: Any, _: Facts) -> Changes:
    if choice.name not in ADAMS or choice.optimizer.get("mu_dtype") == dtype:
        return None
    return {"optimizer": {**choice.optimizer, "mu_dtype": dtype}}


def _accumulation(choice: Choice, change: Any, facts: Facts) -> Changes:
    micro_batch = facts.numbers["examples_per_update"] / facts.answers["devices"] / choice.accumulation
    if micro_batch < change["times"] or choice.rate is None:
        return None
    return {"accumulation": choice.accumulation * change["times"]}


def _ema(choice: Choice, decay: Any, facts: Facts) -> Changes:
    if choice.ema is not None or choice.rate is None or facts.answers["stage"] == "adapter":
        return None
    return {"ema": decay}


def _optimizer(choice: Choice, optimizer: Any, _: Facts) -> Changes:
    return replaced(choice, optimizer)


# of each key of `change`: the setting that it explains, and what it does
_CHANGES = {
    "warmup": ("warmup_steps", _warmup),
    "clip": ("clip", _clip),
    "b1": ("b1", _b1),
    "b2": ("b2", _b2),
    "decay": ("weight_decay", _decay),
    "mu_dtype": ("mu_dtype", _mu_dtype),
    "accumulation": ("accumulation", _accumulation),
    "ema": ("ema", _ema),
    "optimizer": ("optimizer", _optimizer),
}
