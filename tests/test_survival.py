"""Curves without a model: the same as scipy's where scipy has them, and what they promise where it has not."""

import warnings

import numpy as np
import pytest
from scipy.stats import CensoredData, ecdf

from whether.survival import kaplan_meier


@pytest.fixture
def cohort(global_random_seed):
    """Half are positive with events by 20, follow-up is uniform: what was seen, with the truth."""
    rng = np.random.default_rng([global_random_seed, 33])
    event = np.where(rng.random(4000) < 0.5, np.exp(0.5 * rng.normal(size=4000)), np.inf)
    follow_up = rng.uniform(0.05, 20.0, 4000)
    return event <= follow_up, np.minimum(event, follow_up), follow_up


def test_curve_and_limits_are_those_of_scipy_where_it_has_them(cohort):
    seen, time = cohort[0], np.round(cohort[1], 1) + 0.1  # with many ties
    curve = kaplan_meier(seen, time)
    theirs = ecdf(CensoredData(uncensored=time[seen], right=time[~seen])).sf
    np.testing.assert_allclose(curve.survival, theirs.probabilities, rtol=1e-12)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some of theirs are undefined, and not compared
        limits = theirs.confidence_interval(0.95, method="log-log")
    inside = (curve.survival > 0) & (curve.survival < 1)
    for ours, scipys in zip(curve.interval(0.95), (limits.low, limits.high), strict=True):
        np.testing.assert_allclose(ours[inside], scipys.probabilities[inside], rtol=1e-9)


def test_without_censoring_it_is_the_empirical_curve(cohort):
    times = np.sort(cohort[2])
    curve = kaplan_meier(np.ones(times.size, dtype=int), cohort[2])
    np.testing.assert_allclose(curve.survival, 1 - np.arange(1, times.size + 1) / times.size, atol=1e-12)
    np.testing.assert_allclose(curve.at(times, before=True), 1 - np.arange(times.size) / times.size, atol=1e-12)


def test_it_levels_off_at_the_share_of_negatives(cohort):
    lower, upper = kaplan_meier(cohort[0], cohort[1]).interval(0.999999)
    assert lower[-1] < 0.5 < upper[-1]


def test_reversed_roles_estimate_the_distribution_of_follow_up(cohort):
    curve = kaplan_meier(cohort[0], cohort[1], reverse=True)
    # 5 standard errors of an estimate from 4,000 people.
    assert abs(curve.median() - np.median(cohort[2])) < 5 * 10 / np.sqrt(4000) * 1.5


def test_limits_stay_between_zero_and_one():
    curve = kaplan_meier([1, 1, 0, 1], [1.0, 2.0, 3.0, 4.0])
    lower, upper = curve.interval()
    assert np.all((lower >= 0) & (upper <= 1) & (lower <= upper))
    assert curve.survival[-1] == 0
