"""Findings: what a check found, in the forms in which people, GitHub and code scanners read it."""

import json
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path, PurePath
from typing import Any
from urllib.parse import quote

from skillkit.errors import Problem

FORMATS = ("text", "github", "sarif")
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


@dataclass(frozen=True)
class Finding:
    """One thing that a check found.

    Args:
        rule: The kind of check, in a word.
        problem: What is wrong, and where.
        subject: The pattern or text that it concerns, or an empty string.
    """

    rule: str
    problem: Problem
    subject: str = ""


def written(findings: Iterable[Finding], form: str) -> str:
    """Return findings in one of `FORMATS`, each line ended; without findings, SARIF still says that there are none."""
    writers = {"text": _text, "github": _github, "sarif": _sarif}
    return writers[form](list(findings))


def _text(findings: Sequence[Finding]) -> str:
    return "".join(f"{one.problem}\n" for one in findings)


def _github(findings: Sequence[Finding]) -> str:
    """Return workflow commands, which GitHub shows as annotations of the lines."""
    return "".join(f"::error {_properties(one)}::{_escaped(one.problem.message)}\n" for one in findings)


def _properties(finding: Finding) -> str:
    problem = finding.problem
    line = {"line": str(problem.line), "col": str(problem.column)} if problem.line else {}
    title = f"skillkit {finding.rule}" + (f" {finding.subject}" if finding.subject else "")
    values = {"file": _path(problem.path), **line, "title": title}
    return ",".join(f"{name}={_escaped(value, ',:')}" for name, value in values.items())


def _escaped(text: str, more: str = "") -> str:
    for letter in "%\r\n" + more:
        text = text.replace(letter, f"%{ord(letter):02X}")
    return text


def _sarif(findings: Sequence[Finding]) -> str:
    rules = [{"id": rule} for rule in dict.fromkeys(one.rule for one in findings)]
    driver = {"name": "skillkit", "version": _version(), "rules": rules}
    run = {"tool": {"driver": driver}, "results": [_result(one) for one in findings]}
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _result(finding: Finding) -> dict[str, Any]:
    problem = finding.problem
    place: dict[str, Any] = {"artifactLocation": {"uri": _uri(problem.path)}}
    if problem.line:
        place["region"] = {"startLine": problem.line, "startColumn": max(problem.column, 1)}
    text = f"{finding.subject}: {problem.message}" if finding.subject else problem.message
    location = {"physicalLocation": place}
    return {"ruleId": finding.rule, "level": "error", "message": {"text": _whole(text)}, "locations": [location]}


def _whole(text: str) -> str:
    """Return a text with question marks for halves of characters, as failing code may print, which no file can hold."""
    return text.encode("utf-8", errors="replace").decode("utf-8")


def _uri(path: str) -> str:
    """Return a path as a URI, in which colons and spaces would mean something else."""
    found = _path(path)
    uri = quote(found, safe="/!$&'()*+,;=@", errors="replace")
    return f"file://{uri}" if found.startswith("/") else uri


def _path(path: str) -> str:
    """Return a path as GitHub resolves it: from the repository's folder, in whichever a step works."""
    repository = os.environ.get("GITHUB_WORKSPACE")
    if repository:
        with suppress(OSError, ValueError):  # what is no path, or lies elsewhere
            return Path(path).resolve().relative_to(Path(repository).resolve()).as_posix()
    return PurePath(path).as_posix()


def _version() -> str:
    try:
        return version("jax-skillkit")
    except PackageNotFoundError:
        return "0"
