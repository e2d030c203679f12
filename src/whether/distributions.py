"""Residual distributions of log event times: value and two derivatives.

An accelerated failure time model says ``log T = location + scale * residual``. What differs between the log-normal,
log-logistic, Weibull and generalised gamma models is only the distribution of the residual, so that is all that lives
here: the log density, log survival function and log distribution function of a standardised residual ``z``, each with
its first and second derivatives; for a distribution with a shape also those in the shape. Used by the event-time and
follow-up propensities.
"""

import math
from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np
from scipy.special import erfcx, gammaincinv, ndtri

from whether import log_gamma
from whether.arrays import Array

_LOG_SQRT_2PI = 0.5 * math.log(2 * math.pi)
_SQRT_2 = math.sqrt(2)
_MILLS = math.sqrt(2 / math.pi)
_FAR = 50.0  # residual from which on series in 1/z serve
# exp(300) is still finite when squared. Past it a Weibull residual has probability exp(-1e130), so all such residuals
# are treated as equally impossible instead of overflowing to inf and then to NaN in the chain rule.
_LARGEST_EXPONENT = 300.0
_SMALLEST_HAZARD = 1e-12


class Shape(NamedTuple):
    """Derivatives of a function of residual and shape that involve the shape: first, mixed and second."""

    first: Array
    mixed: Array
    second: Array


class Jet(NamedTuple):
    """A function of the residual: value, first and second derivative, row by row; and of the shape if there is one."""

    value: Array
    first: Array
    second: Array
    shape: Shape | None = None


def softplus_expit(x: Array) -> tuple[Array, Array]:
    """Return log(1 + exp(x)) and its derivative expit(x), row by row."""
    small = np.exp(-np.abs(x))
    return np.maximum(x, 0.0) + np.log1p(small), np.where(x > 0, 1.0, small) / (1.0 + small)


class ResidualDistribution(ABC):
    """Distribution of the standardised residual of log time."""

    name: str  # what users pass as distribution=
    has_scale: bool = True  # whether the scale is estimated; the exponential fixes it at 1
    has_shape: bool = False  # whether a shape is estimated too: it is then a further argument of all functions
    special_cases: tuple[str, ...] = ()  # names of the distributions that it contains

    @abstractmethod
    def log_density(self, z: Array, *shape: Array) -> Jet:
        """Log density of the residual."""

    @abstractmethod
    def log_survival(self, z: Array, *shape: Array) -> Jet:
        """Log probability of a residual above ``z``."""

    def log_cdf(self, z: Array, *shape: Array) -> Jet:
        """Log probability of a residual at most ``z``, of residuals that are symmetric about zero."""
        return _mirror(self.log_survival(-z))

    @abstractmethod
    def draw(self, uniform: Array, *shape: Array) -> Array:
        """Residuals from uniform draws, by inverting the distribution function."""


class Normal(ResidualDistribution):
    """Normal residuals: log-normal event times."""

    name = "lognormal"

    def log_density(self, z: Array, *shape: Array) -> Jet:
        """Log density of the residual."""
        return Jet(-0.5 * z * z - _LOG_SQRT_2PI, -z, np.full_like(z, -1.0))

    def log_survival(self, z: Array, *shape: Array) -> Jet:
        """Log probability of a residual above ``z``."""
        # erfcx(z / sqrt 2) = 2 exp(z^2 / 2) Pr(residual > z) keeps value and inverse Mills ratio exact far in the tail,
        # where the ratio of two underflowing numbers would be 0/0; below -20 both are zero to the last digit.
        held = np.maximum(z, -20.0)
        scaled = erfcx(held / _SQRT_2)
        mills = -_MILLS / scaled
        scaled *= 0.5
        value = np.log(scaled, out=scaled)
        held *= held
        held *= 0.5
        value -= held
        second = (mills + z) * mills
        np.negative(second, out=second)
        # The difference cancels in the far tail.
        if (far := z > _FAR).any():
            near_zero = z[far] ** -2.0
            second[far] = -1 + near_zero * (1 - near_zero * (6 - near_zero * (50 - near_zero * 518)))
        return Jet(np.minimum(value, 0.0, out=value), mills, second)

    def draw(self, uniform: Array, *shape: Array) -> Array:
        """Residuals from uniform draws, by inverting the distribution function."""
        return np.asarray(ndtri(uniform))


class Logistic(ResidualDistribution):
    """Logistic residuals: log-logistic event times."""

    name = "loglogistic"

    def log_density(self, z: Array, *shape: Array) -> Jet:
        """Log density of the residual."""
        softplus, expit = softplus_expit(z)
        return Jet(z - 2 * softplus, 1 - 2 * expit, -2 * expit * (1 - expit))

    def log_survival(self, z: Array, *shape: Array) -> Jet:
        """Log probability of a residual above ``z``."""
        softplus, expit = softplus_expit(z)
        return Jet(-softplus, -expit, -expit * (1 - expit))

    def draw(self, uniform: Array, *shape: Array) -> Array:
        """Residuals from uniform draws, by inverting the distribution function."""
        return np.asarray(np.log(uniform) - np.log1p(-uniform))


