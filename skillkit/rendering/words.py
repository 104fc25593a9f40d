"""Words: what templates say of a pattern, a mistake or a change."""

import re
from collections.abc import Mapping
from typing import Any


def failure(mistake: Mapping[str, Any]) -> str:
    """Return what a mistake or an old form does, in a few words of Markdown.

    Args:
        mistake: The fields of a `Mistake` or a `Change`.
    """
    kind, stated, value = mistake["kind"], mistake["stated"], mistake.get("value")
    if kind in ("raises", "warns"):
        return f"{kind} `{stated.rpartition('.')[2]}`"
    if kind == "shows":
        return f"silently {value}" if value else f"silently: {stated.replace('_', ' ')}"
    right, was = mistake.get("right"), mistake.get("was")
    rest = f"{literal(stated)}" + (f", not {literal(right)}" if right is not None else "")
    rest += f", and was {literal(was)}" if was is not None else ""
    return f"{value} is silently {rest}" if value else f"silently gives {rest}"


def literal(value: Any) -> str:
    """Return a stated value as code; a text, such as a dtype's name, too."""
    return f"`{value}`"


def message(mistake: Mapping[str, Any]) -> str:
    """Return the words of a mistake's message as code after a space, or an empty string.

    They are those that its regular expression looks for, with `…` for what may be anything, and "or" between what may
    stand for each other.
    """
    sought = [_sought(match) for match in re.split(r"(?<!\\)\|(?![^(]*\))", mistake["match"])]
    return "".join(f" {'or ' if index else ''}{_as_code(words)}" for index, words in enumerate(filter(None, sought)))


def _as_code(words: str) -> str:
    return f'"{words}"' if "`" in words else f"`{words}`"


def _sought(match: str) -> str:
    words = re.sub(r"(?<!\\)(\.[*+]\??|\.\{[^}]*\}|\[[^\]]*\][*+?]?)|\\[dwsDWSbB][*+?]?", "…", match)
    words = re.sub(r"(?<!\\)(\(\?(?:[a-z]*:|<?[=!]|P<\w+>)|[()^$])", "", words)
    words = re.sub(r"(?<!\\)\|", "/", words)
    return re.sub(r"\\(.)", r"\1", words).strip("… ").strip()


def oneline(code: str) -> str:
    """Return code of several lines as one: a header or a decorator runs on, a statement ends with a semicolon."""
    *lines, last = [line.strip() for line in code.strip().splitlines()]
    return "".join(line + (" " if line.endswith(":") or line.startswith("@") else "; ") for line in lines) + last


def cell(text: str) -> str:
    """Return text that may stand in a cell of a Markdown table."""
    return text.replace("|", "\\|")


def minimum(pattern: Mapping[str, Any]) -> str:
    """Return the versions that a pattern, a mistake or a change requires, in words, or an empty string."""
    return ", ".join(f"{library} {versions}" for library, versions in pattern["requires"].items())


def not_run(cited: Mapping[str, str]) -> str:
    """Return in words what of a text no run shows, with its sources, or an empty string.

    Args:
        cited: The words of the text, each with the source that says them.
    """
    if not cited:
        return ""
    said = [f'"{words}" ({_link(source)})' for words, source in cited.items()]
    return f"Not run here: {', '.join(said)}."


def _link(source: str) -> str:
    return f"<{source}>" if source.startswith("http") else source
