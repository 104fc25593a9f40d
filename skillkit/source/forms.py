"""Forms: what somebody may write, as Python with holes."""

import ast
import io
import tokenize
from dataclasses import dataclass

DEEPEST = 100  # levels of a form's tree; what anybody writes has a dozen
ANY = "anything__"  # the name that stands in a parsed form where its text says `...`


class BadForm(ValueError):
    """A text is not a form; `line` says where, counted from 1."""

    def __init__(self, message: str, line: int = 1) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True)
class Form:
    """Python with holes, to be found in other Python whatever its layout.

    An expression is found as any equal sub-expression, a statement as an equal statement, several statements as
    consecutive ones of one body, a compound statement as one with the same header whose body holds its body's
    statements in order. `...` as a statement is any run of statements; as the last argument or parameter any further
    ones (of a dictionary, items); elsewhere any expression or name. An expression among statements is found in a
    statement that contains it.
    Decorators, annotations and `else` parts that a form leaves out may be anything.

    Args:
        text: As it was written.
        body: Its statements.
    """

    text: str
    body: tuple[ast.stmt, ...]


def bad_form(text: str) -> str:
    """Return what is wrong with a form, or an empty string."""
    try:
        parse_form(text)
    except BadForm as error:
        return str(error)
    return ""


def parse_form(text: str) -> Form:
    """Read a form.

    Raises:
        BadForm: It is not Python, or is found in any code.
    """
    tree = _parsed(text)
    if _is_deep(tree):
        raise BadForm("is nested too deep to be searched for")
    body = tree.body
    while body and is_gap(body[-1]):
        del body[-1]
    while body and is_gap(body[0]):
        del body[0]
    if not body:
        raise BadForm("says nothing: it would be found in any code")
    return Form(text, tuple(body))


def _is_deep(tree: ast.AST) -> bool:
    level = [tree]
    for _ in range(DEEPEST):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
    return bool(level)


def _parsed(text: str) -> ast.Module:
    code = text.strip("\n")
    try:
        return _first_that_parses(code, _holes(code) if "..." in code else [])
    except tokenize.TokenError as error:
        raise BadForm(f"not Python: {error.args[0]}", error.args[1][0]) from error
    except SyntaxError as error:
        raise BadForm(f"not Python: {error.msg}", error.lineno or 1) from error
    except (RecursionError, MemoryError) as error:
        raise BadForm("not Python: nested too deep") from error
    except ValueError as error:
        raise BadForm(f"not Python: {error}") from error


def _holes(code: str) -> list[tuple[int, int]]:
    return [one.start for one in tokenize.generate_tokens(io.StringIO(code).readline) if one.string == "..."]


def _first_that_parses(code: str, places: list[tuple[int, int]]) -> ast.Module:
    """Parse code with names for its holes; after keywords a hole can stand only as `**`, and a header needs a body."""
    try:
        return ast.parse(_filled(code, places, after=""))
    except SyntaxError:
        header = [_filled(code, places, after="") + f" {ANY}"] if code.rstrip().endswith(":") else []
        for attempt in (_filled(code, places, after="**"), *header):
            try:
                return ast.parse(attempt)
            except SyntaxError:
                continue
        raise


def _filled(code: str, places: list[tuple[int, int]], after: str) -> str:
    lines = code.split("\n")
    for row, column in reversed(places):
        line = lines[row - 1]
        rest = line[column + 3 :]
        is_last = line[:column].rstrip().endswith(",") and rest.lstrip().startswith((")", ",)", ", )", "}"))
        lines[row - 1] = line[:column] + (after if is_last else "") + ANY + rest
    return "\n".join(lines)


def is_any(node: object) -> bool:
    """Return whether a part of a parsed form is any expression."""
    return isinstance(node, ast.Name) and node.id == ANY


def is_gap(node: ast.stmt) -> bool:
    """Return whether a statement of a parsed form is any run of statements."""
    return isinstance(node, ast.Expr) and is_any(node.value)
