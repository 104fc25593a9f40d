"""Files as users keep them."""

from pathlib import Path

import pytest

from skillkit.errors import BadInput
from skillkit.files import read_text, read_toml


def test_a_byte_order_mark_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"\xef\xbb\xbfone\r\ntwo")
    assert read_text(tmp_path / "a") == "one\r\ntwo"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a = \xff", "x.toml:1:5: not UTF-8 text"),
        (b"a = ", "x.toml: not TOML: "),
        (b"a = " + b"9" * 5000, "x.toml: not TOML: "),
        (b"a = " + b"[" * 5000, "x.toml: is nested too deep"),
        (b"a = " + b"{b=" * 5000, "x.toml: is nested too deep"),
    ],
)
def test_what_is_no_toml(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "x.toml").write_bytes(content)
    with pytest.raises(BadInput) as caught:
        read_toml(tmp_path / "x.toml")
    assert str(caught.value).startswith(f"{tmp_path}/{message}")


@pytest.mark.parametrize("name", ["none", ".", "a" * 300, "a\0b"])
def test_what_cannot_be_read(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadInput, match=r"cannot be read|no such file"):
        read_text(tmp_path / name)
