"""Newton's method and L-BFGS: where they end, and that they say how."""

import warnings

import numpy as np
import pytest

import whether as wh
from whether import METHODS
from whether.learners.fit_result import Status
from whether.learners.linear.index import IndexedObjective
from whether.learners.linear.objective import LinearObjective
from whether.learners.linear.optimize import follow, lbfgs, newton, polish
from whether.learners.linear.penalized import Evaluation
from whether.learners.task import Task
from whether.propensity import LogisticPropensity
from whether.validate import check_cohort


def double_well(x):
    """Minima at (+-1, 0), a saddle at 0."""
    value = x[0] ** 4 / 4 - x[0] ** 2 / 2 + x[1] ** 2
    return Evaluation(value, np.array([x[0] ** 3 - x[0], 2 * x[1]]), np.diag([3 * x[0] ** 2 - 1, 2.0]))


@pytest.mark.parametrize("start", [(0.0, 0.0), (0.0, 3.0), (1e-7, -1e-7), (-1e-12, 0.0)])
def test_newton_leaves_a_saddle_it_starts_on_or_runs_into(start):
    optimum = newton(double_well, np.array(start))
    assert optimum.status is Status.CONVERGED
    np.testing.assert_allclose(np.abs(optimum.parameters), [1.0, 0.0], atol=1e-5)


def test_newton_leaves_the_saddle_between_outcome_and_propensity(objective_of):
    objective = objective_of(LogisticPropensity(sloped=True), n=400)
    optimum = newton(objective.evaluate, np.zeros(objective.layout.size))
    assert optimum.status.converged
    # Equal parts are the fixed line of the exchange, and a saddle; on either side of it lies a minimum.
    assert np.abs(optimum.parameters[2:5] - optimum.parameters[5:8]).max() > 0.1


def test_an_optimum_of_newton_is_a_minimum(uncertain_propensity, objective_of):
    objective = objective_of(uncertain_propensity, columns=(2,), n=300)
    optimum = newton(objective.evaluate, np.zeros(objective.layout.size))
    assert optimum.status.converged
    assert np.linalg.eigvalsh(optimum.evaluation.hessian).min() > 0
    np.testing.assert_allclose(optimum.evaluation.gradient, 0.0, atol=1e-3)


def test_newton_says_when_its_steps_ran_out(objective_of):
    objective = objective_of(LogisticPropensity(sloped=False))
    optimum = newton(objective.evaluate, np.zeros(objective.layout.size), max_steps=1)
    assert optimum.status is Status.MAX_STEPS
    assert not optimum.status.converged


def test_newton_says_when_its_start_is_not_finite():
    optimum = newton(lambda x: Evaluation(np.nan, x, np.eye(1)), np.zeros(1))
    assert optimum.status is Status.NOT_FINITE
    assert not optimum.status.converged


def test_newton_says_when_no_step_improves_the_objective():
    # The gradient promises a fall that the values do not show: what rounding does at the limit of precision.
    optimum = newton(lambda x: Evaluation(float(abs(x[0])), np.ones(1), np.eye(1)), np.zeros(1))
    assert optimum.status is Status.FLAT


def test_newton_never_raises_the_objective(objective_of, uncertain_propensity):
    objective = objective_of(uncertain_propensity, n=200)
    start = np.random.default_rng(0).normal(size=objective.layout.size)
    values = [newton(objective.evaluate, start, max_steps=steps).evaluation.value for steps in range(1, 8)]
    assert np.all(np.diff([objective.evaluate(start).value, *values]) <= 0)


@pytest.mark.parametrize("status", Status)
def test_every_status_is_a_sentence(status):
    assert status.value[0].isupper()
    assert status.value.endswith(".")
    assert len(status.value.split()) > 5


@pytest.mark.parametrize("shrinkage", [0.0, 5.0, np.inf])
def test_lbfgs_and_newton_agree(any_propensity, shrinkage, objective_of):
    objective = objective_of(any_propensity, columns=(2,), n=300)
    indexed = IndexedObjective(objective, shrinkage)
    start = np.zeros(indexed.size)
    optimum = newton(indexed.evaluate, start)
    found = lbfgs(indexed.value_and_gradient, start, tolerance=1e-9, max_steps=1000)
    assert found.status.converged
    assert indexed.evaluate(found.parameters).value == pytest.approx(optimum.evaluation.value, abs=1e-5)
    people = [objective.row_values(indexed.to_coefficients(end)) for end in (found.parameters, optimum.parameters)]
    np.testing.assert_allclose(people[0], people[1], atol=2e-3)


