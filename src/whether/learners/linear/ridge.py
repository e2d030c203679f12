"""The penalty on slopes, where it is not given: one person's worth, or more where features are many for the events.

A ridge penalty in units of one person's log-likelihood is the precision of a normal prior of the slopes of standardised
features. That is a property of the features, not of the restriction, so it is chosen where it is cheap and safe to
choose: in the logistic regression on the labels, which has one optimum. What that would have predicted of each person
without that person is had by one Newton step: nothing is drawn at random, and a person of weight two is treated as two
people of whom one is left out.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from whether.cohort import Cohort
from whether.distributions import softplus_expit
from whether.learners.linear.objective import LinearObjective
from whether.learners.linear.optimize import MANY_PARAMETERS, Optimum, lbfgs, newton
from whether.learners.rows import deal_folds, usable_folds
from whether.learners.task import Task
from whether.propensity import Certain

Array = NDArray[np.float64]

USUAL = 1.0
# With fewer events (or non-events) per feature than this the usual penalty leaves the slopes to chance.
EVENTS_PER_FEATURE = 5
N_FOLDS, MOST_STEPS = 5, 300
RIDGES = (1000.0, 300.0, 100.0, 30.0, 10.0, 3.0, 1.0)


def settle_ridge(ridge: float | str, cohort: Cohort, counts: tuple[float, float] | None = None) -> float:
    """Return the penalty that ``ridge`` stands for: itself, or for "auto" the usual or a chosen one.

    Events and people may be counts of the population that the cohort is a sample of.
    """
    if not isinstance(ridge, str):
        return float(ridge)
    weights = cohort.weights
    events, people = counts or (float(weights[cohort.labeled].sum()), float(weights.sum()))
    fewer = min(events, people - events)
    return USUAL if fewer >= EVENTS_PER_FEATURE * cohort.features.shape[1] else choose_ridge(cohort)


def choose_ridge(cohort: Cohort) -> float:
    """Return the penalty under which logistic regression predicts everybody's label best, each left out in turn."""
    objective = LinearObjective(Task(cohort, [Certain()]), USUAL)
    if objective.layout.size > MANY_PARAMETERS:
        return _choose_by_folds(objective)
    sign = np.where(np.arange(objective.n) < objective.n_labeled, 1.0, -1.0)
    weight = np.ones(objective.n) if objective.weight is None else objective.weight
    solution, total = np.zeros(objective.layout.size), []
    for ridge in RIDGES:
        objective.ridge = ridge
        optimum = newton(objective.evaluate, solution, max_steps=50)
        solution = optimum.parameters
        total.append(-float(weight @ softplus_expit(-sign * logits_left_out(objective, optimum))[0]))
    return RIDGES[int(np.argmax(np.round(total, 6)))]


def _choose_by_folds(objective: LinearObjective) -> float:
    """Return the best penalty by folds, where leaving each person out would take the inverse of a huge matrix."""
    labeled = np.arange(objective.n) < objective.n_labeled
    known = labeled, np.zeros(objective.n), objective.features.totals()[:, None]
    fold, total = deal_folds(*known, N_FOLDS, objective.weight, objective.groups), np.zeros(len(RIDGES))
    for number in usable_folds(fold, labeled):
        training = objective.subset(np.flatnonzero(fold != number))
        held_out = objective.subset(np.flatnonzero(fold == number))
        solution = np.zeros(objective.layout.size)
        for place, ridge in enumerate(RIDGES):
            training.ridge = ridge
            found = lbfgs(training.value_and_gradient, solution, tolerance=1e-2, max_steps=MOST_STEPS)
            solution = found.parameters
            total[place] += float(held_out.row_values(solution).sum())
    return RIDGES[int(np.argmax(np.round(total, 6)))]


def logits_left_out(objective: LinearObjective, optimum: Optimum) -> Array:
    """Logit of everybody's label, each predicted without that person, at the optimum of the labels' likelihood."""
    factor, leverage = cho_factor(optimum.evaluation.hessian), np.empty(objective.n)
    for start in range(0, objective.n, objective.features.block_rows):
        rows = slice(start, start + objective.features.block_rows)
        features = objective.features.dense(rows)
        design = np.vstack([np.ones(features.shape[1]), features])
        leverage[rows] = np.einsum("ij,ij->j", design, cho_solve(factor, design))
    eta = np.asarray(objective.predictors(optimum.parameters, slice(0, None))[0])
    p = softplus_expit(eta)[1]
    residual = (np.arange(objective.n) < objective.n_labeled) - p
    return np.asarray(eta - residual * leverage / np.maximum(1 - p * (1 - p) * leverage, 1e-12))


def label_logits_left_out(cohort: Cohort, ridge: float) -> Array:
    """Logit of everybody's label by the logistic regression on the labels of all others, in the order of the rows."""
    objective = LinearObjective(Task(cohort, [Certain()]), ridge)
    optimum = newton(objective.evaluate, np.zeros(objective.layout.size))
    logits = np.empty(objective.n)
    logits[objective.order] = logits_left_out(objective, optimum)
    return logits
