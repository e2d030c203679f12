"""Confidence intervals of single risks, from the covariance of the coefficients of a linear fit."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from whether.distributions import softplus_expit
from whether.estimators.base import CensoredClassifier
from whether.estimators.table import coefficient_covariance
from whether.learners import LinearFit

Array = NDArray[np.float64]

ROWS_AT_A_TIME = 50_000


def risk_intervals(model: CensoredClassifier, features: Array, level: float) -> tuple[Array, Array] | None:
    """Lower and upper ends of intervals of Pr(ever), or None where the model has none.

    They are Wald intervals of the log odds, conditional on what the standard errors of the coefficients are conditional
    on; see the notes of ``summary()``.
    """
    found = linear_covariance(model)
    if found is None:
        return None
    fit, covariance = found
    objective = fit.objective
    outcome = np.r_[0, np.arange(objective.layout.size)[objective.layout.outcome]]
    spread, coefficients = _root(covariance[np.ix_(outcome, outcome)]), fit.coefficients[outcome]
    lower, upper = np.empty(features.shape[0]), np.empty(features.shape[0])
    width = float(ndtri(0.5 + level / 2))
    for rows in row_blocks(features.shape[0]):
        standard = standardize(fit, features[rows])
        log_odds = coefficients[0] + standard @ coefficients[1:]
        error = np.sqrt(np.square(spread[0] + standard @ spread[1:]).sum(axis=1))
        lower[rows], upper[rows] = (softplus_expit(log_odds + side * width * error)[1] for side in (-1, 1))
    return lower, upper


def linear_covariance(model: CensoredClassifier) -> tuple[LinearFit, Array] | None:
    """A linear fit with the covariance of its coefficients, or None where the model has none."""
    fit = model.model_
    if not isinstance(fit, LinearFit) or not fit.objective.has_outcome:
        return None
    covariance = coefficient_covariance(fit).matrix
    return None if covariance is None else (fit, covariance)


def standardize(fit: LinearFit, features: Array) -> Array:
    """Features as the coefficients of the fit take them."""
    objective = fit.objective
    return np.asarray((features[:, objective.column_order] - objective.mean) / objective.scale)


def row_blocks(n: int) -> Iterator[slice]:
    """Rows in blocks that fit into memory."""
    return (slice(start, min(start + ROWS_AT_A_TIME, n)) for start in range(0, n, ROWS_AT_A_TIME))


def _root(matrix: Array) -> Array:
    """Return R with R R' = matrix, which may be singular."""
    values, vectors = np.linalg.eigh(matrix)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))
