"""How often `skillkit diagnose` names the cause of a made curve, and how often it sees something in a healthy one.

`python -m benchmarks.diagnoses [CAUSE ...]` makes curves of the odd seeds and writes what is seen of each cause into
`diagnosed.yaml`; thresholds were chosen on the even ones, of which `--develop` only prints.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from threadpoolctl import threadpool_limits

from benchmarks.curves import CAUSES, Made, caused, healthy
from skillkit.diagnosis.diagnosing import diagnose
from skillkit.diagnosis.logs import parsed
from skillkit.diagnosis.runs import read_runs
from skillkit.reading import read
from skillkit.writing import write

RESULTS = Path(__file__).with_name("diagnosed.yaml")
HEADER = """\
# What `skillkit diagnose` sees in made curves of the odd seeds, which no threshold was chosen on. Of each cause: how
# many curves, how many seeds did no harm and were left out, in how many it is named, and in how many before all else,
# and what is told first of the others. Of healthy ones: how many raise an alarm, and which, by their seeds.
# Written by `python -m benchmarks.diagnoses`.
"""
HEALTHY = "healthy"

# what names a cause: after too large a rate the loss may end in NaN or come back, after a bad batch may stay up
NAMES = {
    "rate-too-large": ("divergence", "nan", "early-rise"),
    "nan": ("nan",),
    "lost-state": ("resume",),
    "no-warmup": ("early-rise",),
    "noise": ("noise",),
    "rate-too-small": ("slow", "chance"),
    "overfitting": ("overfitting",),
    "chance": ("chance",),
    "floor": ("floor",),
    "bad-batches": ("spikes", "divergence", "nan"),
}


def seeds(odd: bool) -> Iterator[int]:
    return iter(range(1 if odd else 0, 1_000_000, 2))


def made(cause: str, count: int, odd: bool) -> tuple[list[Made], int]:
    """Return curves with a cause, and how many seeds did no harm."""
    found: list[Made] = []
    harmless = 0
    with threadpool_limits(1):  # matrices of 32 rows, which several threads only wait for
        for seed in seeds(odd):
            one = caused(cause, seed) if cause else healthy(seed)
            if one is None:
                harmless += 1
            else:
                found.append(one)
            if len(found) == count or harmless > 20 * count:
                break
    return found, harmless


def seen(one: Made) -> list[str]:
    (run,) = read_runs(parsed(one.text, f"{one.cause or 'healthy'} {one.seed}"), {})
    return [symptom.kind for symptom in diagnose(run, one.classes)]


def of_cause(cause: str, count: int, odd: bool) -> dict[str, Any]:
    """Return what is seen of the curves of a cause."""
    curves, harmless = made(cause, count, odd)
    kinds = [seen(one) for one in curves]
    others = Counter(found[0] if found else "nothing" for found in kinds if not found or found[0] not in NAMES[cause])
    return {
        "curves": len(curves),
        "harmless": harmless,
        "named": sum(any(kind in NAMES[cause] for kind in found) for found in kinds),
        "first": sum(bool(found) and found[0] in NAMES[cause] for found in kinds),
        "instead": dict(sorted(others.items())),
    }


def of_healthy(count: int, odd: bool) -> dict[str, Any]:
    """Return what is seen of healthy curves."""
    curves, _ = made("", count, odd)
    alarms = {str(one.seed): found for one in curves if (found := seen(one))}
    return {"curves": len(curves), "alarms": len(alarms), "seen": alarms}


def totals(results: Mapping[str, Mapping[str, Any]]) -> dict[str, int]:
    """Return the sums over the causes, and of healthy curves how many raise an alarm."""
    found = {key: sum(results[cause][key] for cause in CAUSES) for key in ("curves", "named", "first")}
    return found | {"healthy": results[HEALTHY]["curves"], "alarms": results[HEALTHY]["alarms"]}


def as_text(results: Mapping[str, Any]) -> str:
    """Return results as they are kept, in the order of the causes."""
    ordered = {name: results[name] for name in (*CAUSES, HEALTHY) if name in results}
    return HEADER + yaml.safe_dump(ordered, sort_keys=False, width=120, default_flow_style=None)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("causes", nargs="*", choices=[*CAUSES, HEALTHY, []], help="which; all if none is given")
    parser.add_argument("--develop", action="store_true", help="the even seeds, which are printed and not kept")
    parser.add_argument("--count", type=int, default=25, help="curves of each cause")
    parser.add_argument("--healthy", type=int, default=300)
    given = parser.parse_args()
    odd = not given.develop
    results = dict(read(RESULTS).value) if odd and RESULTS.exists() else {}
    for cause in given.causes or (*CAUSES, HEALTHY):
        found = of_healthy(given.healthy, odd) if cause == HEALTHY else of_cause(cause, given.count, odd)
        print(f"{cause}: {found}")
        sys.stdout.flush()
        results[cause] = found
        if odd:
            write(RESULTS, as_text(results))
    if results.keys() >= {*CAUSES, HEALTHY}:
        print(totals(results))


if __name__ == "__main__":
    main()
