"""Objectives of linear models: derivatives in the coefficients, weights, and what each optimizer makes of them."""

import math

import numpy as np
import pytest

from whether.learners.linear.index import IndexedObjective
from whether.propensity import CoxPropensity, DiscreteTimePropensity

SHRINKAGES = [0.0, 5.0, math.inf]


def draw_theta(size, seed):
    return 0.4 * np.random.default_rng(seed).normal(size=size)


@pytest.mark.parametrize(("columns", "weighted"), [((0, 1, 2), False), ((1,), True), ((), False)])
def test_the_objective_has_the_derivatives_it_says(propensity, columns, weighted, objective_of, finite_difference):
    objective = objective_of(propensity, columns=columns, weighted=weighted)
    theta = draw_theta(objective.layout.size, 1)
    at = objective.evaluate(theta)
    gradient = finite_difference(lambda x: objective.evaluate(x).value, theta)
    hessian = finite_difference(lambda x: objective.evaluate(x).gradient, theta)
    np.testing.assert_allclose(at.gradient, gradient, rtol=1e-6, atol=1e-5)
    np.testing.assert_allclose(at.hessian, hessian, rtol=1e-6, atol=1e-5)


def test_the_objective_without_an_outcome_part_has_the_derivatives_it_says(
    uncertain_propensity, objective_of, finite_difference
):
    if isinstance(uncertain_propensity, DiscreteTimePropensity | CoxPropensity):
        pytest.skip("an unlabeled person past the last event would be impossible")
    objective = objective_of(uncertain_propensity, has_outcome=False)
    theta = draw_theta(objective.layout.size, 2)
    at = objective.evaluate(theta)
    gradient = finite_difference(lambda x: objective.evaluate(x).value, theta)
    hessian = finite_difference(lambda x: objective.evaluate(x).gradient, theta)
    np.testing.assert_allclose(at.gradient, gradient, rtol=1e-6, atol=1e-5)
    np.testing.assert_allclose(at.hessian, hessian, rtol=1e-6, atol=1e-5)


@pytest.mark.parametrize(("columns", "shrinkage"), [((0, 1, 2), 0.0), ((0, 1, 2), 5.0), ((1,), math.inf), ((), 5.0)])
def test_the_indexed_objective_has_the_derivatives_it_says(
    uncertain_propensity, shrinkage, columns, objective_of, finite_difference
):
    indexed = IndexedObjective(objective_of(uncertain_propensity, columns=columns), shrinkage)
    variables = draw_theta(indexed.size, 3)
    at = indexed.evaluate(variables)
    gradient = finite_difference(lambda x: indexed.evaluate(x).value, variables)
    hessian = finite_difference(lambda x: indexed.evaluate(x).gradient, variables)
    np.testing.assert_allclose(at.gradient, gradient, rtol=1e-6, atol=1e-5)
    np.testing.assert_allclose(at.hessian, hessian, rtol=1e-6, atol=1e-5)


@pytest.mark.parametrize(("shrinkage", "kappa"), [(0.0, 0.3), (5.0, -0.02), (math.inf, 0.3)])
def test_value_and_gradient_agree_with_evaluate(propensity, shrinkage, kappa, objective_of):
    fixed = (1,) if propensity.predictors else ()
    indexed = IndexedObjective(objective_of(propensity, columns=(0, 2), weighted=True), shrinkage, fixed)
    variables = draw_theta(indexed.size, 4)
    variables[-1] = kappa
    at = indexed.evaluate(variables)
    value, gradient = indexed.value_and_gradient(variables)
    assert value == pytest.approx(at.value, rel=1e-13)
    np.testing.assert_allclose(gradient, at.gradient, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("shrinkage", SHRINKAGES)
def test_the_penalty_is_what_the_objective_has_besides_the_likelihood(any_propensity, shrinkage, objective_of):
    indexed = IndexedObjective(objective_of(any_propensity), shrinkage)
    variables = draw_theta(indexed.size, 5)
    likelihood = indexed.objective.row_values(indexed.to_coefficients(variables)).sum()
    assert indexed.penalty(variables) - indexed.evaluate(variables).value == pytest.approx(likelihood, rel=1e-12)


@pytest.mark.parametrize("shrinkage", SHRINKAGES)
def test_the_jacobian_is_the_derivative_of_the_coefficients(shrinkage, objective_of, finite_difference, any_propensity):
    indexed = IndexedObjective(objective_of(any_propensity, columns=(0, 2)), shrinkage)
    variables = draw_theta(indexed.size, 6)
    numerical = finite_difference(indexed.to_coefficients, variables).T
    np.testing.assert_allclose(indexed.jacobian(variables), numerical, rtol=0, atol=1e-9)


def test_the_scores_of_all_people_add_up_to_the_gradient(propensity, objective_of):
    objective = objective_of(propensity, columns=(0, 2), weighted=True)
    theta = draw_theta(objective.layout.size, 7)
    total = sum(scores.sum(axis=0) for scores in objective.row_scores(theta))
    expected = objective.penalty(theta).gradient - objective.evaluate(theta).gradient
    np.testing.assert_allclose(total, expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("level", [-700.0, 700.0])
def test_the_objective_is_finite_at_extreme_levels(propensity, level, objective_of):
    objective = objective_of(propensity)
    theta = np.zeros(objective.layout.size)
    theta[0] = level
    if propensity.predictors[:1] == ("location",):
        theta[1], theta[2 : objective.layout.n_predictors] = 1e6, -12.0
    else:
        theta[1 : objective.layout.n_predictors] = -level
    at = objective.evaluate(theta)
    assert all(np.isfinite(part).all() for part in at)


def test_subsets_of_rows_add_up_to_all_rows(propensity, objective_of):
    objective = objective_of(propensity, weighted=True, ridge=0.0)
    theta = draw_theta(objective.layout.size, 8)
    even, odd = np.arange(0, objective.n, 2), np.arange(1, objective.n, 2)
    parts = [objective.subset(rows).row_values(theta).sum() for rows in (even, odd)]
    assert sum(parts) == pytest.approx(objective.row_values(theta).sum(), rel=1e-12)
