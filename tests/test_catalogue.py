"""The catalogue: everything that skillkit publishes about code, executed."""

import ast
from pathlib import Path

import pytest

from skillkit.catalogue.patterns import Pattern, load_catalogue
from skillkit.places import find_project
from skillkit.proof.proofs import Proof
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


def test_no_public_function_is_published_by_no_pattern() -> None:
    """Functions of a topic's module that no block contains would be code that nobody proves."""
    for topic in CATALOGUE.topics:
        module = CATALOGUE.shelf.module(topic.name)
        functions = {name for name, node in module.definitions.items() if isinstance(node, ast.FunctionDef)}
        used = set().union(*(_used(pattern) for pattern in topic.patterns))
        shared = set().union(*(pattern.block.names for pattern in PATTERNS))
        assert sorted(functions - used - shared) == [], topic.name


def _used(pattern: Pattern) -> set[str]:
    lines = {line.number for part in (pattern.block, pattern.check) if part for line in part.lines}
    module = CATALOGUE.shelf.module(pattern.topic)
    inside = {name for name in module.definitions if lines & set(range(*module.span(name)))}
    return inside | {one.instead for one in pattern.mistakes if one.instead}


def test_every_mistake_in_the_code_is_stated_in_a_spec() -> None:
    for topic in CATALOGUE.topics:
        stated = {one.symbol for pattern in topic.patterns for one in pattern.mistakes}
        predicates = {one.stated for pattern in topic.patterns for one in pattern.mistakes if one.kind == "shows"}
        if not stated:
            continue
        module = CATALOGUE.shelf.module(f"mistakes.{topic.name}")
        functions = {name for name, node in module.definitions.items() if isinstance(node, ast.FunctionDef)}
        read = set().union(*(module.reads(name) for name in stated | predicates))
        assert sorted(functions - stated - predicates - read) == [], topic.name


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.id)
def test_texts_are_complete(pattern: Pattern) -> None:
    assert pattern.sources, "a pattern names where its fact is documented"
    for text in (pattern.when, pattern.rule, *([pattern.why] if pattern.why else [])):
        assert text.endswith((".", "!", "?", "`")), text
