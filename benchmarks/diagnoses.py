"""How often `skillkit diagnose` names the cause of a made curve, and how often it sees something in a healthy one.

`python -m benchmarks.diagnoses` reports on the odd seeds; thresholds were chosen on the even ones (`--develop`).
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator

from benchmarks.curves import CAUSES, Made, caused, healthy
from skillkit.diagnosis.diagnosing import diagnose
from skillkit.diagnosis.logs import parsed
from skillkit.diagnosis.runs import read_runs

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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--develop", action="store_true", help="the even seeds")
    parser.add_argument("--causes", type=int, default=25, help="curves of each cause")
    parser.add_argument("--healthy", type=int, default=300)
    given = parser.parse_args()
    odd = not given.develop
    first = anywhere = total = 0
    for cause in CAUSES:
        curves, harmless = made(cause, given.causes, odd)
        kinds = [seen(one) for one in curves]
        led = sum(bool(found) and found[0] in NAMES[cause] for found in kinds)
        named = sum(any(kind in NAMES[cause] for kind in found) for found in kinds)
        first, anywhere, total = first + led, anywhere + named, total + len(curves)
        others = Counter(
            found[0] if found else "nothing" for found in kinds if not found or found[0] not in NAMES[cause]
        )
        print(f"{cause}: named {named}, first {led} of {len(curves)}; {harmless} did no harm; else {dict(others)}")
        sys.stdout.flush()
    print(f"causes: named {anywhere}, first {first} of {total}")
    curves, _ = made("", given.healthy, odd)
    alarms = [(one.seed, found) for one in curves if (found := seen(one))]
    print(f"healthy: {len(alarms)} of {len(curves)} raise an alarm: {alarms}")


if __name__ == "__main__":
    main()
