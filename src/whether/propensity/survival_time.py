"""Propensities through a continuous event-time distribution: event time and follow-up.

Both say ``log T = location + scale * residual`` for positives. They differ in what was recorded of a labeled person:
the event time itself (the density enters the likelihood), or only that the event fell within the follow-up (the
distribution function does). The second is the mixture cure model for current-status data and needs no event times.
"""

from abc import abstractmethod
from collections.abc import Callable
from typing import ClassVar

import numpy as np

from whether.arrays import Array
from whether.distributions import Jet, ResidualDistribution
from whether.propensity.base import Propensity, Terms, log_difference
from whether.propensity.observed import Observed
from whether.validate import ArgumentError

# The penalty on the scale is worth one person. Times without any noise (some simulations have them) make the density
# unbounded as the scale goes to zero; with one pseudo-observation whose residual is 5 % of the spread of log time it
# stops near 0.05 / sqrt(events). Without event times a vanishing scale says that the features tell to the day when an
# event comes, which small cohorts do by chance and then rule out what happens to the next person; there the residual is
# 10 %. At the other end a scale far above the spread of the recorded times, or a location far outside them, says that
# most events come where nobody was followed: the data are silent about that, and with weak features the likelihood is
# flat all the way to "everybody is positive, later".
SMALLEST_SCALE = {"event time": 0.05, "follow-up": 0.1}
LARGEST_SCALE = 1.0
FARTHEST_LOCATION = 0.5
# A shape of this size costs half a person: it says that one tail is much heavier than any of the usual ones.
LARGEST_SHAPE = 2.0
# Intervals narrower than this, in residuals, are taken as points with a width: the error of that (its square) is then
# as small as that of second derivatives of differences (the machine's over its square).
NARROW = 1e-4
# Shares of events whose times are to agree where one distribution takes over from another.
MATCHED = np.array([0.1, 0.6])


def location_scale_terms(jet: Jet, z: Array, scale: Array, has_scale: bool) -> Terms:
    """Chain rule from a function of z = (log t - location) / scale, and the shape, to (location, log scale, shape)."""
    size = 1 + has_scale + (jet.shape is not None)
    gradient, curvature = np.empty((size, z.size)), np.empty((size, size, z.size))
    gradient[0], curvature[0, 0] = -jet.first / scale, jet.second / scale**2
    if has_scale:
        gradient[1] = -jet.first * z
        curvature[0, 1] = curvature[1, 0] = (jet.second * z + jet.first) / scale
        curvature[1, 1] = (jet.second * z + jet.first) * z
    if jet.shape is not None:
        gradient[-1], curvature[-1, -1] = jet.shape.first, jet.shape.second
        curvature[0, -1] = curvature[-1, 0] = -jet.shape.mixed / scale
        curvature[1, -1] = curvature[-1, 1] = -jet.shape.mixed * z
    return Terms(jet.value, gradient, curvature)


