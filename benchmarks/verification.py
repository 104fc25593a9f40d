"""Wall time of verification: three ways to run the same blocks and mistakes, and how the chosen one grows.

`python -m benchmarks.verification [ITEMS ...]`
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from skillkit.catalogue.libraries import project_libraries
from skillkit.execution.serving import installed
from skillkit.places import find_project
from skillkit.proof.outcomes import Outcomes
from skillkit.proof.proofs import Proof
from skillkit.proof.statements import project_proofs
from skillkit.proof.verification import Verifier
from skillkit.proof.workers import Workers, clean_environment

COMPARED = 50
ITEMS = (50, 100, 200, 400)
IN_ONE_PROCESS = """
import json, sys
from skillkit.execution.running import run
print("\\0" + json.dumps([run(job) for job in json.load(sys.stdin)]))
"""


def spread(proofs: Sequence[Proof], count: int) -> list[Proof]:
    """Return so many proofs, taken evenly from all topics."""
    return [proofs[index * len(proofs) // count] for index in range(count)]


def in_one_process(proofs: Sequence[Proof]) -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        environment = clean_environment(os.environ) | {"PYTHONPATH": str(Path.cwd()), "HOME": folder}
        done = subprocess.run(
            [sys.executable, "-c", IN_ONE_PROCESS],
            input=json.dumps([proof.job for proof in proofs]),
            capture_output=True,
            text=True,
            cwd=folder,
            env=environment,
            check=False,
        )
    outcomes: list[dict[str, Any]] = json.loads(done.stdout.rpartition("\0")[2] or "[]")
    return [{"stdout": "shown", **one} for one in outcomes] or [{"died": done.returncode}] * len(proofs)


def in_a_process_each(proofs: Sequence[Proof]) -> list[dict[str, Any]]:
    outcomes = []
    for proof in proofs:
        workers = Workers(sys.executable, (), count=1)
        outcomes.append(workers.ask(proof.job))
        workers.close()
    return outcomes


def forked_from_a_warm_one(proofs: Sequence[Proof]) -> list[dict[str, Any]]:
    workers = Workers(sys.executable, find_project().warm, count=1)
    outcomes = [workers.ask(proof.job) for proof in proofs]
    workers.close()
    return outcomes


def compare(proofs: Sequence[Proof]) -> None:
    """Print what each way costs, and how many statements that hold it takes for refuted."""
    print(f"{len(proofs)} blocks and mistakes, one at a time:")
    for way in (in_one_process, in_a_process_each, forked_from_a_warm_one):
        began = time.perf_counter()
        outcomes = way(proofs)
        seconds = time.perf_counter() - began
        wrong = sum(bool(proof.judge(outcome).message) for proof, outcome in zip(proofs, outcomes, strict=True))
        print(f"  {way.__name__.replace('_', ' ')}: {seconds:.1f} s, {wrong} judged wrongly", flush=True)


def grow(proofs: Sequence[Proof], items: Sequence[int], versions: dict[str, str]) -> None:
    """Print how long so many take with nothing known, and again with nothing changed."""
    cores = os.cpu_count() or 1
    for count in items:
        with tempfile.TemporaryDirectory() as folder:
            times = [seconds(spread(proofs, count), Path(folder), versions, cores) for _ in range(2)]
        print(f"{count} items on {cores} cores: {times[0]:.1f} s, unchanged {times[1]:.2f} s", flush=True)


def seconds(proofs: Sequence[Proof], folder: Path, versions: dict[str, str], cores: int) -> float:
    began = time.perf_counter()
    workers = Workers(sys.executable, find_project().warm, cores)
    report = Verifier(workers, Outcomes(folder, versions), versions).verify(proofs)
    workers.close()
    assert not report.of("fails"), report.of("fails")
    return time.perf_counter() - began


def main() -> None:
    """Compare the ways, then let the chosen one grow."""
    project = find_project()
    versions = installed(project_libraries(project))
    proofs = [proof for proof in project_proofs(project, versions) if proof.kind in ("block", "mistake")]
    compare(spread(proofs, COMPARED))
    grow(proofs, [int(word) for word in sys.argv[1:]] or ITEMS, versions)


if __name__ == "__main__":
    main()
