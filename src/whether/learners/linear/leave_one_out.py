"""What a logistic regression would have predicted of each person without that person, by one Newton step.

Nothing is drawn at random, and a person of weight two is treated as two people of whom one is left out.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from whether.distributions import softplus_expit
from whether.learners.linear.objective import LinearObjective
from whether.learners.linear.optimize import Optimum

Array = NDArray[np.float64]


def left_out_logits(objective: LinearObjective, optimum: Optimum) -> Array:
    """Logit of everybody's label, each predicted without that person; labeled people come first.

    Parameters
    ----------
    objective : LinearObjective
        Of the labels, without a propensity part.
    optimum : Optimum
        Its minimum.
    """
    factor, intercept = cho_factor(optimum.evaluation.hessian), np.ones(objective.n)
    design = np.vstack([intercept, objective.features])
    leverage = np.einsum("ij,ij->j", design, cho_solve(factor, design))
    eta = optimum.parameters @ design
    p = softplus_expit(eta)[1]
    residual = (np.arange(objective.n) < objective.n_labeled) - p
    return np.asarray(eta - residual * leverage / np.maximum(1 - p * (1 - p) * leverage, 1e-12))
