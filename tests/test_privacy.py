"""Privacy: the noise is enough, and hardly more, by another's accountant and by what is known exactly."""

import math

import pytest

from skillkit.recommender.arithmetic import three_digits_up
from skillkit.recommender.privacy import failure, noise_multiplier

# epsilon, delta, sampling, updates, and the noise to which dp-accounting 0.6.0 calibrates its PLD accountant (value
# discretisation 1e-4, tolerance 1e-4) for them; `benchmarks/privacy.py` holds many more against it
CALIBRATED = [
    (7.21, 2.3e-7, 0.00481, 21, 0.44377),
    (1.33, 8.3e-6, 0.142, 29, 2.5717),
    (1.12, 1.4e-6, 0.429, 130, 18.462),
    (0.417, 2.4e-7, 0.0297, 20, 1.9435),
    (10.0, 2.4e-8, 0.174, 2437, 5.2397),
    (0.481, 3.1e-7, 0.394, 488, 77.158),
    (1.09, 1.8e-4, 0.0296, 284, 1.6295),
    (10.2, 2.8e-8, 0.00809, 1857, 0.6166),
]


@pytest.mark.parametrize(("epsilon", "delta", "sampling", "updates", "noise"), CALIBRATED)
def test_it_is_what_another_accountant_needs(
    epsilon: float, delta: float, sampling: float, updates: int, noise: float
) -> None:
    """The answers above are rounded to three digits, which moves the noise by less than half a percent."""
    found = noise_multiplier(epsilon, delta, sampling, updates)
    assert 0.995 * noise < found < 1.01 * noise


@pytest.mark.parametrize("updates", [1, 100, 10_000])
def test_without_sampling_it_is_the_gaussian_mechanism_exactly(updates: int) -> None:
    """Balle and Wang's calibration for epsilon 1 and delta 1e-5 is 3.7306 (arXiv:1805.06530); updates add up."""
    noise = noise_multiplier(epsilon=1.0, delta=1e-5, sampling=1.0, updates=updates)
    assert noise / math.sqrt(updates) == pytest.approx(3.7306, rel=1e-3)


def test_more_privacy_is_more_noise() -> None:
    noise = [noise_multiplier(epsilon, 1e-5, 0.01, 10_000) for epsilon in (0.5, 1, 2, 8, 100)]
    assert noise == sorted(noise, reverse=True)
    assert all(math.isfinite(one) and one > 0 for one in noise)


def test_more_updates_and_larger_batches_are_more_noise() -> None:
    assert noise_multiplier(1, 1e-5, 0.01, 100) < noise_multiplier(1, 1e-5, 0.01, 1000)
    assert noise_multiplier(1, 1e-5, 0.01, 100) < noise_multiplier(1, 1e-5, 0.02, 100)


@pytest.mark.parametrize("sampling", [1e-6, 0.3, 1.0])
@pytest.mark.parametrize("updates", [1, 1_000_000])
@pytest.mark.parametrize("epsilon", [0.01, 100.0])
def test_unusual_runs_have_a_noise_too(epsilon: float, sampling: float, updates: int) -> None:
    noise = noise_multiplier(epsilon, 1e-7, sampling, updates)
    assert math.isfinite(noise)
    assert failure(noise, epsilon, sampling, updates) <= 1e-7


def test_where_hardly_anybody_is_drawn_little_noise_does() -> None:
    assert noise_multiplier(epsilon=5.0, delta=0.5, sampling=0.001, updates=10) == 0.1


def test_it_grows_with_the_root_of_very_many_updates() -> None:
    few, many = (noise_multiplier(1e-3, 1e-9, 1.0, updates) for updates in (10, 10_000_000))
    assert many / few == pytest.approx(1000, rel=0.01)


def test_it_is_rounded_up() -> None:
    assert [three_digits_up(one) for one in (0.4761, 8.3203, 0.516, 99.91, 1234.0)] == [
        0.477,
        8.33,
        0.516,
        100.0,
        1240.0,
    ]
