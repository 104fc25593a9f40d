"""The questionnaire on a terminal: one question after the other, with help, a way back and a summary."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from skillkit.cli.prompts import Back, listed, numbered, on_a_line, read, read_or
from skillkit.errors import BadInput, bad_input, counted
from skillkit.questionnaire.questions import Answers, Question, Questionnaire, read_questions
from skillkit.questionnaire.sizes import write_size
from skillkit.reading import Document
from skillkit.recommender.recommending import consider
from skillkit.writing import write

HEADER = "# Answers for `skillkit recommend-optimizer --answers FILE`.\n"
_FILE = "optimizer-answers.yaml"
_LENGTH = re.compile(r"(?P<number>.+?)\s*(?P<unit>steps|updates|epochs|tokens)?")


def ask(folder: Path, save: str | None, known: Mapping[str, Any] | None = None) -> Document:
    """Ask on the terminal, show a summary, save the answers and return them.

    Args:
        folder: Where the questions are.
        save: The file to save to, without asking; None asks.
        known: Answers that need no asking.
    """
    click.echo("An empty answer, or unknown, takes the default; ? or help explains, < or back goes back.", err=True)
    talk = _Talk(folder, read_questions(folder), dict(known or {}), known=frozenset(known or ()))
    answers = talk.run()
    path = Path(save) if save else _where()
    if path:
        save_answers(answers, path)
        click.echo(f"saved: skillkit recommend-optimizer --answers {path}", err=True)
    return Document("<terminal>", {name: value for name, value in answers.items() if name not in talk.assumed}, {})


def save_answers(answers: Mapping[str, Any], path: Path) -> None:
    """Write answers to a file that reproduces them.

    Raises:
        BadInput: The file is there and holds something else, or cannot be written.
    """
    import yaml

    if path.exists() and not path.read_bytes().startswith(HEADER.encode()):
        raise bad_input(path, "was not written by skillkit: name another file")
    try:
        write(path, HEADER + yaml.safe_dump(dict(answers), sort_keys=False))
    except OSError as error:
        raise bad_input(path, f"cannot be written: {error.strerror}") from error


@dataclass
class _Talk:
    folder: Path
    questionnaire: Questionnaire
    given: Answers = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    rounds: int = 1
    known: frozenset[str] = frozenset()
    assumed: set[str] = field(default_factory=set)

    def run(self) -> Answers:
        while True:
            try:
                self._step()
            except Back:
                self._back()
            except StopIteration:
                return self.given

    def _step(self) -> None:
        question = self._next()
        if question is not None:
            self._put(question)
        elif self.rounds == 1:
            more = read_or(
                "Say more: precision, devices, privacy, issues, tuning? (yes, no)",
                "no",
                "yes asks about each of these; no takes their defaults, which the summary shows.",
            )
            self.rounds = 2 if more in ("y", "yes") else 3
        else:
            self._summary()

    def _back(self) -> None:
        self.rounds = min(self.rounds, 2) if self.asked and self._round(self.asked[-1]) == 2 else 1
        if self.asked:
            for name in _KEYS.get(self.asked[-1], (self.asked[-1],)):
                self.given.pop(name, None)
                self.assumed.discard(name)
            self.asked.pop()

    def _round(self, name: str) -> int:
        return self.questionnaire[name].round

    def _next(self) -> Question | None:
        rounds = (1, 2) if self.rounds == 2 else (1,)
        open_ones = (
            question
            for question in self.questionnaire.questions
            if question.round in rounds and self._is_open(question.id) and self._applies(question)
        )
        return next(open_ones, None)

    def _is_open(self, name: str) -> bool:
        return name not in self.asked and name not in self.known

    def _applies(self, question: Question) -> bool:
        known = self.given | {"length": "epochs" if "epochs" in self.given else "steps"}
        return all(self._answer(name, known) in wanted for name, wanted in question.asked.items())

    def _answer(self, name: str, known: Answers) -> Any:
        return known[name] if name in known else self._default(self.questionnaire[name])

    def _default(self, question: Question) -> Any:
        if "family" not in self.given:
            return None
        answers = consider(self._without(question), self.folder)[1].answers
        if question.id == "steps":
            return next(f"{write_size(answers[unit])} {unit}" for unit in _KEYS["steps"] if unit in answers)
        return answers.get(question.id, question.default)

    def _without(self, question: Question) -> Answers:
        return {name: value for name, value in self.given.items() if name not in _KEYS.get(question.id, (question.id,))}

    def _put(self, question: Question) -> None:
        text = listed(question) if question.about else on_a_line(question.text, question.choices or question.several)
        default = _shown(self._default(question))
        while True:
            answer = read(text, default, question.help)
            accepted = answer.casefold() in ("", "unknown")
            if accepted and question.choices and not default:
                click.echo(f"{question.id} has no default: {question.choices[-1]} where none fits", err=True)
                continue
            if self._accepts(question, default if accepted else numbered(question, answer)):
                self.asked.append(question.id)
                if accepted:
                    self.assumed |= {name for name in _KEYS.get(question.id, (question.id,)) if name in self.given}
                return

    def _accepts(self, question: Question, answer: str) -> bool:
        before = dict(self.given)
        try:
            self._take(question, answer)
            consider(self.given, self.folder)
        except ValueError as error:
            click.echo(f"{question.id} {error}", err=True)
        except BadInput as error:
            click.echo(str(error), err=True)
        else:
            if all(self._confirms(name) for name in self.given if self.given[name] != before.get(name)):
                return True
        self.given = before
        return False

    def _confirms(self, name: str) -> bool:
        doubt = self.questionnaire[name].doubt(self.given[name])
        return not doubt or read_or(f"{doubt}. Keep it? (yes, no)", "no", "no asks again.") in ("y", "yes")

    def _take(self, question: Question, answer: str) -> None:
        if answer in ("", "none") and not question.choices:
            return
        if question.id != "steps":
            self.given[question.id] = question.understand(answer)
            return
        match = _LENGTH.fullmatch(answer)
        assert match
        name = match["unit"] if match["unit"] in ("epochs", "tokens") else "steps"
        self.given[name] = self.questionnaire[name].understand(match["number"])

    def _summary(self) -> None:
        facts = consider(self.given, self.folder)[1]
        for name, value in facts.answers.items():
            assumed = " (assumed)" if name in facts.assumed or name in self.assumed else ""
            click.echo(f"  {name}: {_shown(value) or 'none'}{assumed}", err=True)
        click.echo(f"  that is {counted(facts.updates, 'optimizer update')}", err=True)
        question, help_text = (
            "Right? (yes, or < to go back)",
            "yes recommends for these answers; < asks the last again.",
        )
        if read_or(question, "yes", help_text) not in ("y", "yes"):
            raise Back
        raise StopIteration


# one question may give any of several answers
_KEYS = {"steps": ("steps", "epochs", "tokens")}


def _shown(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        return ", ".join(value)
    return write_size(value) if isinstance(value, int | float) else str(value)


def _where() -> Path | None:
    try:
        explanation = "A file that 'skillkit recommend-optimizer --answers FILE' reads again; - saves nothing."
        answer = read_or("Save the answers to (- for nowhere)", _FILE, explanation)
    except Back:
        return None
    return None if answer == "-" else Path(answer)