class Gumbel(ResidualDistribution):
    """Smallest-extreme-value residuals: Weibull event times, or exponential ones where the scale is fixed at 1."""

    def __init__(self, name: str, *, has_scale: bool, special_cases: tuple[str, ...] = ()) -> None:
        self.name, self.has_scale, self.special_cases = name, has_scale, special_cases

    def log_density(self, z: Array, *shape: Array) -> Jet:
        """Log density of the residual."""
        hazard = np.exp(np.minimum(z, _LARGEST_EXPONENT))
        return Jet(z - hazard, 1 - hazard, -hazard)

    def log_survival(self, z: Array, *shape: Array) -> Jet:
        """Log probability of a residual above ``z``."""
        hazard = np.exp(np.minimum(z, _LARGEST_EXPONENT))
        return Jet(-hazard, -hazard, -hazard)

    def log_cdf(self, z: Array, *shape: Array) -> Jet:
        """Log probability of a residual at most ``z``."""
        hazard = np.exp(np.minimum(z, _LARGEST_EXPONENT))
        risen = -np.expm1(-np.maximum(hazard, _SMALLEST_HAZARD))
        value, first = np.log(risen), hazard * np.exp(-hazard) / risen
        second = first * (1 - hazard - first)
        # Far below zero log(1 - exp(-h)) is log h = z up to h/2; taking z itself keeps it finite where h underflows.
        if (tiny := hazard < _SMALLEST_HAZARD).any():
            value[tiny], first[tiny], second[tiny] = z[tiny], 1.0, -0.5 * hazard[tiny]
        return Jet(value, first, second)

    def draw(self, uniform: Array, *shape: Array) -> Array:
        """Residuals from uniform draws, by inverting the distribution function."""
        return np.asarray(np.log(-np.log1p(-uniform)))


class Frechet(ResidualDistribution):
    """Largest-extreme-value residuals, those of the Weibull mirrored: inverse Weibull times, with a heavy tail."""

    name = "frechet"
    _mirrored = Gumbel("weibull", has_scale=True)

    def log_density(self, z: Array, *shape: Array) -> Jet:
        """Log density of the residual."""
        return _mirror(self._mirrored.log_density(-z))

    def log_survival(self, z: Array, *shape: Array) -> Jet:
        """Log probability of a residual above ``z``."""
        return _mirror(self._mirrored.log_cdf(-z))

    def log_cdf(self, z: Array, *shape: Array) -> Jet:
        """Log probability of a residual at most ``z``."""
        return _mirror(self._mirrored.log_survival(-z))

    def draw(self, uniform: Array, *shape: Array) -> Array:
        """Residuals from uniform draws, by inverting the distribution function."""
        return np.asarray(-np.log(-np.log(uniform)))


def _mirror(jet: Jet) -> Jet:
    """Return a function of -z as a function of z."""
    return Jet(jet.value, -jet.first, jet.second)


class LogGamma(ResidualDistribution):
    """Log-gamma residuals, standardised as Prentice has them: generalised gamma event times.

    The shape Q is 0 for log-normal and 1 for Weibull times; where it is negative the upper tail is the heavy one.
    """

    name = "gengamma"
    has_shape = True
    special_cases = ("lognormal", "weibull", "exponential", "frechet", "lightgamma")

    def log_density(self, z: Array, *shape: Array) -> Jet:
        """Log density of the residual."""
        return _as_jet(log_gamma.log_density(z, *shape))

    def log_survival(self, z: Array, *shape: Array) -> Jet:
        """Log probability of a residual above ``z``."""
        return _as_jet(log_gamma.log_survival(z, *shape))

    def log_cdf(self, z: Array, *shape: Array) -> Jet:
        """Log probability of a residual at most ``z``: residual and shape mirror each other."""
        (q,) = shape
        mirrored = log_gamma.log_survival(-z, -q)
        return _as_jet(mirrored._replace(by_w=-mirrored.by_w, by_q=-mirrored.by_q))

    def draw(self, uniform: Array, *shape: Array) -> Array:
        """Residuals from uniform draws, by inverting the distribution function."""
        (q,) = shape
        size = np.maximum(np.abs(q), 1e-6)  # closer to the normal than any sample can tell
        upright = np.log(gammaincinv(size**-2, np.where(q < 0, 1 - uniform, uniform)) * size**2) / size
        return np.asarray(np.where(q < 0, -upright, upright))


class LightLogGamma(ResidualDistribution):
    """Log-gamma residuals with the shape held at 2: generalised gamma times with a tail lighter than the Weibull's."""

    name = "lightgamma"
    _any_shape = LogGamma()
    _SHAPE = 2.0

    def log_density(self, z: Array, *shape: Array) -> Jet:
        """Log density of the residual."""
        return self._any_shape.log_density(z, np.full(np.shape(z), self._SHAPE))._replace(shape=None)

    def log_survival(self, z: Array, *shape: Array) -> Jet:
        """Log probability of a residual above ``z``."""
        return Jet(*log_gamma.known_log_survival(z, self._SHAPE))

    def log_cdf(self, z: Array, *shape: Array) -> Jet:
        """Log probability of a residual at most ``z``."""
        return Jet(*log_gamma.known_log_cdf(z, self._SHAPE))

    def draw(self, uniform: Array, *shape: Array) -> Array:
        """Residuals from uniform draws, by inverting the distribution function."""
        return self._any_shape.draw(uniform, np.full(np.shape(uniform), self._SHAPE))


def _as_jet(bend: log_gamma.Bend) -> Jet:
    return Jet(bend.value, bend.by_w, bend.by_ww, Shape(bend.by_q, bend.by_wq, bend.by_qq))


_ALL = (
    Normal(),
    Logistic(),
    Gumbel("weibull", has_scale=True, special_cases=("exponential",)),
    Gumbel("exponential", has_scale=False),
    Frechet(),
    LightLogGamma(),
    LogGamma(),
)
DISTRIBUTIONS: dict[str, ResidualDistribution] = {distribution.name: distribution for distribution in _ALL}
# What distribution="auto" compares: shapes with as many parameters each. The exponential is a Weibull and never has the
# higher likelihood, the generalised gamma contains two of the three and never has the lower.
AUTO_DISTRIBUTIONS = ("lognormal", "loglogistic", "weibull")
