"""What a logistic regression would have predicted of each person without that person, by one Newton step.

Nothing is drawn at random, and a person of weight two is treated as two people of whom one is left out.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from whether.arrays import Array
from whether.cohort import Cohort
from whether.distributions import softplus_expit
from whether.learners.linear.objective import LinearObjective
from whether.learners.linear.optimize import Optimum, newton
from whether.learners.task import Task
from whether.propensity import Certain


def logits_left_out(objective: LinearObjective, optimum: Optimum) -> Array:
    """Logit of everybody's label, each predicted without that person, at the optimum of the labels' likelihood."""
    factor, intercept = cho_factor(optimum.evaluation.hessian), np.ones(objective.n)
    design = np.vstack([intercept, objective.features])
    leverage = np.einsum("ij,ij->j", design, cho_solve(factor, design))
    eta = optimum.parameters @ design
    p = softplus_expit(eta)[1]
    residual = (np.arange(objective.n) < objective.n_labeled) - p
    return np.asarray(eta - residual * leverage / np.maximum(1 - p * (1 - p) * leverage, 1e-12))


def label_probabilities_left_out(cohort: Cohort, ridge: float) -> Array:
    """Probability of each labeled person's label by the logistic regression on the labels of all others."""
    objective = LinearObjective(Task(cohort, [Certain()]), ridge)
    optimum = newton(objective.evaluate, np.zeros(objective.layout.size))
    return softplus_expit(logits_left_out(objective, optimum)[: objective.n_labeled])[1]
