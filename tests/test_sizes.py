"""Numbers as people write them."""

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillkit.questionnaire import sizes
from skillkit.questionnaire.sizes import parse_size, write_size


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("125M", 125_000_000),
        ("1.5e9", 1_500_000_000),
        ("4k", 4000),
        ("7 billion", 7_000_000_000),
        ("1.5 Million", 1_500_000),
        ("128 x 4", 512),
        ("64*2*1k", 128_000),
        ("1.1B", 1_100_000_000),
        ("0.5", 0.5),
        (" 2T ", 2 * 10**12),
        ("1_281_167", 1_281_167),
        (".5G", 500_000_000),
    ],
)
def test_a_size_is_understood(text: str, number: float) -> None:
    assert parse_size(text) == number


@pytest.mark.parametrize(
    "text", ["", "many", "4 kk", "1.2.3", "-4", "0x10", "1e999", "nan", "k", "1e9B", "4 x", "billion"]
)
def test_what_is_no_size_is_none(text: str) -> None:
    assert parse_size(text) is None


@given(st.integers(1, 10**15))
def test_a_written_size_reads_back(number: int) -> None:
    assert parse_size(write_size(number)) == number


def test_the_examples_hold() -> None:
    assert doctest.testmod(sizes).failed == 0
