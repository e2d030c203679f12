"""Confidence intervals of predicted risks, where the model has standard errors."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from whether.distributions import softplus_expit
from whether.estimators import CensoredClassifier
from whether.estimators.table import coefficient_covariance
from whether.learners import LinearFit

Array = NDArray[np.float64]

ROWS_AT_A_TIME = 50_000


def risk_intervals(model: CensoredClassifier, features: Array, level: float) -> tuple[Array, Array] | None:
    """Lower and upper ends of intervals of Pr(ever), or None where the model has none.

    They are Wald intervals of the log odds, conditional on what the standard errors of the coefficients are conditional
    on; see the notes of ``summary()``.

    Parameters
    ----------
    model : CensoredClassifier
    features : ndarray of shape (n, k)
    level : float
        Confidence level.
    """
    fit = model.model_
    if not isinstance(fit, LinearFit) or not fit.objective.has_outcome:
        return None
    covariance = coefficient_covariance(fit).matrix
    if covariance is None:
        return None
    objective = fit.objective
    outcome = np.r_[0, np.arange(objective.layout.size)[objective.layout.outcome]]
    spread, coefficients = _root(covariance[np.ix_(outcome, outcome)]), fit.coefficients[outcome]
    lower, upper = np.empty(features.shape[0]), np.empty(features.shape[0])
    width = float(ndtri(0.5 + level / 2))
    for start in range(0, features.shape[0], ROWS_AT_A_TIME):
        rows = slice(start, start + ROWS_AT_A_TIME)
        standard = (features[rows][:, objective.column_order] - objective.mean) / objective.scale
        logit = coefficients[0] + standard @ coefficients[1:]
        error = np.sqrt(np.square(spread[0] + standard @ spread[1:]).sum(axis=1))
        lower[rows], upper[rows] = (softplus_expit(logit + side * width * error)[1] for side in (-1, 1))
    return lower, upper


def _root(matrix: Array) -> Array:
    """Return R with R R' = matrix, which may be singular."""
    values, vectors = np.linalg.eigh(matrix)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))
