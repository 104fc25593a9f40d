"""What each threshold of `skillkit diagnose` decides: what half and twice of it change on curves of the even seeds.

`python -m benchmarks.thresholds --curves FILE` writes `thresholds.yaml`; FILE keeps the curves. A threshold of which
half and double change nothing there is held by the logs of the tests alone.
"""

import argparse
import json
from collections.abc import Iterator, Mapping
from itertools import chain, islice
from pathlib import Path
from types import ModuleType
from typing import Any

import yaml
from threadpoolctl import threadpool_limits

from benchmarks.curves import CAUSES, Made, caused, healthy
from benchmarks.diagnoses import HEALTHY, NAMES, seeds, seen
from skillkit.diagnosis import diagnosing, divergence, plateaus, resuming, spikes, validation
from skillkit.writing import write

RESULTS = Path(__file__).with_name("thresholds.yaml")
MODULES = (diagnosing, divergence, plateaus, resuming, spikes, validation)
HEADER = """\
# Of each threshold of `skillkit diagnose` its value, and how many causes are named and how many healthy curves raise an
# alarm at half and at twice of it; `as_they_are` is the same at their values. On made curves of the even seeds, on
# which they were chosen; benchmarks/diagnosed.yaml has the others. Written by `python -m benchmarks.thresholds`.
"""
_TRIED = 20  # seeds of a cause, of which some do no harm


def thresholds() -> Iterator[tuple[ModuleType, str, float]]:
    """Yield every module's numbers that are no counts, by their names."""
    for module in MODULES:
        for name, number in vars(module).items():
            if name.startswith("_") and name.isupper() and isinstance(number, float):
                yield module, name, number


def key(module: ModuleType, name: str) -> str:
    return f"{module.__name__.rpartition('.')[2]}.{name}"


def curves(path: Path, each: int, sound: int) -> list[Made]:
    """Return curves of the even seeds: those that a file keeps, and the others, which are made and kept there."""
    kept = json.loads(path.read_text()) if path.exists() else {}
    for cause in (*CAUSES, HEALTHY):
        if cause not in kept:
            kept[cause] = [vars(one) for one in _made(cause, sound if cause == HEALTHY else each)]
            path.write_text(json.dumps(kept))
    return [Made(**fields) for fields in chain(*kept.values())]


def _made(cause: str, count: int) -> Iterator[Made]:
    tried = islice(seeds(False), count if cause == HEALTHY else _TRIED)
    found = (healthy(seed) if cause == HEALTHY else caused(cause, seed) for seed in tried)
    return islice((one for one in found if one is not None), count)


def counted(made: list[Made]) -> dict[str, int]:
    """Return of how many curves the cause is named, and how many healthy ones raise an alarm."""
    kinds = [(one.cause, seen(one)) for one in made]
    named = sum(any(kind in NAMES[cause] for kind in found) for cause, found in kinds if cause)
    return {"named": named, "alarms": sum(bool(found) for cause, found in kinds if not cause)}


def measured(made: list[Made]) -> dict[str, Any]:
    """Return what half and twice of each threshold change."""
    with_cause = sum(bool(one.cause) for one in made)
    results: dict[str, Any] = {
        "curves": {"with_cause": with_cause, HEALTHY: len(made) - with_cause},
        "as_they_are": counted(made),
    }
    for module, name, number in list(thresholds()):
        results[key(module, name)] = {"value": number} | {
            word: _with(module, name, number * times, made) for word, times in (("half", 0.5), ("twice", 2.0))
        }
    return results


def _with(module: ModuleType, name: str, number: float, made: list[Made]) -> dict[str, int]:
    before = getattr(module, name)
    setattr(module, name, number)
    try:
        return counted(made)
    finally:
        setattr(module, name, before)


def as_text(results: Mapping[str, Any]) -> str:
    lines = [yaml.safe_dump({name: part}, default_flow_style=None, width=200) for name, part in results.items()]
    return HEADER + "".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--curves", type=Path, required=True, help="where the curves are kept")
    parser.add_argument("--make", action="store_true", help="make the curves alone")
    parser.add_argument("--count", type=int, default=8, help="curves of each cause")
    parser.add_argument("--healthy", type=int, default=80)
    given = parser.parse_args()
    with threadpool_limits(1):
        made = curves(given.curves, given.count, given.healthy)
        if not given.make:
            write(RESULTS, as_text(measured(made)))


if __name__ == "__main__":
    main()
