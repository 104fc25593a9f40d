"""Figures: the proofs that the numbers and comparisons in prose are what a run gives."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from skillkit.catalogue.changes import Change
from skillkit.catalogue.claims import bears_out
from skillkit.catalogue.figures import Figure
from skillkit.catalogue.patterns import Pattern
from skillkit.catalogue.remarks import Remark
from skillkit.execution.running import Outcome
from skillkit.proof.proofs import Proof, new_job
from skillkit.proof.verdicts import HOLDS, Verdict, fault, origin


def pattern_figures(pattern: Pattern) -> Iterator[Proof]:
    """Yield the proofs of what a pattern's prose and that of its mistakes says in numbers."""
    yield from _proofs(pattern.figures, pattern.id, pattern.id, pattern.requires)
    for mistake in pattern.mistakes:
        requires = {**pattern.requires, **mistake.requires}
        name = f"{pattern.id}/{mistake.symbol}"
        yield from _proofs(mistake.figures, name, pattern.id, requires, mistake.under)


def remark_figures(remarks: Iterable[Remark]) -> Iterator[Proof]:
    """Yield the proofs of what the glossary and the advice say in numbers."""
    for remark in remarks:
        yield from _proofs(remark.figures, remark.id, remark.pattern, {})


def change_figures(change: Change, requires: Mapping[str, str]) -> Iterator[Proof]:
    """Yield the proofs of what a change's note says in numbers."""
    yield from _proofs(change.figures, change.id, "changes", requires)


def _proofs(
    figures: Iterable[Figure],
    name: str,
    pattern: str,
    requires: Mapping[str, str],
    flags: Mapping[str, Any] | None = None,
) -> Iterator[Proof]:
    for figure in figures:
        yield _figure_proof(figure, f"{name}/figures/{figure.words}", pattern, requires, flags or {})


def _figure_proof(
    figure: Figure, name: str, pattern: str, requires: Mapping[str, str], flags: Mapping[str, Any]
) -> Proof:
    code = figure.code
    job = new_job(flags=dict(flags), code=code.text, call=figure.symbol)

    def judge(outcome: Outcome) -> Verdict:
        if verdict := fault(outcome, code, None):
            return verdict
        if bears_out(figure.words, outcome["value"]):
            return HOLDS
        message = f"the prose says '{figure.words}', and '{figure.symbol}' returns {outcome['value']!r}"
        return Verdict(message, origin(code, len(code.lines)))

    return Proof(name, "figure", pattern, figure.place, job, judge, requires, (figure.words,))
