"""Front matter: the YAML at the head of a rendered text, by which assistants find a skill, or pass it over."""

import re
from collections.abc import Iterator
from pathlib import Path

from skillkit.errors import BadInput, Problem, bad_input, did_you_mean
from skillkit.files import read_text
from skillkit.reading import Document, parse
from skillkit.shapes import check, schema

_FENCE = "---"
_NAME = "SKILL.md"


def require_front_matter(text: str, template: Path) -> None:
    """Refuse a rendered text whose front matter assistants cannot load; one without any is fine but for a skill.

    Args:
        text: As it is rendered.
        template: Of what it is rendered, for messages.

    Raises:
        BadInput: With every problem.
    """
    is_skill = template.name == f"{_NAME}.j2"
    lines = text.split("\n")
    if lines[0].rstrip() != _FENCE:
        if is_skill or lines[0].startswith(_FENCE):
            raise bad_input(template, "must begin with a line '---', the front matter, and another line '---'", 1, 1)
        return
    end = next((number for number, line in enumerate(lines[1:], 1) if line.rstrip() == _FENCE), None)
    broken = next((number for number, line in enumerate(lines[1:end], 1) if line.startswith(_FENCE)), None)
    if end is None or broken is not None:
        message = "front matter ends in a line of nothing but '---'"
        raise bad_input(template, message, _line(template, lines[broken or 0]), 1)
    problems = list(_problems("\n".join(lines[1:end]), template, is_skill))
    if problems:
        raise BadInput(_placed(problem, lines, template) for problem in problems)


def _problems(front: str, template: Path, is_skill: bool) -> Iterator[Problem]:
    try:
        document = parse(front, str(template))
    except BadInput as error:
        yield from error.problems
        return
    if not is_skill and "name" not in (document.value if isinstance(document.value, dict) else ()):
        return  # another kind of text, as an assistant's rules
    problems = [*check(document, schema("frontmatter")), *_unknown(document, is_skill)]
    yield from problems
    if not problems:
        yield from _further(document, template, is_skill)


def _unknown(document: Document, is_skill: bool) -> Iterator[Problem]:
    """Yield keys that no assistant takes from a skill; of another text, those that are nearly one."""
    known = schema("frontmatter")["properties"]
    for name in document.value if isinstance(document.value, dict) else ():
        near = did_you_mean(str(name), known)
        if name not in known and (is_skill or near):
            hint = (
                f"some assistants refuse a skill with another key than {', '.join(known)}; metadata may say it, as text"
            )
            yield document.problem((name, "#key"), f"unknown key '{name}'{near or f': {hint}'}")


def _further(document: Document, template: Path, is_skill: bool) -> Iterator[Problem]:
    name, description = document.value["name"], document.value["description"]
    if is_skill and name != template.parent.name:
        yield document.problem(("name",), f"must be that of its folder, '{template.parent.name}', not '{name}'")
    if re.search("[<>]", description):
        yield document.problem(("description",), "must not hold < or >, which some assistants take for a tag")
    if _FENCE in description:
        yield document.problem(("description",), "must not hold ---, at which some readers end the front matter")


def _placed(problem: Problem, lines: list[str], template: Path) -> Problem:
    """Return a problem of the front matter at the template's line that it is rendered of."""
    line = _line(template, lines[problem.line]) if problem.line and problem.line < len(lines) else 0
    return Problem(str(template), line, problem.column if line else 0, f"front matter: {problem.message}")


def _line(template: Path, rendered: str) -> int:
    """Return the number of the template's line that became a rendered one, or 1."""
    key = rendered.partition(":")[0]
    for number, line in enumerate(read_text(template).split("\n"), 1):
        if line.rstrip() == rendered.rstrip() or (":" in rendered and line.startswith(f"{key}:")):
            return number
    return 1
