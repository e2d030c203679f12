"""What every propensity has in common: the likelihood in predictor space, its derivatives, its extremes."""

import itertools
from functools import partial

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit

from whether.distributions import DISTRIBUTIONS
from whether.family import MIXTURE
from whether.likelihood import Likelihood
from whether.propensity import (
    DiscreteTimePropensity,
    EventTimePropensity,
    FollowUpPropensity,
    LogisticPropensity,
    Observed,
)

EXTREME_LOGITS = (-700.0, -40.0, 0.0, 40.0, 700.0)


def rows_of(propensity, labeled):
    terms = partial(Likelihood(propensity).terms, labeled=labeled)
    return lambda eta, v, place: terms(eta, v, Observed(place))


def extreme_points(propensity):
    """Every combination of extreme predictors and observations, as (eta, v, observed)."""
    if isinstance(propensity, DiscreteTimePropensity):
        times = (1e-9, 0.5, 0.75, 3.0)
        grid = np.array(list(itertools.product(EXTREME_LOGITS, EXTREME_LOGITS, EXTREME_LOGITS, times))).T
        return grid[0], np.vstack([grid[1:3], grid[1]]), propensity.locate(grid[3])
    if propensity.predictors[:1] == ("location",):
        log_scales = (-12.0, 0.0, 4.0)[: 3 if propensity.distribution.has_scale else 1]
        shapes = (-3.0, 0.0, 0.5)[: 3 if propensity.distribution.has_shape else 1]
        extremes = EXTREME_LOGITS, (-1e6, -1.0, 0.0, 1e6), log_scales, shapes, (-1e6, 0.5)
        grid = np.array(list(itertools.product(*extremes))).T
        return grid[0], grid[1:4][: len(propensity.predictors)], grid[4]
    grid = np.array(list(itertools.product(EXTREME_LOGITS, EXTREME_LOGITS))).T
    return grid[0], grid[1:][: len(propensity.predictors)], np.zeros(grid.shape[1])


@pytest.mark.parametrize("labeled", [True, False])
def test_the_gradient_in_the_outcome_logit_is_posterior_minus_prior(propensity, labeled, draw_points):
    eta, v, observed = draw_points(propensity, np.random.default_rng(0))
    q = 1.0 if labeled else MIXTURE.posterior(eta, propensity.log_missed(v, observed).value)
    gradient = rows_of(propensity, labeled)(eta, v, observed).gradient
    np.testing.assert_allclose(gradient[0], q - expit(eta), rtol=0, atol=1e-15)


# What a difference over 2e-5 loses of the digits of a value.
ROUNDING = 1e-11


@pytest.mark.parametrize("labeled", [True, False])
def test_row_gradients_equal_finite_differences(propensity, labeled, draw_points, finite_difference):
    eta, v, observed = draw_points(propensity, np.random.default_rng(1))
    rows = rows_of(propensity, labeled)
    numerical = finite_difference(lambda x: rows(x[0], x[1:], observed).value, np.vstack([eta, v]))
    at = rows(eta, v, observed)
    lost = ROUNDING * np.abs(at.value)  # a light tail has log densities of -1e8
    np.testing.assert_array_less(np.abs(at.gradient - numerical), 1e-6 * np.abs(numerical) + 1e-7 + lost)


@pytest.mark.parametrize("labeled", [True, False])
def test_the_diagonal_alone_is_that_of_all_second_derivatives(propensity, labeled, draw_points):
    _, v, observed = draw_points(propensity, np.random.default_rng(1))
    terms = (propensity.log_seen if labeled else propensity.log_missed)(v, observed)
    whole = terms.value, terms.gradient, np.einsum("iin->in", terms.curvature)
    for alone, together in zip(propensity.diagonal(v, Observed(observed), labeled=labeled), whole, strict=True):
        np.testing.assert_allclose(alone, together, rtol=1e-12)


@pytest.mark.parametrize("labeled", [True, False])
@pytest.mark.parametrize("has_outcome", [True, False])
def test_the_slopes_alone_are_those_that_come_with_the_curvature(propensity, labeled, has_outcome, draw_points):
    eta, v, observed = draw_points(propensity, np.random.default_rng(1))
    slopes = partial(Likelihood(propensity).slopes, labeled=labeled)
    logit = eta if has_outcome else None
    for alone, together in zip(
        slopes(logit, v, Observed(observed)), rows_of(propensity, labeled)(logit, v, observed), strict=False
    ):
        np.testing.assert_array_equal(alone, together)


