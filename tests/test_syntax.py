"""Forms: what is found in code, and what is not."""

import ast

import pytest

from skillkit.source.forms import BadForm, parse_form
from skillkit.source.syntax import find, may_hold, taken_apart, telling

CODE = '''@jax.jit
def train_step(params, batch: Batch, *, rate=0.1) -> Params:
    """Never `jax.random.normal(key)`."""
    noise = jax.random.normal(key, (3,))  # jax.random.uniform(key)
    for step in range(5):
        draw = jax.random.normal(key, (3,))
        x[0] += 1
        total = total + float(draw.sum())
    with jax.set_mesh(mesh), jax.debug_nans(True):
        a = 1
        b = optax.adamw(1e-3, weight_decay=0.1, mask=None)
        a = 2
    if noise is None:
        return params
    else:
        return [layer(key, x) for _ in range(2)]
    return {"a": 1, "b": f(2)}
'''


def found(form: str, code: str = CODE) -> list[tuple[int, int]]:
    lines = sorted(set(find(parse_form(form), taken_apart(ast.parse(code)))))
    assert may_hold(code, parse_form(form)) or not lines  # whatever is found may be
    return lines


@pytest.mark.parametrize(
    ("form", "code", "may"),
    [
        ("jax.nn.relu(...)", CODE, False),
        ("jax.random.normal(..., shape=...)", CODE, True),  # not by its keyword
        ("fix(x)", "x = ﬁx(x)", True),  # Python reads these two letters as one name
        ("'a' + ...", "'b' + x", True),
    ],
)
def test_code_without_a_name_of_the_form_need_not_be_parsed(form: str, code: str, may: bool) -> None:
    assert may_hold(code, parse_form(form)) is may


@pytest.mark.parametrize(
    ("form", "places"),
    [
        pytest.param("jax.random.normal(key, (3,))", [(4, 4), (6, 6)], id="an expression wherever it is"),
        pytest.param("jax.random.normal( key,(3,) )", [(4, 4), (6, 6)], id="whatever its layout"),
        pytest.param("jax.random.normal(key)", [], id="not in a docstring, nor a part of the arguments"),
        pytest.param("jax.random.uniform(key)", [], id="not in a comment"),
        pytest.param("random.normal", [], id="not a part of a name"),
        pytest.param("jax.random.normal(key, ...)", [(4, 4), (6, 6)], id="further arguments"),
        pytest.param("jax.random.normal(...)", [(4, 4), (6, 6)], id="any arguments"),
        pytest.param("jax.random.normal(..., (3,))", [(4, 4), (6, 6)], id="one argument, whichever"),
        pytest.param("jax.random.normal(..., key)", [], id="one argument, whichever, before another"),
        pytest.param("optax.adamw(1e-3, ...)", [(11, 11)], id="further keywords"),
        pytest.param("optax.adamw(0.001, mask=None, ...)", [(11, 11)], id="further keywords after a keyword"),
        pytest.param("optax.adamw(1e-3, mask=None, weight_decay=...)", [(11, 11)], id="keywords in any order"),
        pytest.param("optax.adamw(1e-3, mask=None)", [], id="not with more keywords"),
        pytest.param("optax.adamw(1, ...)", [], id="not another number"),
        pytest.param("x[0] += 1", [(7, 7)], id="a statement"),
        pytest.param("x[0]", [(7, 7)], id="what is assigned to"),
        pytest.param("x[...]", [(7, 7)], id="any index"),
        pytest.param("draw = ...", [(6, 6)], id="any value"),
        pytest.param("... = jax.random.normal(key, ...)", [(4, 4), (6, 6)], id="any name"),
        pytest.param("for step in range(5): jax.random.normal(key, ...)", [(5, 8)], id="a loop that holds"),
        pytest.param("for ... in range(...): jax.random.normal(key, ...)", [(5, 8)], id="any loop that holds"),
        pytest.param("for step in range(5): jax.random.uniform(key, ...)", [], id="a loop that does not hold"),
        pytest.param("for step in range(5):\n    draw = ...\n    total = ...", [(5, 8)], id="in this order, with gaps"),
        pytest.param("for step in range(5):\n    total = ...\n    draw = ...", [], id="not in another order"),
        pytest.param("for step in range(5):", [(5, 8)], id="a header alone"),
        pytest.param("draw = ...\nx[0] += 1", [(6, 7)], id="consecutive statements"),
        pytest.param("draw = ...\ntotal = ...", [], id="not consecutive statements"),
        pytest.param("draw = ...\n...\ntotal = ...", [(6, 8)], id="statements with a gap"),
        pytest.param("noise = ...\n...\nfloat(draw.sum())", [(4, 8)], id="an expression after a gap"),
        pytest.param("jax.random.normal(key, ...)\n...\nfloat(...)", [(4, 8), (6, 8)], id="expressions around a gap"),
        pytest.param("with jax.set_mesh(mesh), ...: a = 2", [(9, 12)], id="with"),
        pytest.param("with jax.set_mesh(mesh): a = 2", [], id="not fewer contexts"),
        pytest.param("@jax.jit\ndef train_step(...): ...", [(1, 17)], id="a decorated header"),
        pytest.param("def train_step(params, ...): noise = ...", [(1, 17)], id="first parameters, no decorator"),
        pytest.param("def train_step(params, batch, *, rate=0.1): ...", [(1, 17)], id="parameters without annotations"),
        pytest.param("def train_step(params, batch, rate=0.1): ...", [], id="not of another kind"),
        pytest.param("def train_step(params, batch, *, rate): ...", [], id="not without its default"),
        pytest.param("def train_step(batch, ...): ...", [], id="not other parameters"),
        pytest.param("@jax.vmap\ndef train_step(...): ...", [], id="not another decorator"),
        pytest.param("def ...(...): return params", [], id="not deeper statements"),
        pytest.param("if noise is None: return params", [(13, 16)], id="else is left out"),
        pytest.param("if noise is None: ...\nelse: return params", [], id="else is not another"),
        pytest.param("[... for _ in range(2)]", [(16, 16)], id="a comprehension"),
        pytest.param('{"a": 1, ...}', [(17, 17)], id="further items"),
        pytest.param('{"b": ..., "a": 1}', [(17, 17)], id="items in any order"),
        pytest.param('{"a": 1}', [], id="not with more items"),
        pytest.param("(...).sum()", [(8, 8)], id="of anything"),
        pytest.param("lambda ...: 0", [], id="a lambda that is not there"),
    ],
)
def test_find(form: str, places: list[tuple[int, int]]) -> None:
    assert found(form) == places


