"""Privacy: the noise that DP-SGD needs for a budget, by numerical composition.

Each update adds Gaussian noise to a sum over a Poisson sample. With which probability all updates together break a
budget is an integral along a vertical line through the saddle point of the privacy loss's moment-generating function
(Alghamdi et al., "The Saddle-Point Method in Differential Privacy", arXiv:2208.09595). The trapezoidal rule computes it
from above, as all that it counts twice is positive.
"""

import cmath
import math
from dataclasses import dataclass
from functools import cache

_WIDTH = 9.0  # standard deviations, beyond which a normal density is below 1e-17 of its peak
_REPEATS = 40.0  # what the rule counts twice is below exp(-40)
_TAIL = 1e-3  # of the integral: what may be added to it for the terms that are left out
_TERMS = 2000
_POINTS = 1e5  # at most, of a grid
_NOTHING = 1e-300
_LEAST = 0.1  # noise; with less, two examples are told apart at the first look
_PRECISION = 1e-3  # of the noise, which is rounded up


@cache
def noise_multiplier(epsilon: float, delta: float, sampling: float, updates: int) -> float:
    """Return the noise of DP-SGD that keeps to a privacy budget, never too little.

    It is too much by a tenth of a percent, and by more in runs so short that most examples are never drawn.

    Args:
        epsilon: The budget, for data sets that differ by one example.
        delta: The probability with which it may fail.
        sampling: The probability with which an example is in a batch: the batch size by the size of the data set.
        updates: Optimizer updates of the run.

    Returns:
        The standard deviation of the noise in the sum of gradients, in units of the norm to which each is clipped.

    Example:
        >>> round(noise_multiplier(epsilon=1.0, delta=1e-5, sampling=4096 / 50_000, updates=725), 1)
        8.3
    """
    if failure(_LEAST, epsilon, sampling, updates) <= delta:
        return _LEAST
    low, high = _LEAST, 2 * _LEAST
    while failure(high, epsilon, sampling, updates) > delta:
        low, high = high, 2 * high
    while high > (1 + _PRECISION) * low:
        middle = (low + high) / 2
        low, high = (middle, high) if failure(middle, epsilon, sampling, updates) > delta else (low, middle)
    return high


def failure(noise: float, epsilon: float, sampling: float, updates: int) -> float:
    """Return the probability with which a run breaks an epsilon, whether the one example is removed or added."""
    return max(_Loss(noise, sampling, is_removed).failure(epsilon, updates) for is_removed in (True, False))


@dataclass(frozen=True)
class _Loss:
    """The privacy loss of one update, as a random variable: by how much its result tells the two data sets apart."""

    noise: float
    sampling: float
    is_removed: bool

    def failure(self, epsilon: float, updates: int) -> float:
        """Return the smallest delta for which the updates together keep to an epsilon, from above."""
        if updates * self.largest <= epsilon:
            return 0.0
        if updates * _Tilted(self, 1e-9).mean > epsilon:
            return 1.0  # every other run loses more than that
        theta = self.saddle(epsilon, updates)
        tilted = _Tilted(self, theta)
        step = 2 * math.pi * theta / _REPEATS
        total = 0.5 / (theta * (theta + 1))
        for number in range(1, _TERMS):
            z = complex(theta, number * step)
            loss = updates * cmath.log(tilted.characteristic(z.imag) or _NOTHING)
            rotation = complex(min(loss.real, 0.0), loss.imag - z.imag * epsilon)  # rounding
            term = cmath.exp(rotation) / (z * (z + 1))
            total += term.real
            rest = number * abs(term)  # of all that follow, which fall as fast as 1 / number**2 or faster
            if rest < _TAIL * total:
                break
        total += rest
        return min(1.0, total * step / math.pi * math.exp(min(0.0, updates * tilted.log_moment - theta * epsilon)))

    @property
    def largest(self) -> float:
        """The most that an added example can tell: that it was not in the batch."""
        return math.inf if self.is_removed or self.sampling == 1 else -math.log1p(-self.sampling)

    @property
    def width(self) -> float:
        """The distance between points of a grid."""
        return min(self.noise / 3, self.noise * self.noise / 2)

    def exponent(self, x: float) -> float:
        """Return the logarithm of how much likelier a result is with the example in the batch than without."""
        return (2 * x - 1) / (2 * self.noise * self.noise)

    def saddle(self, epsilon: float, updates: int) -> float:
        """Return where the integrand is smallest along the real line."""
        low, high = 1e-4, _POINTS * min(1.0, self.width)
        while high > 1.05 * low:
            theta = math.sqrt(low * high)
            slope = updates * _Tilted(self, theta).mean - epsilon - 1 / theta - 1 / (theta + 1)
            low, high = (theta, high) if slope < 0 else (low, theta)
        return math.sqrt(low * high)


class _Tilted:
    """The privacy loss under its density times exp(theta * loss): the points of a grid with their weights.

    Args:
        loss: The privacy loss.
        theta: How far it is tilted; positive.
    """

    def __init__(self, loss: _Loss, theta: float) -> None:
        noise, sampling = loss.noise, loss.sampling
        sign, power = (1, theta + 1) if loss.is_removed else (-1, theta)
        first, last = -_WIDTH * noise, _WIDTH * noise
        if loss.is_removed:
            last += power
        else:
            first += _lowest(loss, power)
        width = loss.width
        points = [first + index * width for index in range(int((last - first) / width) + 1)]
        gains = [_log_mixture(sampling, loss.exponent(x)) for x in points]
        logs = [sign * power * gain - x * x / (2 * noise * noise) for x, gain in zip(points, gains, strict=True)]
        top = max(logs)
        weights = [math.exp(value - top) for value in logs]
        kept = [(weight, sign * gain) for weight, gain in zip(weights, gains, strict=True) if weight > 1e-17]
        total = math.fsum(weight for weight, _ in kept)
        self.points = [(weight / total, gain) for weight, gain in kept]
        self.log_moment = top + math.log(total * width / (noise * math.sqrt(2 * math.pi)))
        self.mean = sum(weight * gain for weight, gain in self.points)

    def characteristic(self, frequency: float) -> complex:
        """Return the mean of exp(i * frequency * loss)."""
        return sum(weight * cmath.exp(1j * frequency * gain) for weight, gain in self.points)


def _log_mixture(sampling: float, exponent: float) -> float:
    """Return log(1 - sampling + sampling * exp(exponent))."""
    if sampling == 1:
        return exponent
    if exponent > 0:
        return exponent + math.log(sampling + (1 - sampling) * math.exp(-exponent))
    return math.log1p(sampling * math.expm1(exponent))


def _lowest(loss: _Loss, power: float) -> float:
    """Return where the density of results without the example is largest once it is tilted."""
    low, high = -power, 0.0
    for _ in range(30):
        x = (low + high) / 2
        exponent = loss.exponent(x)
        share = loss.sampling * math.exp(exponent - _log_mixture(loss.sampling, exponent))
        low, high = (low, x) if x + power * share > 0 else (x, high)
    return low
