"""The likelihood of a cohort as a function of everybody's predictors, for learners that are not linear.

Trees and networks ask for the gradient and a safe curvature per person and predictor; which people are labeled and what
was observed of them is settled here, once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from whether.cohort import Cohort
from whether.distributions import softplus_expit
from whether.propensity import Propensity

Array = NDArray[np.float64]

# Curvature below which a step would be too long to trust.
SMALLEST_CURVATURE = 1e-3


class RowTerms(NamedTuple):
    """Log-likelihood of each person with derivatives; predictors (outcome logit first) run along the first axis.

    Attributes
    ----------
    value : ndarray of shape (n,)
    gradient : ndarray of shape (P, n)
    curvature : ndarray of shape (P, n)
        Minus the second derivative of the EM surrogate, held positive: it is never indefinite where the exact one is.
    """

    value: Array
    gradient: Array
    curvature: Array


class RowProblem:
    """Log-likelihood of the people of a cohort in their predictors.

    Parameters
    ----------
    cohort : Cohort
    propensity : Propensity
    """

    def __init__(self, cohort: Cohort, propensity: Propensity) -> None:
        self.propensity = propensity
        self.weight = np.ones(cohort.n) if cohort.weight is None else cohort.weight
        self.labeled = np.flatnonzero(cohort.labeled)
        self.unlabeled = np.flatnonzero(~cohort.labeled)
        self.observed = propensity.observe(cohort)

    def evaluate(self, eta: Array | None, v: Array) -> RowTerms:
        """Value, gradient and safe curvature of each person; weights are not applied."""
        n_outcome, n = int(eta is not None), v.shape[1]
        value, gradient = np.empty(n), np.empty((n_outcome + v.shape[0], n))
        curvature = np.empty_like(gradient)
        for rows, of_rows in (
            (self.labeled, self.propensity.labeled_rows),
            (self.unlabeled, self.propensity.unlabeled_rows),
        ):
            part = None if eta is None else eta[rows]
            terms = of_rows(part, v[:, rows], self.observed[..., rows])
            value[rows], gradient[:, rows] = terms.value, terms.gradient
            exact = -np.einsum("iin->in", terms.curvature)
            curvature[:, rows] = exact
            if part is not None:
                p = softplus_expit(part)[1]
                curvature[0, rows] = p * (1 - p)
                if rows is self.unlabeled and v.shape[0]:
                    # exact second derivative in v = q b'' + q (1 - q) b' b'; the surrogate leaves the last term out
                    q = np.clip(terms.gradient[0] + p, 1e-12, 1.0)
                    slope = terms.gradient[1:] / q
                    curvature[1:, rows] = exact[1:] + q * (1 - q) * slope**2
        return RowTerms(value, gradient, np.maximum(curvature, SMALLEST_CURVATURE))
