"""Modules: a reference module's source, by what each of its top-level names is bound to."""

import ast
import symtable
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Assign | ast.AnnAssign


@dataclass(frozen=True)
class Import:
    """One name of an import statement.

    Args:
        module: What is imported from, or imported whole; `jax.numpy`.
        name: The name taken from it, or None for `import module`.
        alias: What follows `as`, or None.
        line: Where it stands.
    """

    module: str
    name: str | None
    alias: str | None
    line: int

    @property
    def bound(self) -> str:
        """The name that the import binds."""
        return self.alias or self.name or self.module.partition(".")[0]


@dataclass(frozen=True)
class Module:
    """A Python file whose top level holds nothing but imports, definitions and constants.

    Args:
        path: The file.
        lines: Its source lines without line ends.
        definitions: Each defined name's statement.
        imports: Each imported name's imports; several where `import a` and `import a.b` share a name.
        docstring: The module's docstring, or an empty string.
    """

    path: Path
    lines: tuple[str, ...]
    definitions: dict[str, Definition]
    imports: dict[str, list[Import]]
    docstring: str

    @cached_property
    def _reads(self) -> dict[str, frozenset[str]]:
        return {}

    def libraries(self) -> set[str]:
        """Return the packages that it imports from."""
        return {one.module.partition(".")[0] for imports in self.imports.values() for one in imports}

    def names(self) -> list[str]:
        """Return every name that can be sliced."""
        return [*self.definitions, *self.imports]

    def span(self, name: str) -> tuple[int, int]:
        """Return the first and last line of a definition, with its decorators and the comment above it."""
        node = self.definitions[name]
        first = min([node.lineno, *(item.lineno for item in getattr(node, "decorator_list", ()))])
        while first > 1 and self.lines[first - 2].startswith("#"):
            first -= 1
        assert node.end_lineno is not None
        return first, node.end_lineno

    def uncallable(self, name: str, arguments: int = 0) -> str:
        """Return why no call with a number of arguments runs a definition's body, or an empty string."""
        node = self.definitions[name]
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            return f"'{name}' is no function"
        source = self.lines[node.lineno - 1 : node.end_lineno]
        yields = any("yield" in line for line in source) and any(map(_is_yield, own_nodes(node)))
        if isinstance(node, ast.AsyncFunctionDef) or yields:
            return f"a call of '{name}' runs nothing: make it a plain function"
        taken = len(node.args.posonlyargs) + len(node.args.args)
        keywords = sum(default is None for default in node.args.kw_defaults)
        if taken - len(node.args.defaults) > arguments or keywords:
            return f"'{name}' needs {'more ' if arguments else ''}arguments"
        return f"'{name}' takes no argument" if taken < arguments and not node.args.vararg else ""

    def runs_alone(self, name: str) -> bool:
        """Return whether a definition is a function whose body a call without arguments runs."""
        return not self.uncallable(name)

    def computes(self, name: str) -> bool:
        """Return whether a definition calls anything, or what it reads here does; if not, its values were typed."""
        nodes = (node for one in self.closure(name) for node in ast.walk(self.definitions[one]))
        return any(isinstance(node, ast.Call) for node in nodes)

    def reads(self, name: str) -> frozenset[str]:
        """Return the top-level names that a definition reads, whether or not this module binds them."""
        if name not in self._reads:
            first, last = self.span(name)
            code = "\n".join(self.lines[first - 1 : last])
            self._reads[name] = global_reads(code, str(self.path)) - {name}
        return self._reads[name]

    def closure(self, name: str) -> list[str]:
        """Return a definition's name and those of all that it reads in this module, however deep."""
        found = [name]
        for one in found:
            found += sorted((self.reads(one) & self.definitions.keys()) - set(found))
        return found


def own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what stands in a function's own body, without that of functions and classes within it."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            yield child
            yield from own_nodes(child)


def _is_yield(node: ast.AST) -> bool:
    return isinstance(node, ast.Yield | ast.YieldFrom)


def global_reads(code: str, path: str) -> frozenset[str]:
    """Return the names that code reads, or rebinds by `global`, at module level."""

    def walk(table: symtable.SymbolTable, top: bool) -> Iterator[str]:
        for symbol in table.get_symbols():
            if (symbol.is_referenced() and (top or symbol.is_global())) or symbol.is_declared_global():
                yield symbol.get_name()
        for child in table.get_children():
            yield from walk(child, top=False)

    return frozenset(walk(symtable.symtable(code, path, "exec"), top=True))
