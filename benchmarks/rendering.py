"""Time of rendering after one spec has changed, above bare Python: the fastest of several runs, and the median.

`python -m benchmarks.rendering`
"""

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parents[1]
RUNS = 15
AIM = 0.5  # seconds
PARTS = ("reference", "templates", "outputs", "pyproject.toml")


def taken(arguments: tuple[str, ...], folder: Path) -> tuple[float, float]:
    """Return the wall and the processor's seconds of a call."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache"), "PYTHONPATH": str(ROOT)}
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, *arguments], capture_output=True, check=True, cwd=folder, env=environment)
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part in PARTS:
            path = ROOT / part
            shutil.copytree(path, folder / part) if path.is_dir() else shutil.copy(path, folder / part)
        taken(("-m", "skillkit", "render"), folder)
        bare, found = [], []
        for run in range(RUNS):
            bare.append(taken(("-c", "pass"), folder))
            with (folder / "reference" / "prng.yaml").open("a") as spec:
                spec.write(f"# {run}\n")
            found.append(taken(("-m", "skillkit", "render"), folder))
    for index, kind in enumerate(("wall", "processor")):
        times = [one[index] for one in found]
        least = min(one[index] for one in bare)
        print(f"{kind}: {min(times) - least:.3f} s above bare Python, {median(times) - least:.3f} s in the median")
    print(f"aim: at most {AIM} s on a quiet machine")


if __name__ == "__main__":
    main()
