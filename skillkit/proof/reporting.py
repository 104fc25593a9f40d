"""Reporting: what runs have shown, as a table, Markdown, JUnit XML or JSON."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePath
from xml.etree import ElementTree

from skillkit.errors import Problem
from skillkit.findings import Finding
from skillkit.proof.verification import Report

SIGNS = {"holds": "✓", "fails": "✗", "skipped": "–"}
ENDINGS = (".md", ".xml", ".json")


def report_text(reports: Mapping[str, Report], path: PurePath) -> str:
    """Return the content of a report file in the format that its ending names.

    Args:
        reports: By the label of their set of versions.
        path: Ends in one of `ENDINGS`.
    """
    if path.suffix == ".json":
        return json.dumps({label: report.as_data() for label, report in reports.items()}, indent=2) + "\n"
    return as_xml(reports) if path.suffix == ".xml" else as_markdown(reports)


def pattern_states(report: Report) -> dict[str, str]:
    """Return for each pattern whether all that it states holds; `fails` wins over `skipped`, that over `holds`."""
    states: dict[str, str] = {}
    for result in report.results:
        known = states.get(result.proof.pattern, "holds")
        states[result.proof.pattern] = max(known, result.state, key=_RANK.index)
    return states


_RANK = ("holds", "skipped", "fails")


def table(reports: Mapping[str, Report]) -> list[list[str]]:
    """Return a table with a row for each pattern and a column for each set of versions, headed by the versions."""
    columns = [pattern_states(report) for report in reports.values()]
    rows = [["pattern", *(_heading(label, report) for label, report in reports.items())]]
    for pattern in dict.fromkeys(name for column in columns for name in column):
        rows.append([pattern, *(SIGNS.get(column.get(pattern, ""), "") for column in columns)])
    return rows


def as_markdown(reports: Mapping[str, Report]) -> str:
    """Return a table of patterns by versions, and below it what fails and what was skipped."""
    head, *rows = table(reports)
    lines = ["# What holds", "", _row(head), _row(["---", *(":-:" for _ in head[1:])]), *map(_row, rows)]
    for label, report in reports.items():
        for state, title in (("fails", "Fails"), ("skipped", "Skipped")):
            if found := report.of(state):
                listed = (f"- `{_line(one.proof.id)}`: {_line(str(one))}" for one in found)
                lines += ["", f"## {title} with {_line(label)}", "", *listed]
    return "\n".join(lines) + "\n"


def as_xml(reports: Mapping[str, Report]) -> str:
    """Return JUnit XML, a test suite for each set of versions."""
    root = ElementTree.Element("testsuites")
    for label, report in reports.items():
        counts = {"tests": report.results, "failures": report.of("fails"), "skipped": report.of("skipped")}
        attributes = {"name": _printable(label)} | {name: str(len(found)) for name, found in counts.items()}
        suite = ElementTree.SubElement(root, "testsuite", attributes)
        for result in report.results:
            kind = f"{result.proof.pattern}.{result.proof.kind}"
            name = {"classname": _printable(kind), "name": _printable(result.proof.id)}
            case = ElementTree.SubElement(suite, "testcase", name, time=f"{result.seconds:.3f}")
            if result.state != "holds":
                tag = "failure" if result.state == "fails" else "skipped"
                ElementTree.SubElement(case, tag, message=_printable(str(result)))
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def failures(reports: Mapping[str, Report]) -> Iterator[Finding]:
    """Yield what fails, for GitHub's annotations and code scanners: at the line at fault, else where it is stated."""
    for label, report in reports.items():
        for result in report.of("fails"):
            message = result.verdict.message or result.state
            words = message if len(reports) == 1 else f"{message} ({label})"
            path, line, column = _parted(result.verdict.place or result.proof.place)
            yield Finding(result.proof.kind, Problem(path, line, column, words), result.proof.id)


def _parted(place: str) -> tuple[str, int, int]:
    """Return the file, line and column of `file:line:column`, of which the last or the last two may be missing."""
    found = _PLACE.fullmatch(place)
    return (found[1], int(found[2]), int(found[3] or 1)) if found else (place, 0, 0)


_PLACE = re.compile(r"(.*?):([0-9]{1,9})(?::([0-9]{1,9}))?", re.DOTALL)


def _printable(text: str) -> str:
    """Return a text without the characters that XML cannot hold."""
    return _UNKNOWN_TO_XML.sub("\ufffd", text)


_UNKNOWN_TO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _heading(label: str, report: Report) -> str:
    versions = report.versions
    return f"jax {versions['jax']}, Python {versions['python']}" if "jax" in versions else label


def _line(text: str) -> str:
    return re.sub("\r\n|\r|\n", " ", _printable(text)).replace("|", "\\|")


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(map(_line, cells))} |"
