"""Properties of any small cohort, however odd (hypothesis)."""

import warnings

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.special import expit

from whether import METHODS
from whether.cohort import Cohort
from whether.family import MIXTURE
from whether.learners import Task
from whether.learners.linear.objective import LinearObjective
from whether.likelihood import Likelihood
from whether.validate import check_cohort

NUMBERS = st.floats(-20, 20).map(lambda value: round(value, 3))
TIMES = st.floats(0.01, 100).map(lambda value: round(value, 3))
FEW = settings(max_examples=40, deadline=None, derandomize=True)


@st.composite
def cohorts(draw):
    n, d = draw(st.integers(6, 25)), draw(st.integers(1, 3))
    features = np.array(draw(st.lists(st.lists(NUMBERS, min_size=d, max_size=d), min_size=n, max_size=n)))
    labeled = np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    follow_up = np.array(draw(st.lists(TIMES, min_size=n, max_size=n)))
    share = np.array(draw(st.lists(st.floats(0.01, 1), min_size=n, max_size=n)))
    assume(0 < labeled.sum() < n)
    names = tuple(f"x{column}" for column in range(d))
    return Cohort(features, labeled, names, None, np.where(labeled, share * follow_up, follow_up), follow_up)


def accepted(cohort):
    """Whether validation lets the cohort pass: no constant or twin columns, a follow-up that is one."""
    try:
        check_cohort(cohort.features, cohort.labeled, names=cohort.names, time=cohort.time, follow_up=cohort.follow_up)
    except ValueError:
        return False
    return True


@FEW
@given(cohort=cohorts(), seed=st.integers(0, 99))
def test_any_cohort_has_a_finite_likelihood_and_gradient(propensity, cohort, seed):
    columns = np.arange(cohort.features.shape[1])
    objective = LinearObjective(Task(cohort, [propensity], columns), 1.0)
    theta = np.random.default_rng(seed).normal(size=objective.layout.size)
    at = objective.evaluate(theta)
    assert all(np.isfinite(part).all() for part in at)


@FEW
@given(cohort=cohorts(), eta=st.floats(-50, 50), level=st.floats(-3, 3))
def test_whoever_was_not_seen_is_no_more_likely_positive_than_before(uncertain_propensity, cohort, eta, level):
    logits, v = np.full(cohort.n, eta), np.full((len(uncertain_propensity.predictors), cohort.n), level)
    missed = uncertain_propensity.log_missed(v, uncertain_propensity.observe(cohort).end).value
    q = MIXTURE.posterior(logits, missed)
    assert np.all((q >= 0) & (q <= expit(eta) * (1 + 1e-12)))


@FEW
@given(cohort=cohorts(), eta=st.floats(-50, 50), level=st.floats(-3, 3))
def test_whoever_was_seen_is_positive(propensity, cohort, eta, level):
    logits, v = np.full(cohort.n, eta), np.full((len(propensity.predictors), cohort.n), level)
    gradient = Likelihood(propensity).terms(logits, v, propensity.observe(cohort), labeled=True).gradient[0]
    np.testing.assert_allclose(gradient + expit(eta), 1.0, rtol=0, atol=1e-14)


@FEW
@given(cohort=cohorts(), name=st.sampled_from(sorted(METHODS)))
def test_any_fit_gives_probabilities(cohort, name, build):
    assume(accepted(cohort))
    model, X = build(METHODS[name], named=[0], shrinkage=100.0), cohort.features
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # so small a cohort says little; that is warned of
        model.fit(X, cohort.labeled, time=cohort.time, follow_up=cohort.follow_up)
    for values in (model.predict_proba(X)[:, 1], model.predict_propensity(X), model.predict_label_proba(X)):
        assert np.all((values >= 0) & (values <= 1))
    assert np.isfinite(model.fit_result_.log_likelihood)
