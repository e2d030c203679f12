"""Unbiased and non-negative PU risks for a cohort: risks, not likelihoods.

Under a constant propensity c the label s is, on average, c times the outcome, so s / c and 1 - s / c may stand in for
the outcome and its complement in any expectation (the paper's equation 7):

    sum over everybody of   (s / c) * loss(+1)  +  (1 - s / c) * loss(-1)

The sum of loss(-1) runs over *all* rows. In case-control data, for which these risks were first written, the unlabeled
rows are a sample of the population; in a cohort the population is everybody, labeled people included. The weight
1 - 1/c of a labeled person is negative, so this is not the likelihood of anything. With the logistic loss it is convex
for linear models; flexible ones can drive it below zero, which the non-negative form forbids.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from whether.cohort import Cohort
from whether.distributions import softplus_expit
from whether.likelihood import Terms
from whether.propensity.base import Propensity

Array = NDArray[np.float64]


def _outcome_terms(value: Array, first: Array, second: Array) -> Terms:
    return Terms(value, first[None], second[None, None])


class _Risk(Propensity):
    """Terms in the outcome logit alone; the propensity is a known constant and has no predictor."""

    predictors = ()
    sloped = ()

    def __init__(self, label_frequency: float) -> None:
        self.label_frequency = label_frequency

    def observe(self, cohort: Cohort) -> Array:
        """Nothing besides the label is used."""
        return np.zeros(cohort.n)

    def start(self, observed: Array, weight: Array | None = None) -> Array:
        """No predictors."""
        return np.zeros(0)

    def log_seen(self, v: Array, observed: Array) -> Terms:
        """Log c: what a positive has of being labeled."""
        return self._constant(np.log(self.label_frequency), observed)

    def log_missed(self, v: Array, observed: Array) -> Terms:
        """Log(1 - c)."""
        return self._constant(np.log1p(-self.label_frequency), observed)

    def labeled_slopes(self, eta: Array | None, v: Array, observed: Array) -> tuple[Array, Array]:
        """Minus the risk of labeled people and its gradient alone."""
        return self.labeled_rows(eta, v, observed)[:2]

    def unlabeled_slopes(self, eta: Array | None, v: Array, observed: Array) -> tuple[Array, Array]:
        """Minus the risk of unlabeled people and its gradient alone."""
        return self.unlabeled_rows(eta, v, observed)[:2]

    def _constant(self, value: float, observed: Array) -> Terms:
        n = observed.shape[-1]
        return Terms(np.full(n, value), np.zeros((0, n)), np.zeros((0, 0, n)))


class UnbiasedRisk(_Risk):
    """Minus the unbiased risk of each person, with the logistic loss."""

    def labeled_rows(self, eta: Array | None, v: Array, observed: Array) -> Terms:
        """Weight 1/c as a positive and 1 - 1/c as a negative."""
        softplus, p = softplus_expit(np.asarray(eta))
        return _outcome_terms(
            np.asarray(eta) / self.label_frequency - softplus, 1 / self.label_frequency - p, -p * (1 - p)
        )

    def unlabeled_rows(self, eta: Array | None, v: Array, observed: Array) -> Terms:
        """Weight 1 as a negative."""
        softplus, p = softplus_expit(np.asarray(eta))
        return _outcome_terms(-softplus, -p, -p * (1 - p))


class PositiveRisk(_Risk):
    """Minus the share of the unbiased risk that comes from positives: labeled people with weight 1/c."""

    def labeled_rows(self, eta: Array | None, v: Array, observed: Array) -> Terms:
        """Weight 1/c as a positive."""
        softplus, negative = softplus_expit(-np.asarray(eta))
        c = self.label_frequency
        return _outcome_terms(-softplus / c, negative / c, -negative * (1 - negative) / c)

    def unlabeled_rows(self, eta: Array | None, v: Array, observed: Array) -> Terms:
        """No weight."""
        zero = np.zeros(observed.shape[-1])
        return _outcome_terms(zero, zero, zero)


class NegativeRisk(_Risk):
    """Minus the share of the unbiased risk that comes from negatives: everybody, less 1/c for labeled people."""

    def labeled_rows(self, eta: Array | None, v: Array, observed: Array) -> Terms:
        """Weight 1 - 1/c as a negative."""
        softplus, p = softplus_expit(np.asarray(eta))
        weight = 1 - 1 / self.label_frequency
        return _outcome_terms(-weight * softplus, -weight * p, -weight * p * (1 - p))

    def unlabeled_rows(self, eta: Array | None, v: Array, observed: Array) -> Terms:
        """Weight 1 as a negative."""
        softplus, p = softplus_expit(np.asarray(eta))
        return _outcome_terms(-softplus, -p, -p * (1 - p))


class NonNegativeRisk(UnbiasedRisk):
    """Minus the risk whose negatives' share, summed over people, may not fall below zero.

    Of a single person nothing can be said about a sum: row by row this is the unbiased risk, and whoever sums it up has
    to clip.
    """
