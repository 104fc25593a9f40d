"""Issues: what goes wrong in training, what to check, and what each changes in a draft."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from skillkit.questionnaire.sizes import number
from skillkit.reading import read
from skillkit.recommender.arithmetic import three_digits
from skillkit.recommender.draft import ADAMS, Draft, replaced
from skillkit.recommender.formulas import product
from skillkit.recommender.situation import Situation

Issue = Mapping[str, Any]
Changes = dict[str, Any] | None


def read_issues(folder: Path, names: list[str]) -> list[Issue]:
    """Return the entries of a folder's `issues.yaml` for some issues."""
    if not names:
        return []
    return [entry for entry in read(folder / "issues.yaml").value if entry["issue"] in names]


def treat(draft: Draft, issue: Issue, situation: Situation) -> Draft:
    """Return the draft with what an issue changes; a change that does not apply is left out."""
    for setting, change in issue["change"].items():
        explained, changed = _CHANGES[setting]
        changes = changed(draft, change, situation)
        if changes:
            because = f"{issue['issue']}: {issue['because']}"
            draft = draft.because(because, issue["source"], [explained], **changes)
    return draft


def changed_by(issue: Issue, draft: Draft) -> list[str]:
    """Return the settings that an issue changed in a draft."""
    return [reason["setting"] for reason in draft.reasons if reason["because"].startswith(f"{issue['issue']}: ")]


def _warmup(draft: Draft, change: Any, situation: Situation) -> Changes:
    schedule = draft.schedule
    if schedule["name"] == "none" or "warmup_steps" in situation.answers:
        return None
    longer = {name: value * change["times"] for name, value in schedule["warmup"].items() if name != "at_most"}
    if not any(longer.values()):
        longer = {"fraction": change["at_least"]}
    at_most = {"at_most": schedule["warmup"].get("at_most", 0.1)}
    return {"schedule": {**schedule, "warmup": longer | at_most}}


def _clip(draft: Draft, limit: Any, _: Situation) -> Changes:
    possible = draft.clip is None or draft.clip["kind"] == "global_norm"
    if not possible or draft.rate is None or (draft.clip and draft.clip["max_norm"] <= limit):
        return None
    return {"clip": {"kind": "global_norm", "max_norm": limit}}


def _b1(draft: Draft, change: Any, _: Situation) -> Changes:
    b1 = draft.optimizer.get("b1", 0.0)
    # where the tables leave out momentum, as for adversarial networks, more of it does harm
    if draft.name not in ADAMS or not 0.9 <= b1 < change["at_least"]:
        return None
    return {"optimizer": {**draft.optimizer, "b1": change["at_least"]}}


def _b2(draft: Draft, change: Any, _: Situation) -> Changes:
    if draft.name not in ADAMS or draft.optimizer["b2"] <= change["at_most"]:
        return None
    return {"optimizer": {**draft.optimizer, "b2": change["at_most"]}}


def _decay(draft: Draft, change: Any, _: Situation) -> Changes:
    if draft.decay is None:
        return None
    value = three_digits(draft.decay["value"] * change["times"])
    sums = {"weight_decay": product(draft.decay["value"], change["times"])}
    if draft.decay["kind"] == "l2":
        if value > _LARGEST_L2:
            sums = {"weight_decay": f"min({sums['weight_decay']}, {number(_LARGEST_L2)})"}
        value = min(value, _LARGEST_L2)
    return {"decay": {**draft.decay, "value": value}, "sums": sums} if value > draft.decay["value"] else None


_LARGEST_L2 = 5e-4  # of published runs, small data sets' (arXiv:1605.07146)


def _mu_dtype(draft: Draft, dtype: Any, _: Situation) -> Changes:
    if draft.name not in ADAMS or draft.optimizer.get("mu_dtype") == dtype:
        return None
    return {"optimizer": {**draft.optimizer, "mu_dtype": dtype}}


def _accumulation(draft: Draft, change: Any, situation: Situation) -> Changes:
    micro_batch = situation.numbers["examples_per_update"] / situation.answers["devices"] / draft.accumulation
    if micro_batch < change["times"] or draft.rate is None:
        return None
    return {"accumulation": draft.accumulation * change["times"]}


def _ema(draft: Draft, decay: Any, situation: Situation) -> Changes:
    if draft.ema is not None or draft.rate is None or situation.answers["stage"] == "adapter":
        return None
    return {"ema": decay}


def _optimizer(draft: Draft, optimizer: Any, _: Situation) -> Changes:
    return replaced(draft, optimizer)


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
