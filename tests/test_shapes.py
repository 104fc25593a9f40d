"""JSON Schemas and what does not fit them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from skillkit.reading import parse
from skillkit.shapes import check, schema

SCHEMAS = sorted(path.stem for path in (Path(__file__).parent.parent / "skillkit" / "schemas").glob("*.json"))

SHAPE: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["name"],
    "dependentRequired": {"raises": ["match"]},
    "properties": {
        "name": {"type": "string", "minLength": 1, "maxLength": 5, "pattern": "^[a-z]*$"},
        "size": {"type": ["integer", "null"], "minimum": 1, "maximum": 9},
        "rate": {"type": "number", "exclusiveMinimum": 0},
        "kind": {"enum": ["linear", "cosine"]},
        "tags": {"type": "array", "minItems": 1, "uniqueItems": True, "items": {"$ref": "#/$defs/tag"}},
        "flags": {"type": "object", "minProperties": 1, "additionalProperties": {"type": "boolean"}},
        "raises": {"type": "string"},
        "match": {"type": "string"},
        "either": {"type": "object", "oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
    },
    "$defs": {"tag": {"type": "string"}},
}

CASES = [
    ("name: a", ""),
    ("name: a\nsize: 3\nrate: 0.1\nkind: cosine\ntags: [x]\nflags: {f: true}", ""),
    ("name: a\nsize: null", ""),
    ("name: a\nsize: 2.0", ""),
    ("size: 1", "x:1:1: the key 'name' is missing"),
    ("name: 1", "x:1:7: must be text, not 1: put it in quotes, '1'"),
    ("name: ''", "x:1:7: must not be empty"),
    ("name: abcdef", "x:1:7: is 6 characters long, and may have 5"),
    ("name: A", 'x:1:7: must match ^[a-z]*$, not "A"'),
    ("name: a\nsize: 0", "x:2:7: must be at least 1, not 0"),
    ("name: a\nsize: 10", "x:2:7: must be at most 9, not 10"),
    ("name: a\nsize: 1.5", "x:2:7: must be a whole number or null, not 1.5"),
    ("name: a\nsize: true", "x:2:7: must be a whole number or null, not true"),
    ("name: a\nrate: 0", "x:2:7: must be greater than 0, not 0"),
    ("name: a\nrate: '1'", 'x:2:7: must be a number, not "1"'),
    ("name: a\nkind: linaer", "x:2:7: unknown choice \"linaer\" (did you mean 'linear'?): one of linear, cosine"),
    ("name: a\ntags: []", "x:2:7: must have at least 1 entry"),
    ("name: a\ntags: [x, x]", 'x:2:11: "x" is listed twice'),
    ("name: a\ntags: [1]", "x:2:8: must be text, not 1: put it in quotes, '1'"),
    ("name: a\ntags: x", 'x:2:7: must be a list, not "x": write [x]'),
    ("name: a\nflags: {}", "x:2:8: must not be empty"),
    ("name: a\nflags: {f: 1}", "x:2:12: must be true or false, not 1"),
    ("name: a\nraises: E", "x:2:1: 'raises' needs 'match' beside it"),
    ("name: a\neither: {}", "x:2:9: needs exactly one of a, b"),
    ("name: a\neither: {a: 1, b: 2}", "x:2:9: needs exactly one of a, b"),
    ("name: a\ntag: x", "x:2:1: unknown key 'tag' (did you mean 'tags'?)"),
    ("[1]", "x:1:1: must be a mapping, not [1]"),
]


@pytest.mark.parametrize(("text", "message"), CASES)
def test_message(text: str, message: str) -> None:
    assert "\n".join(map(str, check(parse(text, "x"), SHAPE))) == message


@pytest.mark.parametrize(("text", "message"), CASES)
def test_agrees_with_jsonschema(text: str, message: str) -> None:
    """The library is slow to import, which is why users do not meet it; here it judges our walk."""
    valid = jsonschema.Draft202012Validator(SHAPE).is_valid(parse(text, "x").value)
    assert valid == (message == "")


def test_a_pattern_ends_where_the_text_does() -> None:
    """As in JSON Schema's own expressions; in Python's, `$` is also before a last line end."""
    (problem,) = check(parse('name: "ab\\n"', "x"), SHAPE)
    assert problem.message == 'must match ^[a-z]*$, not "ab\\n"'


def test_all_problems_at_once() -> None:
    assert len(list(check(parse("size: x\nkind: y\nother: 1", "x"), SHAPE))) == 4


@pytest.mark.parametrize("name", SCHEMAS)
def test_published_schemas_are_schemas(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(schema(name))


@pytest.mark.parametrize("number", [".nan", ".inf", "-.inf", "1e999"])
def test_what_has_bounds_is_finite(number: str) -> None:
    """Beyond JSON Schema, which knows no such numbers."""
    (problem,) = check(parse(f"name: a\nrate: {number}", "x"), SHAPE)
    assert "must be a finite number" in problem.message


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_field_is_described(name: str) -> None:
    """An editor shows it beside the key."""
    bare = [key for key, shape in fields(schema(name)) if not shape.get("description", "").endswith(".")]
    assert bare == []
    assert list(fields(schema(name)))


def fields(shape: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the properties of a schema and of all schemas inside it."""
    if isinstance(shape, dict):
        if isinstance(shape.get("properties"), dict):
            yield from shape["properties"].items()
        for part in shape.values():
            yield from fields(part)
    elif isinstance(shape, list):
        for part in shape:
            yield from fields(part)
