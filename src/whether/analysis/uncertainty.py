"""How sure a fitted model is of its answers about everybody: of the mean risk and of the number of unseen positives.

Where the fit is linear it is the delta method, through the covariance of the coefficients. What that leaves out is the
shape of the model, above all of the tail of event times: how far that reaches is had from `alternatives`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, ndtri

from whether.analysis.windows import waited_by
from whether.cohort import Cohort
from whether.estimators import CensoredClassifier
from whether.estimators.intervals import has_errors, row_blocks
from whether.estimators.waiting import chance_within
from whether.evaluate import Interval
from whether.learners import LinearFit

Array = NDArray[np.float64]
Rows = NDArray[np.intp]
Flags = NDArray[np.bool_]
Reach = tuple[float, float]

NONE: Reach = (0.0, 0.0)
# Risks are kept this far from 0 and 1 before their log odds are compared.
SMALLEST_RISK = 1e-6
# Of a predictor, in central differences.
STEP = 1e-4


@dataclass(frozen=True)
class Spread:
    """Standard errors of the mean risk, and of the expected number of positives among the unlabeled."""

    mean_risk: float
    unseen: float


def spread_of_sums(model: CensoredClassifier, cohort: Cohort, counted: Flags) -> Spread | None:
    """Standard errors of the mean risk and of the number of positives among the counted; None if not linear."""
    if not has_errors(model):
        return None
    fit: LinearFit = model.model_
    by_risk, by_unseen = np.zeros(fit.coefficients.size), np.zeros(fit.coefficients.size)
    for rows in row_blocks(cohort.n):
        part = cohort.take(np.arange(rows.start, rows.stop))
        eta, v = fit.predict(part.features)
        assert eta is not None, "without an outcome part there is no covariance"
        missed = fit.propensity.missed_terms(v, fit.propensity.observe(part))
        # Derivatives of the sums by each predictor: the outcome's, then the propensity's.
        slope = np.where(counted[rows], model.family.posterior_slope(eta, missed.value), 0.0)
        only_outcome = np.vstack([model.family.probability(eta)[1], np.zeros_like(v)])
        by_risk += fit.predictor.gradient_of_sum(part.features, only_outcome)
        by_unseen += fit.predictor.gradient_of_sum(part.features, np.vstack([slope, slope * missed.gradient]))
    return Spread(fit.error_of_sum(by_risk) / cohort.n, fit.error_of_sum(by_unseen))


def window_errors(model: CensoredClassifier, cohort: Cohort, lengths: Sequence[float]) -> list[float]:
    """Standard errors of how many of people without the event have it within each length of time, of a linear fit.

    Slopes of each person's chance in the predictors are central differences: chances of two families and all
    distributions are smooth in them, and the differences are exact to eight digits.
    """
    fit: LinearFit = model.model_
    by_length = [np.zeros(fit.coefficients.size) for _ in lengths]
    for rows in row_blocks(cohort.n):
        part = cohort.take(np.arange(rows.start, rows.stop))
        eta, v = fit.predict(part.features)
        assert eta is not None, "without an outcome part there is no covariance"
        waited = waited_by(model, part)  # type: ignore[arg-type]
        for length, gradient in zip(lengths, by_length, strict=True):
            chance = partial(chance_within, model.family, fit.propensity, waited=waited, end=waited + length)
            slopes = _slopes(chance, np.vstack([eta, v]))
            gradient += fit.predictor.gradient_of_sum(part.features, slopes)
    return [fit.error_of_sum(gradient) for gradient in by_length]


def _slopes(of: Callable[[Array, Array], Array], at: Array) -> Array:
    """Derivatives of a number per person by each of the predictors, which are rows: the outcome's is the first."""
    found = np.empty_like(at)
    for row in range(at.shape[0]):
        up, down = at.copy(), at.copy()
        up[row] += STEP
        down[row] -= STEP
        found[row] = (of(up[0], up[1:]) - of(down[0], down[1:])) / (2 * STEP)
    return found


def share_interval(share: float, error: float, level: float, reach: Reach = NONE) -> Interval:
    """Wald interval of a share on the scale of log odds, so that it stays between 0 and 1; NaN without an error.

    ``reach`` is how far the log odds reach down and up for reasons that the error does not know.
    """
    slope = share * (1 - share)
    if not (math.isfinite(error) and slope > 0):
        return Interval(share, math.nan, math.nan, error, level)
    width, center = float(ndtri(0.5 + level / 2)), float(logit(share))
    down, up = (width * math.hypot(error / slope, side) for side in reach)
    return Interval(share, float(expit(center - down)), float(expit(center + up)), error, level)


def unseen_interval(still: Array, error: float, level: float, reach: Reach = NONE) -> Interval:
    """Interval of the number of unlabeled people who are positive, from their probabilities and the error of the sum.

    It holds the uncertainty of the coefficients and the chance in how many of people with known probabilities are
    positive, so that it is one for the number itself and not for its expectation only.
    """
    n, expected = still.size, float(still.sum())
    if n == 0:
        return Interval(0.0, 0.0, 0.0, 0.0, level)
    total = math.sqrt(error**2 + float(np.sum(still * (1 - still))))
    share = share_interval(expected / n, total / n, level, reach)
    return Interval(expected, n * share.lower, n * share.upper, total, level)


def log_odds(share: Array) -> Array:
    """Log odds of shares, which are kept a little away from 0 and 1."""
    return np.asarray(logit(np.clip(share, SMALLEST_RISK, 1 - SMALLEST_RISK)))
