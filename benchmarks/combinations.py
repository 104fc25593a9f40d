"""Steps the recommended optimizer for every pair of answers under `jax.jit`, with deprecation warnings as errors.

Run `python -m benchmarks.combinations [EVERY]`; EVERY takes only each so-manieth combination. Prints how many were run,
and every one that does not build or does not stay finite.
"""

import os
import sys
import warnings
from typing import Any

# compiled code is run three times: the time goes into compiling it
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_backend_optimization_level=0"

from skillkit.configuration.trying import try_configuration
from skillkit.recommender.recommending import recommend_for
from tests.test_recommending import FOLDER, clean, combinations


def main() -> None:
    """Run the combinations and print how many there were and which failed."""
    warnings.simplefilter("error")
    chosen = combinations()[:: int(sys.argv[1]) if len(sys.argv) > 1 else 1]
    failed = 0
    for answers in chosen:
        wrong = _wrong(answers)
        if wrong:
            failed += 1
            print(f"{answers}: {wrong}", flush=True)
    print(f"{len(chosen)} combinations, in which every pair of answers occurs, were stepped: {failed} failed")


def _wrong(answers: dict[str, Any]) -> str:
    try:
        trials = try_configuration(recommend_for(clean(answers), FOLDER)["configuration"])
    except Exception as error:  # whatever it is, it is the finding
        return f"{type(error).__name__}: {error}"
    return ", ".join(f"{trial.network} is not finite" for trial in trials if not trial.finite)


if __name__ == "__main__":
    main()
