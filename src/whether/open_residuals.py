"""A residual distribution that is left open: many narrow normals on a grid, whose shares are estimated.

A parametric model says what the residual of log time looks like; here only how smooth it is. The density is a sum of
normal kernels of one width at evenly spaced knots, so that it has as many humps, and as skewed, as the data say; value
and derivatives are those of `distributions.py`. The shares are estimated by EM, kernel by kernel: of a person whose
event was seen the density counts, of one who may still have it the survival function, and of one who came under
observation late those who never did. What is kept is the grid: nobody's own residual.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import logsumexp

from whether.arrays import Array
from whether.distributions import DISTRIBUTIONS, Jet, ResidualDistribution

OPEN = "open"
_NORMAL = DISTRIBUTIONS["lognormal"]
# Kernels farther away than this, in widths, are treated as equally impossible instead of overflowing.
_FARTHEST = 1e8
# Widths beyond the outermost knots at which the distribution function is zero or one, and points to invert it on.
_REACH, _N_POINTS = 9.0, 4001


class OpenResiduals(ResidualDistribution):
    """Residuals of log time, in units of log time itself, as a mixture of normals of one width.

    Attributes
    ----------
    knots : ndarray of shape (k,)
        Where the normals sit, evenly spaced.
    shares : ndarray of shape (k,)
        Of each normal; they add up to one.
    width : float
        Their standard deviation.
    """

    name = OPEN
    has_scale = False  # the grid says how wide residuals are

    def __init__(self, knots: Array, shares: Array, width: float) -> None:
        self.knots, self.shares, self.width = knots, shares, width

    def log_density(self, z: Array, *shape: Array) -> Jet:
        """Log density of the residual."""
        jet = self._mix(_NORMAL.log_density, z)
        return jet._replace(value=jet.value - np.log(self.width))

    def log_survival(self, z: Array, *shape: Array) -> Jet:
        """Log probability of a residual above ``z``."""
        return _at_most_one(self._mix(_NORMAL.log_survival, z))

    def log_cdf(self, z: Array, *shape: Array) -> Jet:
        """Log probability of a residual at most ``z``."""
        return _at_most_one(self._mix(_NORMAL.log_cdf, z))

    def draw(self, uniform: Array, *shape: Array) -> Array:
        """Residuals from uniform draws, by inverting the distribution function on a fine grid."""
        reach = _REACH * self.width
        points = np.linspace(self.knots[0] - reach, self.knots[-1] + reach, _N_POINTS)
        return np.interp(uniform, np.exp(self.log_cdf(points).value), points)

    def kernels(self, function: Callable[[Array], Jet], z: Array) -> Jet:
        """Return a function of normal residuals at every kernel: one row per residual, one column per knot."""
        return function(np.clip((np.asarray(z)[..., None] - self.knots) / self.width, -_FARTHEST, _FARTHEST))

    def _mix(self, function: Callable[[Array], Jet], z: Array) -> Jet:
        """Log of the mixture of functions whose logarithms have these derivatives."""
        each, log_shares = self.kernels(function, z), np.log(np.maximum(self.shares, 1e-300))
        value = logsumexp(each.value + log_shares, axis=-1)
        part = np.exp(each.value + log_shares - value[..., None])
        first = (part * each.first).sum(axis=-1)
        # The slopes' spread between kernels, and not a difference of squares, which is lost far out.
        second = (part * (each.second + (each.first - first[..., None]) ** 2)).sum(axis=-1)
        return Jet(value, first / self.width, second / self.width**2)

    @property
    def mean(self) -> float:
        """Mean of the residual."""
        return float(self.shares @ self.knots)

    def moved(self, by: float) -> OpenResiduals:
        """Return the distribution of the residual plus a number."""
        return OpenResiduals(self.knots + by, self.shares, self.width)

    def on_range(self, lowest: float, highest: float) -> OpenResiduals:
        """Return the same grid from about one residual to another; new knots start with a small share."""
        step = self.knots[1] - self.knots[0] if self.knots.size > 1 else self.width
        first, last = (int(np.round((end - self.knots[0]) / step)) for end in (lowest, highest))
        places = np.arange(first, max(last, first) + 1)
        old = (places >= 0) & (places < self.knots.size)
        shares = np.full(places.size, 1e-3 / places.size)
        shares[old] = self.shares[places[old]]
        return OpenResiduals(self.knots[0] + step * places, shares / shares.sum(), self.width)


def _at_most_one(jet: Jet) -> Jet:
    """Shares that add up to one but for rounding make no probability above it."""
    return jet._replace(value=np.minimum(jet.value, 0.0))
