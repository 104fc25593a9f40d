"""Explaining: which answers chose a setting, the arithmetic of its number, and which other answers would change it."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from skillkit.errors import BadInput, bad_input, did_you_mean
from skillkit.questionnaire.answers import understand
from skillkit.questionnaire.questions import LENGTHS, Answers, Question, read_questions
from skillkit.questionnaire.sizes import number, write_size
from skillkit.reading import Document
from skillkit.recommender.derivations import stated_number
from skillkit.recommender.draft import SETTINGS
from skillkit.recommender.recommending import Recommendation, consider, recommend_for
from skillkit.trees.tree import Tree

_TABLES = {setting: table for table, setting in SETTINGS.items()}
_FACTORS = (0.1, 0.5, 2, 10)  # of a number: what else it might be
_NUMBERS = ("parameters", "batch_size", "sequence_length", "steps", "epochs", "tokens", "dataset_size", "devices")


def explain(setting: str, documents: Sequence[Document], folder: Path, tree: Tree | None = None) -> dict[str, Any]:
    """Return what there is to say of a setting.

    Args:
        setting: As the reasons of a recommendation name it: `peak_value`, `b2`, `weight_decay`, `optimizer`.
        documents: The answers, as for `recommend`.
        folder: Where the questions and decision tables are.
        tree: The model's parameters, as for `recommend`.

    Returns:
        `setting`; `reasons`, one for each network or group that differs; `chosen_by`, the answers that the deciding row
        asks for; `otherwise`, of other answers, one at a time, what the setting would be.

    Raises:
        BadInput: There is no such setting; the message names those that there are.
    """
    given = understand(documents, read_questions(folder))
    found = recommend_for(given, folder, tree)
    reasons = [reason for reason in found["reasons"] if reason["setting"] == setting]
    if not reasons:
        known = list(dict.fromkeys(reason["setting"] for reason in found["reasons"]))
        message = f"no such setting '{setting}'{did_you_mean(setting, known)}: one of {', '.join(known)}"
        raise bad_input("--explain", message)
    return {
        "setting": setting,
        "reasons": reasons,
        "chosen_by": list(_chosen_by(setting, found, folder)),
        "otherwise": _otherwise(setting, given, found, folder),
    }


def explanation(explained: Mapping[str, Any]) -> str:
    """Return in words what `explain` found."""
    lines = []
    for reason in explained["reasons"]:
        where = f"{reason['network']}/{reason['group']}: " if "network" in reason else ""
        shown = stated_number(reason)
        lines.append(f"{where}{reason['setting']}" + (f" = {shown}" if shown else ""))
        lines.append(f"  {reason['because']} ({reason['source']})")
    lines.append(f"Chosen by: {', '.join(explained['chosen_by'])}")
    lines += [f"With {answer}: {value}" for answer, value in explained["otherwise"]]
    return "\n".join(lines) + "\n"


def _chosen_by(setting: str, found: Recommendation, folder: Path) -> Iterator[str]:
    """Yield the family, and each answer that the deciding row asks for."""
    book, situation = consider(found["answers"], folder)
    is_of_schedule = setting in found["schedule"] and setting != "peak_value"
    table = "schedule" if is_of_schedule else _TABLES.get(setting, "optimizer")
    yield f"family {found['answers']['family']}"
    for name in book.tables[table].decide(situation.labels).when:
        if name != "family":
            value, label = situation.numbers.get(name), situation.labels[name]
            shown = f"{write_size(value)} ({label})" if isinstance(value, int | float) else label
            yield f"{name.replace('_', ' ')} {shown}"


def _otherwise(setting: str, given: Answers, found: Recommendation, folder: Path) -> list[tuple[str, str]]:
    here, changed = _value(setting, found), []
    for name, answer in _others(found["answers"], folder):
        lengths = LENGTHS if name in LENGTHS else (name,)
        others = {key: value for key, value in given.items() if key not in lengths}
        try:
            there = _value(setting, recommend_for({**others, name: answer}, folder))
        except BadInput:
            continue  # no answer beside the others
        if there != here:
            changed.append((f"{name} {write_size(answer) if isinstance(answer, int | float) else answer}", there))
    return changed


def _others(answers: Mapping[str, Any], folder: Path) -> Iterator[tuple[str, Any]]:
    """Yield other answers, one at a time: the other choices, and numbers around those that were answered."""
    for question in read_questions(folder).questions:
        value = answers.get(question.id)
        if question.id == "family" or value is None:
            continue
        if question.choices:
            yield from ((question.id, choice) for choice in question.choices if choice != value)
        elif question.id in _NUMBERS:
            yield from ((question.id, number) for number in _around(question, value))


def _around(question: Question, value: float) -> Iterator[float]:
    for factor in _FACTORS:
        other = value * factor
        other = max(1, round(other)) if question.whole else other
        if other != value:
            yield other


def _value(setting: str, found: Recommendation) -> str:
    if setting in ("optimizer", "schedule"):
        return str(found[setting]["name"])
    if setting == "groups":
        return ", ".join(f"{network['name']}" for network in found["configuration"]["networks"])
    values = [reason for reason in found["reasons"] if reason["setting"] == setting and "network" not in reason]
    value = values[0].get("value") if values else None
    return "none" if value is None else number(value) if isinstance(value, int | float) else str(value)
