"""Answers: what a user's documents say, understood or refused with its place; and their JSON Schema."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from skillkit.errors import BadInput, Problem, did_you_mean
from skillkit.places import own_project
from skillkit.questionnaire.questions import LENGTHS, Answers, Question, Questionnaire, decisions_folder, read_questions
from skillkit.questionnaire.sizes import pattern
from skillkit.reading import Document, shown


def understand(documents: Iterable[Document], questionnaire: Questionnaire) -> Answers:
    """Return the documents' answers as the tables use them, in the questionnaire's order; null or unknown is none.

    Args:
        documents: Mappings; the later ones overrule the earlier.
        questionnaire: All questions.

    Raises:
        BadInput: With every answer that is not understood.
    """
    found = list(documents)
    problems = [problem for document in found for problem in _problems(document, questionnaire)]
    if problems:
        raise BadInput(problems)
    given = {name: value for document in found for name, value in document.value.items() if not _is_none(value)}
    _require(given, found[-1], questionnaire)
    return {one.id: one.understand(given[one.id]) for one in questionnaire.questions if one.id in given}


def _is_none(value: Any) -> bool:
    return value is None or (isinstance(value, str) and value.strip().casefold() == "unknown")


def _problems(document: Document, questionnaire: Questionnaire) -> Iterator[Problem]:
    if not isinstance(document.value, dict):
        yield document.problem((), f"answers must be a mapping as 'family: cnn', not {shown(document.value)}")
        return
    ids = questionnaire.ids()
    for name, value in document.value.items():
        if name not in ids:
            message = f"unknown answer '{name}'{did_you_mean(name, ids)}: one of {', '.join(ids)}"
            yield document.problem((name, "#key"), message)
        elif not _is_none(value):
            try:
                questionnaire[name].understand(value)
            except ValueError as error:
                yield document.problem((name,), f"{name} {error}")


def _require(given: Mapping[str, Any], document: Document, questionnaire: Questionnaire) -> None:
    lengths = [name for name in LENGTHS if name in given]
    if len(lengths) > 1:
        message = f"the length of the run is given twice: keep one of {' and '.join(lengths)}"
        raise BadInput([document.problem((lengths[-1], "#key"), message)])
    if "family" not in given:
        choices = ", ".join(questionnaire["family"].choices)
        raise BadInput([document.problem((), f"the answer 'family' is missing: one of {choices}")])


def answers_schema(folder: Path | None = None) -> dict[str, Any]:
    """Return the JSON Schema of an answers file, for editors and for assistants that call skillkit as a tool."""
    questions = read_questions(folder or decisions_folder(own_project(Path()))).questions
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "skillkit answers",
        "description": "What skillkit recommend-optimizer --answers reads.",
        "type": "object",
        "additionalProperties": False,
        "required": ["family"],
        "properties": {question.id: _schema(question) for question in questions},
        "not": {"anyOf": list(_pairs(LENGTHS))},
    }


def _pairs(names: tuple[str, ...]) -> Iterable[dict[str, list[str]]]:
    return ({"required": [one, other]} for index, one in enumerate(names) for other in names[index + 1 :])


def _schema(question: Question) -> dict[str, Any]:
    about: dict[str, Any] = {"description": f"{question.text} {question.help}"}
    if question.default is not None:
        about["default"] = question.default
    if question.choices:
        return about | {"enum": list(question.choices)}
    if question.several:
        return about | {"type": "array", "uniqueItems": True, "items": {"enum": list(question.several)}}
    bound = {"minimum": question.at_least} if question.above is None else {"exclusiveMinimum": question.above}
    whole = {"multipleOf": 1} if question.whole else {}
    return about | {"type": ["number", "string"], "pattern": pattern(question.units)} | bound | whole