class SurvivalTimePropensity(Propensity):
    """Shared part of the event-time and follow-up propensities.

    Predictors are in units of the recorded log times, whose mean and standard deviation are ``center`` and ``spread``:
    the location is ``center + spread * v[0]`` and the log scale ``log(spread) + v[1]``; a shape is as it is, and one
    number for everybody. The penalty on location, scale and shape is worth ``penalty_weight`` persons.
    """

    index_sign: ClassVar[float] = -1.0
    ratio_kind: ClassVar[str] = "time ratio"
    smallest_scale: ClassVar[float]

    def __init__(
        self,
        distribution: ResidualDistribution,
        center: float = 0.0,
        spread: float = 1.0,
        *,
        penalty_weight: float = 1.0,
    ) -> None:
        if not (np.isfinite(center) and 0 < spread < np.inf):
            raise ArgumentError(f"Log times need a center and a spread > 0, got {center!r} and {spread!r}.")
        self.distribution, self.name = distribution, distribution.name
        self.center, self.spread, self.penalty_weight = center, spread, penalty_weight
        self.predictors = ("location", *("log scale",) * distribution.has_scale, *("shape",) * distribution.has_shape)
        self.sloped = tuple(name == "location" for name in self.predictors)

    def _terms(self, function: Callable[..., Jet], v: Array, observed: Array) -> Terms:
        """Derivatives in the predictors of a function of the residual and, where there is one, the shape."""
        scale = self._scale(v)
        z = (observed - v[0]) / scale
        return location_scale_terms(function(z, *v[2:]), z, scale, self.distribution.has_scale)

    def slopes(self, v: Array, observed: Observed, *, labeled: bool) -> tuple[Array, Array]:
        """As `Propensity.slopes`, where nothing but one time is known of people."""
        if not self._knows_one_time(observed):
            return super().slopes(v, observed, labeled=labeled)
        value, gradient, _ = self._first_order(v, observed.end, labeled=labeled)
        return value, gradient

    def diagonal(self, v: Array, observed: Observed, *, labeled: bool) -> tuple[Array, Array, Array]:
        """As `Propensity.diagonal`, without the others, where nothing but one time is known of people."""
        if not self._knows_one_time(observed):
            return super().diagonal(v, observed, labeled=labeled)
        value, gradient, (jet, z, scale) = self._first_order(v, observed.end, labeled=labeled)
        curvature = np.empty_like(v)
        scale *= scale
        np.divide(jet.second, scale, out=curvature[0])
        if self.distribution.has_scale:
            np.multiply(jet.second, z, out=curvature[1])
            curvature[1] += jet.first
            curvature[1] *= z
        return value, gradient, curvature

    def _knows_one_time(self, observed: Observed) -> bool:
        """Whether one time is known of everybody, and there is no shape."""
        return observed.lower is None and observed.never is None and not self.distribution.has_shape

    def _first_order(self, v: Array, end: Array, *, labeled: bool) -> tuple[Array, Array, tuple[Jet, Array, Array]]:
        """Value and gradient where one time is known; and the function of the residual, the residual and its scale."""
        scale = self._scale(v)
        z = (end - v[0]) / scale
        jet = (self._seen_jet if labeled else self.distribution.log_survival)(z)
        gradient = np.empty_like(v)
        np.divide(jet.first, scale, out=gradient[0])
        if self.distribution.has_scale:
            np.multiply(jet.first, z, out=gradient[1])
        np.negative(gradient, out=gradient)
        value = self._with_unit(jet.value, gradient, v, end) if labeled else jet.value
        return value, gradient, (jet, z, scale)

    def _scale(self, v: Array) -> Array:
        """Scale of each person, or in an array of one element that of everybody, which is usual and saves time."""
        if not self.distribution.has_scale:  # the exponential's is 1 in log-time units, so it is 1/spread in ours
            return np.array([1.0 / self.spread])
        first = v[1, :1]
        return np.exp(first if (v[1] == first).all() else v[1])

    def quantile(self, v: Array, share: Array) -> Array:
        """Log time, in the units of the predictors, before which this share of each one's events comes."""
        return np.asarray(v[0] + self._scale(v) * self.distribution.draw(share, *v[2:]))

    def levels_like(self, levels: Array, other: Propensity) -> Array:
        """As `Propensity.levels_like`: where times have about the same quantiles as under the other distribution."""
        if not isinstance(other, SurvivalTimePropensity) or self.distribution.has_shape or other.distribution.has_shape:
            return levels
        early, late = other.quantile(levels[:, None], MATCHED)
        own_early, own_late = self.distribution.draw(MATCHED)
        found: Array = levels.copy()
        if self.distribution.has_scale:
            found[1] = np.log((late - early) / (own_late - own_early))
        found[0] = late - float(self._scale(found[:, None])[0]) * own_late
        return found

    @abstractmethod
    def _seen_jet(self, z: Array, *shape: Array) -> Jet:
        """Log density of a recorded time, or log probability that it lies before, by its residual."""

    def _with_unit(self, value: Array, gradient: Array, v: Array, observed: Array) -> Array:
        """Turn the density of a residual, with its gradient in place, into that of a time, where there is one."""
        return value

    def log_seen(self, v: Array, observed: Array) -> Terms:
        """Log density of the event time (up to the standardisation's constant), or log probability of one by then."""
        terms = self._terms(self._seen_jet, v, observed)
        return terms._replace(value=self._with_unit(terms.value, terms.gradient, v, observed))

    def log_missed(self, v: Array, observed: Array) -> Terms:
        """Log probability that the event comes after the end of follow-up."""
        return self._terms(self.distribution.log_survival, v, observed)

    def log_between(self, v: Array, lower: Array, upper: Array) -> Terms:
        """Log probability that the event comes between two places; minus infinity is time zero."""
        scale = self._scale(v)
        early, narrow = (lower - v[0]) / scale < 0, (upper - lower) / scale < NARROW
        kinds = (
            (narrow, self._log_narrow),
            (early & ~narrow, self._log_between_early),
            (~early & ~narrow, super().log_between),
        )
        parts = Terms(*(np.empty((*(v.shape[0],) * axes, upper.size)) for axes in range(3)))
        for rows, function in kinds:
            if rows.any():
                for whole, part in zip(parts, function(v[:, rows], lower[rows], upper[rows]), strict=True):
                    whole[..., rows] = part
        return parts

    def _log_between_early(self, v: Array, lower: Array, upper: Array) -> Terms:
        """By the distribution function, where the survival function is near one and its differences are lost."""
        from_start = np.isneginf(lower)
        below = self._terms(self.distribution.log_cdf, v, np.where(from_start, v[0], lower))
        slopes = (np.where(from_start, 0.0, part) for part in below[1:])
        below = Terms(np.where(from_start, -np.inf, below.value), *slopes)
        return log_difference(self._terms(self.distribution.log_cdf, v, upper), below)

    def _log_narrow(self, v: Array, lower: Array, upper: Array) -> Terms:
        """By the density, where the two places are so close that differences are lost in rounding."""
        terms = self._terms(self.distribution.log_density, v, (lower + upper) / 2)
        if self.distribution.has_scale:
            terms.gradient[1] -= 1.0
        return terms._replace(value=terms.value + np.log((upper - lower) / self._scale(v)))

    def units(self) -> tuple[Array, Array]:
        """Location and log scale of log time itself, instead of in spreads around the center."""
        offset, multiplier = np.array([self.center, np.log(self.spread), 0.0]), np.array([self.spread, 1.0, 1.0])
        return offset[: len(self.predictors)], multiplier[: len(self.predictors)]

    def locate(self, time: Array) -> Array:
        """Log time in the units of the predictors."""
        return np.asarray((np.log(time) - self.center) / self.spread)

    @property
    def is_penalized(self) -> bool:
        """Whether the penalty is anything but zero."""
        return self.penalty_weight > 0

    def penalty(self, level: Array) -> tuple[float, Array, Array]:
        """Penalty on a scale near 0 or infinity, on a location far off and on a large shape."""
        gradient, curvature = np.zeros(level.size), np.zeros((level.size, level.size))
        far = level[0] / FARTHEST_LOCATION
        value = 0.5 * far**2
        gradient[0], curvature[0, 0] = far / FARTHEST_LOCATION, 1 / FARTHEST_LOCATION**2
        if self.distribution.has_scale:
            small = (self.smallest_scale * np.exp(-level[1])) ** 2
            large = (np.exp(level[1]) / LARGEST_SCALE) ** 2
            value += 0.5 * (small + large)
            gradient[1], curvature[1, 1] = large - small, 2 * (small + large)
        if self.distribution.has_shape:
            value += 0.5 * (level[2] / LARGEST_SHAPE) ** 2
            gradient[2], curvature[2, 2] = level[2] / LARGEST_SHAPE**2, 1 / LARGEST_SHAPE**2
        return self.penalty_weight * value, self.penalty_weight * gradient, self.penalty_weight * curvature


