"""Completion: the words that a shell offers for an argument, found without loading a catalogue."""

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

import click

from skillkit.errors import BadInput
from skillkit.files import read_text
from skillkit.places import Project, find_project

_ID = re.compile(r"^- (?:id: |\{id: )([a-z0-9-]+)", re.MULTILINE)
_LIBRARY = re.compile(r"^- (?:library: |\{library: )([\w.-]+)", re.MULTILINE)
_TERM = re.compile(r"^- term: (.+)$", re.MULTILINE)


def entries_like(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    """Return the patterns, topics, tables and terms that begin so."""
    return _begun([*_patterns(), "changes", *_changes(), "glossary", *_terms()], incomplete)


def statements_like(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    """Return what can be verified and begins so."""
    return _begun([*_patterns(), "changes", "names"], incomplete)


def texts_like(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    """Return the rendered texts whose names begin so."""
    from skillkit.rendering.texts import text_name

    with suppress(BadInput, OSError):
        folder = find_project().templates
        names = (path.relative_to(folder).as_posix() for path in folder.rglob("*.md.j2"))
        return _begun(dict.fromkeys(text_name(name) for name in sorted(names) if "/_" not in f"/{name}"), incomplete)
    return []


def versions_like(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    """Return the libraries, with `==` and the versions of each run on record, that begin so."""
    from skillkit.catalogue.libraries import only_libraries
    from skillkit.proof.evidence import load_evidence

    with suppress(BadInput, OSError):
        runs = load_evidence(_project().evidence).runs
        found = {f"{name}=={run.versions[name]}" for run in runs for name in only_libraries(run.versions)}
        return _begun(sorted(found), incomplete)
    return []


def answers_like(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    """Return the questions, or the choices of the question before `=`, that begin so."""
    from skillkit.questionnaire.questions import decisions_folder, read_questions

    with suppress(BadInput, OSError):
        questionnaire = read_questions(decisions_folder(find_project()))
        name, equals, rest = incomplete.partition("=")
        if not equals:
            return _begun((f"{one}=" for one in questionnaire.ids()), incomplete)
        head = "" if os.environ.get(_SPLIT) else f"{name}="
        if name in questionnaire.ids():
            question = questionnaire[name]
            return [f"{head}{word}" for word in (question.choices or question.several) if word.startswith(rest)]
    return []


_SPLIT = "_SKILLKIT_SPLIT"


def join_words(environment: Any = os.environ) -> None:
    """Join `--set`, `key`, `=`, `value` again, which bash hands over as words of their own, and completes so."""
    words, position = environment.get("COMP_WORDS", ""), environment.get("COMP_CWORD", "")
    if environment.get("_SKILLKIT_COMPLETE") != "bash_complete" or not position.isdigit():
        return
    joined: list[str] = []
    at, split = int(position), False
    for number, word in enumerate(words.split("\n")):
        after = bool(joined) and (word == "=" or joined[-1].endswith("="))
        if after:
            joined[-1] += word
            at -= number <= int(position)
            split = split or number == int(position)
        else:
            joined.append(word)
    environment |= {"COMP_WORDS": "\n".join(joined), "COMP_CWORD": str(at)}
    if split:
        environment[_SPLIT] = "1"


def _begun(words: Iterable[str], incomplete: str) -> list[str]:
    return [word for word in words if word.startswith(incomplete)]


def _patterns() -> Iterator[str]:
    for path, text in _specs():
        yield path
        yield from _ID.findall(text)


def _specs() -> Iterator[tuple[str, str]]:
    with suppress(BadInput, OSError):
        for path in sorted(_project().reference.glob("*.yaml")):
            if path.with_suffix(".py").exists():
                yield path.stem, read_text(path)


def _terms() -> list[str]:
    return [f"glossary/{term}" for term in _TERM.findall(_table("glossary"))]


def _changes() -> list[str]:
    return [f"changes/{library}" for library in dict.fromkeys(_LIBRARY.findall(_table("changes")))]


def _table(name: str) -> str:
    with suppress(BadInput, OSError):
        return read_text(_project().reference / f"{name}.yaml")
    return ""


def _project() -> Project:
    return find_project()
