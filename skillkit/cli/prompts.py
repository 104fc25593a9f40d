"""Prompts: one question on a terminal, with its choices, its explanation and a way back."""

import shutil
import textwrap
from collections.abc import Sequence

import click

from skillkit.questionnaire.questions import Question


class Back(Exception):
    """The one who answers wants the question before."""


def on_a_line(text: str, words: Sequence[str]) -> str:
    """Return a question with its words: beside it where that fits on a line, else below, broken between words."""
    line = f"{text} ({', '.join(words)})" if words else text
    width = shutil.get_terminal_size().columns
    if len(line) < width:
        return line
    wrap = textwrap.TextWrapper(width, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)
    return "\n".join([*wrap.wrap(", ".join(words)), text])


def listed(question: Question) -> str:
    """Return a question below its choices, each with its number, a line on it and the other words for it."""
    width = max(map(len, question.choices))
    lines = []
    for number, choice in enumerate(question.choices, 1):
        words = [word for word, meant in question.also.items() if meant == [choice]]
        also = f" ({', '.join(words)})" if words else ""
        lines.append(f"{number:>3}  {choice:<{width}}  {question.about.get(choice, '')}{also}")
    return "\n".join([*lines, f"{question.text} (a number or a word)"])


def numbered(question: Question, answer: str) -> str:
    """Return the choice whose number in the list is the answer, or the answer itself."""
    if question.about and answer.isdecimal() and 1 <= int(answer) <= len(question.choices):
        return question.choices[int(answer) - 1]
    return answer


def read(text: str, default: str, explanation: str) -> str:
    """Return an answer that is neither a question nor a step back; an empty one where Enter was pressed alone."""
    shown = f"{text} [{default}]" if default else text
    while True:
        answer = str(click.prompt(shown, default="", show_default=False, err=True)).strip()
        if answer.casefold() in ("<", "back"):
            raise Back
        if answer.casefold() not in ("?", "help"):
            return answer
        click.echo(explanation, err=True)


def read_or(text: str, default: str, explanation: str) -> str:
    """Return an answer as `read` does, the default where Enter was pressed alone."""
    return read(text, default, explanation) or default
