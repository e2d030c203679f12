"""What each feature adds to a person's outcome predictor: exactly, for linear models and for trees.

Of a linear model it is slope times distance from the mean, which is the Shapley value where features are taken as
independent. Of trees it is the path-dependent Shapley value that LightGBM computes. Trees stand on a linear model, so
both are summed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from whether.arrays import Array
from whether.cohort import Cohort
from whether.learners.boosted.boosted_fit import BoostedFit, threads_for
from whether.learners.linear import LinearFit
from whether.validate import ArgumentError

# People from whom the mean is taken: with many trees more of them would cost as much as growing these.
MOST_PEOPLE = 500


def outcome_contributions(fit: LinearFit | BoostedFit, features: Array) -> Array:
    """Contributions to the outcome's predictor, one row per person: one column per feature, then the common base."""
    if isinstance(fit, LinearFit):
        return _of_line(fit, features)
    offset, parts = fit.offset, np.zeros((features.shape[0], features.shape[1] + 1))
    kept = features[:, offset.columns]
    parts[:, [*offset.columns, -1]] = _of_line(offset.fit, np.where(np.isnan(kept), offset.fill, kept))
    return parts + _of_trees(fit.outcome, features)


def _of_line(fit: LinearFit, features: Array) -> Array:
    intercept, slopes = fit.predictor.outcome_line(features.shape[1])
    mean = np.zeros(features.shape[1])
    mean[fit.columns] = fit.predictor.standardization.mean
    return np.column_stack([slopes * (features - mean), np.full(features.shape[0], intercept + slopes @ mean)])


def _of_trees(booster: Any, features: Array) -> Array:
    parts = np.asarray(booster.predict(features, pred_contrib=True, num_threads=threads_for(features.shape[0])))
    if np.isnan(parts).any():
        raise ArgumentError(
            "Contributions of trees weigh each leaf by how many people reached it, and a model file does not keep "
            "that. Ask for contributions before the model is saved, or fit it again."
        )
    return parts


def mean_contributions(fit: BoostedFit, cohort: Cohort) -> Array | None:
    """Mean absolute contribution of each feature, among people of a cohort; None without an outcome part."""
    if fit.outcome is None:
        return None
    some = cohort.thin(MOST_PEOPLE)
    moved = np.abs(outcome_contributions(fit, some.features)[:, :-1])
    return np.asarray(np.average(moved, axis=0, weights=some.weight))
