"""Questions: what the recommender asks, and which answer to each it understands."""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from skillkit.errors import BadInput, Problem, did_you_mean
from skillkit.places import Project, own_project
from skillkit.questionnaire.sizes import parse_size, write_size
from skillkit.reading import Document, read, shown

Answers = dict[str, Any]
LENGTHS = ("steps", "epochs", "tokens")


@dataclass(frozen=True)
class Question:
    """One thing that is asked, or that follows from what was asked.

    Args:
        id: The answer's key.
        text: The question.
        help: What `?` shows.
        choices: The words that answer it; empty for a number.
        about: A line on each choice, for a list of them.
        also: Other words that people use for a choice, or for several of which they must say one.
        several: The words of which any number answer it.
        ranges: The parts of a number's line by their lower bounds, ascending; None is the unknown number.
        default: The answer where none is given; None where the family has one of its own.
        asked: The choices of other questions of which one must be the answer for this to be asked on a terminal.
        above: A number must be greater.
        at_least: A number must not be less.
        whole: A number must be whole.
        units: Words that may follow a number, and change nothing.
        usual: No run that is known has more; a larger number is asked back, or warned of.
        instead: What a larger number probably counts.
        round: 1 where it is always asked on a terminal, 2 where one wants to say more, else 0.
    """

    id: str
    text: str
    help: str = ""
    choices: tuple[str, ...] = ()
    about: Mapping[str, str] = field(default_factory=dict)
    also: Mapping[str, list[str]] = field(default_factory=dict)
    several: tuple[str, ...] = ()
    ranges: Mapping[str, float | None] = field(default_factory=dict)
    default: Any = None
    asked: Mapping[str, list[str]] = field(default_factory=dict)
    above: float | None = None
    at_least: float | None = None
    whole: bool = False
    units: tuple[str, ...] = ()
    usual: float | None = None
    instead: str = ""
    round: int = 1

    @property
    def labels(self) -> tuple[str, ...]:
        """The names that a table may use for an answer."""
        return self.choices or self.several or tuple(self.ranges)

    def label(self, value: Any) -> str:
        """Return the choice, or the name of the range that a number lies in."""
        if self.choices:
            return str(value)
        if value is None:
            return next((name for name, bound in self.ranges.items() if bound is None), "")
        return [name for name, bound in self.ranges.items() if bound is not None and bound <= value][-1]

    def understand(self, value: Any) -> Any:
        """Return the answer as the tables use it.

        Raises:
            ValueError: It is none; the message says why.
        """
        if self.several:
            return self._several(value)
        return self._choice(value, self.choices) if self.choices else self._number(value)

    def _several(self, value: Any) -> list[str]:
        words = value.replace(",", " ").split() if isinstance(value, str) else value
        if not isinstance(words, list):
            raise ValueError(f"must be a list of {', '.join(self.several)}, not {shown(value)}")
        chosen = {self._choice(word, self.several) for word in words}
        return [word for word in self.several if word in chosen]

    def _choice(self, value: Any, choices: tuple[str, ...]) -> str:
        if value in choices:
            return str(value)
        word = re.sub(r"[\s_]+", "-", value.strip().casefold()) if isinstance(value, str) else ""
        meant = [word] if word in choices else self.also.get(word, [])
        if len(meant) == 1:
            return meant[0]
        if meant:
            raise ValueError(f"{shown(value)} may be {', '.join(meant[:-1])} or {meant[-1]}: say which")
        near = did_you_mean(value, choices) if isinstance(value, str) else ""
        raise ValueError(f"unknown choice {shown(value)}{near}: one of {', '.join(choices)}")

    def _number(self, value: Any) -> float:
        number = self._numeric(value) if isinstance(value, str) else value
        if isinstance(number, bool) or not isinstance(number, int | float) or not math.isfinite(number):
            raise ValueError(f"must be a number as 125M, 1.5e9 or 4k, not {shown(value)}")
        if self.above is not None and number <= self.above:
            raise ValueError(f"must be greater than {self.above:g}, not {shown(value)}")
        if self.at_least is not None and number < self.at_least:
            raise ValueError(f"must be at least {self.at_least:g}, not {shown(value)}")
        if number > _LARGEST:
            raise ValueError(f"must be at most {_LARGEST:g}, not {shown(value)}")
        if self.whole and number != int(number):
            raise ValueError(f"must be a whole number, not {shown(value)}")
        return int(number) if number == int(number) else number

    def _numeric(self, text: str) -> float | None:
        text = text.strip()
        if self.units:
            text = re.sub(rf"\s*(?:{'|'.join(self.units)})$", "", text, flags=re.IGNORECASE)
        size = parse_size(text.removeprefix("-"))
        return -size if size is not None and text.startswith("-") else size

    def doubt(self, value: Any) -> str:
        """Return in words what is strange about an answer that is understood, or an empty string."""
        if self.usual is None or value <= self.usual:
            return ""
        meant = f": {self.instead}" if self.instead else ""
        return f"{write_size(value)} {self.id.replace('_', ' ')} are more than any known run has{meant}"


_LARGEST = 1e18  # beyond any run, and still exact enough for the arithmetic


@dataclass(frozen=True)
class Questionnaire:
    """All questions, and all that is derived from their answers."""

    questions: tuple[Question, ...]
    derived: tuple[Question, ...]

    def __getitem__(self, name: str) -> Question:
        """Return the question or derived quantity of that id."""
        return next(one for one in (*self.questions, *self.derived) if one.id == name)

    def ids(self) -> list[str]:
        """Return the keys that an answers file may have."""
        return [question.id for question in self.questions]


def decisions_folder(project: Project) -> Path:
    """Return a project's folder of questions and decision tables, or skillkit's own where it has none."""
    folder = project.reference / "decisions"
    return folder if folder.is_dir() else own_project(project.root).reference / "decisions"


@cache
def read_questions(folder: Path) -> Questionnaire:
    """Read `questions.yaml` of a folder of decisions.

    Raises:
        BadInput: It is missing or is not YAML, or a default is no answer to its question.
    """
    document = read(folder / "questions.yaml")
    found = Questionnaire(*(tuple(map(_question, document.value[part])) for part in ("questions", "derived")))
    problems = list(_bad_defaults(document, found))
    if problems:
        raise BadInput(problems)
    return found


def _bad_defaults(document: Document, questionnaire: Questionnaire) -> Iterator[Problem]:
    for index, question in enumerate(questionnaire.questions):
        if question.default is not None:
            try:
                question.understand(question.default)
            except ValueError as error:
                yield document.problem(("questions", index, "default"), str(error))


def _question(item: Mapping[str, Any]) -> Question:
    tuples = {name: tuple(item[name]) for name in ("choices", "several", "units") if name in item}
    return Question(**{**item, **tuples})
