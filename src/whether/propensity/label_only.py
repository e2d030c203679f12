"""Propensities that need no times: none (e = 1), one constant, a logistic function of features."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from whether.cohort import Cohort
from whether.distributions import softplus_expit
from whether.likelihood import Terms
from whether.propensity.base import Propensity

Array = NDArray[np.float64]


class Certain(Propensity):
    """Every positive is seen: e = 1. Logistic regression on the labels."""

    predictors = ()
    sloped = ()

    def observe(self, cohort: Cohort) -> Array:
        """Nothing besides the label is used."""
        return np.zeros(cohort.n)

    def log_seen(self, v: Array, observed: Array) -> Terms:
        """Log 1."""
        n = observed.shape[-1]
        return Terms(np.zeros(n), np.zeros((0, n)), np.zeros((0, 0, n)))

    def log_missed(self, v: Array, observed: Array) -> Terms:
        """Log 0: an unlabeled person is negative."""
        return self.log_seen(v, observed)._replace(value=np.full(observed.shape[-1], -np.inf))

    def start(self, observed: Array, weight: Array | None = None) -> Array:
        """No predictors."""
        return np.zeros(0)


class LogisticPropensity(Propensity):
    """The propensity is expit of one predictor.

    With no slopes this is the constant e = c (selected completely at random); with slopes on a subset of the features
    it is e(x_subset) (selected at random).
    """

    predictors = ("propensity",)

    def __init__(self, sloped: bool) -> None:
        self.sloped = (sloped,)

    def observe(self, cohort: Cohort) -> Array:
        """Nothing besides the label is used."""
        return np.zeros(cohort.n)

    def log_seen(self, v: Array, observed: Array) -> Terms:
        """Log expit(v)."""
        softplus, missed = softplus_expit(-v[0])
        return Terms(-softplus, missed[None], (-missed * (1 - missed))[None, None])

    def log_missed(self, v: Array, observed: Array) -> Terms:
        """Log expit(-v)."""
        softplus, seen = softplus_expit(v[0])
        return Terms(-softplus, -seen[None], (-seen * (1 - seen))[None, None])

    def start(self, observed: Array, weight: Array | None = None) -> Array:
        """Half of the positives seen."""
        return np.zeros(1)
