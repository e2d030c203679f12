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

from typing import NamedTuple

import numpy as np

from whether.arrays import Array
from whether.distributions import softplus_expit
from whether.likelihood import Criterion
from whether.propensity import KnownFrequency, Observed, Terms


class Weights(NamedTuple):
    """How much a person counts as a positive and as a negative."""

    positive: float
    negative: float


class PURisk(Criterion):
    """Minus the unbiased risk of each person, with the logistic loss and the label frequency for c.

    Where it is ``nonnegative``, the negatives' share of the risk, summed over people, may not fall below zero. Of a
    single person nothing can be said about a sum: whoever sums up has to clip.
    """

    def __init__(self, label_frequency: float, *, nonnegative: bool = False) -> None:
        self.label_frequency, self.nonnegative = label_frequency, nonnegative
        self.propensity = KnownFrequency(label_frequency)
        self.labeled = Weights(1 / label_frequency, 1 - 1 / label_frequency)
        self.unlabeled = Weights(0.0, 1.0)

    def shares(self) -> tuple[PURisk, PURisk]:
        """The two parts of the risk: that of positives, and that of negatives."""
        positives, negatives = PURisk(self.label_frequency), PURisk(self.label_frequency)
        positives.labeled, positives.unlabeled = self.labeled._replace(negative=0.0), Weights(0.0, 0.0)
        negatives.labeled, negatives.unlabeled = self.labeled._replace(positive=0.0), self.unlabeled
        return positives, negatives

    def terms(self, eta: Array | None, v: Array, observed: Observed, *, labeled: bool) -> Terms:
        """Weighted log p and log(1 - p); the known propensity has no predictor."""
        weights, logit = self.labeled if labeled else self.unlabeled, np.asarray(eta)
        softplus, p = softplus_expit(logit)
        total = weights.positive + weights.negative
        gradient = weights.positive - total * p
        return Terms(weights.positive * logit - total * softplus, gradient[None], (-total * p * (1 - p))[None, None])

    def slopes(self, eta: Array | None, v: Array, observed: Observed, *, labeled: bool) -> tuple[Array, Array]:
        """Value and gradient alone."""
        return self.terms(eta, v, observed, labeled=labeled)[:2]
