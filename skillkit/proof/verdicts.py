"""Verdicts: how what became of a run is judged, and at which place of the reference code."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from skillkit.execution.running import CHECK, CODE, Outcome
from skillkit.source.slicing import Slice


@dataclass(frozen=True)
class Verdict:
    """What one run says of one proof: why it fails, and at which `file:line`; empty where it holds."""

    message: str = ""
    place: str = ""


HOLDS = Verdict()


def broken(outcome: Outcome) -> str:
    """Return how a run ended before its time, or an empty string."""
    if "timeout" in outcome:
        return f"still running after {outcome['timeout']:g} s, and was ended"
    if "died" in outcome:
        last = outcome.get("stderr", "").strip().rpartition("\n")[2]
        return f"the process died ({outcome['died']}) {last}".rstrip()
    if "left" in outcome:
        return f"leaves behind {', '.join(outcome['left'])}"
    return ""


def fault(outcome: Outcome, code: Slice, check: Slice | None) -> Verdict | None:
    """Judge code that is to run through: no error, no deprecation warning about its own calls."""
    if message := broken(outcome):
        return Verdict(message, origin(code, 1))
    if error := outcome["error"]:
        return Verdict(f"{error['type']}: {error['message']}".rstrip(": "), own_place(error["frames"], code, check))
    for warning in outcome["warnings"]:
        if warning["deprecation"] and PurePath(warning["file"]).name == CODE:
            return Verdict(f"{warning['type']}: {warning['message']}", origin(code, warning["line"]))
    return None


def is_stated(warning: Mapping[str, Any], match: str) -> bool:
    """Return whether a warning is of the stated class and says what is stated."""
    return warning["expected"] and re.search(match, warning["message"]) is not None


def own_place(frames: list[Any], code: Slice, check: Slice | None) -> str:
    """Return the place of the innermost frame that lies in the code that was run."""
    for file, line, _ in reversed(frames):
        name = PurePath(file).name
        if name == CODE:
            return origin(code, line)
        if name == CHECK and check:
            return origin(check, line)
    return origin(code, 1)


def origin(code: Slice, number: int) -> str:
    """Return the place that a line of a slice comes from, or that of the line above it which comes from any."""
    lines = code.lines[: max(number, 1)]
    line = next((one for one in reversed(lines) if one.number), code.lines[0])
    return f"{line.path}:{line.number}"
