"""Folding: paths of equal layers on one line, `layers/0..31/attn/q/kernel`."""

import re
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass

# an index is a whole word: what follows a name directly belongs to it, as in fc1 and conv2
_INDEX = re.compile(r"(?<![^/._])(?:0|[1-9][0-9]{0,8})(?![^/._])")
Numbers = tuple[str, ...]


@dataclass(frozen=True)
class Fold:
    """Parameters whose paths differ by indices alone.

    Args:
        paths: All their paths in one, `layers/0..31/kernel`.
        members: Each path, in order.
    """

    paths: str
    members: tuple[str, ...]


def folded(kinds: Mapping[str, Hashable]) -> list[Fold]:
    """Return the fewest lines that name all paths: those of one kind whose indices fill a range are one.

    Args:
        kinds: What is said of each path; only equal ones are folded.

    Example:
        >>> [fold.paths for fold in folded({"a/0/w": 1, "a/1/w": 1, "a/2/w": 2, "b": 1})]
        ['a/0..1/w', 'a/2/w', 'b']
    """
    alike: dict[tuple[str, Hashable], dict[Numbers, tuple[str, ...]]] = {}
    for path, kind in kinds.items():
        numbers = tuple(_INDEX.findall(path))
        alike.setdefault((_INDEX.sub("\0", path), kind), {})[numbers] = (path,)
    order = {path: index for index, path in enumerate(kinds)}
    found = [
        Fold(_filled(template, numbers), tuple(sorted(members, key=order.__getitem__)))
        for (template, _), lines in alike.items()
        for numbers, members in _merged(lines).items()
    ]
    return sorted(found, key=lambda fold: order[fold.members[0]])


def _merged(lines: dict[Numbers, tuple[str, ...]]) -> dict[Numbers, tuple[str, ...]]:
    """Return lines whose numbers are ranges: what differs in one place alone becomes one, place after place."""
    places = len(next(iter(lines)))
    for place in reversed(range(places)):
        beside: dict[Numbers, dict[str, tuple[str, ...]]] = {}
        for numbers, members in lines.items():
            beside.setdefault((*numbers[:place], "", *numbers[place + 1 :]), {})[numbers[place]] = members
        lines = {
            (*rest[:place], _ranges(own), *rest[place + 1 :]): tuple(path for part in own.values() for path in part)
            for rest, own in beside.items()
        }
    return lines


def _ranges(numbers: Iterable[str]) -> str:
    """Return numbers as `0..3` or `{0..2,5}`."""
    plain = sorted({int(number) for number in numbers})
    runs: list[list[int]] = []
    for number in plain:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    texts = [f"{run[0]}..{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs]
    return texts[0] if len(texts) == 1 else f"{{{','.join(texts)}}}"


def _filled(template: str, numbers: Numbers) -> str:
    for number in numbers:
        template = template.replace("\0", number, 1)
    return template
