"""Confidence intervals of single risks, from the covariance of the coefficients of a linear fit."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.special import ndtri

from whether.arrays import Array
from whether.estimators.censored import CensoredClassifier
from whether.learners import LinearFit

ROWS_AT_A_TIME = 50_000


def risk_intervals(model: CensoredClassifier, features: Array, level: float) -> tuple[Array, Array] | None:
    """Lower and upper ends of intervals of Pr(ever), or None where the model has none.

    They are Wald intervals of the outcome's predictor, conditional on what the standard errors of the coefficients are
    conditional on (see the notes of ``summary()``), which reach as far as other models do where an analysis fitted any.
    """
    if not has_errors(model):
        return None
    lower, upper = np.empty(features.shape[0]), np.empty(features.shape[0])
    width = float(ndtri(0.5 + level / 2))
    for rows in row_blocks(features.shape[0]):
        eta, error = model.model_.predict_with_error(features[rows])
        down, up = (width * np.hypot(error, side) for side in model.model_.reach(features[rows]))
        lower[rows], upper[rows] = (model.family.probability(end)[0] for end in (eta - down, eta + up))
    return lower, upper


def has_errors(model: CensoredClassifier) -> bool:
    """Whether the coefficients of a model have standard errors."""
    fit = model.model_
    return isinstance(fit, LinearFit) and fit.has_outcome and fit.covariance.matrix is not None


def row_blocks(n: int) -> Iterator[slice]:
    """Rows in blocks that fit into memory."""
    return (slice(start, min(start + ROWS_AT_A_TIME, n)) for start in range(0, n, ROWS_AT_A_TIME))
