"""What a propensity is: the interface that the likelihood, the learners and the estimators rely on."""

import inspect
from abc import ABC, abstractmethod
from typing import Any, ClassVar, NamedTuple

import numpy as np

from whether.arrays import Array
from whether.cohort import Cohort


class Terms(NamedTuple):
    """A function of K predictors per person, with first and second derivatives."""

    value: Array  # of shape (n,)
    gradient: Array  # of shape (K, n)
    curvature: Array  # of shape (K, K, n)


class Propensity(ABC):
    """A restriction on the labeling propensity e = Pr(labeled | positive).

    A propensity turns predictors ``v`` (one row per predictor, one column per person) and what was observed of each
    person into ``log_seen`` for labeled and ``log_missed`` for unlabeled people, with derivatives. What the constructor
    takes is kept under the same names, so that a model can be saved.

    """

    name: str = ""  # of the candidate, where several differ in shape
    predictors: tuple[str, ...]  # in the order of the rows of v
    # Which predictors follow the features in a linear model, with shared slopes; others are one number for everybody.
    sloped: tuple[bool, ...]
    # Sign with which the index of the outcome enters the sloped predictors when a higher risk is seen *earlier*: +1 for
    # hazards and propensities, -1 for locations.
    index_sign: ClassVar[float] = 1.0
    # A slope of this size departs from the shared index as much as a slope of one spread of log time does: the unit in
    # which the penalty on departures is meant.
    slope_unit: ClassVar[float] = 1.0
    ratio_kind: ClassVar[str] = "odds ratio"  # what the exponential of a slope means; empty for nothing
    needs_time: ClassVar[bool] = False  # which of the two clocks is read, if any
    needs_follow_up: ClassVar[bool] = False

    @abstractmethod
    def log_seen(self, v: Array, observed: Array) -> Terms:
        """Log probability (density, where times are known) of the label of a labeled positive."""

    @abstractmethod
    def log_missed(self, v: Array, observed: Array) -> Terms:
        """Log probability that a positive was not seen."""

    def missed_terms(self, v: Array, observed: Array) -> Terms:
        """``log_missed`` of anybody unlabeled: no positive was missed among people who were watched for ever."""
        for_ever = np.isinf(np.atleast_2d(observed)[0])
        if not for_ever.any():
            return self.log_missed(v, observed)
        value, gradient, curvature = self.log_missed(v, np.where(for_ever, 0.0, observed))
        slopes = (np.where(for_ever, 0.0, part) for part in (gradient, curvature))
        return Terms(np.where(for_ever, -np.inf, value), *slopes)

    def observe(self, cohort: Cohort) -> Array:
        """Return what the functions above take besides the predictors; people run along the last axis.

        Infinity stands for people who are known never to have the event: as if they had been watched for ever.
        """
        clock = "time" if self.needs_time else "follow_up"
        observed = self.locate(cohort.required(clock)) if self.has_clock else np.zeros(cohort.n)
        return observed if cohort.known_negative is None else np.where(cohort.known_negative, np.inf, observed)

    @property
    def has_clock(self) -> bool:
        """Whether one of the clocks is read."""
        return self.needs_time or self.needs_follow_up

    def locate(self, time: Array) -> Array:
        """Return what is observed of people who were followed up to ``time``: nothing, where there is no clock."""
        return np.zeros(time.size)

    def start(self, observed: Array, weight: Array | None = None) -> Array:
        """Return values of the K predictors to start from, by what was observed of labeled people and their weight."""
        return np.zeros(len(self.predictors))

    def penalty(self, level: Array) -> tuple[float, Array, Array]:
        """Weak penalty on the average predictors that keeps the optimum finite, with derivatives.

        The default is none. Subtracted from the log-likelihood; worth about one person's observation.
        """
        size = len(self.predictors)
        return 0.0, np.zeros(size), np.zeros((size, size))

    @property
    def is_penalized(self) -> bool:
        """Whether that penalty is anything but zero."""
        return False

    def units(self) -> tuple[Array, Array]:
        """Offset and multiplier that turn the predictors into the user's units (log time, logits)."""
        size = len(self.predictors)
        return np.zeros(size), np.ones(size)

    def parameters(self) -> dict[str, Any]:
        """What the constructor was given."""
        return {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}
