"""Beginnings: the modules that code imports first of all, which an interpreter may have imported before."""

import ast
import sys
from collections.abc import Iterable, Iterator

Groups = list[list[str]]


def beginning(code: str) -> Groups:
    r"""Return the modules that the imports at the top of some code may name, in groups, without the standard library's.

    Of `from a import b` these are `a` and `a.b`, whether or not that is one. After any other statement, the state of
    the interpreter may matter to what is imported.

    >>> beginning("import a.b\nfrom c import d\n\nx = 1\nimport e\n")
    [['a'], ['a.b'], ['c'], ['c.d']]
    """
    try:
        tree = ast.parse(code)
    except SyntaxError:
        return []
    names: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.Import):
            names |= {prefix for one in node.names for prefix in _prefixes(one.name)}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names |= {*_prefixes(node.module), *(f"{node.module}.{one.name}" for one in node.names)}
        elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            break
    return [[name] for name in sorted(names) if name.partition(".")[0] not in sys.stdlib_module_names]


def together(modules: Iterable[str]) -> Groups:
    """Return one group of all these modules, or none."""
    group = list(dict.fromkeys(prefix for module in modules for prefix in _prefixes(module)))
    return [group] if group else []


def _prefixes(module: str) -> Iterator[str]:
    parts = module.split(".")
    return (".".join(parts[: index + 1]) for index in range(len(parts)))
