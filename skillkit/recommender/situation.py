"""Situation: the answers completed by stated assumptions, and all that follows from them."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from skillkit.errors import bad_input, counted
from skillkit.questionnaire.questions import LENGTHS, Answers, Questionnaire
from skillkit.questionnaire.sizes import parse_size
from skillkit.recommender.arithmetic import evaluate, updates_from_epochs, updates_from_tokens
from skillkit.recommender.decisions import Book

LEAST_TOKENS = 4096  # nobody updates a language model on fewer


@dataclass(frozen=True)
class Situation:
    """What is known about a run.

    Args:
        answers: In the questionnaire's order, given or assumed.
        assumed: The keys of those that were assumed.
        numbers: The answers and all derived quantities; None where unknown.
        labels: The choice or range that each of these lies in.
        is_counted_in_tokens: Whether the family's batches are counted in tokens.
    """

    answers: Answers
    assumed: tuple[str, ...]
    numbers: Mapping[str, Any]
    labels: Mapping[str, str]
    is_counted_in_tokens: bool

    @property
    def updates(self) -> int:
        """The optimizer updates of the run."""
        updates: int = self.numbers["updates"]
        return updates


def complete(given: Answers, book: Book, questionnaire: Questionnaire) -> Situation:
    """Complete the answers by the family's defaults and derive what follows.

    Args:
        given: Understood answers, `family` among them.
        book: The family's tables, of which the defaults are taken.
        questionnaire: All questions.

    Raises:
        BadInput: The answers contradict each other.
    """
    answers = _assume(given, book, questionnaire)
    assumed = tuple(name for name in answers if name not in given)
    _refuse(answers, given)
    numbers = answers | _derive(answers)
    if answers.get("warmup_steps", 0) >= numbers["updates"]:
        warmup, updates = answers["warmup_steps"], numbers["updates"]
        message = f"a warmup of {counted(warmup, 'update')} is not shorter than the run of {updates:,}"
        raise bad_input("warmup_steps", message)
    questions = (*questionnaire.questions, *questionnaire.derived)
    labels = {one.id: one.label(numbers.get(one.id)) for one in questions if one.choices or one.ranges}
    in_tokens = book.assumptions(answers["stage"])["batch_unit"] == "tokens"
    return Situation(answers, assumed, numbers, labels, in_tokens)


def _assume(given: Answers, book: Book, questionnaire: Questionnaire) -> Answers:
    family = book.assumptions(given.get("stage", "from-scratch"))
    if any(length in given for length in LENGTHS):
        family = {name: value for name, value in family.items() if name not in LENGTHS}
    answers: Answers = {}
    for question in questionnaire.questions:
        value = given.get(question.id)
        if value is None and _is_needed(question.id, answers):
            default = family.get(question.id) if question.default is None else question.default
            default = _in_unit(default, family, given, answers) if question.id == "batch_size" else default
            value = _default(question.id, default, given, answers)
        if value is not None:
            answers[question.id] = value
    return answers


def _in_unit(batch: Any, family: Mapping[str, Any], given: Answers, answers: Answers) -> int:
    """Return the family's usual batch in the unit that is asked for."""
    size, usual, unit = int(parse_size(str(batch)) or batch), family["batch_unit"], answers["batch_unit"]
    length = given.get("sequence_length") or int(parse_size(str(family.get("sequence_length", _LENGTH))) or _LENGTH)
    if "tokens" not in (usual, unit) or usual == unit:
        return size
    return max(1, size // length) if usual == "tokens" else size * length


_LENGTH = 512  # tokens of a sequence, for a family that does not count in them, but whose user does


def _is_needed(name: str, answers: Answers) -> bool:
    if name in ("family", "stage"):
        return True
    # the size of the data set is assumed only where the number of updates hangs on it
    needed = {
        "dataset_size": "epochs" in answers,
        "epsilon": answers.get("privacy") == "dp-sgd",
        "optimizer_state": answers["stage"] == "finetune" and answers["family"] in ("decoder-lm", "moe-lm"),
    }
    return needed.get(name, True)


def _default(name: str, default: Any, given: Answers, answers: Answers) -> Any:
    if name == "active_parameters":
        return max(1, answers["parameters"] // 8) if answers["family"] == "moe-lm" else None
    if name == "adapter_parameters":
        return max(1, answers["parameters"] // 200) if answers["stage"] == "adapter" else None
    if name == "batch_unit" and default == "tokens" and given.get("batch_size", math.inf) < LEAST_TOKENS:
        return "sequences"
    if name == "sequence_length" and default is None:
        return _LENGTH if "tokens" in (answers["batch_unit"], *given) else None
    if isinstance(default, Mapping):
        return int(evaluate(default, answers))
    return parse_size(default) if isinstance(default, str) and parse_size(default) else default


def _refuse(answers: Answers, given: Answers) -> None:
    for name in ("active_parameters", "adapter_parameters"):
        if given.get(name, 0) > answers["parameters"]:
            raise bad_input(name, f"must be at most the {answers['parameters']:,} parameters of the whole network")


def _derive(answers: Answers) -> dict[str, Any]:
    length = answers.get("sequence_length")
    batch = answers["batch_size"]
    examples = max(1, batch / length) if answers["batch_unit"] == "tokens" and length else batch
    tokens = batch if answers["batch_unit"] == "tokens" else batch * length if length else None
    size = answers.get("dataset_size")
    updates = _updates(answers, examples, tokens)
    return {
        "updates": updates,
        "examples_per_update": examples,
        "tokens_per_update": tokens,
        "examples_seen": updates * examples,
        "tokens_seen": updates * tokens if tokens else None,
        "passes": answers.get("epochs") or (updates * examples / size if size else None),
        "updates_per_epoch": math.ceil(size / examples) if size else None,
    }


def _updates(answers: Answers, examples: float, tokens: float | None) -> int:
    if "epochs" in answers:
        return updates_from_epochs(answers["dataset_size"], answers["epochs"], examples)
    if "tokens" in answers and tokens:
        return updates_from_tokens(answers["tokens"], tokens)
    return int(answers["steps"])
