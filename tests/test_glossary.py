"""The glossary and the advice: complete, short, and each line shown by a pattern."""

from pathlib import Path

import pytest

from skillkit.catalogue.catalogues import load_catalogue
from skillkit.places import find_project
from skillkit.reading import read
from skillkit.shapes import require, schema

ROOT = Path(__file__).parent.parent
GLOSSARY = read(ROOT / "reference" / "glossary.yaml")
ADVICE = read(ROOT / "reference" / "advice.yaml")
PATTERNS = load_catalogue(find_project(ROOT)).patterns
LINES = [*GLOSSARY.value, *ADVICE.value["decisions"], *ADVICE.value["when_not"]]
LESSON = {
    "XLA",
    "jit",
    "pure function",
    "vmap",
    "pmap",
    "pytree",
    "tracing",
    "functional autodiff",
    "Optax",
    "Flax",
}


def test_they_have_their_shapes() -> None:
    require(GLOSSARY, schema("glossary"))
    require(ADVICE, schema("advice"))


def test_the_lesson_s_terms_are_explained_once() -> None:
    terms = [entry["term"] for entry in GLOSSARY.value]
    assert set(terms) >= LESSON
    assert len(terms) == len(set(terms))


@pytest.mark.parametrize("line", LINES, ids=lambda line: line["text"][:30])
def test_a_pattern_shows_it(line: dict[str, str]) -> None:
    assert line["pattern"] in PATTERNS


def test_the_advice_is_short() -> None:
    assert 5 <= len(ADVICE.value["decisions"]) <= 9
    assert 3 <= len(ADVICE.value["when_not"]) <= 5
    assert all("? " in line["text"] for line in ADVICE.value["decisions"])
