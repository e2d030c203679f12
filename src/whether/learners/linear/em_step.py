"""The propensity's part of EM by Newton's method: everybody is positive, an unlabeled person with the weight q.

Slopes of a time part are shrunk to those of the linear model. There the index of the outcome drives the times too,
which a classifier has not got; what it finds out about the outcome may move them as far as the data want.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from whether.arrays import Array
from whether.learners.linear.model import LinearFit, LinearPredictor
from whether.learners.linear.objective import Evaluation, LinearObjective
from whether.learners.linear.optimize import newton
from whether.learners.linear.shrinkage import usual_penalty
from whether.learners.parallel import one_blas_thread
from whether.learners.task import Task

RIDGE = 1.0  # on standardised slopes of the propensity, as in the linear learner
# Completed rows with less than this share of the largest weight are left out: they cost time and change nothing.
SMALLEST_WEIGHT = 1e-6


class LinearStep:
    """The propensity part on one cohort, from where the linear model ended."""

    def __init__(self, task: Task, start: LinearFit) -> None:
        self._objective = LinearObjective(replace(task.under(start.propensity), has_outcome=False), RIDGE)
        self._weight, self._center = task.cohort.weights[self._objective.order], start.shared_slopes
        layout = start.predictor.layout
        self._coefficients = np.concatenate([start.coefficients[1 : layout.n_predictors], self._center])
        self._known = np.array(sorted(task.known), dtype=np.intp)
        self._shrinkage = usual_penalty(start.propensity) if start.propensity.has_clock else 0.0
        self.n_parameters = self._coefficients.size - self._known.size

    def maximize(self, q: Array) -> LinearPredictor:
        """Predictors fitted to everybody; few parameters need no folds."""
        self._coefficients = self._solve(q[self._objective.order])
        return self._objective.predictor(self._coefficients)

    def _solve(self, q: Array) -> Array:
        weight = self._weight * q
        # Certain negatives are dropped: their log_missed may be minus infinity, which a weight of 0 does not undo.
        used = np.flatnonzero(weight > SMALLEST_WEIGHT * weight.max())
        objective = self._objective.subset(used)
        objective.weight = weight[used]
        slopes, known = objective.layout.shared, self._known

        def evaluate(theta: Array) -> Evaluation:
            value, gradient, hessian = objective.evaluate(theta)
            departure, diagonal = theta[slopes] - self._center, np.arange(slopes.start, slopes.stop)
            gradient[slopes] += self._shrinkage * departure
            hessian[diagonal, diagonal] += self._shrinkage
            gradient[known], hessian[known], hessian[:, known] = 0.0, 0.0, 0.0
            hessian[known, known] = 1.0
            return Evaluation(value + 0.5 * self._shrinkage * float(departure @ departure), gradient, hessian)

        with one_blas_thread():
            # Warm from the round before; a fraction of a log-likelihood unit is enough, the next round goes on.
            return newton(evaluate, self._coefficients, tolerance=1e-4).parameters
