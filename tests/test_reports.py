"""The public reports: each is answered by a pattern, or a row of changes, that fails as the report does."""

from pathlib import Path
from typing import Any

import pytest

from skillkit.catalogue.catalogues import load_catalogue
from skillkit.catalogue.changes import load_changes
from skillkit.places import find_project
from skillkit.reading import read

ROOT = Path(__file__).parent.parent
PROJECT = find_project(ROOT)
REPORTS: list[dict[str, str]] = read(ROOT / "reference" / "reports.yaml").value
PATTERNS = {name: pattern.as_data() for name, pattern in load_catalogue(PROJECT).patterns.items()}
CHANGES = {change.writes: change for change in load_changes(PROJECT)}
SILENT = {"returns", "shows"}
ANSWERED_BY_PATTERN = [report for report in REPORTS if "pattern" in report]
ANSWERED_BY_CHANGE = [report for report in REPORTS if "change" in report]


def name(report: dict[str, str]) -> str:
    return report["url"].removeprefix("https://github.com/")


def test_there_are_25_reports_each_answered_in_one_way() -> None:
    assert len({report["url"] for report in REPORTS}) == 25
    assert all(len(report.keys() & {"pattern", "change"}) == 1 for report in REPORTS)


@pytest.mark.parametrize("report", ANSWERED_BY_PATTERN, ids=name)
def test_a_pattern_names_the_report_and_fails_like_it(report: dict[str, str]) -> None:
    """Read as `skillkit list --json` prints it."""
    pattern = PATTERNS[report["pattern"]]
    assert report["url"] in pattern["sources"]
    if report["fails"] == "not on CPU":
        assert "CPU" in pattern["no_mistake"]
    else:
        assert any(fails_like(report["fails"], mistake) for mistake in pattern["mistakes"])


def fails_like(stated: str, mistake: dict[str, Any]) -> bool:
    if stated == "silently":
        return bool(SILENT & mistake.keys())
    return any(mistake.get(kind, "").rpartition(".")[2] == stated for kind in ("raises", "warns"))


@pytest.mark.parametrize("report", ANSWERED_BY_CHANGE, ids=name)
def test_a_change_writes_what_the_report_wrote_and_fails_like_it(report: dict[str, str]) -> None:
    change = CHANGES[report["change"]]
    assert change.kind == "raises"
    assert change.stated.rpartition(".")[2] == report["fails"]


@pytest.mark.parametrize(
    ("mistake", "holds"),
    [
        ({"raises": "jax.errors.UnexpectedTracerError"}, True),
        ({"raises": "UnexpectedTracerError"}, True),
        ({"raises": "jax.errors.TracerBoolConversionError"}, False),
        ({"shows": "masks_are_equal"}, False),
    ],
)
def test_what_counts_as_failing_alike(mistake: dict[str, str], holds: bool) -> None:
    assert fails_like("UnexpectedTracerError", mistake) is holds
    assert fails_like("silently", mistake) is ("shows" in mistake)
