"""Wall time of the commands above bare Python's own start-up: the fastest of several runs, taken in turn.

`python -m benchmarks.startup`
"""

import subprocess
import sys
import time

RUNS = 15
BARE = ("-c", "pass")
COMMANDS = {
    ("--help",): 0.15,
    ("render", "--check"): 0.5,
    ("diagnose", "tests/logs/bad-batches.csv"): 0.5,
    ("recommend-optimizer", "--no-input", "--set", "family=mlp", "--json"): 0.5,
}


def seconds(arguments: tuple[str, ...]) -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, *arguments], capture_output=True, check=False)
    return time.perf_counter() - began


def main() -> None:
    calls = {command: ("-m", "skillkit", *command) for command in COMMANDS}
    bare = float("inf")
    fastest = dict.fromkeys(calls, float("inf"))
    for _ in range(RUNS):
        bare = min(bare, seconds(BARE))
        for command, arguments in calls.items():
            fastest[command] = min(fastest[command], seconds(arguments))
    print(f"bare Python: {bare:.3f} s")
    for command, limit in COMMANDS.items():
        above = fastest[command] - bare
        print(f"skillkit {' '.join(command)}: {above:.3f} s above it (aim: at most {limit} s)")


if __name__ == "__main__":
    main()
