"""People who are known never to have the event: negatives, as if they had been watched for ever."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from whether import (
    METHODS,
    DiscreteTimeCureClassifier,
    FollowUpCureClassifier,
    LabelClassifier,
    MixtureCureClassifier,
    PromotionTimeClassifier,
    SARPUClassifier,
    simulate,
)
from whether.distributions import DISTRIBUTIONS
from whether.learners import AutoLearner, BoostedLearner, LinearLearner
from whether.likelihood import LIKELIHOODS
from whether.propensity import EventTimePropensity, Observed

READERS = [name for name, method in METHODS.items() if not method.estimator._unread]
WITH_TIMES = [name for name in READERS if METHODS[name].needs]


@pytest.fixture(scope="module")
def people(draw_times):
    return draw_times(21, 400)


@pytest.fixture(scope="module")
def flagged(people):
    """A third of the unlabeled."""
    return (people.y == 0) & (np.arange(400) % 3 == 0)


@pytest.fixture(params=LIKELIHOODS.values(), ids=lambda kind: kind.family.name)
def likelihood_of(request):
    """The likelihood of each family, to be made of a propensity."""
    return request.param


def flag_some(observed):
    """What is observed of people if every other one is known never to have the event."""
    return Observed(observed, never=np.arange(observed.shape[-1]) % 2 == 0)


# ---------------------------------------------------------------- the likelihood


def test_a_known_negative_is_one_minus_p_and_says_nothing_of_the_propensity(propensity, likelihood_of, draw_points):
    eta, v, observed = draw_points(propensity, np.random.default_rng(3))
    likelihood = likelihood_of(propensity)
    terms, rest = (likelihood.terms(eta, v, seen, labeled=False) for seen in (flag_some(observed), Observed(observed)))
    never = likelihood.family.log_never(eta)
    found = terms.value, terms.gradient[0], terms.curvature[0, 0]
    for one, expected in zip(found, (never.value, never.first, never.second), strict=True):
        np.testing.assert_allclose(one[::2], expected[::2], rtol=1e-14)
    assert not terms.gradient[1:, ::2].any()
    assert not terms.curvature[1:, :, ::2].any()
    for one, expected in zip(terms, rest, strict=True):
        assert np.array_equal(one[..., 1::2], expected[..., 1::2])


def test_derivatives_beside_known_negatives_equal_finite_differences(
    propensity, likelihood_of, draw_points, finite_difference
):
    eta, v, observed = draw_points(propensity, np.random.default_rng(4))
    at = partial(likelihood_of(propensity).terms, observed=flag_some(observed), labeled=False)
    x = np.vstack([eta, v])
    slopes = finite_difference(lambda x: at(x[0], x[1:]).value, x)
    bends = finite_difference(lambda x: at(x[0], x[1:]).gradient, x)
    np.testing.assert_allclose(at(eta, v).gradient, slopes, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(at(eta, v).curvature, bends, rtol=1e-5, atol=1e-5)


def test_safe_curvatures_and_slopes_of_known_negatives_are_finite(uncertain_propensity, likelihood_of):
    eta = np.array([-700.0, -40.0, 0.0, 3.0])
    v = np.full((len(uncertain_propensity.predictors), 4), 40.0)
    observed = Observed(uncertain_propensity.locate(np.ones(4)), never=np.ones(4, dtype=bool))
    likelihood = likelihood_of(uncertain_propensity)
    terms = likelihood.terms(eta, v, observed, labeled=False)
    assert np.isfinite(likelihood.safe_curvature(eta, terms, labeled=False)).all()
    for alone, together in zip(likelihood.slopes(eta, v, observed, labeled=False), terms, strict=False):
        assert np.array_equal(alone, together)
        assert np.isfinite(alone).all()


def test_whoever_is_watched_ever_longer_becomes_a_known_negative(propensity, likelihood_of, draw_points):
    if not propensity.has_clock:
        pytest.skip("nothing is watched")
    eta, v, observed = draw_points(propensity, np.random.default_rng(5))
    in_bins = observed.ndim == 2
    late = propensity.locate(np.full(eta.size, 1e4)) if in_bins else np.full(eta.size, 1e4)  # in spreads of log time
    for_ever = Observed(late, never=np.ones(eta.size, dtype=bool))
    ends = (likelihood_of(propensity).terms(eta, v, seen, labeled=False) for seen in (Observed(late), for_ever))
    for near, limit in zip(*ends, strict=True):
        np.testing.assert_allclose(near, limit, rtol=1e-6, atol=1e-6)


def test_known_negatives_are_kept_when_people_are_taken(people, flagged):
    cohort = replace(people.checked(), known_negative=flagged)
    rows = np.arange(0, 400, 7)
    assert np.array_equal(cohort.take(rows).known_negative, flagged[rows])
    assert cohort.thin(100).known_negative.sum() == flagged[::4].sum()
    assert np.array_equal(cohort.select(np.array([1])).known_negative, flagged)
    assert cohort.without_known_negatives().n == 400 - flagged.sum()
    propensity = EventTimePropensity(DISTRIBUTIONS["lognormal"])
    assert np.array_equal(propensity.observe(cohort).never, flagged)


# ---------------------------------------------------------------- fits


def test_nobody_flagged_is_the_same_fit_to_the_last_digit(method, people, build, quiet_fit):
    plain = quiet_fit(build(method), people)
    none = quiet_fit(build(method), people, known_negative=np.zeros(400, dtype=bool))
    assert np.array_equal(plain.model_.coefficients, none.model_.coefficients)
    assert none.n_known_negatives_ == 0


@pytest.mark.parametrize("name", READERS)
def test_a_known_negative_of_no_weight_is_not_there(name, people, flagged, build, quiet_fit):
    rest = quiet_fit(build(METHODS[name], shrinkage=100.0), people.take(np.flatnonzero(~flagged)))
    weight = np.where(flagged, 0.0, 1.0)
    with_weight = quiet_fit(build(METHODS[name], shrinkage=100.0), people, sample_weight=weight, known_negative=flagged)
    np.testing.assert_allclose(with_weight.model_.coefficients, rest.model_.coefficients, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", WITH_TIMES)
def test_the_times_of_known_negatives_are_not_read(name, people, flagged, build, quiet_fit):
    other = replace(
        people, **{clock: np.where(flagged, 77.0, getattr(people, clock)) for clock in ("time", "follow_up")}
    )
    fits = [quiet_fit(build(METHODS[name]), one, known_negative=flagged) for one in (people, other)]
    np.testing.assert_allclose(fits[1].model_.coefficients, fits[0].model_.coefficients, rtol=1e-9, atol=1e-9)
    assert fits[0].longest_follow_up_ == fits[1].longest_follow_up_


@pytest.mark.parametrize("name", [name for name in READERS if name != "LR"])
def test_known_negatives_lower_the_risk(name, people, flagged, build, quiet_fit):
    settings = {"label_frequency": 0.6} if name == "ENPU" else {"shrinkage": 100.0}
    plain, told = (
        quiet_fit(build(METHODS[name], **settings), people, **known) for known in ({}, {"known_negative": flagged})
    )
    assert told.predict_proba(people.X)[:, 1].mean() < plain.predict_proba(people.X)[:, 1].mean()
    assert f"known negatives: {flagged.sum()}" in str(told.summary())


def test_where_every_positive_is_seen_there_is_nothing_more_to_know(people, flagged, quiet_fit):
    plain, told = quiet_fit(LabelClassifier(), people), quiet_fit(LabelClassifier(), people, known_negative=flagged)
    assert np.array_equal(plain.model_.coefficients, told.model_.coefficients)


def test_past_the_last_event_a_model_in_bins_knows_everybody_as_negative(people, quiet_fit):
    past = (people.y == 0) & (people.time > people.time[people.y == 1].max() * 1.05)
    assert past.sum() > 10
    plain, told = (
        quiet_fit(DiscreteTimeCureClassifier(n_bins=5, shrinkage=100.0), people, **known)
        for known in ({}, {"known_negative": past})
    )
    np.testing.assert_allclose(plain.predict_proba(people.X), told.predict_proba(people.X), rtol=0, atol=1e-4)


def test_known_negatives_tell_outcome_and_propensity_apart(people, flagged):
    model = SARPUClassifier().fit(people.X, people.y, known_negative=flagged)
    assert not model.exchangeable_


def test_the_score_counts_a_known_negative_as_one(people, flagged, quiet_fit):
    model = quiet_fit(FollowUpCureClassifier("lognormal", shrinkage=100.0), people, known_negative=flagged)
    known = {"follow_up": people.follow_up}
    plain, told = (model.score(people.X, people.y, **known, **more) for more in ({}, {"known_negative": flagged}))
    p, e = model.predict_proba(people.X)[flagged, 1], model.predict_propensity(people.X, people.follow_up)[flagged]
    gained = np.sum(np.log1p(-p) - np.log1p(-p * e))
    assert 400 * (told - plain) == pytest.approx(gained, rel=1e-9)


@pytest.mark.parametrize(
    "learner",
    [
        "boosted",
        "neural",
        AutoLearner({"linear": LinearLearner(shrinkage=100.0), "boosted": BoostedLearner(max_rounds=50)}),
        LogisticRegression(),
    ],
    ids=["boosted", "neural", "auto", "classifier"],
)
def test_every_learner_reads_known_negatives(learner, people, flagged, quiet_fit):
    plain, told = (
        quiet_fit(FollowUpCureClassifier("lognormal", learner=learner, random_state=0), people, **known)
        for known in ({}, {"known_negative": flagged})
    )
    assert np.isfinite(told.predict_proba(people.X)).all()
    assert told.predict_proba(people.X)[:, 1].mean() < plain.predict_proba(people.X)[:, 1].mean()


def test_em_with_logistic_regression_agrees_with_the_linear_learner(draw_times, quiet_fit):
    people = draw_times(22, 2000)
    flagged = (people.y == 0) & (np.arange(2000) % 3 == 0)
    linear, em = (
        quiet_fit(SARPUClassifier([2], learner=learner), people, known_negative=flagged)
        for learner in ("linear", LogisticRegression())
    )
    np.testing.assert_allclose(em.predict_proba(people.X), linear.predict_proba(people.X), rtol=0, atol=0.05)


# ---------------------------------------------------------------- the truth


@pytest.fixture(scope="module")
def watch_to_the_end(draw_times):
    """Function that draws a cohort in which two of five are watched to the end: nothing of them remains unknown."""

    def draw(seed, n):
        people, rng = draw_times(seed, n), np.random.default_rng([7, seed])
        outcome = expit(0.2 + people.X @ [1.5, -0.5, 0.4])
        positive = rng.random(n) < outcome
        event_time = np.exp(-0.1 + people.X @ [0.1, 0.2, -0.3] + np.exp(-0.7) * rng.normal(size=n))
        to_the_end = rng.random(n) < 0.4
        follow_up = np.where(to_the_end, 1e3, people.follow_up)
        y = positive & (event_time <= follow_up)
        drawn = replace(people, y=y.astype(int), time=np.where(y, event_time, people.follow_up), follow_up=follow_up)
        return drawn, to_the_end & ~positive

    return draw


@pytest.mark.parametrize("kind", [MixtureCureClassifier, FollowUpCureClassifier])
def test_coefficients_come_back_where_some_are_watched_to_the_end(
    kind, watch_to_the_end, quiet_fit, global_random_seed
):
    people, never = watch_to_the_end(global_random_seed, 4000)
    model = quiet_fit(kind("lognormal", penalty=None), people, known_negative=never)
    for row in model.summary().coefficients:
        assert abs(row.estimate - people.truth[row.part, row.term]) < 4.5 * row.standard_error, (row.part, row.term)


def test_a_promotion_time_model_finds_the_truth_where_some_are_watched_to_the_end(global_random_seed):
    people = simulate("promotion", n=4000, seed=global_random_seed)
    to_the_end = np.random.default_rng([8, global_random_seed]).random(4000) < 0.4
    never = to_the_end & (people.positive == 0)
    y = np.where(to_the_end, people.positive, people.y)
    time = np.where(to_the_end & (people.positive == 1), people.event_time, people.time)
    model = PromotionTimeClassifier("time", "lognormal", penalty=None)
    model.fit(people.X, y, time=time, known_negative=never)
    truth = {"intercept": -0.4777, "x0": 1.0, "x1": -1.0, "x2": 0.0, "x3": 0.0}
    for row in model.summary().coefficients:
        expected = truth[row.term] if row.part == "outcome" else 0.0  # log-normal causes around one, of scale one
        assert abs(row.estimate - expected) < 4.5 * row.standard_error, (row.part, row.term)


def test_the_likelihood_of_a_fit_counts_known_negatives_once(people, flagged, quiet_fit):
    model = quiet_fit(SARPUClassifier([2], penalty=None), people, known_negative=flagged)
    eta, v = model.model_.predict(people.X)
    p, seen = expit(eta), expit(v[0])
    by_hand = np.where(people.y == 1, np.log(p * seen), np.where(flagged, np.log1p(-p), np.log1p(-p * seen))).sum()
    assert model.loglik_ == pytest.approx(by_hand, rel=1e-9)
