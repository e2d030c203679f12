"""Confidence intervals of single risks: from the covariance of a linear fit, or from refits under random weights."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri, stdtrit
from sklearn.utils.validation import check_is_fitted, column_or_1d

from whether.arrays import Array
from whether.estimators.refits import Refits, refit
from whether.learners import LinearFit
from whether.validate import ArgumentError, check_between, check_weight, number_groups

if TYPE_CHECKING:
    from whether.estimators.censored import CensoredClassifier

ROWS_AT_A_TIME = 50_000
# Log odds beyond these are as good as certain: how far a refit goes beyond them is of no interest.
LARGEST_LOG_ODDS = 14.0
# By how much the bias of a fit exceeds what refits with half of the information add to it.
BIAS = 1 / (np.sqrt(2) - 1)


class GivesIntervals:
    """The part of a classifier that says how sure single risks are.

    Attributes
    ----------
    refits_ : Refits
        Where ``fit_intervals`` made them.
    """

    model_: Any
    refits_: Refits

    def fit_intervals(
        self,
        X: Any,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        **known: Any,
    ) -> Any:
        """Make intervals of single risks possible for a learner without standard errors, such as trees.

        The learner is fitted 20 times to the same people under random weights (the Bayesian bootstrap), which takes
        about 20 times as long as ``fit``. A linear model whose coefficients have standard errors needs none of this,
        and is returned as it is.

        Parameters
        ----------
        X, y, sample_weight, groups
            As given to ``fit``.
        **known
            Whatever else ``fit`` was given: ``time``, ``follow_up``, ``known_negative``...
        """
        check_is_fitted(self)
        if has_errors(self):
            return self
        labels = column_or_1d(y, warn=True)
        weight = None if sample_weight is None else check_weight(sample_weight, labels.size)
        numbers = None if groups is None else number_groups(groups, labels.size)
        rng, known = self._rng(), {**known, "groups": groups}  # type: ignore[attr-defined]
        self.refits_ = refit(self, X, labels, known, weight=weight, groups=numbers, rng=rng)  # type: ignore[arg-type]
        return self

    def predict_interval(self, X: Any, level: float = 0.95) -> Array:
        """Confidence interval of the probability that the event ever happens: a row (lower, upper) for each person.

        It is about how well the risk is known, not about whether the event happens. Of a linear model it is a Wald
        interval of the outcome's predictor; of other learners it comes from the refits of ``fit_intervals``. What a
        learner smooths away no refit shows: where the risk bends sharply, intervals hold the truth less often than
        they say. So do those of a linear model where the risk is no line.

        Parameters
        ----------
        X : array-like or data frame of shape (n, d)
        level : float
            Confidence level.
        """
        check_is_fitted(self)
        check_between(level, "level")
        limits = risk_intervals(self, X, level)
        if limits is None:
            raise ArgumentError(
                "This model has no standard errors, so its risks have no intervals yet. Call fit_intervals with what "
                "`fit` was given: it fits the model 20 times more, under random weights."
            )
        return np.column_stack(limits)


def risk_intervals(model: Any, X: Any, level: float) -> tuple[Array, Array] | None:
    """Lower and upper ends of intervals of Pr(ever), or None where the model has none.

    They are Wald intervals of the outcome's predictor, conditional on what the standard errors of the coefficients are
    conditional on (see the notes of ``summary()``), or have the spread of the predictor over refits. They reach as far
    as other models do where an analysis fitted any.
    """
    if has_errors(model):
        return _by_covariance(model, model._check_X(X, reset=False), level)
    refits: Refits | None = getattr(model, "refits_", None)
    return None if refits is None else _by_refits(model, refits, X, level)


def _by_covariance(model: CensoredClassifier, features: Any, level: float) -> tuple[Array, Array]:
    lower, upper = np.empty(features.shape[0]), np.empty(features.shape[0])
    width = float(ndtri(0.5 + level / 2))
    for rows in row_blocks(features.shape[0]):
        eta, error = model.model_.predict_with_error(features[rows])
        down, up = (width * np.hypot(error, side) for side in model.model_.reach(features[rows]))
        lower[rows], upper[rows] = (model.family.probability(end)[0] for end in (eta - down, eta + up))
    return lower, upper


def _by_refits(model: CensoredClassifier, refits: Refits, X: Any, level: float) -> tuple[Array, Array]:
    """Limits from the spread of refits, of which there are few: by Student's t, and not the normal distribution.

    A learner that stops early is biased. Random weights leave refits the information of half of the people, so that
    their mean is off by more than the fit: as much more as the bias at n is less than at n / 2. By the usual rate of
    one over the root of n that is 2.4 times the difference, less what is chance in it.
    """
    odds = np.vstack([model.decision_function(X), refits.log_odds(model, X)])
    predictors = model.family.from_log_odds(np.clip(odds, -LARGEST_LOG_ODDS, LARGEST_LOG_ODDS))
    n, center, spread = len(refits.models), predictors[0], np.std(predictors[1:], axis=0, ddof=1)
    moved = np.square(predictors[1:].mean(axis=0) - center)
    spread = np.sqrt(spread**2 + BIAS**2 * np.maximum(moved - spread**2 / n, 0.0))
    reach = (0.0, 0.0) if refits.moves is None else refits.moves.reach(model._check_X(X, reset=False))
    quantile = stdtrit(n - 1, 0.5 + level / 2), ndtri(0.5 + level / 2)
    down, up = (np.hypot(quantile[0] * spread, quantile[1] * side) for side in reach)
    lower, upper = (model.family.probability(end)[0] for end in (center - down, center + up))
    return lower, upper


def has_errors(model: Any) -> bool:
    """Whether the coefficients of a model have standard errors."""
    fit = model.model_
    return isinstance(fit, LinearFit) and fit.has_outcome and fit.covariance.matrix is not None


def row_blocks(n: int) -> Iterator[slice]:
    """Rows in blocks that fit into memory."""
    return (slice(start, min(start + ROWS_AT_A_TIME, n)) for start in range(0, n, ROWS_AT_A_TIME))
