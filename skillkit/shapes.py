"""Shapes: what a document may hold, as a JSON Schema, and where it does not."""

import json
import math
import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any

from skillkit.errors import BadInput, Problem, counted, did_you_mean
from skillkit.reading import Document, Key, shown

Schema = dict[str, Any]

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}
_WORDS = {
    "string": "text",
    "array": "a list",
    "object": "a mapping",
    "null": "null",
    "boolean": "true or false",
}


@cache
def schema(name: str) -> Schema:
    """Return the JSON Schema `schemas/NAME.json` of this package.

    Raises:
        FileNotFoundError: There is none of that name.
    """
    loaded: Schema = json.loads(files("skillkit").joinpath("schemas", f"{name}.json").read_text("utf-8"))
    return loaded


def require(document: Document, shape: Schema) -> None:
    """Raise BadInput with every place where the document does not have the shape."""
    problems = list(check(document, shape))
    if problems:
        raise BadInput(problems)


def check(document: Document, shape: Schema) -> Iterator[Problem]:
    """Yield every place where a document does not have the shape.

    The part of JSON Schema that is understood: type, const, enum, pattern, minLength, maxLength, minimum,
    exclusiveMinimum, maximum, items, minItems, uniqueItems, properties, required, additionalProperties,
    minProperties, dependentRequired, oneOf over `required`, and `$ref` into `$defs`.
    """
    yield from _Walk(document, shape.get("$defs", {})).value(document.value, shape, ())


class _Walk:
    def __init__(self, document: Document, definitions: Schema) -> None:
        self.document = document
        self.definitions = definitions

    def value(self, value: Any, shape: Schema, key: Key) -> Iterator[Problem]:
        if "$ref" in shape:
            shape = self.definitions[shape["$ref"].removeprefix("#/$defs/")] | {
                name: part for name, part in shape.items() if name != "$ref"
            }
        message = _wrong_type(value, shape) or _wrong_scalar(value, shape)
        if message:
            yield self.document.problem(key, message)
        elif isinstance(value, dict):
            yield from self.mapping(value, shape, key)
        elif isinstance(value, list):
            yield from self.sequence(value, shape, key)

    def sequence(self, value: list[Any], shape: Schema, key: Key) -> Iterator[Problem]:
        if len(value) < shape.get("minItems", 0):
            entries = counted(shape["minItems"], "entry", "entries")
            yield self.document.problem(key, f"must have at least {entries}")
        met: set[str] = set()
        for index, item in enumerate(value):
            word = json.dumps(item, sort_keys=True, default=str)
            if shape.get("uniqueItems") and word in met:
                yield self.document.problem((*key, index), f"{shown(item)} is listed twice")
            met.add(word)
            yield from self.value(item, shape.get("items", {}), (*key, index))

    def mapping(self, value: dict[str, Any], shape: Schema, key: Key) -> Iterator[Problem]:
        properties = shape.get("properties", {})
        others = shape.get("additionalProperties", {})
        for name, item in value.items():
            if name in properties:
                yield from self.value(item, properties[name], (*key, name))
            elif others is False:
                message = f"unknown key '{name}'{did_you_mean(name, properties)}"
                yield self.document.problem((*key, name, "#key"), message)
            elif isinstance(others, dict):
                yield from self.value(item, others, (*key, name))
        if len(value) < shape.get("minProperties", 0):
            yield self.document.problem(key, "must not be empty")
        for name in _missing(value, shape):
            yield self.document.problem(key, f"the key '{name}' is missing")
        for name, needed in shape.get("dependentRequired", {}).items():
            for other in needed:
                if name in value and other not in value:
                    yield self.document.problem((*key, name, "#key"), f"'{name}' needs '{other}' beside it")
        if "oneOf" in shape:
            choices = [choice["required"][0] for choice in shape["oneOf"]]
            if sum(choice in value for choice in choices) != 1:
                yield self.document.problem(key, f"needs exactly one of {', '.join(choices)}")


def _missing(value: dict[str, Any], shape: Schema) -> Iterator[str]:
    return (name for name in shape.get("required", ()) if name not in value)


def _wrong_type(value: Any, shape: Schema) -> str | None:
    if "type" not in shape:
        return None
    types: list[str] = [shape["type"]] if isinstance(shape["type"], str) else shape["type"]
    for name in types:
        # bool is a subclass of int in Python, and 2.0 is an integer in JSON Schema
        if isinstance(value, bool) and name in ("integer", "number"):
            continue
        if isinstance(value, _TYPES[name]) or (name == "integer" and isinstance(value, float) and value.is_integer()):
            return None
    wanted = " or ".join(_WORDS.get(name, f"a whole {name}" if name == "integer" else f"a {name}") for name in types)
    message = f"must be {wanted.replace('a whole integer', 'a whole number')}, not {shown(value)}"
    return message + _remedy(value, types)


def _remedy(value: Any, types: list[str]) -> str:
    if "string" in types and isinstance(value, bool | int | float):
        return f": put it in quotes, '{shown(value)}'"
    if "array" in types and isinstance(value, str) and len(shown(value)) < 60:
        return f": write [{value}]"
    return ""


def _wrong_scalar(value: Any, shape: Schema) -> str | None:
    if "const" in shape and value != shape["const"]:
        return f"must be {shown(shape['const'])}, not {shown(value)}"
    if "enum" in shape and value not in shape["enum"]:
        near = did_you_mean(value, (str(choice) for choice in shape["enum"])) if isinstance(value, str) else ""
        return f"unknown choice {shown(value)}{near}: one of {', '.join(map(str, shape['enum']))}"
    if isinstance(value, str):
        return _wrong_text(value, shape)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _wrong_number(value, shape)
    return None


def _wrong_text(value: str, shape: Schema) -> str | None:
    if len(value) < shape.get("minLength", 0):
        return "must not be empty"
    if len(value) > shape.get("maxLength", len(value)):
        return f"is {len(value):,} characters long, and may have {shape['maxLength']:,}"
    if "pattern" in shape and not re.search(_whole(shape["pattern"]), value):
        wanted = shape.get("patternErrorMessage", f"must match {shape['pattern']}")
        return f"{wanted}, not {shown(value)}"
    return None


def _whole(pattern: str) -> str:
    # of a JSON Schema's expressions `$` is the end alone, in Python also the line end before it
    return pattern.removesuffix("$") + r"\Z" if pattern.endswith("$") else pattern


_BOUNDS = {"minimum", "exclusiveMinimum", "maximum"}


def _wrong_number(value: float, shape: Schema) -> str | None:
    if shape.keys() & _BOUNDS and not math.isfinite(value):  # no bound says anything of nan
        return f"must be a finite number, not {shown(value)}"
    if value < shape.get("minimum", value):
        return f"must be at least {shape['minimum']}, not {shown(value)}"
    if "exclusiveMinimum" in shape and value <= shape["exclusiveMinimum"]:
        return f"must be greater than {shape['exclusiveMinimum']}, not {shown(value)}"
    if value > shape.get("maximum", value):
        return f"must be at most {shape['maximum']}, not {shown(value)}"
    return None
