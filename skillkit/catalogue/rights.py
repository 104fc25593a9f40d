"""Rights: the right code that a mistake may be read beside, in which what one must not write must not be found."""

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from skillkit.catalogue.changes import Change
from skillkit.catalogue.patterns import Pattern
from skillkit.errors import BadInput, Problem
from skillkit.source.syntax import Code, find, parse_form, taken_apart


@dataclass(frozen=True)
class Right:
    """Right code.

    Args:
        name: What a message calls it.
        code: What is looked through.
    """

    name: str
    code: Code


def core_rights(patterns: Iterable[Pattern]) -> list[Right]:
    """Return the blocks that the core shows, beside which every mistake may be read."""
    return [_block(pattern) for pattern in patterns if pattern.core is True]


def pattern_mix_ups(pattern: Pattern, core: Sequence[Right]) -> Iterator[Problem]:
    """Yield the mistakes of a pattern that are found in its own right code, or in the core's.

    Args:
        pattern: Whose mistakes they are.
        core: As `core_rights` returns it.
    """
    if not any(mistake.writes for mistake in pattern.mistakes):
        return
    rights = list({one.name: one for one in (_block(pattern), *core)}.values())
    if pattern.writes:
        right_form = ast.Module(list(parse_form(pattern.writes).body), [])
        rights = [*rights, Right("what one should write", taken_apart(right_form))]
    for mistake in pattern.mistakes:
        if mistake.writes:
            yield from _found(mistake.writes, mistake.place, rights)


def require_old_forms(changes: Iterable[Change], patterns: Iterable[Pattern]) -> None:
    """Hold that no old form is found in its own new form, or in a block of the core, beside which it may be read.

    What a new form does within a context is no old form, as it is the context that makes it right.

    Raises:
        BadInput: With every one that is.
    """
    core = core_rights(patterns)
    problems: list[Problem] = []
    for change in changes:
        new = [node for node in ast.parse(change.instead).body if not isinstance(node, ast.With)]
        own = Right("its own 'instead'", taken_apart(ast.Module(new, [])))
        problems += _found(change.writes, change.place, [own, *core])
    if problems:
        raise BadInput(problems)


def _found(writes: str, place: str, rights: Iterable[Right]) -> Iterator[Problem]:
    form = parse_form(writes)
    path, line, column = place.rsplit(":", 2)
    for right in rights:
        if any(True for _ in find(form, right.code)):
            message = (
                f"'{writes}' is found in {right.name} too: write what makes it wrong with it, or say it in 'words'"
            )
            yield Problem(path, int(line), int(column), message)


def _block(pattern: Pattern) -> Right:
    return Right(f"the block of '{pattern.id}'", taken_apart(ast.parse(pattern.block.text)))
