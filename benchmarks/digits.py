"""Test accuracy of `python -m reference.train` on the digits over five seeds: run `python -m benchmarks.digits`."""

import statistics
import time

from reference.classifier import Settings, evaluate, fit
from reference.datasets import load_splits

SEEDS = range(5)


def main() -> None:
    accuracies = []
    for seed in SEEDS:
        start = time.perf_counter()
        splits = load_splits("digits", seed)
        fitted = fit(splits.train, splits.validation, Settings(seed=seed))
        accuracies.append(evaluate(fitted.params, splits.test).accuracy)
        print(f"seed {seed}: {accuracies[-1]:.4f} in {time.perf_counter() - start:.1f} s")
    print(f"median {statistics.median(accuracies):.4f}")


if __name__ == "__main__":
    main()
