"""Reasons: what a recommendation says of each setting, to stand beside its number."""

import re
import textwrap
from collections.abc import Iterable, Mapping
from typing import Any

from skillkit.configuration.expressions import WIDTH, Setting
from skillkit.scalars import is_number

# where a number has no reason of its own, the reason of the part that it belongs to
_PARTS = {
    "peak_value": "schedule",
    "init_value": "warmup_steps",
    "warmup_steps": "schedule",
    "total_steps": "schedule",
    "transition_steps": "total_steps",
    "decay_rate": "end_value",
    "end_value": "schedule",
    "timescale": "schedule",
    "decay_steps": "schedule",
    "cooldown_steps": "schedule",
    "boundaries": "schedule",
    "noise_multiplier": "privacy",
    "clipping_threshold": "clip",
    "weight_decay_mask": "weight_decay",
}


class Reasons:
    """The reasons of one recommendation, or those that concern one network.

    Args:
        entries: Mappings with `setting`, `because`, `source`, and where it is so `network` and `group`.
    """

    def __init__(self, entries: Iterable[Mapping[str, Any]]) -> None:
        self.entries = tuple(entries)
        self._said: set[str] = set()

    def of(self, network: str) -> "Reasons":
        """Return the reasons that are not another network's."""
        return Reasons(entry for entry in self.entries if entry.get("network") in (None, network))

    def note(self, part: Setting) -> str:
        """Return `arithmetic: because (source)` of a setting, the first time that it is asked for; else nothing."""
        found = self.entry(part.setting, part.value)
        text = f"{_computed(found)}{found['because'].rstrip('.')} ({found['source']})" if found else ""
        if text in self._said:
            return ""
        self._said.add(text)
        return text

    def heading(self, setting: str) -> str:
        """Return the note on a whole schedule or optimizer as comment lines, where there is one."""
        note = self.note(Setting(None, setting))
        return "".join(f"# {line}\n" for line in textwrap.wrap(note, WIDTH - 2, break_on_hyphens=False))

    def comment(self, part: Setting) -> str:
        """Return the note as a comment in one line."""
        return f"# {self.note(part) or 'the exponential average of the parameters'}"

    def entry(self, setting: str, value: Any = None) -> Mapping[str, Any] | None:
        """Return the reason of a setting, or of the part that it belongs to.

        Args:
            setting: The setting.
            value: Where it is a number, only a reason for this very number is returned, or one for no number.
        """
        while setting:
            for entry in self.entries:
                if entry["setting"].rpartition(".")[2] == setting and _fits(entry, value):
                    return entry
            setting = _PARTS.get(setting, "")
        return None


def _fits(entry: Mapping[str, Any], value: Any) -> bool:
    stated = entry.get("value")
    return not (is_number(stated) and is_number(value)) or stated == value


def _computed(entry: Mapping[str, Any]) -> str:
    """Return a reason's arithmetic before a colon, where it is more than the number itself."""
    arithmetic = entry.get("arithmetic") or ""
    return f"{arithmetic}: " if re.search(r" |\(", arithmetic) else ""
