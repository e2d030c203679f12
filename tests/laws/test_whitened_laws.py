"""L-BFGS in variables in which the curvature is about the identity: where it ends, and that it says how."""

import numpy as np
import pytest

from whether.distributions import DISTRIBUTIONS, softplus_expit
from whether.learners.fit_result import Status
from whether.learners.linear.index import IndexedObjective
from whether.learners.linear.objective import LinearObjective
from whether.learners.linear.optimize import newton
from whether.learners.linear.penalized import Evaluation
from whether.learners.linear.whitened import lbfgs_with_curvature
from whether.learners.task import Task
from whether.propensity import EventTimePropensity, FollowUpPropensity
from whether.validate import check_cohort

SIZE = 30


class Logistic:
    """Logistic regression with a ridge, and a curvature that is off by what `rough` says."""

    def __init__(self, seed, ridge=1.0, rough=1.0, rows=slice(None)):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((400, SIZE)) @ (np.eye(SIZE) + rng.standard_normal((SIZE, SIZE)) / SIZE)
        y = rng.random(400) < softplus_expit(X[:, 0] - X[:, 1])[1]
        self.X, self.sign, self.ridge, self.rough = X[rows], np.where(y, 1.0, -1.0)[rows], ridge, rough

    def evaluate(self, b):
        softplus, p = softplus_expit(-self.sign * (self.X @ b))
        gradient = self.ridge * b - self.X.T @ (self.sign * p)
        hessian = (self.X.T * (p * (1 - p))) @ self.X + self.ridge * np.eye(b.size)
        return Evaluation(float(softplus.sum()) + 0.5 * self.ridge * float(b @ b), gradient, hessian)

    def value_and_gradient(self, b):
        return self.evaluate(b)[:2]

    def evaluate_roughly(self, b):
        return Evaluation(*self.value_and_gradient(b), self.rough * 0.2 * self.X.T @ self.X)

    def curved(self, b, curvature):
        return curvature + self.ridge * np.eye(b.size)


class Wells:
    """Minima at (+-1, 0), and a saddle at 0, near which the curvature is indefinite."""

    def value_and_gradient(self, x):
        return float(x[0] ** 4 / 4 - x[0] ** 2 / 2 + x[1] ** 2), np.array([x[0] ** 3 - x[0], 2 * x[1]])

    def evaluate_roughly(self, x):
        return Evaluation(*self.value_and_gradient(x), np.diag([3 * x[0] ** 2 - 1, 2.0]))

    def curved(self, x, curvature):
        return curvature


class Line:
    """A function of one number, with a curvature of one."""

    def __init__(self, value, slope):
        self.value, self.slope = value, slope

    def value_and_gradient(self, x):
        return float(self.value(x[0])), np.array([self.slope(x[0])])

    def evaluate_roughly(self, x):
        return Evaluation(*self.value_and_gradient(x), np.eye(1))

    def curved(self, x, curvature):
        return curvature


def minimize(problem, start, guide=None, tolerance=1e-9, max_steps=500):
    return lbfgs_with_curvature(problem, start, guide, tolerance=tolerance, max_steps=max_steps)


def squared_distance(found, exact):
    """Squared distance from an optimum of Newton's method in standard errors, which is what tolerances are about."""
    away = found.parameters - exact.parameters
    return float(away @ exact.evaluation.hessian @ away)


@pytest.mark.parametrize("rough", [1.0, 0.05, 20.0])
def test_a_convex_problem_ends_where_newton_ends_however_rough_the_curvature(rough, global_random_seed):
    problem = Logistic(global_random_seed, rough=rough)
    found = minimize(problem, np.zeros(SIZE))
    assert found.status is Status.CONVERGED
    # The decrement is measured with the rough curvature, which is off by up to a hundred.
    assert squared_distance(found, newton(problem.evaluate, np.zeros(SIZE))) < 1e-7


@pytest.mark.parametrize("shrinkage", [0.0, 5.0, np.inf])
def test_a_likelihood_ends_where_newton_ends(any_propensity, shrinkage, objective_of, global_random_seed):
    indexed = IndexedObjective(objective_of(any_propensity, columns=(2,), n=300, seed=global_random_seed), shrinkage)
    optimum = newton(indexed.evaluate, np.zeros(indexed.size))
    away = 0.05 * np.random.default_rng(global_random_seed).standard_normal(indexed.size)
    found = minimize(indexed, optimum.parameters + away)
    assert found.status.converged
    assert indexed.evaluate(found.parameters).value <= optimum.evaluation.value + 1e-5


@pytest.mark.parametrize("start", [(0.3, 0.5), (-0.1, 2.0), (0.5, -1.0), (1e-3, 0.0)])
def test_an_indefinite_curvature_leads_to_a_minimum(start):
    found = minimize(Wells(), np.array(start))
    assert found.status is Status.CONVERGED
    np.testing.assert_allclose(np.abs(found.parameters), [1.0, 0.0], atol=1e-4)


def test_a_start_that_is_not_finite_is_said_to_be_so():
    found = minimize(Line(lambda x: np.nan, lambda x: 1.0), np.zeros(1))
    assert found.status is Status.NOT_FINITE
    assert found.parameters == 0.0