def test_lbfgs_says_when_its_steps_ran_out(objective_of):
    objective = objective_of(LogisticPropensity(sloped=True))
    start = np.full(objective.layout.size, 0.3)
    found = lbfgs(objective.value_and_gradient, start, tolerance=1e-9, max_steps=2)
    assert found.status is Status.MAX_STEPS
    assert found.n_steps == 2


def test_a_fit_that_ran_out_of_steps_warns(method, build, draw_times):
    people = draw_times(0, 300)
    model = build(method, max_iter=1, shrinkage=100.0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(people.X, people.y, time=people.time, follow_up=people.follow_up)
    assert not model.converged_
    assert model.fit_result_.status is Status.MAX_STEPS
    assert METHODS[method.name].name == "SARPU-F" or any("did not converge" in str(one.message) for one in caught)


@pytest.mark.parametrize("distance", [0.0, 0.01, 0.3])
def test_polishing_ends_where_newton_does(any_propensity, distance, objective_of):
    objective = objective_of(any_propensity, columns=(2,), n=300)
    optimum = newton(objective.evaluate, np.zeros(objective.layout.size))
    start = optimum.parameters + distance * np.sign(optimum.parameters)
    polished = polish(objective.evaluate, objective.value_and_gradient, start, max_steps=100, tolerance=1e-4)
    assert polished.status.converged
    assert polished.evaluation.value == pytest.approx(optimum.evaluation.value, abs=1e-4)


@pytest.mark.parametrize("kind", [wh.MixtureCureClassifier, wh.FollowUpCureClassifier])
def test_many_slopes_come_to_the_optimum_of_newtons_method(kind, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    n, d = 3_000, 110  # more than 200 parameters: starts along one index, L-BFGS with the curvature of part of the rows
    X = rng.standard_normal((n, d)) @ (np.eye(d) + 0.5 * rng.random((d, d)) / np.sqrt(d))
    positive = rng.random(n) < 1 / (1 + np.exp(X[:, 1] - X[:, 0]))
    event, follow_up = np.exp(0.5 * X[:, 2] + rng.standard_normal(n)), np.exp(1.5 * rng.standard_normal(n))
    y = positive & (event <= follow_up)
    model = kind("lognormal", shrinkage=100.0, ridge=10.0)
    model.fit(X, y, time=np.where(y, event, follow_up), follow_up=follow_up)
    cohort = check_cohort(
        X, y, names=[f"x{i}" for i in range(d)], time=np.where(y, event, follow_up), follow_up=follow_up
    )
    task = Task(cohort, [model.model_.propensity], np.arange(d))
    indexed = IndexedObjective(LinearObjective(task, 10.0), 100.0)
    start = indexed.from_coefficients(model.model_.coefficients)
    assert newton(indexed.evaluate, start).evaluation.value == pytest.approx(model.fit_result_.objective, abs=1e-3)
    assert model.summary().coefficients[0].standard_error > 0


def test_following_a_penalty_or_a_fold_ends_where_newton_ends(uncertain_propensity, objective_of):
    objective = objective_of(uncertain_propensity, columns=(2,), n=300)
    start = newton(objective.evaluate, np.zeros(objective.layout.size)).parameters
    part = objective.subset(np.flatnonzero(np.arange(300) % 5))
    near = follow(part.evaluate, part.value_and_gradient, start, 30, 1e-6)
    assert near.status.converged
    # A decrement of the tolerance is its root, in standard errors.
    exact = newton(part.evaluate, start)
    distance = near.parameters - exact.parameters
    assert distance @ exact.evaluation.hessian @ distance < 1e-5


@pytest.mark.parametrize("start", [(0.0, 0.0), (0.1, 0.5), (1.4, 0.2), (50.0, 1.0)])
def test_following_from_afar_or_from_a_saddle_is_newtons_method(start):
    at = follow(double_well, lambda x: double_well(x)[:2], np.array(start), 30, 1e-9)
    assert at.status.converged
    np.testing.assert_allclose(np.abs(at.parameters), [1.0, 0.0], atol=1e-4)