@pytest.mark.parametrize("labeled", [True, False])
def test_row_curvatures_equal_finite_differences(propensity, labeled, draw_points, finite_difference):
    eta, v, observed = draw_points(propensity, np.random.default_rng(2))
    rows = rows_of(propensity, labeled)
    numerical = finite_difference(lambda x: rows(x[0], x[1:], observed).gradient, np.vstack([eta, v]))
    np.testing.assert_allclose(rows(eta, v, observed).curvature, numerical, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("labeled", [True, False])
def test_rows_without_an_outcome_part_are_those_of_certain_positives(uncertain_propensity, labeled, draw_points):
    _, v, observed = draw_points(uncertain_propensity, np.random.default_rng(3))
    if isinstance(uncertain_propensity, DiscreteTimePropensity):
        observed = np.minimum(observed, [[2.0], [0.9]])  # nobody is past the last bin: missed would be impossible
    else:
        observed = np.minimum(observed, 0.0)  # nobody's missing is all but impossible
    rows = rows_of(uncertain_propensity, labeled)
    certain = rows(np.full(v.shape[1], 1e4), v, observed)
    alone = rows(None, v, observed)
    np.testing.assert_allclose(alone.value, certain.value, rtol=0, atol=1e-10)
    np.testing.assert_allclose(alone.gradient, certain.gradient[1:], rtol=0, atol=1e-10)
    np.testing.assert_allclose(alone.curvature, certain.curvature[1:, 1:], rtol=0, atol=1e-10)


def test_a_labeled_person_is_finite_at_the_most_extreme_predictors(propensity):
    terms = rows_of(propensity, True)(*extreme_points(propensity))
    assert all(np.isfinite(part).all() for part in terms)


def test_an_unlabeled_person_is_finite_at_the_most_extreme_predictors(propensity):
    eta, v, observed = extreme_points(propensity)
    terms = rows_of(propensity, False)(eta, v, observed)
    assert all(np.isfinite(part).all() for part in terms)


def test_swapping_outcome_and_propensity_leaves_every_row_unchanged(draw_points):
    propensity = LogisticPropensity(sloped=True)
    eta, v, observed = draw_points(propensity, np.random.default_rng(4))
    for labeled in (True, False):
        rows = rows_of(propensity, labeled)
        here, there = rows(eta, v, observed), rows(v[0], eta[None], observed)
        np.testing.assert_allclose(here.value, there.value, rtol=0, atol=1e-14)
        np.testing.assert_allclose(here.gradient, there.gradient[::-1], rtol=0, atol=1e-14)
        np.testing.assert_allclose(here.curvature, there.curvature[::-1, ::-1], rtol=0, atol=1e-14)


@pytest.mark.parametrize("ridge", [0.0, 0.7])
def test_swapping_outcome_and_propensity_leaves_the_objective_of_equal_columns_unchanged(ridge, objective_of):
    objective = objective_of(LogisticPropensity(sloped=True), ridge=ridge)
    theta = np.random.default_rng(5).normal(size=8)
    swapped = theta[[1, 0, 5, 6, 7, 2, 3, 4]]
    np.testing.assert_allclose(objective.evaluate(theta).value, objective.evaluate(swapped).value, rtol=1e-14)


def test_the_event_time_likelihood_integrates_to_the_label_likelihood(distribution):
    event_time = EventTimePropensity(distribution, center=0.4, spread=1.3)
    follow_up = FollowUpPropensity(distribution, center=0.4, spread=1.3)
    eta, v = np.array([0.3]), np.array([[0.2], [-0.4], [-0.6]])[: len(event_time.predictors)]

    def density(log_time):
        rows = rows_of(event_time, True)(eta, v, event_time.locate(np.exp([log_time])))
        return np.exp(rows.value[0] + log_time)

    for end in (0.2, 1.0, 5.0):
        expected = np.exp(rows_of(follow_up, True)(eta, v, follow_up.locate(np.array([end]))).value[0])
        integral, _ = quad(density, -40, np.log(end), epsabs=1e-12, epsrel=1e-12, limit=200)
        assert integral == pytest.approx(expected, abs=1e-8)


def test_seen_and_missed_within_a_follow_up_add_up_to_one(distribution, draw_points):
    propensity = FollowUpPropensity(distribution, center=0.4, spread=1.3)
    _, v, observed = draw_points(propensity, np.random.default_rng(6))
    total = np.exp(propensity.log_seen(v, observed).value) + np.exp(propensity.log_missed(v, observed).value)
    np.testing.assert_allclose(total, 1.0, rtol=0, atol=1e-14)


def test_event_time_and_follow_up_agree_on_who_is_missed(distribution, draw_points):
    event_time, follow_up = EventTimePropensity(distribution), FollowUpPropensity(distribution)
    _, v, observed = draw_points(event_time, np.random.default_rng(7))
    for one, other in zip(event_time.log_missed(v, observed), follow_up.log_missed(v, observed), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("labeled", [True, False])
def test_rows_do_not_depend_on_the_units_in_which_predictors_are_kept(distribution, labeled, draw_points):
    plain = EventTimePropensity(distribution)
    scaled = EventTimePropensity(distribution, center=0.4, spread=1.3)
    eta, v, observed = draw_points(plain, np.random.default_rng(8))
    offset, multiplier = scaled.units()
    moved = offset[:, None] + multiplier[:, None] * v
    here = rows_of(scaled, labeled)(eta, v, observed).value
    there = rows_of(plain, labeled)(eta, moved, 0.4 + 1.3 * observed).value
    np.testing.assert_allclose(here, there, rtol=1e-12, atol=1e-12)


def discrete_shares(propensity, v):
    """Probability of an event in each bin, and of none up to each edge, of people with equal predictors."""
    n_bins = propensity.edges.size
    people, observed = np.repeat(v[:, None], n_bins, axis=1), propensity.locate(propensity.edges)
    return np.exp(propensity.log_seen(people, observed).value), np.exp(propensity.log_missed(people, observed).value)


def test_a_positive_has_the_event_in_some_bin():
    propensity = DiscreteTimePropensity(np.array([0.5, 1.0, 2.0, 4.0]))
    seen, _ = discrete_shares(propensity, np.array([-1.0, 0.5, 2.0]))
    assert seen.sum() == pytest.approx(1.0, abs=1e-15)


def test_seen_up_to_an_edge_and_missed_there_add_up_to_one():
    propensity = DiscreteTimePropensity(np.array([0.5, 1.0, 2.0, 4.0]))
    seen, missed = discrete_shares(propensity, np.array([-1.0, 0.5, 2.0]))
    np.testing.assert_allclose(np.cumsum(seen) + missed, 1.0, rtol=0, atol=1e-15)


def test_within_a_bin_events_fall_evenly():
    propensity = DiscreteTimePropensity(np.array([0.5, 1.0, 2.0, 4.0]))
    times = np.array([1.0, 1.25, 1.5, 1.75, 2.0])
    v = np.repeat([[-1.0], [0.5], [2.0]], times.size, axis=1)
    missed = np.exp(propensity.log_missed(v, propensity.locate(times)).value)
    np.testing.assert_allclose(np.diff(missed), np.diff(missed)[0], rtol=1e-12)


@pytest.mark.parametrize("name", ["log_survival", "log_cdf"])
def test_log_survival_and_log_distribution_functions_bend_downwards(distribution, name):
    z = np.concatenate([-np.logspace(-3, 10, 60), np.logspace(-3, 10, 60)])
    for shape in (-1.5, 0.0, 0.7) if distribution.has_shape else ((),):
        second = getattr(distribution, name)(z, *np.full((1, z.size), shape) if distribution.has_shape else ()).second
        assert np.all(second <= 0)


@pytest.mark.parametrize("name", ["log_survival", "log_cdf"])
def test_normal_curvature_is_minus_one_far_in_the_tail(name):
    # Fails while mills * (mills - z) subtracts two nearly equal numbers: past 1e8 nothing of the curvature is left.
    tail = np.logspace(2, 10, 30) * (1 if name == "log_survival" else -1)
    second = getattr(DISTRIBUTIONS["lognormal"], name)(tail).second
    np.testing.assert_allclose(second, -1.0, atol=2e-4)
