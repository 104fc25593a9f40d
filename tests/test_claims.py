"""Claims: what of prose is a number or a comparison, and which values bear it out."""

import pytest

from skillkit.catalogue.claims import bears_out, claims, open_claims


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Rows sum to between 0.9965 and 1.0033.", ["0.9965", "1.0033"]),
        ("Below 2**32, or 1e-3, or 1,024, or 98 %.", ["2**32", "1e-3", "1,024", "98"]),
        ("It is Twice as large as ten copies.", ["Twice", "as large as", "ten"]),
        ("It is faster, takes more memory and half the time.", ["faster", "more memory", "half"]),
        ("One key, one use: the first, both, once, a second.", []),
        ("A float32 array of int8, 64-bit, a 3-D array, x64, `jnp.float16`.", []),
        ("Since JAX 0.9, 0.10.2 and before 2025, https://a.org/2024/7.", []),
        ("No longer than a tenth, often, someone.", ["tenth"]),
        ("Give `f(x, axis=0)` and `g(1)`.", ["1"]),
        ("Also of 2048 and in 2048.", ["2048", "2048"]),
    ],
)
def test_claims(text: str, said: list[str]) -> None:
    assert [text[first:last] for first, last in claims(text, ["y = f(x,\n      axis=0)\n"], ["jax"])] == said


def test_what_is_stated_covers_every_place_where_the_words_stand() -> None:
    text = "Ten of ten are lost, ten times as much as 10 %."
    assert [text[slice(*span)] for span in open_claims(text, ["ten times as much as 10 %"])] == ["Ten", "ten"]
    assert list(open_claims(text, ["Ten of ten", "ten times as much as 10 %"])) == []


@pytest.mark.parametrize(
    ("words", "value", "holds"),
    [
        ("0.9965", 0.99649, True),
        ("0.9965", 0.99644, False),
        ("1.00", 1.004, True),
        ("1.00", 1.006, False),
        ("1e-3", 0.00098, True),
        ("1e-3", 0.0016, False),
        ("2.5e-3", 0.00251, True),
        ("2.5e-3", 0.00261, False),
        ("16777216", 16777216, True),
        ("16777216", 16776216, False),
        ("16777216", 16777216.0, True),
        ("3", 3.0001, False),
        ("2**24", 2**24, True),
        ("2**24", 2**24 + 1, False),
        ("1,024", 1024, True),
        ("-3", -3, True),
        ("98 %", 98, True),
        ("98 %", 97, False),
        ("ten", 10, True),
        ("Ten", 10, True),
        ("ten", True, False),
        ("ten", 10.5, False),
        ("ten steps", 10, True),
        ("ten steps", True, False),
        ("twice as large as ten", True, True),
        ("twice as large as ten", 10, False),
        ("twice", True, True),
        ("twice", 2, False),
        ("faster", False, False),
        ("from 3 to 4", True, True),
        ("from 3 to 4", 3, False),
        ("3", True, False),
        ("0.5", float("nan"), False),
        ("0.5", "0.5", False),
    ],
)
def test_bears_out(words: str, value: object, holds: bool) -> None:
    assert bears_out(words, value) is holds
