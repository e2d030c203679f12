"""Curves without a model: Kaplan and Meier's, of events and, with the roles reversed, of follow-up; Aalen-Johansen's.

`scipy.stats.ecdf` has the same curve, but keeps the numbers at risk to itself, breaks the ties of the reversed curve
the other way round, and has no limits before the first event or where the curve ends at zero.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import norm

from whether.validate import check_flags, check_labels, check_times

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class SurvivalCurve:
    """A step function that falls at the times of events.

    Attributes
    ----------
    times : ndarray of shape (k,)
        Distinct times at which somebody had an event or was censored, ascending.
    survival : ndarray of shape (k,)
        Probability of no event up to and including each time.
    at_risk : ndarray of shape (k,)
        Number still under observation just before each time.
    events : ndarray of shape (k,)
        Number of events at each time.
    greenwood : ndarray of shape (k,)
        Greenwood's sum, the variance of the logarithm of `survival`.
    """

    times: Array
    survival: Array
    at_risk: Array
    events: Array
    greenwood: Array

    def at(self, times: ArrayLike, *, before: bool = False) -> Array:
        """Probability of no event up to ``times``, or up to just before them.

        Parameters
        ----------
        times : array-like
        before : bool
            Leave out what happens at the very time.
        """
        position = np.searchsorted(self.times, np.asarray(times, dtype=float), side="left" if before else "right")
        return np.concatenate([[1.0], self.survival])[position]

    def interval(self, level: float = 0.95) -> tuple[Array, Array]:
        """Pointwise confidence limits on the log-minus-log scale, which stay between 0 and 1.

        Parameters
        ----------
        level : float
            Confidence level.
        """
        # Greenwood's error is zero before the first event and infinite where the curve has fallen to zero.
        inside = (self.greenwood > 0) & np.isfinite(self.greenwood)
        survival, variance = np.where(inside, self.survival, 0.5), np.where(inside, self.greenwood, 0.0)
        width = norm.ppf(0.5 + level / 2) * np.sqrt(variance) / np.abs(np.log(survival))
        lower = np.where(inside, survival ** np.exp(width), self.survival)
        upper = np.where(inside, survival ** np.exp(-width), 1.0)
        # A curve that ends at zero keeps the last upper limit.
        return lower, np.minimum.accumulate(upper) if upper.size else upper

    def median(self) -> float:
        """Time at which the curve reaches one half; infinite where it does not."""
        reached = np.flatnonzero(self.survival <= 0.5)
        return float(self.times[reached[0]]) if reached.size else np.inf


@dataclass(frozen=True, eq=False)
class IncidenceCurve:
    """A step function that rises at the times of events, for people who may die first.

    Attributes
    ----------
    times : ndarray of shape (k,)
        Distinct times at which anything happened to anybody, ascending.
    incidence : ndarray of shape (k,)
        Probability of the event, before death, up to and including each time.
    at_risk : ndarray of shape (k,)
        Number alive without the event, and under observation, just before each time.
    variance : ndarray of shape (k,)
        Of `incidence`, by the delta method.
    events : ndarray of shape (k,)
        Number of events at each time.
    """

    times: Array
    incidence: Array
    at_risk: Array
    variance: Array
    events: Array

    def event_free(self) -> SurvivalCurve:
        """Probability of no event up to each time, dead or alive."""
        survival = 1 - self.incidence
        greenwood = np.divide(self.variance, survival**2, out=np.full(survival.size, np.inf), where=survival > 0)
        return SurvivalCurve(self.times, survival, self.at_risk, self.events, greenwood)

    def at(self, times: ArrayLike) -> Array:
        """Probability of the event up to ``times``."""
        position = np.searchsorted(self.times, np.asarray(times, dtype=float), side="right")
        return np.concatenate([[0.0], self.incidence])[position]

    def interval(self, level: float = 0.95) -> tuple[Array, Array]:
        """Pointwise confidence limits on the log-minus-log scale, which stay between 0 and 1.

        Parameters
        ----------
        level : float
            Confidence level.
        """
        inside = (self.incidence > 0) & (self.incidence < 1) & (self.variance > 0)
        share = np.where(inside, self.incidence, 0.5)
        slope = np.abs(share * np.log(share))
        width = norm.ppf(0.5 + level / 2) * np.sqrt(np.where(inside, self.variance, 0.0)) / slope
        lower, upper = share ** np.exp(width), share ** np.exp(-width)
        return np.where(inside, lower, self.incidence), np.where(inside, upper, self.incidence)


def kaplan_meier(
    event: ArrayLike, time: ArrayLike, *, entry: ArrayLike | None = None, reverse: bool = False
) -> SurvivalCurve:
    """Kaplan and Meier's estimate of staying event-free.

    Parameters
    ----------
    event : array-like of 0 and 1
        Whether the event was seen.
    time : array-like
        When it was seen, else the end of follow-up.
    entry : array-like, optional
        When each person came under observation, before ``time``: nobody is at risk before.
    reverse : bool
        Estimate the distribution of follow-up instead: events censor it. At equal times the event comes first, so a
        person censored then was still at risk of it, and whoever had it was not at risk of being censored.

    Examples
    --------
    >>> kaplan_meier([1, 0, 1, 0], [1.0, 2.0, 3.0, 4.0]).survival
    array([0.75 , 0.75 , 0.375, 0.375])
    """
    labels = np.asarray(event)
    seen = check_labels(labels, labels.size)
    distinct, position, at_risk = _risk_sets(check_times(time, labels.size, "time"), entry)
    count = np.bincount(position, minlength=distinct.size).astype(float)
    events = np.bincount(position[seen], minlength=distinct.size).astype(float)
    if reverse:
        at_risk, events = at_risk - events, count - events
    with np.errstate(divide="ignore", invalid="ignore"):
        hazard = np.where(at_risk > 0, events / at_risk, 0.0)
        added = np.where(events > 0, events / (at_risk * (at_risk - events)), 0.0)
    return SurvivalCurve(distinct, np.cumprod(1 - hazard), at_risk, events, np.cumsum(added))


def _risk_sets(times: Array, entry: ArrayLike | None) -> tuple[Array, NDArray[np.intp], Array]:
    """Distinct times, the position of each person's among them, and how many are at risk just before."""
    distinct, position = np.unique(times, return_inverse=True)
    at_risk = times.size - np.searchsorted(np.sort(times), distinct, side="left").astype(float)
    if entry is not None:
        entered = np.searchsorted(np.sort(np.asarray(entry, dtype=float)), distinct, side="left")
        at_risk -= times.size - entered  # who comes at a time, or later, is not at risk then
    return distinct, position, at_risk


