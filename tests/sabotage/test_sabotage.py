"""Falsifications of what is published and of what proves it: each is caught, by the check that is named for it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from skillkit.reading import read
from tests.sabotage.checks import Checks
from tests.sabotage.copies import ROOT, Copy, original

TABLE: dict[str, list[dict[str, Any]]] = read(Path(__file__).with_name("falsifications.yaml")).value
RENDERED = ("reference/", "templates/")  # of what lies there texts are rendered
READ_BACK = ("test:tests/test_outputs.py", "test:tests/test_corrections.py")  # what reads nothing else


@pytest.fixture(scope="session")
def checks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Checks]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        found = Checks(original(tmp_path_factory.mktemp("original")), tmp_path_factory.mktemp("outcomes"))
        yield found
        found.workers.close()


@pytest.mark.slow
@pytest.mark.parametrize("row", TABLE["caught"], ids=lambda row: row["id"])
def test_a_falsification_is_caught(row: dict[str, Any], checks: Checks, tmp_path: Path) -> None:
    """By the named check, which finds nothing before."""
    name, about = row["caught_by"], row.get("about", [])
    checks.require(name, about)
    copy = falsified(row, name, checks, tmp_path)
    found = checks.found(name, copy, about)
    assert row["says"] in found, found or "nothing was found"


@pytest.mark.slow
@pytest.mark.parametrize("row", TABLE["uncaught"], ids=lambda row: row["id"])
def test_what_is_not_caught(row: dict[str, Any], checks: Checks, tmp_path: Path) -> None:
    """A row that some check begins to catch belongs among the others."""
    for number, name in enumerate(row["missed_by"]):
        copy = falsified(row, name, checks, tmp_path / str(number))
        assert checks.found(name, copy, row.get("about", [])) == ""
    assert row["because"]
    assert row["marked"]


def falsified(row: dict[str, Any], reads: str, checks: Checks, folder: Path) -> Copy:
    """Return a copy with what a row says; its texts are rendered anew where the check reads these."""
    copy = checks.copy.linked(folder / "copy")
    copy.replace(row["file"], row.get("old", ""), row["new"])
    if row["file"].startswith(RENDERED) and reads.startswith(READ_BACK):
        copy.render()
    return copy


def test_the_table_names_each_falsification_once() -> None:
    names = [row["id"] for rows in TABLE.values() for row in rows]
    assert len(names) == len(set(names))
    assert len(TABLE["caught"]) >= 60


@pytest.mark.parametrize("row", [*TABLE["caught"], *TABLE["uncaught"]], ids=lambda row: row["id"])
def test_what_is_falsified_stands_there_once(row: dict[str, Any]) -> None:
    """So that what moved is noticed by `make test`, which runs none of the rest."""
    path = ROOT / row["file"]
    assert path.is_file() == ("old" in row)
    assert "old" not in row or path.read_bytes().decode("utf-8").count(row["old"]) == 1
