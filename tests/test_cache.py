"""What is kept between runs: where, how much, and away with it."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from skillkit.cli import skillkit
from skillkit.errors import BadInput


def call(*arguments: str) -> Result:
    result = CliRunner().invoke(skillkit, ["cache", *arguments])
    if isinstance(result.exception, BadInput):
        raise result.exception
    return result


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a cache with two parts, one of which links to what is not its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = tmp_path / "skillkit"
    (folder / "texts").mkdir(parents=True)
    (folder / "texts" / "a.json").write_bytes(b"x" * 1500)
    (folder / "environments" / "one").mkdir(parents=True)
    (folder / "environments" / "one" / "b").write_bytes(b"x" * 2_500_000)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "c").write_bytes(b"x" * 1000)
    (folder / "environments" / "mine").symlink_to(tmp_path / "mine")
    (folder / "0449d87c.json").write_bytes(b"x" * 10)
    return folder


def test_the_cache_says_where_it_is_and_how_large(cache: Path) -> None:
    folder, environments, outcomes, texts = call().stdout.splitlines()
    assert folder == str(cache)
    assert environments.split() == ["environments", "2.5", "MB", "1", "file"]
    assert outcomes.split() == ["outcomes", "10", "B", "1", "file"]
    assert texts.split() == ["texts", "1.5", "kB", "1", "file"]
    data = json.loads(call("--json").stdout)
    assert data["parts"]["texts"] == {"bytes": 1500, "files": 1}


def test_a_part_is_deleted_and_no_more(cache: Path) -> None:
    assert "environments" in call("environments", "--clean").stdout
    assert sorted(path.name for path in cache.iterdir()) == ["0449d87c.json", "texts"]
    assert (cache.parent / "mine" / "c").exists()
    assert call("--clean").exit_code == 0
    assert list(cache.iterdir()) == []
    assert call().stdout == f"{cache} (nothing is there)\n"


@pytest.mark.parametrize("part", ["text", "../mine", "", "texts/a.json"])
@pytest.mark.parametrize("clean", [[], ["--clean"]])
def test_what_is_no_part_is_not_deleted(cache: Path, part: str, clean: list[str]) -> None:
    with pytest.raises(BadInput, match="no such part of the cache"):
        call(part, *clean)
    assert (cache.parent / "mine" / "c").exists()
    assert (cache / "texts" / "a.json").exists()


def test_there_need_be_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "none"))
    assert call("--clean").stdout == f"{tmp_path / 'none' / 'skillkit'} (nothing is there)\n"
