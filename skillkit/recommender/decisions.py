"""Decisions: tables whose first row that matches the answers decides."""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from skillkit.errors import BadInput, Problem, bad_input, did_you_mean
from skillkit.questionnaire.questions import LENGTHS, Questionnaire, read_questions
from skillkit.reading import Document, read
from skillkit.recommender.arithmetic import RULES
from skillkit.shapes import require, schema

Labels = Mapping[str, str]


@dataclass(frozen=True)
class Row:
    """What is decided, when, and why.

    Args:
        when: Of each question, the choices or ranges of which one must be the answer; empty in a table's last row.
        then: The decision.
        because: The reason.
        source: Where the reason was read; `judgement` where it was not.
    """

    when: Mapping[str, tuple[str, ...]]
    then: Any
    because: str
    source: str

    def matches(self, labels: Labels) -> bool:
        """Return whether every question of `when` has one of the wanted answers."""
        return all(labels[question] in wanted for question, wanted in self.when.items())


@dataclass(frozen=True)
class Table:
    """An ordered list of rows that decides one setting."""

    name: str
    rows: tuple[Row, ...]

    def decide(self, labels: Labels) -> Row:
        """Return the first row that matches."""
        return next(row for row in self.rows if row.matches(labels))

    def questions(self) -> list[str]:
        """Return the questions that the rows ask."""
        return list(dict.fromkeys(question for row in self.rows for question in row.when))


@dataclass(frozen=True)
class Book:
    """All tables of one family.

    Args:
        family: The choice of the question `family`.
        title: The family's name in prose.
        defaults: Answers that are assumed for this family, by stage.
        advice: What no number expresses.
        tables: By name; those that the family does not have are the common ones.
    """

    family: str
    title: str
    defaults: Mapping[str, Mapping[str, Any]]
    advice: tuple[str, ...]
    tables: Mapping[str, Table]

    def assumptions(self, stage: str) -> dict[str, Any]:
        """Return what is assumed at a stage; adapters are assumed to be trained as long as fine-tuning takes."""
        scratch = dict(self.defaults["from-scratch"])
        if stage == "from-scratch":
            return scratch
        later = self.defaults.get("finetune", {})
        if any(length in later for length in LENGTHS):
            scratch = {name: value for name, value in scratch.items() if name not in LENGTHS}
        return scratch | dict(later)


SETTINGS = ("optimizer", "rate", "decay", "clip", "schedule", "ema", "networks")
SHARED = ("horizon", "speed", "memory", "tuning")


@cache
def read_book(folder: Path, family: str, stage: str = "from-scratch", privacy: str = "none") -> Book:
    """Read a family's tables, completed by the common ones and overruled by those for adapters and for privacy.

    Raises:
        BadInput: A file is missing or does not have the shape of decision tables.
    """
    own = read_tables(folder, family)
    layers = [read_tables(folder, "common"), own]
    layers += [read_tables(folder, "adapter")] if stage == "adapter" else []
    layers += [read_tables(folder, "private")] if privacy == "dp-sgd" else []
    rows = {name: item for layer in layers for name, item in layer.items()}
    tables = {name: table(name, rows[name]) for name in (*SETTINGS, *SHARED)}
    return Book(family, own["title"], own["defaults"], tuple(own.get("advice", ())), tables)


def table(name: str, rows: list[dict[str, Any]]) -> Table:
    """Return the table that plain data describe."""
    return Table(name, tuple(_row(row) for row in rows))


def _row(row: Mapping[str, Any]) -> Row:
    when = {question: tuple(wanted) for question, wanted in row.get("when", {}).items()}
    return Row(when, row["then"], row["because"], row["source"])


@cache
def read_tables(folder: Path, name: str) -> dict[str, Any]:
    """Read one file of decision tables as plain data.

    Raises:
        BadInput: It is missing, does not have the shape of decision tables, or names answers or rules that there are
            not.
    """
    path = folder / f"{name}.yaml"
    if not path.exists():
        known = [file.stem for file in sorted(folder.glob("*.yaml"))]
        raise bad_input(path, f"no such decision tables{did_you_mean(name, known)}")
    document = read(path)
    require(document, schema("decisions"))
    problems = list(_problems(document, read_questions(folder)))
    if problems:
        raise BadInput(problems)
    value: dict[str, Any] = document.value
    return value


def _problems(document: Document, questionnaire: Questionnaire) -> Iterator[Problem]:
    """Yield the conditions that no answer meets, the rules that there are not, and the defaults that are no answers."""
    for stage, answers in document.value.get("defaults", {}).items():
        for name, value in answers.items():
            if name not in questionnaire.ids():
                message = f"no such question{did_you_mean(name, questionnaire.ids())}"
                yield document.problem(("defaults", stage, name, "#key"), message)
            elif not isinstance(value, dict):  # which names a rule
                try:
                    questionnaire[name].understand(value)
                except ValueError as error:
                    yield document.problem(("defaults", stage, name), str(error))
    known = {one.id: one.labels for one in (*questionnaire.questions, *questionnaire.derived) if one.labels}
    for name in (*SETTINGS, *SHARED):
        for index, row in enumerate(document.value.get(name, ())):
            for question, wanted in row.get("when", {}).items():
                key = (name, index, "when", question)
                if question not in known:
                    yield document.problem((*key, "#key"), f"no such question{did_you_mean(question, known)}")
                for at, label in enumerate(wanted):
                    if label not in known.get(question, wanted):
                        message = f"is no answer to '{question}'{did_you_mean(label, known[question])}"
                        yield document.problem((*key, at), message)
            for at_rule, rule in _rules(row["then"]):
                if rule not in RULES:
                    message = f"no such rule{did_you_mean(str(rule), RULES)}: one of {', '.join(RULES)}"
                    yield document.problem((name, index, "then", *at_rule, "rule"), message)


def _rules(then: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the rules that a decision or one of its arguments names, each with its place."""
    if not isinstance(then, dict):
        return
    if "rule" in then:
        yield (), then["rule"]
    for name, argument in then.items():
        for key, rule in _rules(argument):
            yield (name, *key), rule


def uncovered(one: Table, questionnaire: Questionnaire) -> Iterator[dict[str, str]]:
    """Yield every combination of answers that no row matches."""
    for labels in _combinations(one, questionnaire):
        if not any(row.matches(labels) for row in one.rows):
            yield labels


def never_winning(one: Table, questionnaire: Questionnaire) -> list[int]:
    """Return the indices of the rows that decide no combination of answers."""
    winners = set()
    for labels in _combinations(one, questionnaire):
        winners.add(next((index for index, row in enumerate(one.rows) if row.matches(labels)), -1))
    return [index for index in range(len(one.rows)) if index not in winners]


def _combinations(one: Table, questionnaire: Questionnaire) -> Iterator[dict[str, str]]:
    asked = one.questions()
    for labels in itertools.product(*(questionnaire[question].labels for question in asked)):
        yield dict(zip(asked, labels, strict=True))
