"""Messages: what failing code says of itself, which must not change what surrounds it in a report."""

import json
import random
import re
from pathlib import PurePath
from typing import Any
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree

from skillkit.errors import Problem
from skillkit.findings import Finding, written
from skillkit.proof.proofs import Proof
from skillkit.proof.reporting import failures, report_text
from skillkit.proof.verdicts import HOLDS, Verdict
from skillkit.proof.verification import Report, Result
from tests.fuzz.mutations import LETTERS, NASTY

PIECES = (
    "::error::x", "\n::stop-commands::x", "##[error]", "%0A", "%", "%25", "\r", "\n", "\r\n", "a:1: b",
    "x.py:3:5: y", f":{'9' * 5000}: ", ": ",
    ",", "file=", "::", "|", "\\", "`", "]]>", "<b>", "&amp;", '"', "\0", "\ud800", "\udcff", "\x85",
    "\u2028", "\x1b]0;x\x07", "\ufffe", "😀", " ",
    "#", "?", "file:///etc", "http://x", "C:\\x", "//x/y", "é", "", "expected 1, got 2",
)  # fmt: skip
PLACES = (
    "reference/sums.yaml:3:5",
    "reference/sums.py:18",
    "reference/a b.py:2:1",
    "<stdin>",
    "--set",
    "",
    "C:\\x.yaml:1:2",
    "/abs/x.yaml:1:1",
)
_GITHUB = re.compile(r"::error file=[^\r\n,:]*(?:,line=[1-9]\d*,col=[1-9]\d*)?,title=[^\r\n,:]*::[^\r\n]*")


def messages(rng: random.Random) -> bytes:
    """Return what some proofs are called, where they are stated, and what is said of them, as JSON."""
    results = [[_text(rng, 2), _place(rng), _place(rng), _text(rng, 6)] for _ in range(rng.choice((0, 1, 1, 2, 4)))]
    return json.dumps({"labels": [_text(rng, 2) for _ in range(rng.choice((1, 1, 2)))], "results": results}).encode()


def _text(rng: random.Random, most: int) -> str:
    parts = [rng.choice(rng.choice((PIECES, PIECES, NASTY, tuple(LETTERS)))) for _ in range(rng.randrange(most + 1))]
    return "".join(parts)


def _place(rng: random.Random) -> str:
    return rng.choice(PLACES) if rng.random() < 0.7 else f"{_text(rng, 2)}:{rng.randrange(1, 99)}:{rng.randrange(1, 9)}"


def give_messages(raw: bytes) -> None:
    """Report it in every form, and read each form as its readers do."""
    data = json.loads(raw)
    results = tuple(_result(*one) for one in data["results"])
    reports = {label: Report(results, {"python": "3.11.7"}) for label in data["labels"]}
    found = list(failures(reports))
    assert len(found) == len(reports) * len(results)
    _read_github(written(found, "github"), found)
    _read_sarif(written(found, "sarif"), found)
    _read_reports(reports)


def _result(name: str, stated: str, place: str, message: str) -> Result:
    proof = Proof(name, "mistake", name, stated, {"code": ""}, lambda _: HOLDS)
    return Result(proof, "fails", Verdict(message, place), 0.1)


def _read_github(text: str, found: list[Finding]) -> None:
    lines = re.split("\r\n|\r|\n", text)  # as its runner reads them
    assert lines.pop() == ""
    assert len(lines) == len(found)
    for line, one in zip(lines, found, strict=True):
        assert _GITHUB.fullmatch(line), line
        said = line.split("::", 2)[2]
        for code, letter in (("%0D", "\r"), ("%0A", "\n"), ("%25", "%")):
            said = said.replace(code, letter)
        assert said == one.problem.message


def _read_sarif(text: str, found: list[Finding]) -> None:
    def unknown(constant: str) -> Any:
        raise AssertionError(constant)

    text.encode()
    (run,) = json.loads(text, parse_constant=unknown)["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert len(rules) == len(set(rules))
    for one, finding in zip(run["results"], found, strict=True):
        assert one["ruleId"] in rules
        assert one["message"]["text"].encode()
        (location,) = one["locations"]
        _read_place(location["physicalLocation"], finding.problem)


def _read_place(place: Any, problem: Problem) -> None:
    uri = place["artifactLocation"]["uri"]
    assert re.fullmatch(r"(?:[A-Za-z0-9._~/:@!$&'()*+,;=-]|%[0-9A-F]{2})+", uri), uri
    split = urlsplit(uri)
    assert split.scheme in ("", "file"), uri
    assert not split.netloc
    assert (
        unquote(split.path).replace("\ufffd", "?")
        == PurePath(problem.path).as_posix().encode(errors="replace").decode()
    )
    assert place.get("region", {}).get("startLine", problem.line) == problem.line


def _read_reports(reports: dict[str, Report]) -> None:
    count = sum(len(report.results) for report in reports.values())
    suites = ElementTree.fromstring(report_text(reports, PurePath("x.xml")))
    assert len(suites.findall("testsuite/testcase/failure")) == count
    assert json.loads(report_text(reports, PurePath("x.json"))).keys() == reports.keys()
    for form in ("x.md", "x.json", "x.xml"):
        report_text(reports, PurePath(form)).encode()
    lines = re.split("\r\n|\r|\n", report_text(reports, PurePath("x.md")))
    items = [line for line in lines if line.startswith("- `")]
    assert len(items) == count, lines
