"""EM and Newton's method climb the same likelihood to the same place."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from whether.distributions import DISTRIBUTIONS
from whether.family import MIXTURE
from whether.learners import Task
from whether.learners.linear.objective import LinearObjective
from whether.learners.linear.optimize import newton
from whether.propensity import DiscreteTimePropensity, EventTimePropensity, LogisticPropensity

COLUMNS = (2,)


def outcome_coefficients(design, q, beta):
    """M-step of the outcome: logistic regression on the posterior, by Newton's method."""
    for _ in range(6):
        p = expit(design @ beta)
        beta = beta + np.linalg.solve((design.T * (p * (1 - p))) @ design, design.T @ (q - p))
    return beta


def em_step(objective, theta):
    """E-step by the posterior, M-step for the outcome and for the propensity."""
    everybody, split = slice(None), objective.n_labeled
    eta, v = objective.predictors(theta, everybody)
    missed = objective.propensity.log_missed(v[:, split:], objective.observed.end[..., split:])
    q = np.concatenate([np.ones(split), MIXTURE.posterior(eta[split:], missed.value)])
    # Predictors are linear in the coefficients, so those of a single coefficient are its column of the design.
    outcome = np.r_[0, objective.layout.outcome]
    rest = np.setdiff1d(np.arange(objective.layout.size), outcome)
    units = np.eye(objective.layout.size)
    design = np.column_stack([objective.predictors(unit, everybody)[0] for unit in units[outcome]])
    columns = np.stack([objective.predictors(unit, everybody)[1] for unit in units[rest]])
    after = theta.copy()
    after[outcome] = outcome_coefficients(design, q, theta[outcome])
    after[rest] = propensity_coefficients(objective, columns, q, theta, rest)
    return after


def propensity_coefficients(objective, columns, q, theta, rest):
    """M-step of the propensity: maximise log seen and posterior times log missed, less the penalty."""
    split, overlooked = objective.n_labeled, q[objective.n_labeled :]
    possible = overlooked > 0  # nobody past the last bin is a missed positive

    def surrogate(part):
        trial = theta.copy()
        trial[rest] = part
        v = np.tensordot(part, columns, axes=1)
        seen = objective.propensity.log_seen(v[:, :split], objective.observed.end[..., :split])
        missed = objective.propensity.log_missed(v[:, split:], objective.observed.end[..., split:])
        value = seen.value.sum() + overlooked[possible] @ missed.value[possible]
        by_predictor = np.concatenate([seen.gradient, overlooked * missed.gradient], axis=1)
        penalty = objective.penalty(trial)
        return penalty.value - value, penalty.gradient[rest] - np.tensordot(columns, by_predictor, axes=2)

    return minimize(surrogate, theta[rest], jac=True, method="BFGS", options={"gtol": 1e-9}).x


def start_of(objective):
    theta = np.zeros(objective.layout.size)
    if isinstance(objective.propensity, DiscreteTimePropensity):
        theta[1 : objective.layout.n_predictors] = -1.0
    return theta


@pytest.fixture(scope="module")
def em_objective(objective_of):
    return lambda propensity: objective_of(propensity, columns=COLUMNS, ridge=0.0, n=300)


def test_em_never_lowers_the_likelihood(uncertain_propensity, em_objective):
    objective = em_objective(uncertain_propensity)
    theta, values = start_of(objective), []
    for _ in range(8):
        values.append(-objective.value_and_gradient(theta)[0])
        theta = em_step(objective, theta)
    assert np.all(np.diff(values) > -1e-9)
    assert values[-1] > values[0] + 1


def test_em_stays_where_newton_ended(uncertain_propensity, em_objective):
    objective = em_objective(uncertain_propensity)
    optimum = newton(objective.evaluate, start_of(objective), tolerance=1e-14)
    after = em_step(objective, optimum.parameters)
    assert objective.value_and_gradient(after)[0] == pytest.approx(optimum.evaluation.value, abs=1e-9)
    people = [objective.row_values(theta) for theta in (optimum.parameters, after)]
    np.testing.assert_allclose(people[0], people[1], atol=1e-5)


@pytest.mark.parametrize("sloped", [False, True])
def test_em_ends_where_newton_does_without_times(sloped, draw_labels):
    cohort = draw_labels(1, 1500).checked()
    propensity, columns = LogisticPropensity(sloped=sloped), np.array([2] if sloped else [], dtype=int)
    objective = LinearObjective(Task(cohort, [propensity], columns), 0.0)
    optimum = newton(objective.evaluate, np.zeros(objective.layout.size), tolerance=1e-14)
    theta = np.zeros(objective.layout.size)
    for _ in range(600):
        theta = em_step(objective, theta)
    assert objective.value_and_gradient(theta)[0] == pytest.approx(optimum.evaluation.value, abs=1e-5)
    np.testing.assert_allclose(theta, optimum.parameters, atol=1e-2)


def test_em_ends_where_newton_does_with_event_times(em_objective):
    objective = em_objective(EventTimePropensity(DISTRIBUTIONS["lognormal"]))
    optimum = newton(objective.evaluate, start_of(objective), tolerance=1e-14)
    theta = start_of(objective)
    for _ in range(80):
        theta = em_step(objective, theta)
    assert objective.value_and_gradient(theta)[0] == pytest.approx(optimum.evaluation.value, abs=1e-6)
    np.testing.assert_allclose(theta, optimum.parameters, atol=1e-3)
