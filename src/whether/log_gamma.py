"""The standardised log-gamma distribution, whose exponential is the generalised gamma: density and upper tail.

With shape q and k = 1 / q^2 the log density of Prentice's residual is

    log f(w) = c(q) + (q w - exp(q w) + 1) / q^2,    c(q) = log|q| + k log k - k - log Gamma(k).

It is normal at q = 0 and the extreme value distribution at q = 1, and (w, q) and (-w, -q) mirror each other. Everything
is written so that it is smooth and accurate through q = 0, and comes with its derivatives in w and q. The incomplete
gamma function has no usable derivative in its first argument, so tails are integrals of the density, by Gauss's rule up
to where nothing is left. That gives ten digits or more, far out as well, and the derivatives of the tail are moments of
the same integral.
"""

from typing import NamedTuple

import numpy as np
from numpy.polynomial.legendre import leggauss
from scipy.special import digamma, gammainc, gammaincc, gammaln, polygamma

from whether.arrays import Array

# Past it a residual has probability exp(-1e40): all such residuals are treated as equally impossible, and products of
# derivatives stay finite.
LARGEST_EXPONENT = 100.0
# Below this shape the constant is a series in 1/k, and below this argument functions of the exponential are series.
SMALL_SHAPE, SMALL_ARGUMENT = 0.3, 0.3
# c(q) = -log(2 pi) / 2 - sum over j of B_2j / (2j (2j - 1)) q^(4j - 2), Stirling's series.
STIRLING = np.array([1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156])
POWERS = 4.0 * np.arange(1, STIRLING.size + 1) - 2
N_TERMS = 11
# Gauss's rule on (0, 1) in the square root of the argument: a heavy tail falls quickly first, and slowly then.
_PLACES, _SHARES = leggauss(40)
NODES, WEIGHTS = (0.5 * (_PLACES + 1)) ** 2, 0.5 * (_PLACES + 1) * _SHARES
# The integral of a tail ends where the density has fallen to exp(-38) of what it was.
NOTHING = 38.0
# Past it the incomplete gamma function of a known shape is its asymptotic series, to twelve digits.
FAR, N_FAR_TERMS = 300.0, 6
N_LOW_TERMS = 14  # of the series below y = k, where k is at most 1


class Bend(NamedTuple):
    """A function of residual w and shape q: value, and derivatives in w, q, w twice, w and q, q twice."""

    value: Array
    by_w: Array
    by_q: Array
    by_ww: Array
    by_wq: Array
    by_qq: Array


class Tail(NamedTuple):
    """Log probability of an upper tail, its first and second derivative in q, and the hazard at its beginning."""

    log: Array
    first: Array
    second: Array
    hazard: Array
    excess: Array  # of the hazard over the rate at which the density falls


def log_density(w: Array, q: Array) -> Bend:
    """Log density of the residual."""
    x = q * w
    one, one_slope, two, two_slope, two_bend = exponential_remainders(x)
    value, first, second = constant(q)
    return Bend(
        value - w**2 * two,
        -w * one,
        first - w**3 * two_slope,
        -np.exp(np.minimum(x, LARGEST_EXPONENT)),
        -(w**2) * one_slope,
        second - w**4 * two_bend,
    )


def log_survival(w: Array, q: Array) -> Bend:
    """Log probability of a residual above w: the upper tail where w > 0, one minus the lower tail elsewhere."""
    is_low, density = w < 0, log_density(w, q)
    sign = np.where(is_low, -1.0, 1.0)
    tail = upper_tail(sign * w, sign * q)
    # With w and q mirrored, the lower tail is an upper one: log(1 - exp(tail)) by the chain rule.
    share = np.minimum(np.exp(tail.log), 1 - 1e-15)
    odds = share / (1 - share)
    value = np.where(is_low, np.log1p(-share), tail.log)
    first = np.where(is_low, odds * tail.first, tail.first)
    second = np.where(is_low, -odds * (tail.second + (1 + odds) * tail.first**2), tail.second)
    hazard = np.where(is_low, np.exp(density.value) / (1 - share), tail.hazard)
    excess = np.where(is_low, density.by_w + hazard, tail.excess)
    return Bend(value, -hazard, first, -hazard * excess, -hazard * (density.by_q - first), second)


