"""A model with hundreds of slopes along one direction: the same objective, with a handful of coefficients.

On few people many slopes fit anything, so starts are not compared there, and on many people they cost. Along the
direction in which labels differ, the beliefs that the starts are differ as much, and a start costs next to nothing.
"""

from __future__ import annotations

import copy

import numpy as np

from whether.arrays import Array
from whether.learners.linear.index import IndexedObjective
from whether.learners.linear.linear_fit import Standardization
from whether.learners.linear.matrix import DenseMatrix
from whether.learners.linear.objective import LinearObjective
from whether.learners.linear.optimize import Optimum
from whether.learners.linear.whitened import lbfgs_with_curvature
from whether.likelihood import Likelihood
from whether.propensity import Certain


class OneIndex:
    """An objective whose slopes are multiples of those of the labels, where the same features are in all parts.

    Attributes
    ----------
    objective : LinearObjective
        Of the same people, with the index as their one feature. Penalties are those of the whole objective.
    """

    def __init__(self, whole: LinearObjective) -> None:
        self.direction = _label_direction(whole)
        self.objective = copy.copy(whole)
        index = whole.features.times(self.direction, slice(0, None), slice(0, None))
        self.objective.features = DenseMatrix(index[None])
        self.objective.standardization = Standardization(np.zeros(1, dtype=np.intp), np.zeros(1), np.ones(1))
        self.objective.n_columns = 1
        self.objective.use(whole.criterion)

    @classmethod
    def applies(cls, whole: LinearObjective) -> bool:
        """Whether outcome and propensity have the same features, and the objective is a plain sum."""
        layout, n_features = whole.layout, whole.features.shape[0]
        return type(whole) is LinearObjective and layout.n_outcome == layout.n_shared == n_features

    def widen(self, coefficients: Array) -> Array:
        """Coefficients of the whole objective."""
        n_levels = self.objective.layout.n_predictors
        slopes = np.multiply.outer(coefficients[n_levels:], self.direction).reshape(-1)
        return np.concatenate([coefficients[:n_levels], slopes])

    def widen_optimum(self, end: Optimum, narrow: IndexedObjective, wide: IndexedObjective) -> Optimum:
        """The end of a fit along the index, in the variables of the whole objective."""
        variables = wide.from_coefficients(self.widen(narrow.to_coefficients(end.parameters)))
        return Optimum(variables, end.evaluation, end.status, end.n_steps)


def _label_direction(whole: LinearObjective) -> Array:
    """Direction, of length one, of one Newton step of the logistic regression on the labels."""
    labels = whole.under(Likelihood(Certain()))
    labels.share = None  # it is that of positives, not of labels
    start = np.zeros(labels.layout.size)
    step = lbfgs_with_curvature(IndexedObjective(labels), start, None, tolerance=np.inf, max_steps=1).parameters
    slopes = step[labels.layout.outcome]
    return np.asarray(slopes / max(float(np.linalg.norm(slopes)), 1e-300))
