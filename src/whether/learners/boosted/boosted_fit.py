"""Fitted trees: where they start, what they add, and predictions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from whether.arrays import Array, Rows
from whether.learners.fit_result import FitResult
from whether.learners.linear import LinearFit
from whether.learners.parallel import n_threads
from whether.learners.task import FittedModel
from whether.propensity import Propensity

MANY_ROWS = 20_000


@dataclass(frozen=True)
class Offset:
    """Where the trees start: the predictors of a linear fit on some of the columns."""

    name: str
    fit: LinearFit
    columns: Rows
    fill: Array

    def predict(self, features: Array) -> tuple[Array | None, Array]:
        """Outcome logit and propensity predictors of the offset."""
        kept = features[:, self.columns]
        return self.fit.predict(np.where(np.isnan(kept), self.fill, kept))

    def moved(self, levels: Array) -> Offset:
        """Return the offset with all predictors moved, for everybody alike."""
        predictor = self.fit.predictor
        coefficients = predictor.coefficients.copy()
        coefficients[: levels.size] += levels
        return replace(self, fit=replace(self.fit, predictor=replace(predictor, coefficients=coefficients)))


def halfway(linear: Offset, level: Offset) -> Offset:
    """Offset halfway between a linear one and one without features, each predictor by itself.

    What becomes of negatives is linear in both, and stays as the linear one has it.
    """
    predictor = linear.fit.predictor
    layout, coefficients = predictor.layout, predictor.coefficients.copy()
    coefficients[layout.outcome] /= 2
    coefficients[layout.shared] /= 2
    own = slice(0, layout.first + linear.fit.propensity.n_of_positives)
    coefficients[own] = (coefficients[own] + level.fit.coefficients[own]) / 2
    fit = replace(linear.fit, predictor=replace(predictor, coefficients=coefficients))
    return replace(linear, name="halfway", fit=fit)


def combine(
    offset: Offset, eta: Array | None, v: Array, grown: Array | None, timed: Array | None
) -> tuple[Array | None, Array]:
    """Predictors from the offset and what the trees of each part add."""
    if grown is not None:
        eta = np.asarray(eta) + grown
    if timed is not None:
        v = v.copy()
        v[np.array(offset.fit.propensity.sloped, dtype=bool)] += timed
    return eta, v


@dataclass(frozen=True)
class BoostedFit(FittedModel):
    """Fitted trees on top of their offset.

    Attributes
    ----------
    offset : Offset
        With the levels that the predictors had in the end.
    outcome, timing : lightgbm.Booster or None
        Trees of the outcome logit, and of the propensity's sloped predictors on their own columns.
    timing_columns : ndarray of int
    importances : dict of str to ndarray
        Total gain of each feature, by part of the model.
    reliance : ndarray of shape (d,) or None
        Mean absolute contribution of each feature to the outcome's predictor, of the linear offset and the trees
        together; None without an outcome part.
    result : FitResult
        See `FittedModel`. The start is named after the offset.
    """

    offset: Offset
    outcome: Any
    timing: Any
    timing_columns: Rows
    importances: dict[str, Array]
    reliance: Array | None
    result: FitResult

    @property
    def propensity(self) -> Propensity:  # type: ignore[override]
        """The propensity that was fitted."""
        return self.offset.fit.propensity

    @property
    def linear_part(self) -> LinearFit:
        """The linear fit under the trees."""
        return self.offset.fit

    def predict(self, features: Array) -> tuple[Array | None, Array]:
        """Outcome logit (None without an outcome part) and propensity predictors of new people."""
        eta, v = self.offset.predict(features)
        grown = None if self.outcome is None else _sum_trees(self.outcome, features)
        timed = None if self.timing is None else _sum_trees(self.timing, features[:, self.timing_columns])
        return combine(self.offset, eta, v, grown, timed)


def _sum_trees(booster: Any, features: Array) -> Array:
    return np.asarray(booster.predict(features, raw_score=True, num_threads=threads_for(features.shape[0])))


def threads_for(n_rows: int) -> int:
    """Threads that LightGBM may use on so many rows: on few they wait for each other longer than they work."""
    return n_threads() if n_rows >= MANY_ROWS else 1


def gains_of(outcome: Any, timing: Any, timing_columns: Rows, n_features: int) -> dict[str, Array]:
    """Total gain of each feature, by part of the model."""
    gains = {}
    if outcome is not None:
        gains["outcome"] = outcome.feature_importance("gain").astype(float)
    if timing is not None:
        gains["propensity"] = np.zeros(n_features)
        gains["propensity"][timing_columns] = timing.feature_importance("gain")
    return gains
