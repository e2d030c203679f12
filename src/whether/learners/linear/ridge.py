"""The penalty on slopes, where it is not given: one person's worth, or more where features are many for the events.

A ridge penalty in units of one person's log-likelihood is the precision of a normal prior of the slopes of standardised
features. That is a property of the features, not of the restriction, so it is chosen where it is cheap and safe to
choose: in the logistic regression on the labels, which has one optimum.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from whether.cohort import Cohort
from whether.distributions import softplus_expit
from whether.learners.linear.leave_one_out import logits_left_out
from whether.learners.linear.objective import LinearObjective
from whether.learners.linear.optimize import newton
from whether.learners.task import Task
from whether.propensity import Certain

Array = NDArray[np.float64]

USUAL = 1.0
# With fewer events (or non-events) per feature than this the usual penalty leaves the slopes to chance.
EVENTS_PER_FEATURE = 5
RIDGES = (1000.0, 300.0, 100.0, 30.0, 10.0, 3.0, 1.0)


def settle_ridge(ridge: float | str, cohort: Cohort) -> float:
    """Return the penalty that ``ridge`` stands for: itself, or for "auto" the usual or a chosen one."""
    if not isinstance(ridge, str):
        return float(ridge)
    events = float(cohort.weights[cohort.labeled].sum())
    fewer = min(events, float(cohort.weights.sum()) - events)
    return USUAL if fewer >= EVENTS_PER_FEATURE * cohort.features.shape[1] else choose_ridge(cohort)


def choose_ridge(cohort: Cohort) -> float:
    """Return the penalty under which logistic regression predicts everybody's label best, each left out in turn."""
    objective = LinearObjective(Task(cohort, [Certain()]), USUAL)
    sign = np.where(np.arange(objective.n) < objective.n_labeled, 1.0, -1.0)
    weight = np.ones(objective.n) if objective.weight is None else objective.weight
    solution, total = np.zeros(objective.layout.size), []
    for ridge in RIDGES:
        objective.ridge = ridge
        optimum = newton(objective.evaluate, solution, max_steps=50)
        solution = optimum.parameters
        total.append(-float(weight @ softplus_expit(-sign * logits_left_out(objective, optimum))[0]))
    return RIDGES[int(np.argmax(np.round(total, 6)))]