def known_log_survival(w: Array, q: float) -> tuple[Array, Array, Array]:
    """Log probability of a residual above w under a known shape q > 0, with first and second derivative in w.

    Without derivatives in the shape it is the incomplete gamma function of k and y = k exp(q w), in a small part of the
    time.
    """
    k = q**-2.0
    y = k * np.exp(np.minimum(q * w, LARGEST_EXPONENT))
    near, low = np.minimum(y, FAR), y < k
    # Far out, Gamma(k, y) = y^(k - 1) exp(-y) series(y); the excess of the hazard over the fall of the density is
    # computed without it, since they are nearly the same there.
    far = np.maximum(y, FAR)
    factors = (k - np.arange(1, N_FAR_TERMS + 1)) / far[..., None]
    rest = np.cumprod(factors, axis=-1).sum(axis=-1)
    tail = gammaincc(k, near)
    # Rising powers of a small y may vanish, and the hazard with them.
    hazard = q * np.exp(k * np.log(np.maximum(near, 1e-300)) - near - gammaln(k)) / tail
    value = np.where(low, np.log1p(-gammainc(k, np.minimum(y, k))), np.log(tail))
    is_far = y > FAR
    return (
        np.where(is_far, (k - 1) * np.log(far) - far - gammaln(k) + np.log1p(rest), value),
        -np.where(is_far, q * far / (1 + rest), hazard),
        -np.where(
            is_far,
            q * far / (1 + rest) * q * (k - far * rest / (1 + rest)),
            hazard * (q * (k - near) + hazard),
        ),
    )


def known_log_cdf(w: Array, q: float) -> tuple[Array, Array, Array]:
    """Log probability of a residual at most w under a known shape q >= 1, with first and second derivative in w."""
    k = q**-2.0
    log_y = np.log(k) + np.minimum(q * w, LARGEST_EXPONENT)
    y = np.exp(log_y)
    low, small, large = y < k, np.minimum(y, k), np.maximum(y, k)
    # Low down the function is y^k exp(-y) (1 + rest) / Gamma(k + 1), with nothing lost however small it is.
    rest = np.cumprod(small[..., None] / (k + np.arange(1, N_LOW_TERMS + 1)), axis=-1).sum(axis=-1)
    rise = q * k / (1 + rest)
    share = 1 - gammaincc(k, large)
    rate = q * np.exp(k * np.log(large) - large - gammaln(k)) / share
    return (
        np.where(low, k * log_y - small - gammaln(k + 1) + np.log1p(rest), np.log1p(-gammaincc(k, large))),
        np.where(low, rise, rate),
        np.where(low, rise * q * (k * rest / (1 + rest) - small), rate * (q * (k - large) - rate)),
    )


def upper_tail(w: Array, q: Array) -> Tail:
    """Log probability of a residual above w >= 0, by integration, with derivatives in q."""
    x = np.minimum(q * w, LARGEST_EXPONENT)
    growth, remainders = np.exp(x), exponential_remainders(x)
    fall = w * remainders[0]  # rate at which the log density falls at w
    reach = _reach(q, growth, fall)
    steps, qs = reach[:, None] * NODES, q[:, None]
    drop = growth[:, None] * steps**2 * _second_remainder(qs * steps) + fall[:, None] * steps
    mass = np.exp(-drop) * WEIGHTS
    total = mass.sum(axis=1)
    chance, places = mass / total[:, None], w[:, None] + steps
    slope, bend = exponential_remainders(qs * places)[3:]
    scores = places**3 * slope
    mean = (chance * scores).sum(axis=1)
    spread = (chance * np.square(scores - mean[:, None])).sum(axis=1)
    value, first, second = constant(q)
    return Tail(
        value - w**2 * remainders[2] + np.log(reach * total),
        first - mean,
        second - (chance * places**4 * bend).sum(axis=1) + spread,
        1 / (reach * total),
        growth * (chance * steps * _first_remainder(qs * steps)).sum(axis=1),
    )


