"""Watching: what code notes of itself, which is otherwise as it was."""

import ast
import inspect
import linecache
from pathlib import Path
from typing import Any

import pytest

from skillkit.execution.watching import watch_asserts, watch_statements

CODE = '''"""Sums."""
from __future__ import annotations
import math

TENTH = 0.1


class Sum:
    """A sum."""

    start = 0.0

    def of(self, values):
        """Return it."""
        global last
        if not values:
            return self.start
        try:
            last = values[-1]
        finally:
            for one in values:
                math.fabs(one)
            else:
                done = True
        match values:
            case [only]:
                return only
            case _:
                return math.fsum(values)


def unused():
    return (lambda: TENTH)()


assert Sum().of([TENTH, TENTH]) == 0.2
'''


def lines(code: str) -> tuple[list[int], list[int], dict[str, Any]]:
    """Return the lines of the asserts and of the statements that some code notes as it is executed."""
    asserted: list[int] = []
    reached: list[int] = []
    space: dict[str, Any] = {}
    tree = ast.parse(code)
    watch_asserts(tree, space, asserted)
    watch_statements(tree, space, reached)
    exec(compile(tree, "block.py", "exec"), space)
    return asserted, sorted(reached), space


def test_what_is_reached_is_noted() -> None:
    asserted, reached, space = lines(CODE)
    assert asserted == [36]
    assert reached == [3, 5, 8, 11, 13, 15, 16, 18, 19, 21, 22, 24, 25, 29, 32, 36]
    assert [space["__doc__"], space["Sum"].__doc__, space["Sum"].of.__doc__] == ["Sums.", "A sum.", "Return it."]


@pytest.mark.parametrize(("test", "noted"), [("len", []), ("len([0]) == 1", [1]), ("[0]", [1])])
def test_an_assert_of_what_is_always_so_is_not_noted(test: str, noted: list[int]) -> None:
    assert lines(f"assert {test}")[0] == noted


@pytest.mark.parametrize(
    ("values", "noted"), [("[1]", [4]), ("[1, 1]", [4]), ("[0]", []), ("[1, 0]", []), ("[0, 1]", [])]
)
def test_an_assert_whose_failure_is_caught_is_not_noted(values: str, noted: list[int]) -> None:
    code = f"import contextlib\nfor x in {values}:\n    with contextlib.suppress(AssertionError):\n        assert x\n"
    assert lines(code)[0] == noted


def test_an_assert_that_fails_says_its_line() -> None:
    with pytest.raises(AssertionError, match=r"^why$") as caught:
        lines("x = 1\nassert x == 2, 'why'")
    assert caught.traceback[-1].lineno == 1  # counted from 0


TRACED = """import jax
import jax.numpy as jnp


@jax.jit
def step(params, x):
    traces.append(1)
    hidden = jnp.tanh(x @ params)
    for _ in range(2):
        hidden = hidden + jnp.sin(hidden)
    return jax.lax.cond(hidden.sum() > 0, lambda h: h * 2, lambda h: h - 1, hidden)


traces = []
arguments = jnp.ones((3, 3)), jnp.ones((2, 3))
results = [step(*arguments) for _ in range(3)]
jaxpr = str(jax.make_jaxpr(step)(*arguments))
program = step.lower(*arguments).as_text(debug_info=True)
"""


def test_what_is_compiled_is_the_same(tmp_path: Path) -> None:
    path = tmp_path / "block.py"
    path.write_text(TRACED)
    linecache.checkcache(str(path))
    found = []
    for watched in (False, True):
        tree, space, reached = ast.parse(TRACED), dict[str, Any](), list[int]()
        if watched:
            watch_statements(tree, space, reached)
        exec(compile(tree, str(path), "exec"), space)
        found.append([space[name] for name in ("traces", "jaxpr", "program")])
        found[-1].append(inspect.getsource(space["step"]))
        assert {7, 8, 9, 10, 11} <= set(reached) or not watched
    assert found[0] == found[1]
