"""Reasons: what a recommendation says of each setting, to stand beside its number."""

from collections.abc import Iterable, Mapping
from typing import Any

# where a number has no reason of its own, the reason of the part that it belongs to
_PARTS = {
    "peak_value": "schedule",
    "init_value": "warmup_steps",
    "warmup_steps": "schedule",
    "total_steps": "schedule",
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

    def note(self, setting: str) -> str:
        """Return `because (source)` of a setting, the first time that it is asked for; else an empty string."""
        found = self.entry(setting)
        text = f"{found['because'].rstrip('.')} ({found['source']})" if found else ""
        if text in self._said:
            return ""
        self._said.add(text)
        return text

    def comment(self, setting: str) -> str:
        """Return the note as a comment in one line."""
        return f"# {self.note(setting) or 'the exponential average of the parameters'}"

    def entry(self, setting: str) -> Mapping[str, Any] | None:
        """Return the reason of a setting, or of the part that it belongs to."""
        while setting:
            for entry in self.entries:
                if entry["setting"].rpartition(".")[2] == setting:
                    return entry
            setting = _PARTS.get(setting, "")
        return None
