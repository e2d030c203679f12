"""Two families of "ever": what each is, where they meet, and the derivatives of the promotion-time likelihood."""

import itertools
from functools import partial

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import minimize

from whether.distributions import DISTRIBUTIONS
from whether.family import MIXTURE, PROMOTION_TIME
from whether.learners import Task
from whether.learners.linear.index import IndexedObjective
from whether.learners.linear.objective import LinearObjective
from whether.learners.linear.optimize import newton
from whether.likelihood import Likelihood, PromotionLikelihood
from whether.propensity import EventTimePropensity, FollowUpPropensity, Observed

FAMILIES = {family.name: family for family in (MIXTURE, PROMOTION_TIME)}
CLOCKS = {"time": EventTimePropensity, "follow_up": FollowUpPropensity}
X = np.linspace(-40, 6, 47)


@pytest.fixture(params=FAMILIES)
def family(request):
    return FAMILIES[request.param]


@pytest.fixture(params=itertools.product(CLOCKS, DISTRIBUTIONS), ids="-".join)
def clock(request):
    """Every distribution of the time of a cause, seen through either clock."""
    kind, distribution = request.param
    return CLOCKS[kind](DISTRIBUTIONS[distribution], center=0.3, spread=1.4)


def test_log_odds_and_probability_say_the_same(family):
    p, slope = family.probability(X)
    ever, never = family.log_ever(X), family.log_never(X)
    np.testing.assert_allclose(family.log_odds(X), ever.value - never.value, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(np.exp(ever.value), p, rtol=1e-9)
    np.testing.assert_allclose(slope, p * ever.first, rtol=1e-9)
    np.testing.assert_allclose(family.from_log_odds(family.log_odds(X)), X, rtol=1e-9, atol=1e-9)


def test_waiting_in_vain_is_evidence_as_bayes_has_it(family):
    eta, log_missed = (grid.ravel() for grid in np.meshgrid(np.linspace(-5, 3, 9), np.log(np.linspace(0.01, 0.99, 9))))
    p, missed = family.probability(eta)[0], np.exp(family.log_missed(eta, log_missed))
    unseen = np.exp(family.log_never(eta).value) + p * missed
    expected = p * missed / unseen
    np.testing.assert_allclose(family.posterior(eta, log_missed), expected, rtol=1e-10)
    no_event = family.log_never(eta).value - family.log_never(eta + log_missed).value
    np.testing.assert_allclose(np.log(unseen), no_event, rtol=1e-9, atol=1e-12)


def test_where_the_event_is_rare_the_families_agree(clock, draw_points):
    _, v, observed = draw_points(clock, np.random.default_rng(0))
    eta = np.full(v.shape[1], -15.0)
    for labeled in (True, False):
        one, other = (
            kind(clock).terms(eta, v, Observed(observed), labeled=labeled) for kind in (Likelihood, PromotionLikelihood)
        )
        for ours, theirs in zip(one, other, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-4 * max(1.0, np.abs(theirs).max()))


@pytest.mark.parametrize("labeled", [True, False])
def test_rows_have_the_derivatives_they_say(clock, labeled, draw_points, finite_difference):
    eta, v, place = draw_points(clock, np.random.default_rng(1))
    criterion, observed = PromotionLikelihood(clock), Observed(place)
    rows, point = partial(criterion.terms, labeled=labeled), np.vstack([np.clip(eta, -6, 3), v])
    at = rows(point[0], point[1:], observed)
    slopes = criterion.slopes(point[0], point[1:], observed, labeled=labeled)
    gradient = finite_difference(lambda x: rows(x[0], x[1:], observed).value, point)
    curvature = finite_difference(lambda x: rows(x[0], x[1:], observed).gradient, point)
    lost = 1e-11 * np.abs(at.value)  # by rounding: a light tail has log densities of -1e8
    np.testing.assert_array_less(np.abs(at.gradient - gradient), 1e-6 * np.abs(gradient) + 1e-6 + lost)
    np.testing.assert_allclose(at.curvature, curvature, rtol=1e-5, atol=1e-5)
    for alone, together in zip(slopes, at[:2], strict=True):
        np.testing.assert_array_equal(alone, together)


@pytest.mark.parametrize("labeled", [True, False])
def test_rows_are_finite_at_the_most_extreme_predictors(clock, labeled):
    extremes = [(-1e6, -1.0, 0.0, 1e6), (-12.0, 0.0, 4.0)][: len(clock.predictors)]
    if len(clock.predictors) > 2:  # a distribution with a shape answers for its own extremes
        extremes = [(-3.0, 0.0, 3.0), (-1.0, 0.5), (-1.0, 0.5)]
    grid = np.array(list(itertools.product((-700.0, -40.0, 0.0, 40.0, 700.0), (-2.0, 0.5), *extremes))).T
    terms = PromotionLikelihood(clock).terms(grid[0], grid[2:], Observed(grid[1]), labeled=labeled)
    assert all(np.isfinite(part).all() for part in terms)


@pytest.mark.parametrize("labeled", [True, False])
def test_the_safe_curvature_is_no_less_than_the_exact_one(clock, labeled, draw_points):
    eta, v, observed = draw_points(clock, np.random.default_rng(2))
    terms = PromotionLikelihood(clock).terms(eta, v, Observed(observed), labeled=labeled)
    safe = PromotionLikelihood(clock).safe_curvature(eta, terms, labeled=labeled)
    exact = -np.einsum("iin->in", terms.curvature)
    assert np.all(safe >= exact - 1e-9 * np.maximum(1.0, np.abs(exact)))
    assert np.all(safe[:2] >= -1e-9)  # the predictor of the outcome and the location; a log scale may bend upwards


@pytest.mark.parametrize("columns", [(0, 1, 2), (1,), ()])
def test_the_objective_has_the_derivatives_it_says(clock, columns, draw_times, finite_difference):
    task = Task(draw_times(5, 60).checked(), [clock], np.array(columns, dtype=int), family=PROMOTION_TIME)
    objective = LinearObjective(task, 0.7)
    theta = 0.4 * np.random.default_rng(1).normal(size=objective.layout.size)
    at = objective.evaluate(theta)
    gradient = finite_difference(lambda x: objective.evaluate(x).value, theta)
    hessian = finite_difference(lambda x: objective.evaluate(x).gradient, theta)
    np.testing.assert_allclose(at.gradient, gradient, rtol=1e-6, atol=1e-5)
    np.testing.assert_allclose(at.hessian, hessian, rtol=1e-6, atol=1e-4)


def test_the_event_time_likelihood_integrates_to_the_label_likelihood(distribution):
    time, follow_up = (kind(distribution, center=0.4, spread=1.3) for kind in CLOCKS.values())
    eta, v = np.array([0.3]), np.array([[0.2], [-0.4], [0.3]])[: len(time.predictors)]

    def density(log_time):
        at = time.locate(np.exp([log_time]))
        return np.exp(PromotionLikelihood(time).terms(eta, v, Observed(at), labeled=True).value[0] + log_time)

    for end in (0.2, 1.0, 5.0):
        at = follow_up.locate(np.array([end]))
        seen, missed = (
            PromotionLikelihood(follow_up).terms(eta, v, Observed(at), labeled=label).value for label in (True, False)
        )
        integral, _ = quad(density, -40, np.log(end), epsabs=1e-12, epsrel=1e-12, limit=200)
        assert integral == pytest.approx(np.exp(seen[0]), abs=1e-8)
        assert np.exp(seen[0]) + np.exp(missed[0]) == pytest.approx(1.0, abs=1e-14)


def test_where_all_causes_come_in_time_it_is_the_regression_with_a_complementary_log_log_link(draw_times):
    people = draw_times(3, 500)
    task = Task(people.checked(), [FollowUpPropensity(DISTRIBUTIONS["weibull"])], family=PROMOTION_TIME)
    objective = LinearObjective(task, 0.0)
    start = np.concatenate([[0.0, -1e6, 0.0], np.zeros(3)])  # a location so early that F is one for everybody
    found = newton(IndexedObjective(objective, fixed=(1, 2)).evaluate, start).parameters

    def loss(beta):
        rate = np.exp(beta[0] + people.X @ beta[1:])
        return -np.sum(np.where(people.y == 1, np.log(-np.expm1(-rate)), -rate))

    expected = minimize(loss, np.zeros(4), method="BFGS", options={"gtol": 1e-7}).x
    raw = objective.predictor(found).to_raw() @ found
    np.testing.assert_allclose(raw[[0, 3, 4, 5]], expected, atol=1e-4)


def test_many_causes_of_which_hardly_one_is_due_are_counted_to_the_last_digit():
    # Fails while the log probability of no event is a difference of two large numbers.
    clock = EventTimePropensity(DISTRIBUTIONS["exponential"])
    eta, v = np.full(3, 30.0), np.zeros((1, 3))
    observed = np.log([1e-15, 1e-14, 1e-13])
    unseen = PromotionLikelihood(clock).terms(eta, v, Observed(observed), labeled=False)
    np.testing.assert_allclose(unseen.value, np.exp(30.0) * np.expm1(-np.exp(observed)), rtol=1e-12)
    np.testing.assert_allclose(unseen.gradient[0], unseen.value, rtol=1e-12)
