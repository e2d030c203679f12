"""A linear model beside the people it was fitted to: what each of them did to it.

For tests of a model, which need scores and influences and are run while the rows are there.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from whether.arrays import Array
from whether.learners.linear.linear_fit import LinearFit
from whether.learners.linear.objective import LinearObjective
from whether.learners.task import Task


class FittedPeople:
    """Scores, influence and predictors of the people of a fit, labeled people first.

    Attributes
    ----------
    n, n_labeled : int
    order : ndarray of int
        Their rows in the cohort.
    features : ndarray of shape (n, d)
        Standardised, in the order of the fit's ``columns``.
    observed : ndarray
        What the propensity observes of them.
    """

    def __init__(self, fit: LinearFit, task: Task) -> None:
        self._objective, self._fit = LinearObjective(task.under(fit.propensity), fit.ridge), fit
        self.order, self.n, self.n_labeled = self._objective.order, self._objective.n, self._objective.n_labeled
        self.features = self._objective.features.dense(slice(0, None)).T
        self.observed = self._objective.observed

    @cached_property
    def scores(self) -> Array:
        """Gradient of each person's log-likelihood in the coefficients, one row per person."""
        return np.concatenate(list(self._objective.row_scores(self._fit.coefficients)))

    @cached_property
    def influence(self) -> Array:
        """First-order effect of each person on the coefficients, one row per person."""
        solved: Array = np.linalg.lstsq(self.hessian, self.scores.T, rcond=1e-12)[0].T
        return solved

    @cached_property
    def hessian(self) -> Array:
        """Second derivatives of the penalised negative log-likelihood in the coefficients."""
        return self._objective.evaluate(self._fit.coefficients).hessian

    @property
    def penalty_hessian(self) -> Array:
        """The penalties' part in it."""
        return self._objective.penalty(self._fit.coefficients).hessian

    def information(self, outer: Array) -> Array:
        """Sum of outer products of scores, from those of each person's gradient in the predictors, (k, k, n)."""
        return self._objective.information(outer)

    @cached_property
    def predictors(self) -> tuple[Array, Array]:
        """Outcome logit and propensity predictors of each person."""
        eta, v = self._objective.predictors(self._fit.coefficients, slice(0, None))
        return np.asarray(eta), v

    def influence_through_outcome(self, by_logit: Array) -> Array:
        """Effect of each person on a sum over people that has this slope in each one's outcome logit."""
        layout, gradient = self._objective.layout, np.zeros(self._fit.coefficients.size)
        gradient[0] = by_logit.sum()
        gradient[layout.outcome] = self._objective.features.sums(by_logit, layout.of_outcome, slice(0, None))
        return self.influence @ gradient

    @property
    def shared_slope_errors(self) -> Array:
        """Sandwich standard errors of the propensity's slopes."""
        return np.asarray(np.sqrt((self.influence[:, self._objective.layout.shared] ** 2).sum(axis=0)))
