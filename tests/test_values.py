"""Values: what is printed of a result is what the result was compared with."""

from typing import Any

import pytest

from skillkit.catalogue.values import agrees, as_numbers, stated_value, written
from skillkit.reading import parse


def stated(text: str) -> Any:
    return stated_value(parse(text, "values.yaml"), (), parse(text, "values.yaml").value)


@pytest.mark.parametrize(
    ("found", "text", "same"),
    [
        (16777216, "16777216", True),
        (16776216, "16777216", False),
        (1, "1", True),
        (1.0, "1", True),
        (1.00001, "1", False),
        (1.00001, "1.0", True),
        (1.04, "1.0", True),
        (1.06, "1.0", False),
        (1.004, "1.00", True),
        (1.04, "1.00", False),
        (2.40764, "2.4076", True),
        (2.40766, "2.4076", False),
        (0.00149, "1e-3", True),
        (0.00151, "1e-3", False),
        (0.000104, "1.0e-4", True),
        (0.000106, "1.0e-4", False),
        (-0.5, "-0.5", True),
        (0.0, "0.0", True),
        (0.0076, "0.0", False),
        (3, "3.0", True),
        (10**400, "1.0", False),
        (float("inf"), "1.0", False),
        (float("inf"), ".inf", True),
        (float("nan"), ".nan", True),
        (float("nan"), "0.0", False),
        (0.0, ".nan", False),
        (True, "1", False),
        (1, "true", False),
        (True, "true", True),
        ([1, [2.04]], "[1, [2.0]]", True),
        ([1, [2.06]], "[1, [2.0]]", False),
        ([1], "[1, 2]", False),
        ({"a": 1}, "{a: 1.0}", True),
        ({"a": 1}, "{b: 1}", False),
        ("x", "x", True),
        ("1", "1", False),
        (None, "0", False),
        (None, "null", True),
    ],
)
def test_agrees(found: object, text: str, same: bool) -> None:
    assert agrees(found, stated(text)) is same


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("1.50", "1.50"),
        ("1e-3", "0.001"),
        ("1e-10", "1e-10"),
        ("12", "12"),
        ("true", "True"),
        ("[1.0, [true, x], 2]", "[1.0, [True, 'x'], 2]"),
        ("{a: 0.10}", "{'a': 0.10}"),
        ("float32", "float32"),
        (".nan", "nan"),
    ],
)
def test_written(text: str, printed: str) -> None:
    assert written(stated(text)) == printed


def test_as_numbers() -> None:
    assert as_numbers(stated("{a: [1.50, 2, x]}")) == {"a": [1.5, 2, "x"]}
