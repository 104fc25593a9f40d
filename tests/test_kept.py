"""What is kept is believed where it is whole and the user's own, and elsewhere nothing to stumble over."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skillkit.kept import keep, kept

DATA: dict[str, Any] = {"a": [1, 2.5, None, True, "é\u2028"]}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a file that keeps something."""
    path = tmp_path / "new" / "a.kept"
    keep(path, DATA)
    return path


def test_what_was_kept_comes_back(path: Path) -> None:
    assert kept(path) == DATA
    keep(path, [])
    assert kept(path) == []


def test_a_change_breaks_the_seal(path: Path) -> None:
    whole = path.read_bytes()
    for at in range(len(whole) - 1):  # the last byte ends the line
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        assert kept(path) is None, at
        path.write_bytes(whole[:at])
        assert kept(path) is None, at


def test_what_was_kept_under_another_name_is_not_believed(path: Path) -> None:
    other = path.with_name("b.kept")
    other.write_bytes(path.read_bytes())
    assert kept(other) is None


@pytest.mark.parametrize("text", ["", "\n", "[]", "[" * 100_000, "9" * 5_000, "\0", "a\nb\nc"])
def test_what_is_nothing_of_the_kind_is_not_believed(path: Path, text: str) -> None:
    path.write_text(text)
    assert kept(path) is None


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _loop(path: Path) -> None:
    path.unlink()
    path.symlink_to(path)


def _open(path: Path) -> None:
    path.chmod(0o666)


@pytest.mark.parametrize("spoil", [Path.unlink, _folder, _pipe, _loop, _open])
def test_what_is_no_file_of_the_users_own_is_not_believed(path: Path, spoil: Callable[[Path], None]) -> None:
    spoil(path)
    assert kept(path) is None


def test_so_is_what_another_user_wrote(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: path.stat().st_uid + 1)
    assert kept(path) is None


def test_where_nothing_can_be_written_nothing_is_kept(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    keep(tmp_path / "file" / "a.kept", DATA)
    assert kept(tmp_path / "file" / "a.kept") is None
