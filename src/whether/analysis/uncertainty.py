"""How sure a fitted model is of its answers about everybody: of the mean risk and of the number of unseen positives.

Where the fit is linear it is the delta method, through the covariance of the coefficients. What that leaves out: the
restriction on the propensity, the shape of the model and the choice of the distribution are taken as given, and so are
the features of the people. Shrinkage to one index pulls the sums to one side, which no covariance shows: to their
errors is added how far they would move at the penalty with the highest held-out likelihood. Where the penalty matters
the intervals cover less than they say all the same.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, ndtri
from sklearn.base import clone

from whether.advise.variants import fit_to
from whether.cohort import Cohort
from whether.estimators import CensoredClassifier
from whether.estimators.intervals import has_errors, row_blocks
from whether.estimators.time_model import TimeModelClassifier
from whether.evaluate import Interval
from whether.learners import LinearFit

Array = NDArray[np.float64]
Rows = NDArray[np.intp]


@dataclass(frozen=True)
class Spread:
    """Standard errors of the mean risk, and of the expected number of positives among the unlabeled."""

    mean_risk: float
    unseen: float


def predict_still(model: CensoredClassifier, X: Any, cohort: Cohort) -> Array:
    """Probability that the event is still to come, given that it was not seen; NaN for the labeled.

    How long somebody is known to be without the event is what the model read in the fit: time or follow-up.
    """
    clock = {}
    if isinstance(model, TimeModelClassifier):
        clock["time"] = cohort.required("follow_up" if model.model_.propensity.needs_follow_up else "time")
    return np.where(cohort.labeled, np.nan, model.predict_proba_event_free(X, **clock))  # type: ignore[attr-defined]


def spread_of_sums(model: CensoredClassifier, cohort: Cohort) -> Spread | None:
    """Standard errors of the mean risk and of the number of unseen positives, or None where the fit is not linear."""
    if not has_errors(model):
        return None
    fit: LinearFit = model.model_
    by_risk, by_unseen = np.zeros(fit.coefficients.size), np.zeros(fit.coefficients.size)
    for rows in row_blocks(cohort.n):
        part = cohort.take(np.arange(rows.start, rows.stop))
        eta, v = fit.predict(part.features)
        assert eta is not None, "without an outcome part there is no covariance"
        missed = fit.propensity.log_missed(v, fit.propensity.observe(part))
        # Derivatives of the sums by each predictor: the outcome's, then the propensity's.
        slope = np.where(part.labeled, 0.0, model.family.probability(eta + missed.value)[1])
        only_outcome = np.vstack([model.family.probability(eta)[1], np.zeros_like(v)])
        by_risk += fit.predictor.gradient_of_sum(part.features, only_outcome)
        by_unseen += fit.predictor.gradient_of_sum(part.features, np.vstack([slope, slope * missed.gradient]))
    return Spread(fit.error_of_sum(by_risk) / cohort.n, fit.error_of_sum(by_unseen))


@dataclass(frozen=True, eq=False)
class Shift:
    """How far each person's probabilities move when the time part is shrunk no more than held-out likelihood asks."""

    risk: Array
    still: Array  # 0 for the labeled

    def widen(self, spread: Spread, rows: Rows) -> Spread:
        """Add how far the sums over some people move to their standard errors."""
        risk, still = float(self.risk[rows].mean()), float(self.still[rows].sum())
        return Spread(math.hypot(spread.mean_risk, risk), math.hypot(spread.unseen, still))


def find_shift(model: CensoredClassifier, X: Any, cohort: Cohort) -> Shift | None:
    """Fit with the penalty of the highest held-out likelihood; None where that is the one that was taken."""
    path = getattr(model.model_, "path", None)
    if path is None or path.best == path.chosen or "shrinkage" not in model.get_params():
        return None
    looser = clone(model).set_params(shrinkage=path.best)
    if hasattr(model, "distribution_"):
        looser.set_params(distribution=model.distribution_)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what the fit itself warned of is told
        fit_to(cohort, looser, X)
    still = predict_still(looser, X, cohort) - predict_still(model, X, cohort)
    return Shift(looser.predict_proba(X)[:, 1] - model.predict_proba(X)[:, 1], np.nan_to_num(still))


def share_interval(share: float, error: float, level: float) -> Interval:
    """Wald interval of a share on the scale of log odds, so that it stays between 0 and 1; NaN without an error."""
    slope = share * (1 - share)
    if not (math.isfinite(error) and slope > 0):
        return Interval(share, math.nan, math.nan, error, level)
    width = float(ndtri(0.5 + level / 2)) * error / slope
    center = float(logit(share))
    return Interval(share, float(expit(center - width)), float(expit(center + width)), error, level)


def unseen_interval(still: Array, error: float, level: float) -> Interval:
    """Interval of the number of unlabeled people who are positive, from their probabilities and the error of the sum.

    It holds the uncertainty of the coefficients and the chance in how many of people with known probabilities are
    positive, so that it is one for the number itself and not for its expectation only.
    """
    n, expected = still.size, float(still.sum())
    if n == 0:
        return Interval(0.0, 0.0, 0.0, 0.0, level)
    total = math.sqrt(error**2 + float(np.sum(still * (1 - still))))
    share = share_interval(expected / n, total / n, level)
    return Interval(expected, n * share.lower, n * share.upper, total, level)