def test_places_that_are_not_finite_are_stepped_back_from():
    # The first step, of length 4, would leave the half line on which the objective is defined.
    beyond = Line(lambda x: x - 2 * np.log(x) if x > 0 else np.inf, lambda x: 1 - 2 / x if x > 0 else np.nan)
    found = minimize(beyond, np.array([12.0]))
    assert found.status is Status.CONVERGED
    assert found.parameters == pytest.approx(2.0, abs=1e-4)


def test_no_step_that_improves_the_objective_is_said_to_be_so():
    found = minimize(Line(abs, lambda x: 1.0), np.zeros(1))
    assert found.status is Status.FLAT
    assert found.parameters == 0.0


def test_values_that_are_rounded_do_not_keep_it_from_the_optimum(global_random_seed):
    problem, rng = Logistic(global_random_seed), np.random.default_rng(global_random_seed)
    exact = newton(problem.evaluate, np.zeros(SIZE))

    def blurred(b):
        value, gradient, _ = problem.evaluate(b)
        return value * (1 + 3e-9 * rng.uniform(-1, 1)), gradient

    problem.value_and_gradient = blurred
    found = minimize(problem, np.zeros(SIZE), tolerance=1e-8)
    assert found.status is Status.CONVERGED
    assert squared_distance(found, exact) < 1e-6


def test_steps_never_raise_the_objective(global_random_seed):
    problem = Logistic(global_random_seed, rough=0.05)
    start = np.random.default_rng(global_random_seed).normal(size=SIZE)
    values = [minimize(problem, start, max_steps=steps).evaluation.value for steps in range(1, 12)]
    assert np.all(np.diff([problem.evaluate(start).value, *values]) <= 1e-8 * values[0])


@pytest.mark.parametrize("most", [1, 3, 30])
def test_no_more_steps_are_taken_than_allowed(most, global_random_seed):
    problem = Logistic(global_random_seed, rough=0.001)
    found = minimize(problem, np.zeros(SIZE), tolerance=1e-30, max_steps=most)
    assert found.status is Status.MAX_STEPS
    assert found.n_steps == most


def test_what_was_learned_elsewhere_changes_the_way_and_not_the_end(global_random_seed):
    seed = global_random_seed
    other = minimize(Logistic(seed, ridge=5.0, rough=0.3, rows=slice(0, 300)), np.zeros(SIZE))
    problem = Logistic(seed, rough=0.3)
    exact = newton(problem.evaluate, np.zeros(SIZE))
    assert other.guide.moves
    for guide in (None, other.guide, other.guide.of_share(4 / 3), other.guide.of_share(30.0)):
        found = minimize(problem, other.parameters, guide)
        assert found.status is Status.CONVERGED
        assert squared_distance(found, exact) < 1e-7


def test_a_guide_shortens_the_way_to_a_neighbour(global_random_seed):
    problem, neighbour = Logistic(global_random_seed), Logistic(global_random_seed, ridge=1.1)
    first = minimize(problem, np.zeros(SIZE))
    led = minimize(neighbour, first.parameters, first.guide)
    assert led.n_steps <= minimize(neighbour, np.zeros(SIZE)).n_steps


@pytest.mark.parametrize("kind", [EventTimePropensity, FollowUpPropensity])
def test_features_in_single_precision_blur_a_slope_by_far_less_than_fits_look_at(kind, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    n, d = 2_000, 110
    X = 1_000 + rng.standard_normal((n, d)) * np.logspace(-1, 1, d)
    event, follow_up = np.exp(rng.standard_normal(n)), np.exp(1.5 * rng.standard_normal(n))
    y = (rng.random(n) < 0.5) & (event <= follow_up)
    time = np.where(y, event, follow_up)
    cohort = check_cohort(X, y, names=[f"x{i}" for i in range(d)], time=time, follow_up=follow_up)
    task = Task(cohort, [kind(DISTRIBUTIONS["lognormal"])], np.arange(d))
    exact, rounded = (
        IndexedObjective(LinearObjective(task, 30.0, may_round=may_round), 100.0) for may_round in (False, True)
    )
    assert rounded.objective.features.values.dtype == np.float32
    found = minimize(rounded, np.zeros(rounded.size), tolerance=1e-4)
    assert found.status is Status.CONVERGED
    (value, slope), (rounded_value, rounded_slope) = (
        one.value_and_gradient(found.parameters) for one in (exact, rounded)
    )
    assert rounded_value == pytest.approx(value, rel=1e-6)
    # In the units of the tolerance, a thousandth of it.
    blur, rough = rounded_slope - slope, exact.evaluate_roughly(found.parameters)
    curvature = exact.curved(found.parameters, rough.hessian)
    assert blur @ np.linalg.solve(curvature, blur) < 1e-7


def test_what_comes_along_with_the_rough_curvature_is_value_and_gradient(
    any_propensity, objective_of, global_random_seed
):
    indexed = IndexedObjective(objective_of(any_propensity, columns=(2,), n=300, seed=global_random_seed), 5.0)
    place = 0.1 * np.random.default_rng(global_random_seed).standard_normal(indexed.size)
    value, gradient = indexed.value_and_gradient(place)
    rough = indexed.evaluate_roughly(place)
    assert rough.value == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(rough.gradient, gradient, rtol=1e-9, atol=1e-9)
