"""Calls: an expression of Optax calls as data, which is printed into scripts and evaluated by `building`."""

import re
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

Parts = list[tuple[str | None, Any]]
WIDTH = 110


@dataclass(frozen=True)
class Name:
    """Something that the script has a name for: a schedule, a mask, a dtype."""

    name: str


@dataclass(frozen=True)
class Setting:
    """A value with the setting that it realises, so that its reason can stand beside it."""

    value: Any
    setting: str


Notes = Callable[[Setting], str]


@dataclass(frozen=True)
class Call:
    """A function's call.

    Args:
        function: `optax.adamw`, or the bare name of one of `supplements`.
        keywords: Its keyword arguments: numbers, strings, names, calls, lists and dicts of these.
        positional: For functions that take any number of arguments.
        method: A method of the result that is called without arguments.
    """

    function: str
    keywords: dict[str, Any] = field(default_factory=dict)
    positional: tuple[Any, ...] = ()
    method: str | None = None

    @property
    def suffix(self) -> str:
        """What follows the closing parenthesis."""
        return f".{self.method}()" if self.method else ""


def source(value: Any, notes: Notes = lambda _: "", indent: int = 0) -> str:
    """Return the Python expression of a value, each argument on its line below its note.

    Args:
        value: A call or another part of an expression.
        notes: Returns what to say of a setting, or an empty string.
        indent: How far the expression's own line is indented.
    """
    if isinstance(value, Setting):
        return source(value.value, notes, indent)
    if isinstance(value, Name):
        return value.name
    if isinstance(value, Call):
        body: Parts = [*((None, part) for part in value.positional), *value.keywords.items()]
        return f"{value.function}({_body(body, '=', notes, indent)}){value.suffix}"
    if isinstance(value, list):
        return f"[{_body([(None, part) for part in value], '', notes, indent)}]"
    if isinstance(value, dict):
        return f"{{{_body([(literal(key), part) for key, part in value.items()], ': ', notes, indent)}}}"
    return literal(value)


def literal(value: Any) -> str:
    """Return a plain value as ruff would format it, numbers with an exponent where that is shorter."""
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, tuple | list):
        return "(" + ", ".join(map(literal, value)) + ("," if len(value) == 1 else "") + ")"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:_}"
    return re.sub(r"e([-+])0(\d)$", r"e\1\2", repr(value))


def names(value: Any) -> Iterator[str]:
    """Yield every name and every function that an expression mentions, in order."""
    if isinstance(value, Setting):
        yield from names(value.value)
    elif isinstance(value, Name):
        yield value.name
    elif isinstance(value, Call):
        yield value.function
        for part in (*value.positional, *value.keywords.values()):
            yield from names(part)
    elif isinstance(value, list | dict):
        for part in value.values() if isinstance(value, dict) else value:
            yield from names(part)


def _body(parts: Parts, link: str, notes: Notes, indent: int) -> str:
    inner, lines = " " * (indent + 4), []
    for key, part in parts:
        comment = notes(part) if isinstance(part, Setting) else ""
        lines += textwrap.wrap(comment, WIDTH, initial_indent=f"{inner}# ", subsequent_indent=f"{inner}# ", **_WHOLE)
        lines.append(f"{inner}{key + link if key else ''}{source(part, notes, indent + 4)},")
    flat = ", ".join(line.strip().rstrip(",") for line in lines)
    if "#" not in flat and "\n" not in flat and len(flat) + indent < 70:
        return flat
    return "\n" + "\n".join(lines) + "\n" + " " * indent


_WHOLE: Any = {"break_long_words": False, "break_on_hyphens": False}
