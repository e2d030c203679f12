"""The non-negative PU risk with a linear model: the negatives' share of the risk is not allowed below zero."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from whether.cohort import Cohort
from whether.distributions import softplus_expit
from whether.learners.linear.index import IndexedObjective
from whether.learners.linear.learner import LinearFit, LinearLearner
from whether.learners.linear.objective import Evaluation, LinearObjective
from whether.learners.linear.optimize import newton
from whether.learners.linear.ridge import settle_ridge
from whether.learners.linear.starts import label_coefficients
from whether.learners.parallel import one_blas_thread
from whether.risk import NegativeRisk, PositiveRisk, UnbiasedRisk

Array = NDArray[np.float64]

# Width, in people's losses, over which max(0, risk) is rounded so that Newton's method sees no kink.
ROUNDING = 1.0


class NonNegativeObjective:
    """Positives' risk plus max(0, negatives' risk), the maximum rounded over one person's loss.

    Parameters
    ----------
    objective : LinearObjective
        Under the unbiased risk; only its rows and ridge are used.
    label_frequency : float
    """

    def __init__(self, objective: LinearObjective, label_frequency: float) -> None:
        self.positive = objective.with_propensity(PositiveRisk(label_frequency))
        self.negative = objective.with_propensity(NegativeRisk(label_frequency))

    def evaluate(self, theta: Array) -> Evaluation:
        """Objective, gradient and Hessian."""
        positive, negative = self.positive.evaluate(theta), self.negative.evaluate(theta)
        ridge = self.negative.penalty(theta)  # counted once, in the positives' share
        risk = negative.value - ridge.value
        gradient, hessian = negative.gradient - ridge.gradient, negative.hessian - ridge.hessian
        softplus, slope = (float(part[0]) for part in softplus_expit(np.array([risk / ROUNDING])))
        bend = slope * (1 - slope) / ROUNDING
        return Evaluation(
            positive.value + ROUNDING * softplus,
            positive.gradient + slope * gradient,
            positive.hessian + slope * hessian + bend * np.outer(gradient, gradient),
        )


def fit_nonnegative(learner: LinearLearner, cohort: Cohort, label_frequency: float) -> LinearFit:
    """Fit the non-negative risk, starting from the logistic regression on the labels."""
    unbiased = UnbiasedRisk(label_frequency)
    columns = np.empty(0, dtype=np.intp)
    objective = LinearObjective(
        cohort, unbiased, columns=columns, has_outcome=True, ridge=settle_ridge(learner.ridge, cohort)
    )
    composite = NonNegativeObjective(objective, label_frequency)
    with one_blas_thread():
        optimum = newton(composite.evaluate, label_coefficients(objective), max_steps=learner.max_iter)
    return learner.finish(IndexedObjective(objective), optimum)
