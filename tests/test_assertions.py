"""Assertions: which can fail, and which are about what the code defines."""

import pytest

from skillkit.catalogue.assertions import assertions

DEFINED = """import jax.numpy as jnp

LIMIT = 3


def double(x):
    return 2 * x


log = []
small = LIMIT + 1
y = double(jnp.ones(2))
z = jnp.ones(2)
losses = []
for step in range(3):
    losses.append(double(step))
for row in z:
    last = row
try:
    double(None)
except TypeError as error:
    message = str(error)
"""


@pytest.mark.parametrize(
    "test",
    [
        "True",
        "1 + 1 == 2",
        "(y == 3, 'message')",
        "[y == 3]",
        "{y == 3}",
        "{'y': y}",
        "f'y is {y}'",
        "'text'",
        "len([1, 2]) == 2",
        "LIMIT == 3",
        "small == 4",
        "isinstance(LIMIT, int)",
        "y is not None or True",
        "not (False and y)",
        "double",
        "lambda: y == 3",
        "(one == two for one in y)",
        "y is y",
        "y[0] == y[0]",
        "z.shape == z.shape",
        "len(y) >= 0",
        "(found := 3)",
    ],
)
def test_hollow(test: str) -> None:
    assert assertions(f"{DEFINED}assert {test}\n")[0].is_hollow


@pytest.mark.parametrize(
    ("test", "is_own"),
    [
        ("y.shape == (2,)", True),
        ("double(1) == double(1)", True),
        ("jnp.ones(2).shape == (2,)", False),
        ("z.shape == (2,)", False),
        ("last == 1", False),
        ("losses == [0, 2, 4]", True),
        ("'float' in message", True),
        ("hasattr(jnp, 'ones')", False),
        ("len(losses) >= 3", True),
        ("y is not z", True),
        ("y[0] == z[0]", True),
        ("not (y > 3).any()", True),
        ("y.any() or z.any()", True),
        ("log == []", False),
    ],
)
def test_not_hollow(test: str, is_own: bool) -> None:
    (one,) = assertions(f"{DEFINED}log.append(1)\nassert {test}\n")
    assert not one.is_hollow
    assert one.is_own is is_own


def test_an_assert_in_a_definition_is_about_it() -> None:
    first, second = assertions("def f(x):\n    assert x\n    return x\n\n\nassert len(str(1)) == 1\n")
    assert (first.line, first.is_hollow, first.is_own) == (2, False, True)
    assert (second.line, second.is_hollow, second.is_own) == (6, True, False)


def test_a_count_that_a_function_changes_is_no_constant() -> None:
    code = "count = 0\n\n\ndef f():\n    global count\n    count += 1\n\n\nf()\nassert count == 1\n"
    (one,) = assertions(code)
    assert not one.is_hollow
    assert one.is_own
