"""The one likelihood that every method maximises, in predictor space.

Each person has an outcome logit ``eta`` with p = expit(eta) = Pr(positive), and propensity predictors ``v`` from which
a propensity computes ``log_seen`` (how likely this label was, for a positive) and ``log_missed`` (how likely no label
was). Then, with the latent class summed out,

    labeled:    p * seen                      (a positive who was seen)
    unlabeled:  (1 - p) + p * missed          (a negative, or a positive who was missed)

These are the paper's equations 2, 3 and 4; methods differ only in the propensity. Value, gradient and curvature
per person are all that any learner needs; some need no more than the slopes. Here, and nowhere else, labeled and
unlabeled people are told apart: they are worked through in blocks, labeled people first.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator

import numpy as np

from whether.arrays import Array, Flags, Rows
from whether.distributions import softplus_expit
from whether.propensity.base import Propensity, Terms


class Criterion(ABC):
    """What a learner maximises: a sum over people of a function of their predictors."""

    propensity: Propensity  # the restriction under which they are read

    @abstractmethod
    def terms(self, eta: Array | None, v: Array, observed: Array, *, labeled: bool) -> Terms:
        """Value of people who are all labeled, or all unlabeled, with derivatives in (eta, v).

        ``eta=None`` is the model in which everybody is positive (p = 1): the outcome logit is then no predictor at all.
        """

    @abstractmethod
    def slopes(self, eta: Array | None, v: Array, observed: Array, *, labeled: bool) -> tuple[Array, Array]:
        """Value and gradient alone."""


class Likelihood(Criterion):
    """Log-likelihood under a propensity."""

    def __init__(self, propensity: Propensity) -> None:
        self.propensity = propensity

    def terms(self, eta: Array | None, v: Array, observed: Array, *, labeled: bool) -> Terms:
        """Log-likelihood of each person with first and second derivatives."""
        of_positives = self._of_positives(v, observed, labeled)
        if eta is None:
            return of_positives
        return labeled_terms(eta, of_positives) if labeled else unlabeled_terms(eta, of_positives)

    def slopes(self, eta: Array | None, v: Array, observed: Array, *, labeled: bool) -> tuple[Array, Array]:
        """Log-likelihood of each person and its gradient alone."""
        of_positives = self._of_positives(v, observed, labeled)
        if eta is None:
            return of_positives.value, of_positives.gradient
        return labeled_slopes(eta, of_positives) if labeled else unlabeled_slopes(eta, of_positives)[:2]

    def _of_positives(self, v: Array, observed: Array, labeled: bool) -> Terms:
        return self.propensity.log_seen(v, observed) if labeled else self.propensity.log_missed(v, observed)


def labeled_first(labeled: Flags) -> tuple[Rows, int]:
    """Order of rows in which labeled people come first, otherwise as they were, and how many are labeled."""
    return np.argsort(~labeled, kind="stable"), int(np.count_nonzero(labeled))


def blocks_by_label(n_labeled: int, n: int, size: int | None = None) -> Iterator[tuple[slice, bool]]:
    """Blocks of at most ``size`` of n people, labeled ones first, and whether those of the block are labeled."""
    for first, last, labeled in ((0, n_labeled, True), (n_labeled, n, False)):
        for start in range(first, last, size or max(n, 1)):
            yield slice(start, last if size is None else min(start + size, last)), labeled


def label_log_likelihood(labeled: Flags, eta: Array | None, log_seen: Array, log_missed: Array) -> Array:
    """Log-likelihood of each person's label, whatever the propensities come from."""
    if eta is None:
        return np.where(labeled, log_seen, log_missed)
    seen, missed = log_seen - softplus_expit(-eta)[0], softplus_expit(eta + log_missed)[0] - softplus_expit(eta)[0]
    return np.where(labeled, seen, missed)


def labeled_slopes(eta: Array, log_seen: Terms) -> tuple[Array, Array]:
    """Log-likelihood of labeled people, log p + log seen, and its gradient in (eta, v)."""
    softplus, negative = softplus_expit(-eta)
    return log_seen.value - softplus, np.concatenate([negative[None], log_seen.gradient])


def labeled_terms(eta: Array, log_seen: Terms) -> Terms:
    """Log-likelihood of labeled people with first and second derivatives."""
    value, gradient = labeled_slopes(eta, log_seen)
    negative, size = gradient[0], gradient.shape[0]
    curvature = np.zeros((size, size, eta.size))
    curvature[0, 0] = -negative * (1 - negative)
    curvature[1:, 1:] = log_seen.curvature
    return Terms(value, gradient, curvature)


def unlabeled_slopes(eta: Array, log_missed: Terms) -> tuple[Array, Array, Array, Array]:
    """Log-likelihood of unlabeled people, log(1 - p + p * missed), its gradient in (eta, v), and p and q behind them.

    The posterior q = expit(eta + log_missed) of being positive although unlabeled is EM's E-step, and the gradient in
    eta is q - p: gradient methods and EM have the same stationary points.
    """
    softplus, p = softplus_expit(eta)
    softplus_missed, q = softplus_expit(eta + log_missed.value)
    gradient = np.concatenate([(q - p)[None], q * log_missed.gradient])
    return softplus_missed - softplus, gradient, p, q


def unlabeled_terms(eta: Array, log_missed: Terms) -> Terms:
    """Log-likelihood of unlabeled people with first and second derivatives."""
    value, gradient, p, q = unlabeled_slopes(eta, log_missed)
    spread, size = q * (1 - q), gradient.shape[0]
    curvature = np.empty((size, size, eta.size))
    curvature[0, 0] = spread - p * (1 - p)
    weighted = spread * log_missed.gradient
    curvature[0, 1:] = curvature[1:, 0] = weighted
    for j in range(size - 1):
        curvature[1 + j, 1:] = q * log_missed.curvature[j] + weighted[j] * log_missed.gradient
    return Terms(value, gradient, curvature)


def posterior(eta: Array, log_missed: Array) -> Array:
    """Probability that a person who was not seen is positive: p * missed / (1 - p + p * missed)."""
    return softplus_expit(eta + log_missed)[1]
