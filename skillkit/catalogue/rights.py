"""Rights: the right code that a mistake may be read beside, in which what one must not write must not be found."""

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

from skillkit.catalogue.apart import Apart
from skillkit.catalogue.changes import Change
from skillkit.catalogue.patterns import Pattern
from skillkit.errors import BadInput, Problem
from skillkit.kept import digest
from skillkit.source.forms import Form, parse_form
from skillkit.source.syntax import Code, find, may_hold, taken_apart


@dataclass(frozen=True)
class Right:
    """Right code.

    Args:
        name: What a message calls it.
        text: The code as it is written.
        parsed: Parses it; of most code the text says already that a form is not in it.
    """

    name: str
    text: str
    parsed: Callable[[], list[ast.stmt]]

    def holds(self, form: Form) -> bool:
        """Return whether a form is found in it."""
        return may_hold(self.text, form) and any(True for _ in find(form, self._code))

    @cached_property
    def digest(self) -> str:
        """A name for it and its text."""
        return digest(f"{self.name}\0{self.text}")

    @cached_property
    def _code(self) -> Code:
        return taken_apart(ast.Module(self.parsed(), []))


def core_rights(patterns: Iterable[Pattern]) -> list[Right]:
    """Return the blocks that the core shows, beside which every mistake may be read."""
    return [_block(pattern) for pattern in patterns if pattern.core is True]


def pattern_mix_ups(pattern: Pattern, core: Sequence[Right], apart: Apart) -> Iterator[Problem]:
    """Yield the mistakes of a pattern that are found in its own right code, or in the core's.

    Args:
        pattern: Whose mistakes they are.
        core: As `core_rights` returns it.
        apart: What need not be looked for again.
    """
    if not any(mistake.writes for mistake in pattern.mistakes):
        return
    rights = list({one.name: one for one in (_block(pattern), *core)}.values())
    if pattern.writes:
        rights.append(Right("what one should write", pattern.writes, lambda: list(parse_form(pattern.writes).body)))
    for mistake in pattern.mistakes:
        if mistake.writes:
            yield from _found(mistake.writes, mistake.place, rights, apart)


def require_old_forms(changes: Iterable[Change], patterns: Iterable[Pattern]) -> None:
    """Hold that no old form is found in its own new form, or in a block of the core, beside which it may be read.

    What a new form does within a context is no old form, as it is the context that makes it right.

    Raises:
        BadInput: With every one that is.
    """
    core = core_rights(patterns)
    problems: list[Problem] = []
    for change in changes:
        own = Right("its own 'instead'", change.instead, partial(_without_contexts, change.instead))
        problems += _found(change.writes, change.place, [own, *core], Apart(None))
    if problems:
        raise BadInput(problems)


def _without_contexts(code: str) -> list[ast.stmt]:
    return [node for node in ast.parse(code).body if not isinstance(node, ast.With)]


def _found(writes: str, place: str, rights: Iterable[Right], apart: Apart) -> Iterator[Problem]:
    path, line, column = place.rsplit(":", 2)
    unknown = [right for right in rights if not apart.holds(writes, right.digest)]
    form = parse_form(writes) if unknown else None
    for right in unknown:
        if not (form and right.holds(form)):
            apart.learn(writes, right.digest)
        else:
            message = (
                f"'{writes}' is found in {right.name} too: write what makes it wrong with it, or say it in 'words'"
            )
            yield Problem(path, int(line), int(column), message)


def _block(pattern: Pattern) -> Right:
    text = pattern.block.text
    return Right(f"the block of '{pattern.id}'", text, lambda: ast.parse(text).body)
