"""Reporting: a translation in words, as data, and as what stands above the numbers of a script."""

import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

from skillkit.configuration.expressions import source
from skillkit.configuration.transformations import transformations
from skillkit.reading import shown
from skillkit.translation.beside import Pair
from skillkit.translation.optimizers import Row
from skillkit.translation.translating import Translation
from skillkit.translation.values import Given, Remark, Value

_WIDTH = 118


def report(translation: Translation, pairs: Sequence[Pair] | None) -> str:
    """Return a translation for a terminal: the Optax calls, the numbers, what is equal and what is not."""
    parts = ["\n".join(_calls(translation)), "\n".join(_numbers(translation)), remarks(translation, True).rstrip()]
    if pairs is not None:
        parts.append("\n".join(_pairs(pairs)))
    return "\n\n".join(part for part in parts if part) + "\n"


def remarks(translation: Translation, equal: bool = False) -> str:
    """Return what differs, is not translated and was assumed, a line each; with what is equal where it is asked for."""
    recipe = translation.recipe
    lines = [
        *([_remark("Equal", one) for one in translation.equal] if equal else []),
        *(_remark("Differs", one) for one in translation.differs),
        *(f"Not translated: {problem}" for problem in sorted(recipe.unread)),
        *(f"Assumed: {text}" for text in dict.fromkeys(recipe.assumed)),
    ]
    return "".join(f"{line}\n" for line in lines)


def data(translation: Translation, pairs: Sequence[Pair] | None) -> dict[str, Any]:
    """Return a translation for programs."""
    recipe = translation.recipe
    return {
        "file": recipe.path,
        "kind": recipe.kind,
        "configuration": translation.configuration,
        "numbers": [_number(row) for _, row in translation.rows],
        "equal": [vars(one) for one in translation.equal],
        "differs": [vars(one) for one in translation.differs],
        "not_translated": [vars(problem) for problem in sorted(recipe.unread)],
        "assumed": list(dict.fromkeys(recipe.assumed)),
        "recommended": None if pairs is None else [vars(pair) for pair in pairs],
    }


def reasons(translation: Translation) -> list[dict[str, str]]:
    """Return where each number comes from, to stand above it in a script."""
    path = translation.recipe.path
    numbers = [
        {
            "setting": _HERE.get(row.here, row.here),
            "because": f"{_there(row)}, {_place(path, row.value)}",
            "source": entry.source,
        }
        for entry, row in translation.rows
    ]
    others = [
        {"setting": setting, "because": f"{given.name}, {_place(path, given)}", "source": where}
        for setting, given, where in translation.placed
    ]
    return numbers + others


_HERE = {"rate": "peak_value"}


def _calls(translation: Translation) -> Iterator[str]:
    found = transformations(translation.configuration)
    for made in found:
        prefix = f"{made.network}_" if len(found) > 1 else ""
        for name, call in made.schedules.items():
            yield f"{prefix}{name} = {source(call)}"
        text = source(made.optimizer)
        yield f"{prefix}optimizer = {text.replace('=learning_rate', f'={prefix}learning_rate') if prefix else text}"


def _numbers(translation: Translation) -> Iterator[str]:
    cells = [
        (
            _there(row),
            _place(translation.recipe.path, row.value),
            f"{_HERE.get(row.here, row.here)} {shown(row.result)}",
        )
        for _, row in translation.rows
    ]
    yield from _columns([("there", "where", "here"), *cells])


def _there(row: Row) -> str:
    return f"{row.there}={shown(row.value.plain)}"


def _place(path: str, at: Value | Given) -> str:
    return f"{path}:{at.line}:{at.column}" if at.line else "its default"


def _number(row: Row) -> dict[str, Any]:
    place = {"line": row.value.line, "column": row.value.column}
    return {
        "there": row.there,
        "value": row.value.plain,
        **place,
        "here": _HERE.get(row.here, row.here),
        "is": row.result,
    }


def _remark(word: str, remark: Remark) -> str:
    return f"{word}: {remark.what}: {remark.text} ({remark.source})"


def _pairs(pairs: Sequence[Pair]) -> Iterator[str]:
    cells = [
        ("setting", "here", "recommended"),
        *((one.setting, _value(one.here), _value(one.recommended)) for one in pairs),
    ]
    lines = list(_columns(cells))
    yield f"{lines[0]}  why"
    indent = " " * (max(map(len, lines)) + 2)
    for line, one in zip(lines[1:], pairs, strict=True):
        why = f"{one.because.rstrip('.')} ({one.source})" if one.because and one.here != one.recommended else ""
        wrapped = textwrap.wrap(why, max(_WIDTH - len(indent), 40), break_long_words=False, break_on_hyphens=False)
        yield f"{line:{len(indent)}}{wrapped[0] if wrapped else ''}".rstrip()
        yield from (indent + more for more in wrapped[1:])


def _value(value: Any) -> str:
    return "-" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _columns(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    widths = [max(len(row[index]) for row in rows) for index in range(len(rows[0]))]
    for row in rows:
        yield "  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
