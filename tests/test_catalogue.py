"""The catalogue: everything that skillkit publishes about code, executed."""

import ast
from pathlib import Path

import pytest

from skillkit.catalogue.catalogues import load_catalogue
from skillkit.catalogue.patterns import Pattern
from skillkit.places import find_project
from skillkit.proof.proofs import Proof
from skillkit.reading import read
from skillkit.testing import project_proofs, prove

ROOT = Path(__file__).parent.parent
CATALOGUE = load_catalogue(find_project(ROOT))
PATTERNS = list(CATALOGUE.patterns.values())


@pytest.mark.parametrize("proof", project_proofs(ROOT), ids=lambda proof: proof.id)
def test_proof(proof: Proof) -> None:
    result = prove(proof)
    if result.state == "skipped":
        pytest.skip(reason=str(result))
    assert result.state == "holds", str(result)


def test_no_function_is_used_by_no_pattern() -> None:
    """Functions of a topic's module that nothing runs would be code that nobody proves."""
    proven = "\n".join(proof.code for proof in project_proofs(ROOT))
    bodies = _bodies()
    unused = [
        f"{topic.name}.{name}"
        for topic in CATALOGUE.topics
        for name, node in CATALOGUE.shelf.module(topic.name).definitions.items()
        if isinstance(node, ast.FunctionDef) and f"def {name}(" not in proven and name not in bodies
    ]
    assert unused == []


def _bodies() -> set[str]:
    """Return the functions whose bodies end a block: each is named by its pattern's spec."""
    specs = (read(path).value for path in (ROOT / "reference").glob("*.yaml") if path.with_suffix(".py").exists())
    return {entry.get("example") or entry["check"] for spec in specs for entry in spec}


def test_every_mistake_in_the_code_is_stated_in_a_spec() -> None:
    for topic in CATALOGUE.topics:
        stated = {one.symbol for pattern in topic.patterns for one in pattern.mistakes}
        predicates = {one.stated for pattern in topic.patterns for one in pattern.mistakes if one.kind == "shows"}
        if not stated:
            continue
        module = CATALOGUE.shelf.module(f"mistakes.{topic.name}")
        functions = {name for name, node in module.definitions.items() if isinstance(node, ast.FunctionDef)}
        named = [*(one.figures for one in topic.patterns), *(one.figures for p in topic.patterns for one in p.mistakes)]
        figures = {figure.symbol for figures in named for figure in figures} & functions
        used = stated | predicates | figures
        read = set().union(*(module.reads(name) for name in used))
        assert sorted(functions - used - read) == [], topic.name


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.id)
def test_texts_are_complete(pattern: Pattern) -> None:
    assert pattern.sources, "a pattern names where its fact is documented"
    for text in (pattern.when, pattern.rule, *([pattern.why] if pattern.why else [])):
        assert text.endswith((".", "!", "?", "`")), text
