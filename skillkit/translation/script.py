"""Scripts: a Python file as syntax, with what its names stand for."""

import ast
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

from skillkit.errors import bad_input
from skillkit.translation.literals import NotLiteral, evaluate
from skillkit.translation.values import Value


class Script:
    """The syntax of a Python file that is read and never run.

    Args:
        text: The file's text.
        path: The file, for messages.

    Raises:
        BadInput: It is not Python.
    """

    def __init__(self, text: str, path: str) -> None:
        self.path = path
        self.tree = _parsed(text, path)
        self._lines = text.splitlines()
        self._stored: Counter[str] = Counter()
        self._values: dict[str, ast.expr] = {}
        self._modules: dict[str, str] = {}
        self._stars: list[str] = []
        self._options: dict[str, list[ast.expr]] = defaultdict(list)
        self._fields: dict[str, list[ast.expr]] = defaultdict(list)
        self._looking: list[str] = []
        self.parents: dict[ast.AST, ast.AST] = {}
        self.assumed: dict[str, None] = {}
        for node in ast.walk(self.tree):
            for child in ast.iter_child_nodes(node):
                self.parents[child] = node
        for node in ast.walk(self.tree):
            self._bind(node)

    def name(self, node: ast.expr) -> str:
        """Return the dotted name of an expression as imports spell it out, or an empty string."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return "." + ".".join(reversed(parts)) if parts else ""
        return ".".join([self._modules.get(node.id, node.id), *reversed(parts)])

    def names(self, node: ast.expr) -> Iterator[str]:
        """Yield the name of an expression, and what it may be by `from module import *`."""
        name = self.name(node)
        if name:
            yield name
            yield from (f"{module}.{name}" for module in self._stars)

    def calls(self) -> list[ast.Call]:
        """Return every call in the order of the text."""
        found = [node for node in ast.walk(self.tree) if isinstance(node, ast.Call)]
        return sorted(found, key=lambda node: (node.lineno, node.col_offset))

    def value(self, node: ast.expr) -> Value:
        """Return the value of an expression with its place.

        Raises:
            NotLiteral: It is not known without running the script.
        """
        return Value(evaluate(node, self._look), *self.place(node))

    def look(self, node: ast.expr) -> Any:
        """Return the value that a name, an attribute or an item stands for.

        Raises:
            NotLiteral: It is none that is known.
        """
        return self._look(node)

    def place(self, node: Any) -> tuple[int, int]:
        """Return line and column of a node, both counted from 1."""
        line = self._lines[node.lineno - 1] if node.lineno <= len(self._lines) else ""
        return node.lineno, len(line.encode()[: node.col_offset].decode(errors="replace")) + 1

    def meant(self, node: ast.expr) -> ast.expr:
        """Return what a name that is assigned once is assigned, or the expression itself."""
        for _ in range(_LONGEST_WAY):
            name = ast.unparse(node) if isinstance(node, ast.Name | ast.Attribute) else ""
            if name not in self._values or self._stored[name] != 1:
                break
            node = self._values[name]
        return node

    def variable(self, node: ast.AST) -> str:
        """Return the name that the value of an expression is assigned to, or an empty string."""
        parent = self.parents.get(node)
        targets = parent.targets if isinstance(parent, ast.Assign) else [getattr(parent, "target", None)]
        if isinstance(parent, ast.Assign | ast.AnnAssign) and isinstance(targets[0], ast.Name | ast.Attribute):
            return ast.unparse(targets[0])
        return ""

    def _bind(self, node: ast.AST) -> None:
        if isinstance(node, ast.Import | ast.ImportFrom):
            self._import(node)
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                self._assign(target, node.value)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            self._assign(node.target, node.value)
        elif isinstance(node, ast.arg):
            self._stored[node.arg] += 1
        elif isinstance(node, ast.Name | ast.Attribute) and not isinstance(node.ctx, ast.Load):
            self._stored[ast.unparse(node)] += 1
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "add_argument":
            self._option(node)

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            if isinstance(node, ast.Import):
                first = alias.name.partition(".")[0]
                self._modules[alias.asname or first] = alias.name if alias.asname else first
            elif alias.name == "*":
                self._stars.append(node.module or "")
            else:
                self._modules[alias.asname or alias.name] = f"{node.module or ''}.{alias.name}"

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Name | ast.Attribute):
            self._values[ast.unparse(target)] = value
            if isinstance(self.parents.get(self.parents.get(target, target)), ast.ClassDef):
                self._fields[ast.unparse(target)].append(value)
        elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
            for one, other in zip(target.elts, value.elts, strict=True):
                self._assign(one, other)

    def _option(self, node: ast.Call) -> None:
        flags = [part.value for part in node.args if isinstance(part, ast.Constant) and isinstance(part.value, str)]
        keywords = {keyword.arg: keyword.value for keyword in node.keywords}
        long = next((flag for flag in flags if flag.startswith("--")), flags[0] if flags else "")
        named = keywords.get("dest")
        name = str(named.value) if isinstance(named, ast.Constant) else long.lstrip("-").replace("-", "_")
        if name and "default" in keywords:
            self._options[name].append(keywords["default"])

    def _look(self, node: ast.expr) -> Any:
        text = ast.unparse(node)
        if text in self._looking or len(self._looking) > _LONGEST_WAY:
            raise NotLiteral(text)
        self._looking.append(text)
        try:
            return evaluate(self._found(node, text), self._look)
        finally:
            self._looking.pop()

    def _found(self, node: ast.expr, text: str) -> ast.expr:
        if isinstance(node, ast.Subscript):
            return self._item(node)
        if text in self._values and self._stored[text] == 1:
            return self._values[text]
        if isinstance(node, ast.Attribute) and not self._stored[text]:
            for places, words in ((self._options, f"--{node.attr} keeps"), (self._fields, f"{node.attr} keeps")):
                if len(places[node.attr]) == 1:
                    self.assumed[f"{words} its default, {ast.unparse(places[node.attr][0])}"] = None
                    return places[node.attr][0]
        raise NotLiteral(text)

    def _item(self, node: ast.Subscript) -> ast.expr:
        whole = self.meant(node.value)
        if isinstance(node.slice, ast.Constant):
            if isinstance(whole, ast.Dict):
                pairs = zip(whole.keys, whole.values, strict=True)
                found = [
                    value for key, value in pairs if isinstance(key, ast.Constant) and key.value == node.slice.value
                ]
            elif isinstance(whole, ast.Call) and self.name(whole.func) == "dict":
                found = [keyword.value for keyword in whole.keywords if keyword.arg == node.slice.value]
            else:
                found = []
            if len(found) == 1:
                return found[0]
        raise NotLiteral(ast.unparse(node))


_LONGEST_WAY = 50  # from a name to its value


def _parsed(text: str, path: str) -> ast.Module:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a text that is read, not ours
            return ast.parse(text)
    except SyntaxError as error:
        message = f"not Python: {error.msg}"
        raise bad_input(path, message, error.lineno or 0, max(error.offset or 1, 1)) from error
    except (RecursionError, MemoryError) as error:
        raise bad_input(path, "not Python: nested too deep") from error
    except ValueError as error:
        raise bad_input(path, f"not Python: {error}") from error