def cumulative_incidence(
    event: ArrayLike, competing: ArrayLike, time: ArrayLike, *, entry: ArrayLike | None = None
) -> IncidenceCurve:
    """Aalen and Johansen's estimate of the probability of the event before death.

    Parameters
    ----------
    event : array-like of 0 and 1
        Whether the event was seen.
    competing : array-like of bool
        Who died without it.
    time : array-like
        When the event or the death was seen, else the end of follow-up.
    entry : array-like, optional
        When each person came under observation, before ``time``.

    Examples
    --------
    >>> cumulative_incidence([1, 0, 1, 0], [False, True, False, False], [1.0, 2.0, 3.0, 4.0]).incidence
    array([0.25, 0.25, 0.5 , 0.5 ])
    """
    labels = np.asarray(event)
    seen, died = check_labels(labels, labels.size), check_flags(competing, labels.size, "competing")
    distinct, position, at_risk = _risk_sets(check_times(time, labels.size, "time"), entry)
    events, ends = (np.bincount(position[who], minlength=distinct.size).astype(float) for who in (seen, seen | died))
    with np.errstate(divide="ignore", invalid="ignore"):
        left = np.cumprod(np.where(at_risk > 0, 1 - ends / at_risk, 1.0))
        before = np.concatenate([[1.0], left[:-1]])
        share = np.cumsum(np.where(events > 0, before * events / at_risk, 0.0))
        # Marubini and Valsecchi's: of the curve so far, of the event itself, and of both together.
        of_ends = np.where((ends > 0) & (at_risk > ends), ends / (at_risk * (at_risk - ends)), 0.0)
        of_event = np.where(events > 0, before**2 * events * (at_risk - events) / at_risk**3, 0.0)
        of_both = np.where(events > 0, before * events / at_risk**2, 0.0)
    sums = [np.cumsum(part) for part in (of_ends, of_ends * share, of_ends * share**2, of_both, of_both * share)]
    spread = share**2 * sums[0] - 2 * share * sums[1] + sums[2]
    variance = spread + np.cumsum(of_event) - 2 * (share * sums[3] - sums[4])
    return IncidenceCurve(distinct, share, at_risk, np.maximum(variance, 0.0), events)


def reach_weights(
    event: ArrayLike,
    time: ArrayLike,
    horizon: float,
    follow_up: ArrayLike | None = None,
    *,
    entry: ArrayLike | None = None,
) -> Array:
    """How many people each stands for who is known up to its event or to the horizon, whichever comes first.

    That is the inverse of the probability that follow-up reaches as far: by everybody's potential follow-up where it is
    known, else by the reversed curve. It supposes that follow-up depends neither on the features nor on the event.
    Of four people one was lost at 2; whoever is known for longer stands for a share of that one as well:

    >>> reach_weights([1, 0, 1, 0], [1.0, 2.0, 3.0, 4.0], 3.5).round(2).tolist()
    [1.0, 1.0, 1.5, 1.5]
    """
    times = np.asarray(time, dtype=float)
    known_until = np.minimum(times, horizon)
    if follow_up is None:
        reach = kaplan_meier(event, times, entry=entry, reverse=True).at(known_until, before=True)
    else:
        ends = np.sort(check_times(follow_up, times.size, "follow_up"))
        reach = 1 - np.searchsorted(ends, known_until, side="left") / ends.size
    return np.asarray(1 / np.maximum(reach, 1 / times.size))
