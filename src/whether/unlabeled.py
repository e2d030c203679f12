"""Log-likelihood of people whose event was not seen: negatives, and positives who were missed."""

import numpy as np

from whether.arrays import Array
from whether.distributions import Jet
from whether.family import Family
from whether.propensity.base import Terms, terms_along


def unlabeled_slopes(family: Family, eta: Array, log_missed: Array, gradient: Array) -> tuple[Array, Array]:
    """Log-likelihood of unlabeled people, never(eta) / never(eta + log missed), and its gradient in (eta, v).

    In the mixture it is log(1 - p + p * missed). The posterior q = expit(eta + log_missed) of being positive although
    unlabeled is EM's E-step, and the gradient in eta is q - p: gradient methods and EM have the same stationary points.
    """
    before, after = family.log_never(eta), family.log_never(eta + log_missed)
    unseen = family.log_unseen(before, after, log_missed)
    return unseen.value, np.concatenate([unseen.first[None], -after.first * gradient])


def unlabeled_terms(family: Family, eta: Array, log_missed: Terms) -> Terms:
    """Log-likelihood of unlabeled people with first and second derivatives."""
    before, after = family.log_never(eta), family.log_never(eta + log_missed.value)
    unseen = family.log_unseen(before, after, log_missed.value)
    terms = terms_along(Jet(unseen.value, -after.first, -after.second), log_missed)
    terms.gradient[0], terms.curvature[0, 0] = unseen.first, unseen.second
    return terms


def two_sided_terms(
    family: Family, eta: Array, log_missed: Terms, log_other: Terms, *, with_curvature: bool = True
) -> Terms:
    """Log-likelihood of unlabeled people of whose fate as negatives something is known, with derivatives.

    In the mixture it is log((1 - p) other + p missed), in (eta, predictors of positives, predictors of negatives). It
    reads eta + log missed - log other, whose slopes are those of its parts, and whose curvature is theirs alone: no
    predictor is in both. Without the curvature, which is most of the work, that of the result is empty.
    """
    ratio = log_missed.value - log_other.value
    before, after = family.log_never(eta), family.log_never(eta + ratio)
    unseen, posterior = family.log_unseen(before, after, ratio), -after.first
    n_positive, value = 1 + log_missed.gradient.shape[0], unseen.value + log_other.value
    size = n_positive + log_other.gradient.shape[0]
    gradient, positive, negative = np.empty((size, eta.size)), slice(1, n_positive), slice(n_positive, None)
    gradient[0], left = unseen.first, 1 - posterior
    np.multiply(posterior, log_missed.gradient, out=gradient[positive])
    np.multiply(left, log_other.gradient, out=gradient[negative])
    if not with_curvature:
        return Terms(value, gradient, np.empty((0, 0, eta.size)))
    slopes, bend = np.concatenate([log_missed.gradient, -log_other.gradient]), -after.second
    curvature = np.empty((size, size, eta.size))
    curvature[0, 0] = unseen.second
    np.multiply(bend, slopes, out=curvature[0, 1:])
    # The upper triangle is computed; the lower one is the same.
    for j in range(1, size):
        np.multiply(curvature[0, j], slopes[j - 1 :], out=curvature[j, j:])
    for part, share, own in ((positive, posterior, log_missed), (negative, left, log_other)):
        for j, row in enumerate(own.curvature):
            curvature[part.start + j, part][j:] += share * row[j:]
    for j in range(1, size):
        curvature[j, :j] = curvature[:j, j]
    return Terms(value, gradient, curvature)
