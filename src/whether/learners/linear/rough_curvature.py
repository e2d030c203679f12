"""About the curvature of a likelihood in many slopes: that of the average person, times second moments of features.

The Hessian is a sum over people of curvatures in their predictors times products of their features. With hundreds of
features it costs as much as dozens of gradients, and that of some people is noisy and, away from the optimum, often not
even positive. Taken apart it is cheap: sums over people of the curvature in a handful of predictors, which are made
positive by themselves, and one matrix of second moments for all parts of the model, which is computed once a fit. What
the two have to do with each other is left to the optimizer.
"""

from __future__ import annotations

import numpy as np

from whether.arrays import Array
from whether.learners.linear.layout import Layout
from whether.learners.linear.matrix import FeatureMatrix

# Rows per feature from which second moments are taken that are good enough to lead to the optimum.
ROWS_PER_FEATURE = 40
# Smallest curvature in any direction of the predictors, as a share of the largest.
SMALLEST = 1e-2


class SecondMoments:
    """Mean products of standardised features, computed when first asked for."""

    def __init__(self) -> None:
        self._known: Array | None = None

    def of(self, features: FeatureMatrix, weight: Array | None) -> Array:
        """Second moments, of these people if they are the first to be asked about."""
        if self._known is None:
            n_features, n = features.shape
            step = max(1, n // (ROWS_PER_FEATURE * max(n_features, 1)))
            total, people = np.zeros((n_features, n_features)), 0.0
            for start in range(0, n, step * features.block_rows):
                rows = slice(start, min(start + step * features.block_rows, n), step)
                some = None if weight is None else weight[rows]
                total += features.squares(some, rows)
                people += len(range(n)[rows]) if some is None else float(some.sum())
            self._known = total / max(people, 1e-300)
        return self._known


def average_curvature(layout: Layout, by_predictors: Array, moments: Array) -> Array:
    """Hessian in the coefficients from the sum over people of that in their predictors, and from second moments.

    It is positive definite if the moments are: of the sum, negative curvatures are turned round and small ones raised.
    """
    values, vectors = np.linalg.eigh(by_predictors)
    size = np.abs(values)
    by_predictors = (vectors * np.maximum(size, SMALLEST * size.max())) @ vectors.T
    hessian = np.zeros((layout.size, layout.size))
    hessian[: layout.n_predictors, : layout.n_predictors] = by_predictors
    parts = layout.parts()
    for first, of_first, slopes_of_first in parts:
        for second, of_second, slopes_of_second in parts:
            weight = by_predictors[np.ix_(slopes_of_first, slopes_of_second)].sum()
            hessian[first, second] = weight * moments[of_first, of_second]
    return hessian
