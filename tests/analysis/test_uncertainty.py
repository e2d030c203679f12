"""Intervals: the delta method beside derivatives by differences, and the truth of simulated worlds."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import logit

import whether as wh
from whether.analysis.still_to_come import predict_still
from whether.analysis.uncertainty import share_interval, spread_of_sums, unseen_interval
from whether.validate import check_cohort


def fit(name, cohort, **settings):
    model = wh.METHODS[name].build([2, 3], **settings)
    model.fit(cohort.X, cohort.y, time=cohort.time, follow_up=cohort.follow_up)
    names = [f"x{i}" for i in range(cohort.X.shape[1])]
    checked = check_cohort(cohort.X, cohort.y, names=names, time=cohort.time, follow_up=cohort.follow_up)
    return model, checked


def sums(model, cohort):
    return np.array(
        [model.predict_proba(cohort.features)[:, 1].mean(), np.nansum(predict_still(model, cohort.features, cohort))]
    )


@pytest.mark.filterwarnings("ignore::UserWarning")  # what fits of a small cohort warn of is not the question here
@pytest.mark.parametrize(
    "name", ["LR", "ENPU", "PGLIN", "SARPU-R", "FUMC-F", "FUMC-R", "AFTMC-F", "AFTMC-R", "DTMC", "AFTPT", "FUPT"]
)
def test_the_delta_method_agrees_with_differences(name):
    model, cohort = fit(name, wh.simulate("partially-dependent", n=500, seed=3))
    found, fitted = spread_of_sums(model, cohort, ~cohort.labeled), model.model_
    at, step, slopes = fitted.coefficients, 1e-5, []
    for unit in np.eye(at.size):
        ends = []
        for side in (-step, step):
            moved = replace(fitted.predictor, coefficients=at + side * unit)
            model.model_ = replace(fitted, predictor=moved)
            ends.append(sums(model, cohort))
        slopes.append((ends[1] - ends[0]) / (2 * step))
    covariance = fitted.covariance.matrix
    errors = np.sqrt(np.einsum("ik,ij,jk->k", slopes, covariance, slopes))
    assert found.mean_risk == pytest.approx(errors[0], rel=1e-4)
    assert found.unseen == pytest.approx(errors[1], rel=1e-4, abs=1e-9)


def test_the_interval_covers_the_number_of_unseen_positives(global_random_seed):
    """Without penalties it covers about 92 of 100; fewer than 28 of 40 then come once in 100,000 runs."""
    covered, n = 0, 40
    settings = {"distribution": "lognormal", "shrinkage": 0.0, "ridge": 0.0}
    for seed in range(n):
        cohort = wh.simulate("partially-dependent", n=600, seed=1000 * global_random_seed + seed)
        model, checked = fit("AFTMC-F", cohort, **settings)
        still = predict_still(model, cohort.X, checked)[cohort.y == 0]
        found = unseen_interval(still, spread_of_sums(model, checked, ~checked.labeled).unseen, 0.95)
        covered += found.lower <= cohort.positive[cohort.y == 0].sum() <= found.upper
        assert found.upper - found.lower < 0.6 * still.size
    assert covered >= 28


def test_an_interval_reaches_as_far_as_it_is_told_to_either_side():
    near, far = share_interval(0.3, 0.02, 0.95), share_interval(0.3, 0.02, 0.95, (0.0, 0.5))
    assert far.lower == near.lower
    error = 0.02 / (0.3 * 0.7)
    assert logit(far.upper) == pytest.approx(logit(0.3) + 1.959964 * math.hypot(error, 0.5), rel=1e-6)


def test_an_interval_of_a_share_stays_between_0_and_1():
    found = share_interval(0.02, 0.05, 0.95)
    assert 0 < found.lower < 0.02 < found.upper < 1


def test_an_unknown_error_gives_unknown_limits():
    found = unseen_interval(np.array([0.2, 0.7]), math.nan, 0.95)
    assert found.estimate == pytest.approx(0.9)
    assert math.isnan(found.lower)
    assert math.isnan(found.upper)


def test_known_coefficients_leave_the_chance_in_who_is_positive():
    found = unseen_interval(np.full(400, 0.5), 0.0, 0.95)
    assert found.standard_error == pytest.approx(10.0)
    assert found.lower == pytest.approx(200 - 1.96 * 10, abs=0.1)