def _reach(q: Array, growth: Array, fall: Array) -> Array:
    """How far above w there is something left of the density: a bound that is not much too far."""
    size = np.maximum(np.abs(q), 1e-8)
    level = NOTHING * size**2 / np.maximum(growth, 1e-250)
    # e^y - 1 - y = level where q > 0, and e^-y - 1 + y = level where q < 0, are not beyond these.
    rising = np.log1p(level + np.sqrt(2 * level))
    falling = 0.5 * level * (1 + np.sqrt(1 + 8 / level))
    bound = np.where(q > 0, rising, falling) / size
    return np.minimum(bound, NOTHING / np.maximum(fall, NOTHING / bound))


def constant(q: Array) -> tuple[Array, Array, Array]:
    """The normalising constant c(q) and its first two derivatives."""
    small = np.abs(q) < SMALL_SHAPE
    near = np.where(small, q, 0.0)
    terms = STIRLING * np.square(near)[..., None] ** (POWERS / 2 - 1)
    series = (
        -0.5 * np.log(2 * np.pi) - near**2 * terms.sum(-1),
        -near * (terms * POWERS).sum(-1),
        -(terms * POWERS * (POWERS - 1)).sum(-1),
    )
    far = np.where(small, 1.0, q)
    k = far**-2.0
    gap = np.log(k) - digamma(k)
    direct = (
        np.log(np.abs(far)) + k * np.log(k) - k - gammaln(k),
        1 / far - 2 * gap / far**3,
        -1 / far**2 + 4 * (1 / k - polygamma(1, k)) / far**6 + 6 * gap / far**4,
    )
    value, first, second = (np.where(small, *pair) for pair in zip(series, direct, strict=True))
    return value, first, second


def exponential_remainders(x: Array) -> tuple[Array, Array, Array, Array, Array]:
    """(e^x - 1) / x and its derivative; (e^x - 1 - x) / x^2 and its first two derivatives."""
    small = np.abs(x) < SMALL_ARGUMENT
    near, far = np.where(small, x, 0.0), np.where(small, SMALL_ARGUMENT, np.minimum(x, LARGEST_EXPONENT))
    exponential = np.exp(far)
    one = (exponential - 1) / far
    one_slope = (exponential - one) / far
    two = (one - 1) / far
    two_slope = (one_slope - two) / far
    two_bend = ((exponential - 2 * one_slope) / far - 2 * two_slope) / far
    direct = one, one_slope, two, two_slope, two_bend
    first, second, third, fourth, fifth = (np.where(small, *pair) for pair in zip(_series(near), direct, strict=True))
    return first, second, third, fourth, fifth


def _series(x: Array) -> list[Array]:
    """The same for small arguments, by their power series."""
    sums = [np.zeros_like(x) for _ in range(5)]
    factorial = np.cumprod(np.arange(1.0, N_TERMS + 4))  # (n + 1)! at n
    for n in reversed(range(N_TERMS)):
        above = factorial[n : n + 4]
        coefficients = 1 / above[0], (n + 1) / above[1], 1 / above[1], (n + 1) / above[2], (n + 1) * (n + 2) / above[3]
        for total, coefficient in zip(sums, coefficients, strict=True):
            total *= x
            total += coefficient
    return sums


def _second_remainder(x: Array) -> Array:
    """(e^x - 1 - x) / x^2 alone."""
    small = np.abs(x) < SMALL_ARGUMENT
    near, far = np.where(small, x, 0.0), np.where(small, SMALL_ARGUMENT, np.minimum(x, LARGEST_EXPONENT))
    total = np.zeros_like(x)
    for coefficient in 1 / np.cumprod(np.arange(1.0, N_TERMS + 2))[:0:-1]:
        total *= near
        total += coefficient
    return np.where(small, total, (np.expm1(far) - far) / far**2)


def _first_remainder(x: Array) -> Array:
    """(e^x - 1) / x alone."""
    divisor = np.where(x == 0, 1.0, x)
    return np.where(x == 0, 1.0, np.expm1(np.minimum(x, LARGEST_EXPONENT)) / divisor)
