"""Imports: the statements that a slice begins with, narrowed to the names that it reads."""

import sys
from collections.abc import Mapping
from pathlib import Path

from skillkit.source.excerpts import Line
from skillkit.source.modules import Import


def import_lines(imports: Mapping[Import, Path]) -> list[Line]:
    """Return the statements of some imports, those of Python's own modules first.

    Args:
        imports: Each with the file that it stands in.
    """
    merged: dict[str, tuple[Path, int]] = {}
    for statement, path, number in _statements(imports):
        merged.setdefault(statement, (path, number))
    lines: list[Line] = []
    for standard in (True, False):
        section = [item for item in merged.items() if _is_standard(item[0]) is standard]
        if lines and section:
            lines.append(Line("", section[0][1][0], 0))
        lines += [Line(text, *place) for text, place in section]
    return lines


def _statements(imports: Mapping[Import, Path]) -> list[tuple[str, Path, int]]:
    """Return import statements, the plain ones first, each group by module."""
    whole = sorted((one for one in imports if one.name is None), key=lambda one: (one.module, one.alias or ""))
    found = [
        (f"import {one.module}" + (f" as {one.alias}" if one.alias else ""), imports[one], one.line) for one in whole
    ]
    for module in sorted({one.module for one in imports if one.name is not None}):
        parts = [one for one in imports if one.module == module and one.name is not None]
        parts.sort(key=lambda one: one.line)
        names = dict.fromkeys(f"{one.name} as {one.alias}" if one.alias else str(one.name) for one in parts)
        # the members' own order in the module, which its linter keeps sorted
        ordered = sorted(names, key=lambda text: (text.upper() != text, text[0].islower(), text))
        found.append((f"from {module} import {', '.join(ordered)}", imports[parts[0]], parts[0].line))
    return found


def _is_standard(statement: str) -> bool:
    return statement.split()[1].partition(".")[0] in sys.stdlib_module_names
