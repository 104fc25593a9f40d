"""How often causes are named, and what each threshold decides: as recorded, as the README says, as the code has it."""

from pathlib import Path

import pytest

from benchmarks.curves import CAUSES
from benchmarks.diagnoses import HEALTHY, NAMES, RESULTS, as_text, of_cause, totals
from benchmarks.thresholds import RESULTS as MEASURED
from benchmarks.thresholds import key, thresholds
from skillkit.diagnosis.symptoms import ISSUES
from skillkit.reading import read

README = (Path(__file__).parent.parent / "README.md").read_text("utf-8")


def test_every_cause_is_recorded_and_a_symptom_names_it() -> None:
    recorded = read(RESULTS).value
    assert [*recorded] == [*CAUSES, HEALTHY]
    assert NAMES.keys() == set(CAUSES)
    assert {kind for kinds in NAMES.values() for kind in kinds} == ISSUES.keys()
    assert as_text(recorded) == RESULTS.read_text("utf-8")


def test_the_readme_says_how_often_causes_are_named_and_alarms_are_false() -> None:
    recorded = read(RESULTS).value
    found = totals(recorded)
    assert f"is named in {found['named']} of {found['curves']} (" in README
    assert f"and {found['alarms']} of {found['healthy']} healthy ones raise an alarm" in README
    words = {"overfitting": "overfitting", "rate-too-large": "a rate too large", "no-warmup": "a missing warmup"}
    for cause, said in words.items():
        assert f"{said} in {recorded[cause]['named']} of {recorded[cause]['curves']}" in README


def test_what_each_threshold_decides_is_recorded_of_its_value_now() -> None:
    recorded = dict(read(MEASURED).value)
    assert recorded.pop("curves").keys() == {"with_cause", HEALTHY}
    assert recorded.pop("as_they_are").keys() == {"named", "alarms"}
    assert {name: row["value"] for name, row in recorded.items()} == {
        key(module, name): number for module, name, number in thresholds()
    }


@pytest.mark.slow
@pytest.mark.parametrize("cause", ["nan", "floor"])
def test_the_record_is_what_is_seen_now(cause: str) -> None:
    assert of_cause(cause, 25, odd=True) == read(RESULTS).value[cause]
