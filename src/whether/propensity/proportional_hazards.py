"""Propensities through proportional hazards: a baseline that everybody shares, and a hazard ratio for each person.

Given the baseline, Cox's model is an exponential distribution on another clock: at time t a positive has gone through
the cumulative hazard ``Lambda(t) exp(v)``. `CoxPropensity` has a baseline; `FreeBaseline` says that one is wanted, and
the linear learner finds it.
"""

from typing import ClassVar

import numpy as np

from whether.arrays import Array
from whether.propensity.base import Propensity, Terms
from whether.validate import ArgumentError

# Log hazards beyond this, either way, count as this: no fit ends there, and their exponentials can be multiplied.
LARGEST_LOG_HAZARD = 100.0


def exponential(v: Array) -> Array:
    """Hazard ratio of a log hazard ratio, held in a range in which it can be squared."""
    return np.exp(np.minimum(np.maximum(v, -LARGEST_LOG_HAZARD), LARGEST_LOG_HAZARD))


class ProportionalHazards(Propensity):
    """What the two share: the hazard of a positive is ``exp(v)`` times a baseline.

    What is observed has three rows: the cumulative baseline, the log of the baseline hazard, and whether the last event
    has passed after which no positive is left.
    """

    predictors = ("hazard",)
    sloped = (True,)
    has_level: ClassVar[bool] = False  # the baseline has it
    ratio_kind: ClassVar[str] = "hazard ratio"
    needs_time: ClassVar[bool] = True

    @property
    def is_penalized(self) -> bool:
        """Whether people were added."""
        return self.pseudo_people > 0

    def log_seen(self, v: Array, observed: Array) -> Terms:
        """Log density of the event at the recorded time."""
        passed = observed[0] * exponential(v[0])
        return Terms(observed[1] + v[0] - passed, 1 - passed[None], -passed[None, None])

    def log_missed(self, v: Array, observed: Array) -> Terms:
        """Log probability of no event up to the recorded time."""
        over = observed[2] > 0
        passed = np.where(over, 0.0, observed[0] * exponential(v[0]))
        return Terms(np.where(over, -np.inf, -passed), -passed[None], -passed[None, None])


class CoxPropensity(ProportionalHazards):
    """Proportional hazards over a given baseline.

    Parameters
    ----------
    times, cumulative : ndarray
        The cumulative baseline hazard at some times; it rises in straight lines between them, from 0 at time zero.
    is_closed : bool
        Whether every positive has had the event by the last of these times. If not, no hazard is left after it, and
        whoever has had no event by then has none later.
    pseudo_people : float
        Average people, half of them positive, that are added. Nothing else keeps the level of the outcome finite where
        nobody seems to be cured.
    """

    def __init__(self, times: Array, cumulative: Array, is_closed: bool = True, pseudo_people: float = 0.0) -> None:
        rises = (np.ndim(part) == 1 and np.all(np.diff(part, prepend=0.0) > 0) for part in (times, cumulative))
        if not (all(rises) and times.size and times.size == cumulative.size):
            raise ArgumentError(f"A baseline needs times and hazards > 0 that rise, got {times!r} and {cumulative!r}.")
        self.times, self.cumulative, self.is_closed = times, cumulative, is_closed
        self.pseudo_people = pseudo_people

    def locate(self, time: Array) -> Array:
        """Cumulative baseline, log of its hazard, and whether the last event has passed, at any times."""
        piece = np.minimum(np.searchsorted(self.times, time), self.times.size - 1)
        rate = np.diff(self.cumulative, prepend=0.0) / np.diff(self.times, prepend=0.0)
        passed = np.interp(time, np.append(0.0, self.times), np.append(0.0, self.cumulative))
        over = self.is_closed & (time > self.times[-1])
        return np.stack([passed, np.log(rate[piece]), over.astype(float)])


class FreeBaseline(ProportionalHazards):
    """Proportional hazards over a baseline that is to be found; until then it is one hazard for all times.

    Parameters
    ----------
    is_closed : bool
        As in `CoxPropensity`, of the last event seen.
    is_efron : bool
        Whether tied events are taken as having come one after the other in unknown order, as Efron did; else all at
        once, as Breslow did.
    pseudo_people : float
        As in `CoxPropensity`.
    """

    without_level: ClassVar[tuple[int, ...]] = (0,)

    def __init__(self, is_closed: bool = True, is_efron: bool = False, pseudo_people: float = 0.0) -> None:
        self.is_closed, self.is_efron, self.pseudo_people = is_closed, is_efron, pseudo_people

    def locate(self, time: Array) -> Array:
        """The times themselves, as the cumulative hazard."""
        return np.stack([time, np.zeros(time.size), np.zeros(time.size)])
