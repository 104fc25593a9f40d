"""The noise of DP-SGD beside what dp-accounting says of it: `python -m benchmarks.privacy [COUNT]`, with it installed.

For budgets, data sets and runs drawn at random: does the noise keep to the budget by its PLD accountant, and does 2 %
less of it not?
"""

import random
import sys

from dp_accounting import GaussianDpEvent, PoissonSampledDpEvent, SelfComposedDpEvent
from dp_accounting.pld import PLDAccountant

from skillkit.recommender.arithmetic import three_digits_up
from skillkit.recommender.privacy import noise_multiplier


def main(count: int) -> None:
    rng = random.Random("privacy")
    too_little = too_much = 0
    for _ in range(count):
        epsilon, examples = 10 ** rng.uniform(-1, 1.2), 10 ** rng.uniform(3, 7)
        sampling = 10 ** rng.uniform(max(-3.5, 1 - len(str(int(examples)))), 0)
        delta, updates = examples**-1.1, int(10 ** rng.uniform(0.5, 3.5))
        noise = three_digits_up(noise_multiplier(epsilon, delta, sampling, updates))
        too_little += _epsilon(noise, delta, sampling, updates) > epsilon
        too_much += _epsilon(noise / 1.02, delta, sampling, updates) < epsilon
    print(f"{count} runs: too little noise in {too_little}, more than 2 % too much in {too_much}")


def _epsilon(noise: float, delta: float, sampling: float, updates: int) -> float:
    accountant = PLDAccountant()
    accountant.compose(SelfComposedDpEvent(PoissonSampledDpEvent(sampling, GaussianDpEvent(noise)), updates))
    spent: float = accountant.get_epsilon(delta)
    return spent


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
