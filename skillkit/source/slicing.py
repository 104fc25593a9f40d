"""Slices: named symbols of a reference module with all that they need, as code that runs alone."""

import ast
import builtins
import symtable
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from skillkit.errors import bad_input, did_you_mean
from skillkit.source.excerpts import Line, body_lines, definition_lines
from skillkit.source.imports import import_lines
from skillkit.source.modules import Definition, Import, Module, global_reads
from skillkit.source.shelf import Shelf


@dataclass(frozen=True)
class Slice:
    """Code that runs alone.

    Args:
        lines: In order.
        names: The symbols that it defines or imports.
    """

    lines: tuple[Line, ...]
    names: frozenset[str]

    @property
    def text(self) -> str:
        """The code, ending in a newline."""
        return "".join(f"{line.text}\n" for line in self.lines)


def cut(
    shelf: Shelf,
    module: str,
    symbols: Iterable[str],
    body: str | None = None,
    known: frozenset[str] = frozenset(),
) -> Slice:
    """Slice symbols out of a module, with the definitions, constants and imports that they read.

    Definitions are the original lines with their comments; docstrings are cut to their first line.

    Args:
        shelf: Where modules are found; imports from the shelf's own package are sliced through.
        module: The module's name on the shelf.
        symbols: Names bound by the module.
        body: A function of the module whose dedented body ends the slice.
        known: Names to leave out, since they are bound where the slice will run.

    Raises:
        BadInput: A symbol does not exist, or what was asked for does not slice.
    """
    names = list(symbols)
    question = ["cut", module, names, body, sorted(known)]
    found: Slice = shelf.fact(question, lambda: _Cut(shelf, known).run(module, names, body))
    return found


class _Cut:
    def __init__(self, shelf: Shelf, known: frozenset[str]) -> None:
        self.shelf = shelf
        self.known = known
        self.imports: dict[Import, Path] = {}
        self.taken: dict[str, tuple[str, Definition | Import]] = {}
        self.order: list[str] = []

    def run(self, name: str, symbols: list[str], body: str | None) -> Slice:
        module = self.shelf.module(name)
        for symbol in symbols:
            self.take(name, symbol)
        tail = body_lines(module, body) if body else []
        if body:
            code = "\n".join(line.text for line in tail)
            try:
                local = _assigned(code)
            except SyntaxError as error:  # such as nonlocal, which has no meaning at top level
                line = tail[(error.lineno or 1) - 1].number
                message = f"'{body}' can't stand at top level, where its block puts it: {error.msg}"
                raise bad_input(module.path, message, line, 1) from error
            for symbol in sorted(global_reads(code, str(module.path)) - local - _BUILTINS):
                self.take(name, symbol, module.definitions[body])
            self.add_submodules(module, code)
            for symbol in sorted(local & self.taken.keys()):
                line = module.definitions[body].lineno
                raise bad_input(module.path, f"'{body}' rebinds '{symbol}', which its block defines", line, 1)
        lines = [*import_lines(self.imports), *self.definition_lines()]
        if tail:
            lines += [*_blank(lines, module.path, 1 if not self.order else 2), *tail]
        return Slice(tuple(lines), frozenset(self.taken))

    def take(self, name: str, symbol: str, user: Definition | None = None) -> None:
        if symbol in self.known:
            return
        module = self.shelf.module(name)
        if symbol in module.definitions:
            self.take_definition(name, module, symbol)
        elif symbol in module.imports:
            self.take_import(name, module, symbol)
        else:
            line = user.lineno if user else 0
            message = f"no symbol '{symbol}' at top level{did_you_mean(symbol, module.names())}"
            raise bad_input(module.path, message, line, 1 if line else 0)

    def take_definition(self, name: str, module: Module, symbol: str) -> None:
        node = module.definitions[symbol]
        if not self.claim(module, symbol, (name, node), node.lineno):
            return
        for needed in sorted(module.reads(symbol) - _BUILTINS):
            self.take(name, needed, node)
        first, last = module.span(symbol)
        self.add_submodules(module, "\n".join(module.lines[first - 1 : last]))
        self.order.append(symbol)

    def take_import(self, name: str, module: Module, symbol: str) -> None:
        one = module.imports[symbol][0]
        local = self.shelf.local(one.module)
        if local is None:
            if self.claim(module, symbol, (name, one), one.line):
                self.imports.setdefault(one, module.path)
        elif one.name is None or one.alias:
            message = f"import names from {one.module} without 'as', so that they can be sliced through"
            raise bad_input(module.path, message, one.line, 1)
        else:
            self.take(local, symbol)

    def claim(self, module: Module, symbol: str, owner: tuple[str, Definition | Import], line: int) -> bool:
        """Return whether the symbol is new; two owners of one name can't stand in one slice."""
        known = self.taken.setdefault(symbol, owner)
        if known is owner:
            return True
        same_import = isinstance(known[1], Import) and _target(known[1]) == _target(owner[1])
        if known[1] is not owner[1] and not same_import:
            message = f"'{symbol}' means another thing in {known[0]}: rename one to slice them together"
            raise bad_input(module.path, message, line, 1)
        return False

    def add_submodules(self, module: Module, code: str) -> None:
        """Keep `import a.b` beside `import a` only where the code says `a.b`."""
        for imports in module.imports.values():
            for one in imports:
                if "." in one.module and one.name is None and one.alias is None and f"{one.module}." in code:
                    self.imports.setdefault(one, module.path)

    def definition_lines(self) -> list[Line]:
        lines: list[Line] = []
        previous: Definition | None = None
        imports = bool(self.imports)
        for symbol in sorted(self.order, key=self.rank):
            name, node = self.taken[symbol]
            assert not isinstance(node, Import)
            if node is previous:  # one statement may bind several names
                continue
            module = self.shelf.module(name)
            if previous is not None or imports:
                constants = isinstance(node, ast.Assign | ast.AnnAssign)
                together = constants and (previous is None or isinstance(previous, ast.Assign | ast.AnnAssign))
                gap = (0 if previous is not None else 1) if together else 2
                lines += [Line("", module.path, 0)] * gap
            lines += definition_lines(module, symbol)
            previous = node
        return lines

    def rank(self, symbol: str) -> tuple[int, int]:
        """Modules in the order in which they were needed, definitions in the module's own order."""
        name, node = self.taken[symbol]
        modules = list(dict.fromkeys(self.taken[one][0] for one in self.order))
        return modules.index(name), 0 if isinstance(node, Import) else node.lineno


_BUILTINS = frozenset(dir(builtins)) | {"__name__", "__file__", "__doc__"}


def _target(owner: Definition | Import) -> tuple[str, str | None] | None:
    return (owner.module, owner.name) if isinstance(owner, Import) else None


def _assigned(code: str) -> frozenset[str]:
    table = symtable.symtable(code, "<body>", "exec")
    return frozenset(
        symbol.get_name() for symbol in table.get_symbols() if symbol.is_assigned() or symbol.is_imported()
    )


def _blank(lines: list[Line], path: Path, count: int) -> list[Line]:
    return [Line("", path, 0)] * count if lines else []
