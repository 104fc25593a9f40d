"""Files that are replaced whole."""

import os
from pathlib import Path

import pytest

from skillkit.writing import write


def test_writes_and_leaves_an_equal_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file.md"
    assert write(path, "é\n")
    assert path.read_bytes() == b"\xc3\xa9\n"
    before = path.stat()
    assert not write(path, "é\n")
    assert path.stat().st_mtime_ns == before.st_mtime_ns
    assert path.stat().st_ino == before.st_ino


def test_mode_is_what_the_user_would_get_and_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "file"
    mask = os.umask(0o022)
    try:
        write(path, "a")
        assert path.stat().st_mode & 0o777 == 0o644
        path.chmod(0o600)
        write(path, "b")
        assert path.stat().st_mode & 0o777 == 0o600
    finally:
        os.umask(mask)


def test_a_failed_write_leaves_no_trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_text("before")
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError("full")))
    with pytest.raises(OSError, match="full"):
        write(path, "after")
    assert path.read_text() == "before"
    assert os.listdir(tmp_path) == ["file"]
