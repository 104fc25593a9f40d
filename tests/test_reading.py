"""YAML as data with places."""

import math
from pathlib import Path

import pytest

from skillkit.errors import BadInput
from skillkit.reading import parse, read


def problems(text: str) -> str:
    with pytest.raises(BadInput) as caught:
        parse(text, "spec.yaml")
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-3", 0.001),
        ("no", "no"),
        ("on", "on"),
        ("true", True),
        ("~", None),
        ("0o17", 15),
        ("0x1F", 31),
        ("010", 10),
        ("1_000", "1_000"),
        ("1:30", "1:30"),
        ("2026-11-30", "2026-11-30"),
        ("'1'", "1"),
        ("-.inf", -math.inf),
        ("[1, a, 2.5]", [1, "a", 2.5]),
        ('{"a": {"b": []}}', {"a": {"b": []}}),
        (r'"a\tb\nc"', "a\tb\nc"),
        (r'{"a": "\ud83d\ude00"}', {"a": "😀"}),
        (r'["\\ud83d\\ude00"]', [r"\ud83d\ude00"]),
    ],
)
def test_scalars_follow_yaml_1_2(text: str, value: object) -> None:
    found = parse(text, "x").value
    assert found == value
    assert type(found) is type(value)


def test_nan() -> None:
    assert math.isnan(parse(".nan", "x").value)


def test_keys_are_text() -> None:
    assert parse("on: 1\n1: 2", "x").value == {"on": 1, "1": 2}


def test_places_count_from_one() -> None:
    document = parse("a:\n  - b: 1\n", "x")
    assert document.place(("a", 0, "b")) == "x:2:8"
    assert str(document.problem(("a", 0, "b", "#key"), "m")) == "x:2:5: m"
    assert str(document.problem(("a", 0, "gone", "too"), "m")) == "x:2:5: m"


def test_all_duplicate_keys_at_once() -> None:
    assert problems("a: 1\nb: 2\na: 3\nb: 4\n") == (
        "spec.yaml:3:1: duplicate key 'a': first given in line 1\n"
        "spec.yaml:4:1: duplicate key 'b': first given in line 2"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "spec.yaml: the file is empty"),
        ("# only a comment\n", "spec.yaml: the file is empty"),
        ("a:\n\tb: 1\n", "spec.yaml:2:1: a tab in the indentation: YAML indents with spaces"),
        ("a: [1, 2\n", "spec.yaml:2:1: not YAML: while parsing a flow sequence, did not find"),
        ("a: &x 1\nb: *x\n", "spec.yaml:1:4: aliases (*name) are not supported: repeat the value"),
        ("a: !!python/object:os.system 1\n", "spec.yaml:1:4: the tag tag:yaml.org,2002:python/object:os.system"),
        ("? [a]\n: 1\n", "spec.yaml:1:3: a key must be a plain word"),
        ("a: 1\n---\nb: 2\n", "spec.yaml:2:1: not YAML: "),
        ("a: " + "9" * 5000, "spec.yaml:1:4: not a number: Exceeds the limit (4300 digits)"),
        ("a: " + "9" * 400, "spec.yaml:1:4: not a number: it lies beyond what a float can hold"),
        ("a: 0x" + "f" * 9999, "spec.yaml:1:4: not a number: it lies beyond what a float can hold"),
        ("[" * 70 + "]" * 70, "spec.yaml:1:62: lists and mappings are nested deeper than 60"),
        ("[" * 9999, "spec.yaml:1:1001: lists and mappings are nested deeper than 60"),
        (r'a: "b\x1b[31m"', "spec.yaml:1:4: holds the control character U+001B: remove it"),
        (r'a: "b\0"', "spec.yaml:1:4: holds the control character U+0000: remove it"),
        (r'a: "b\u2028"', "spec.yaml:1:4: holds the control character U+2028: remove it"),
        (r'"a\x1b": 1', "spec.yaml:1:1: a key must be a plain word"),
        ("a: b: c", "spec.yaml:1:5: not YAML: mapping values are not allowed in this context (a text with ': ' in it"),
        (
            "a: b\n  c: d",
            "spec.yaml:2:4: not YAML: mapping values are not allowed in this context (is this line indented",
        ),
        (
            "a: 'it's'",
            "spec.yaml:1:8: not YAML: while parsing a block mapping, did not find expected key (within single",
        ),
        ("a: @b", "spec.yaml:1:4: not YAML: while scanning for the next token, found character that cannot start any"),
        (r'["\ud83d"]', "spec.yaml:1:5: not YAML: while parsing a quoted scalar, found invalid Unicode character"),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    assert problems(text).startswith(message)


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no such file"):
        read(tmp_path / "none.yaml")


def test_folder_instead_of_file(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be read"):
        read(tmp_path)


def test_not_utf8_says_where(tmp_path: Path) -> None:
    path = tmp_path / "latin.yaml"
    path.write_bytes("a: 1\nb: é\n".encode("latin-1"))
    with pytest.raises(BadInput) as caught:
        read(path)
    assert str(caught.value) == f"{path}:2:4: not UTF-8 text: save the file as UTF-8"


def test_byte_order_mark_and_crlf_are_no_error(tmp_path: Path) -> None:
    path = tmp_path / "windows.yaml"
    path.write_bytes(b"\xef\xbb\xbfa: 1\r\nb: 2\r\n")
    assert read(path).value == {"a": 1, "b": 2}