class EventTimePropensity(SurvivalTimePropensity):
    """The event time of labeled people is known: density for them, survival for the rest (equation 4)."""

    needs_time: ClassVar[bool] = True
    smallest_scale: ClassVar[float] = SMALLEST_SCALE["event time"]

    def start(self, observed: Array, weight: Array | None = None) -> Array:
        """Location and scale of the recorded event times."""
        center = float(np.average(observed, weights=weight))
        spread = float(np.sqrt(np.average((observed - center) ** 2, weights=weight)))
        return np.array([center, np.log(max(spread, 0.1)), 0.0])[: len(self.predictors)]

    def _seen_jet(self, z: Array, *shape: Array) -> Jet:
        return self.distribution.log_density(z, *shape)

    def _with_unit(self, value: Array, gradient: Array, v: Array, observed: Array) -> Array:
        # density of T = density of the residual / (scale * t), and log t = center + spread * observed
        if not self.distribution.has_scale:
            return value - (self.center + self.spread * observed)
        gradient[1] -= 1.0
        return np.asarray(value - (v[1] + np.log(self.spread) + self.center + self.spread * observed))


class FollowUpPropensity(SurvivalTimePropensity):
    """Only the length of follow-up is known: e = Pr(T <= follow_up | x)."""

    needs_follow_up: ClassVar[bool] = True
    smallest_scale: ClassVar[float] = SMALLEST_SCALE["follow-up"]

    def start(self, observed: Array, weight: Array | None = None) -> Array:
        """Half of the events within the average follow-up, and a scale of two thirds of its spread."""
        return np.array([0.0, np.log(2 / 3), 0.0])[: len(self.predictors)]

    def _seen_jet(self, z: Array, *shape: Array) -> Jet:
        return self.distribution.log_cdf(z, *shape)
