"""Propensity through event times in bins: one hazard per bin."""

from typing import ClassVar

import numpy as np

from whether.arrays import Array, Flags
from whether.distributions import softplus_expit
from whether.propensity.base import Propensity, Terms
from whether.validate import ArgumentError


def equal_event_edges(event_times: Array, n_bins: int, weight: Array | None = None) -> Array:
    """Upper edges, which are event times, of bins with about equal numbers of events; fewer where times are tied."""
    order = np.argsort(event_times, kind="stable")
    passed = np.cumsum(np.ones(order.size) if weight is None else weight[order])
    shares = np.linspace(0, 1, n_bins + 1)[1:] * passed[-1]
    # A hair below each share: rounding in the sums must not push an edge to the next event.
    positions = np.searchsorted(passed, shares * (1 - 1e-12))
    return np.unique(event_times[order[np.minimum(positions, order.size - 1)]])


class DiscreteTimePropensity(Propensity):
    """Hazard of the event in each time bin, given positive and no event before.

    Within a bin events fall evenly. The last bin ends at the last event, and a positive who reaches it has the event
    there (hazard 1). Without that the distribution would not add up to one, and halving every hazard while doubling p
    would leave the likelihood as it is: p could not be learned.
    The edges are upper ones; a time equal to an edge belongs to the bin below it.
    """

    needs_time: ClassVar[bool] = True
    # A location that moves by a spread of log time moves the logit of a hazard by several units, by many where the
    # scale is small.
    slope_unit: ClassVar[float] = 10.0

    def __init__(self, edges: Array) -> None:
        if edges.ndim != 1 or not edges.size or edges[0] <= 0 or not np.all(np.diff(edges) > 0):
            raise ArgumentError(f"Edges of bins must be > 0 and rise, got {edges!r}.")
        self.edges = edges
        self.predictors = tuple(f"hazard {k + 1}" for k in range(edges.size - 1))
        self.sloped = (True,) * (edges.size - 1)

    def locate(self, time: Array) -> Array:
        """Bin (first row) and passed share of the bin (second row) of any times."""
        bins = np.minimum(np.searchsorted(self.edges, time), self.edges.size - 1)
        lower = np.concatenate([[0.0], self.edges[:-1]])
        passed = (time - lower[bins]) / (self.edges[bins] - lower[bins])
        return np.stack([bins.astype(float), np.clip(passed, 0.0, 1.0)])

    def log_seen(self, v: Array, observed: Array) -> Terms:
        """Log probability of an event in the bin of the recorded time."""
        softplus, missed = softplus_expit(-v)
        here = self._bin_is(v, observed)
        present = -softplus * here, missed * here, -missed * (1 - missed) * here
        return self._add_survived_bins(softplus_expit(v), observed, present)

    def log_missed(self, v: Array, observed: Array) -> Terms:
        """Log probability of no event up to the recorded time."""
        softplus, hazard = softplus_expit(v)
        passed = observed[1]
        slope = hazard * (1 - hazard)
        # At the end of a bin log(1 - hazard) is taken as -softplus(v): exact where the hazard rounds to 1.
        ended = passed == 1
        rest = np.where(ended, 1.0, 1 - passed * hazard)
        value = np.where(ended, -softplus, np.log(rest))
        first = np.where(ended, -hazard, -passed * slope / rest)
        second = np.where(ended, -slope, first * (1 - 2 * hazard) - first**2)
        here = self._bin_is(v, observed)
        terms = self._add_survived_bins((softplus, hazard), observed, (value * here, first * here, second * here))
        # In the last bin, whose hazard is 1, the share of the bin that has not passed is left.
        with np.errstate(divide="ignore"):
            last = np.where(observed[0] == self.edges.size - 1, np.log1p(-passed), 0.0)
        return terms._replace(value=terms.value + last)

    def start(self, observed: Array, weight: Array | None = None) -> Array:
        """Hazards at which equal shares of the positives have the event in each bin."""
        remaining = np.arange(self.edges.size, 1, -1)
        return np.asarray(-np.log(remaining - 1.0))

    def _bin_is(self, v: Array, observed: Array) -> Flags:
        return np.asarray(observed[0] == np.arange(v.shape[0])[:, None])

    def _add_survived_bins(
        self, surviving: tuple[Array, Array], observed: Array, present: tuple[Array, Array, Array]
    ) -> Terms:
        """Add minus the log probability of surviving each earlier bin, and its slope, to terms of the present bin."""
        (softplus, hazard), (value, first, second) = surviving, present
        size, n = hazard.shape
        survived = np.arange(size)[:, None] < observed[0]
        curvature = np.zeros((size, size, n))
        diagonal = np.arange(size)
        curvature[diagonal, diagonal] = np.where(survived, -hazard * (1 - hazard), second)
        return Terms(np.where(survived, -softplus, value).sum(axis=0), np.where(survived, -hazard, first), curvature)
