"""What a propensity is: the interface that learners and estimators rely on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from whether.cohort import Cohort
from whether.likelihood import Terms, labeled_slopes, labeled_terms, unlabeled_slopes, unlabeled_terms

Array = NDArray[np.float64]


class Propensity(ABC):
    """A restriction on the labeling propensity e = Pr(labeled | positive).

    A propensity turns predictors ``v`` (one row per predictor, one column per person) and what was observed of each
    person into ``log_seen`` for labeled and ``log_missed`` for unlabeled people, with derivatives.

    Attributes
    ----------
    predictors : tuple of str
        Names of the K predictors, in the order of the rows of ``v``.
    sloped : tuple of bool
        Which predictors follow the features in a linear model (with shared slopes); the others are one number for
        everybody.
    index_sign : float
        Sign with which the index of the outcome enters the sloped predictors when a higher risk is seen *earlier*:
        +1 for hazards and propensities, -1 for locations.
    ratio_kind : str
        What the exponential of a slope means ("odds ratio", "time ratio").
    slope_unit : float
        A slope of this size departs from the shared index as much as a slope of one spread of log time does: the
        unit in which the penalty on departures is meant.
    """

    name: str = ""
    predictors: tuple[str, ...]
    sloped: tuple[bool, ...]
    index_sign: ClassVar[float] = 1.0
    slope_unit: ClassVar[float] = 1.0
    ratio_kind: ClassVar[str] = "odds ratio"
    needs_time: ClassVar[bool] = False
    needs_follow_up: ClassVar[bool] = False

    @abstractmethod
    def observe(self, cohort: Cohort) -> Array:
        """Return what the two functions below take besides the predictors; people run along the last axis."""

    @abstractmethod
    def log_seen(self, v: Array, observed: Array) -> Terms:
        """Log probability (density, where times are known) of the label of a labeled positive."""

    @abstractmethod
    def log_missed(self, v: Array, observed: Array) -> Terms:
        """Log probability that a positive was not seen."""

    def labeled_rows(self, eta: Array | None, v: Array, observed: Array) -> Terms:
        """Log-likelihood of labeled people in (eta, v)."""
        return labeled_terms(eta, self.log_seen(v, observed))

    def unlabeled_rows(self, eta: Array | None, v: Array, observed: Array) -> Terms:
        """Log-likelihood of unlabeled people in (eta, v)."""
        return unlabeled_terms(eta, self.log_missed(v, observed))

    def labeled_slopes(self, eta: Array | None, v: Array, observed: Array) -> tuple[Array, Array]:
        """Log-likelihood of labeled people and its gradient alone."""
        return labeled_slopes(eta, self.log_seen(v, observed))

    def unlabeled_slopes(self, eta: Array | None, v: Array, observed: Array) -> tuple[Array, Array]:
        """Log-likelihood of unlabeled people and its gradient alone."""
        return unlabeled_slopes(eta, self.log_missed(v, observed))

    @abstractmethod
    def start(self, observed: Array, weight: Array | None = None) -> Array:
        """Return values of the K predictors from which to start when nothing is known of the features.

        Parameters
        ----------
        observed : ndarray
            What `observe` returned, of labeled people.
        weight : ndarray, optional
            How many people each of them stands for.
        """

    def penalty(self, level: Array) -> tuple[float, Array, Array]:
        """Weak penalty on the average predictors that keeps the optimum finite, with derivatives.

        The default is none. Subtracted from the log-likelihood; worth about one person's observation.
        """
        size = len(self.predictors)
        return 0.0, np.zeros(size), np.zeros((size, size))

    def units(self) -> tuple[Array, Array]:
        """Offset and multiplier that turn the predictors into the user's units (log time, logits)."""
        size = len(self.predictors)
        return np.zeros(size), np.ones(size)
