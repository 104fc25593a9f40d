"""Look for inputs that are not answered: `python -m tests.fuzz SEED [KIND...]`; those found become examples."""

import hashlib
import os
import random
import sys
import tempfile
from pathlib import Path

from skillkit.rendering import limits
from tests.fuzz.inputs import KINDS
from tests.fuzz.projects import lay_out
from tests.fuzz.test_fuzz import FOUND, failure


def main(seed: str, names: list[str]) -> None:
    """Try every kind in full, print each new failure and keep its input."""
    os.environ["XDG_CACHE_HOME"] = tempfile.mkdtemp()
    os.chdir(tempfile.mkdtemp())
    lay_out(Path())
    limits.SECONDS = 1.0
    for name in names or list(KINDS):
        rng, met = random.Random(f"{seed} {name}"), set()
        for _ in range(KINDS[name].count):
            raw = KINDS[name].made(rng)
            message = failure(KINDS[name], raw)
            kind = tuple(line for line in message.splitlines() if line.lstrip().startswith("File "))[-2:]
            if message and kind not in met:
                met.add(kind)
                path = FOUND / name / f"{hashlib.sha256(raw).hexdigest()[:8]}-{KINDS[name].file}"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(raw)
                print(f"{path.name}: {message}\n")
        print(f"{name}: {KINDS[name].count} tried, {len(met)} kinds of failure", flush=True)


main(sys.argv[1], sys.argv[2:])
