"""Rao's score test: terms that a fitted model does not have, judged at its optimum.

Where labels and follow-up determine little, the scores of the terms lie nearly in the span of the others, and what is
left of them hangs on the matrix that frees them. The expected information does that well; the observed one, or the sum
of squared scores, differs from it by about as much as is left.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from whether.cohort import Cohort
from whether.distributions import softplus_expit
from whether.learners import FittedPeople, LinearFit
from whether.likelihood import Likelihood
from whether.propensity import Observed, SurvivalTimePropensity

Array = NDArray[np.float64]

# Points of Gauss and Legendre's rule at which event times within the follow-up are taken.
N_POINTS = 12


def score_statistic(fit: LinearFit, people: FittedPeople, terms: NDArray[np.intp], cohort: Cohort) -> float:
    """Return the statistic for slopes of zero of these terms, chi-squared if the model without them is right.

    Without potential follow-up nobody knows the information that was to be expected: the observed one stands for it,
    and squared scores for their variance. A fit with k coefficients to m events (or event-free people, if fewer) has
    too small an information by about k in m, which the statistic gives back.
    """
    expected = expected_squares(fit, people, cohort)
    if expected is None:
        curvature, variance = people.hessian, people.scores.T @ people.scores
    else:
        variance = people.information(expected)
        curvature = variance + people.penalty_hessian
    others = np.setdiff1d(np.arange(variance.shape[0]), terms)
    free = np.zeros((terms.size, variance.shape[0]))
    free[np.arange(terms.size), terms] = 1.0
    free[:, others] = -np.linalg.lstsq(curvature[np.ix_(others, others)], curvature[np.ix_(others, terms)], 1e-12)[0].T
    score = people.scores[:, terms].sum(axis=0)  # that of the others is zero, but for penalties
    statistic = float(score @ np.linalg.lstsq(free @ variance @ free.T, score, rcond=1e-10)[0])
    return statistic * max(0.0, 1 - others.size / min(people.n_labeled, people.n - people.n_labeled))


def expected_squares(fit: LinearFit, people: FittedPeople, cohort: Cohort) -> Array | None:
    """Expected outer product of each person's gradient in the predictors; None where that is not known.

    With event times it takes everybody's follow-up, from time zero on, and exact times.
    """
    propensity, (eta, v), likelihood = fit.propensity, people.predictors, Likelihood(fit.propensity)
    if not propensity.needs_time:
        seen, gradient = likelihood.slopes(eta, v, people.observed, labeled=True)
        unseen, other = likelihood.slopes(eta, v, people.observed, labeled=False)
        return np.asarray(np.exp(seen) * _square(gradient) + np.exp(unseen) * _square(other))
    if cohort.follow_up is None or cohort.entry_time is not None or cohort.time_lower is not None:
        return None
    assert isinstance(propensity, SurvivalTimePropensity)
    end = propensity.locate(cohort.follow_up[people.order])
    unseen, other = likelihood.slopes(eta, v, Observed(end), labeled=False)
    within = -np.expm1(propensity.log_missed(v, end).value)
    squares = np.exp(unseen) * _square(other)
    points, weights = np.polynomial.legendre.leggauss(N_POINTS)
    for point, weight in zip((points + 1) / 2, weights / 2, strict=True):
        time = propensity.quantile(v, np.maximum(point * within, np.finfo(float).tiny))
        _, gradient = likelihood.slopes(eta, v, Observed(time), labeled=True)
        squares += weight * softplus_expit(eta)[1] * within * _square(gradient)
    return np.asarray(squares)


def _square(gradient: Array) -> Array:
    return np.asarray(gradient[:, None] * gradient[None])