@pytest.mark.parametrize(
    ("form", "lines"),
    [
        ("jax.random.normal(key, ...)", {4, 6}),
        ("float(draw.sum())", {8}),
        ("range(5)", {5}),
        ("noise is None", {13}),
        ("for step in range(5): jax.random.normal(key, ...)", {6, 7, 8}),
        ("with jax.set_mesh(...), ...: a = 2", {10, 11, 12}),
        ("def train_step(...): ...", {3, 4, 6, 7, 8, 10, 11, 12, 14, 16, 17}),
        ("jax.jit", {2}),
        ("a = 1\n...\na = 2", {10, 11, 12}),
    ],
)
def test_what_must_be_reached_is_in_the_body(form: str, lines: set[int]) -> None:
    assert telling(parse_form(form), ast.parse(CODE)) == lines


@pytest.mark.parametrize(("code", "same"), [("f(1)", True), ("f(1.0)", False), ("f(True)", False), ("f('1')", False)])
def test_constants_are_of_one_type(code: str, same: bool) -> None:
    assert bool(found("f(1)", code)) is same


def test_a_literal_ellipsis_in_a_text_is_no_hole() -> None:
    assert found("f('...')", "f('x')") == []
    assert found("f('...')", "f('...')") == [(1, 1)]


@pytest.mark.parametrize(
    ("form", "message", "line"),
    [
        ("...", "says nothing: it would be found in any code", 1),
        ("...\n...", "says nothing: it would be found in any code", 1),
        ("f(", "not Python: '(' was never closed", 1),
        ("f(...", "not Python: ", 2),
        ("x = 1\nf(1,,2)", "not Python: invalid syntax", 2),
        ("a b", "not Python: invalid syntax", 1),
        (f"a{'.b' * 99}", "is nested too deep to be searched for", 1),
        (f"a{'.b' * 3000}", "not Python: nested too deep", 1),
        (f"{'-' * 100_000}a", "not Python: nested too deep", 1),
        ("a\0", "not Python: ", 1),
    ],
)
def test_bad_forms(form: str, message: str, line: int) -> None:
    with pytest.raises(BadForm) as caught:
        parse_form(form)
    assert str(caught.value).startswith(message)
    assert line == caught.value.line
