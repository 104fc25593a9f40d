"""Binding: a file's top level as a module whose names can be sliced, or why they cannot be."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from skillkit.errors import BadInput, Problem, bad_input
from skillkit.files import read_text
from skillkit.source.modules import Definition, Import, Module


def read_module(path: Path) -> Module:
    """Read a module that patterns are sliced from.

    Raises:
        BadInput: It is missing, is not Python, or has top-level code that cannot be sliced.
    """
    text = re.sub(r"\r\n?", "\n", read_text(path))
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        raise bad_input(path, f"not Python: {error.msg}", error.lineno or 0, error.offset or 1) from error
    except (RecursionError, MemoryError) as error:  # as the parser says it
        raise bad_input(path, "not Python: nested too deep") from error
    except ValueError as error:  # a null character
        raise bad_input(path, f"not Python: {error}") from error
    # Python's own lines: other line ends, such as a form feed, are characters to it
    return _bind(path, tuple(text.removesuffix("\n").split("\n")), tree)


def bad_code(text: str) -> str:
    """Return why a text is no Python, or an empty string."""
    try:
        ast.parse(text)
    except SyntaxError as error:
        return f"not Python: {error.msg}"
    except (RecursionError, MemoryError):  # as the parser says it
        return "not Python: nested too deep"
    except ValueError as error:  # a null character
        return f"not Python: {error}"
    return ""


def _bind(path: Path, lines: tuple[str, ...], tree: ast.Module) -> Module:
    module = Module(path, lines, {}, {}, ast.get_docstring(tree) or "")
    problems = []
    for node, previous in zip(tree.body, [None, *tree.body], strict=False):
        if previous is not None and previous.end_lineno == node.lineno:
            problems.append((node, "two statements on one line can't be sliced: give each a line"))
        problems += [(node, message) for message in _add(module, node)]
    if problems:
        raise BadInput(Problem(str(path), node.lineno, node.col_offset + 1, message) for node, message in problems)
    return module


def _add(module: Module, node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.Import | ast.ImportFrom):
        yield from _add_imports(module, node)
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield from _define(module, node.name, node)
    elif isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in targets:
            if isinstance(target, ast.Name):
                yield from _define(module, target.id, node)
            else:
                yield "an assignment at top level must bind plain names to be sliced"
    elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)) and not _is_main_guard(node):
        yield "a statement with effects at top level can't be sliced: move it into a function"


def _is_main_guard(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "__name__ == '__main__'"


def _define(module: Module, name: str, node: Definition) -> Iterator[str]:
    if name in module.definitions or name in module.imports:
        yield f"'{name}' is bound twice, so it can't be sliced: rename one of them"
    module.definitions[name] = node


def _add_imports(module: Module, node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    source = "." * node.level + (node.module or "") if isinstance(node, ast.ImportFrom) else None
    if source and source.startswith("."):
        yield "a relative import can't be sliced: write the package's name"
    for item in node.names:
        if item.name == "*":
            yield f"'from {source} import *' can't be sliced: import the names"
            continue
        one = Import(source or item.name, item.name if source else None, item.asname, node.lineno)
        others = module.imports.setdefault(one.bound, [])
        # `import jax` and `import jax.export` both bind `jax`, and agree on what it is
        if one.bound in module.definitions or any(one.alias or one.name or other.name for other in others):
            yield f"'{one.bound}' is bound twice, so it can't be sliced: rename one of them"
        others.append(one)
