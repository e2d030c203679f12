"""The non-negative PU risk of a linear model, which is no sum over people."""

from __future__ import annotations

import numpy as np

from whether.arrays import Array
from whether.distributions import softplus_expit
from whether.learners.linear.objective import LinearObjective
from whether.learners.linear.penalized import Evaluation
from whether.risk import PURisk

# Width, in people's losses, over which max(0, risk) is rounded so that Newton's method sees no kink.
ROUNDING = 1.0


class NonNegativeObjective:
    """Positives' risk plus max(0, negatives' risk), rounded, over the rows and with the ridge of an objective."""

    def __init__(self, objective: LinearObjective, risk: PURisk) -> None:
        self.positive, self.negative = (objective.under(share) for share in risk.shares())

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
