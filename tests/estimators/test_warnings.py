"""Warnings of answers that may mislead: when they come, when not, where they point, and what the classifier keeps."""

import warnings

import numpy as np
import pytest
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning

import whether as wh


@pytest.fixture(scope="session")
def short():
    """A cohort whose follow-up ends before most events."""
    return wh.simulate("short-follow-up", seed=0)


def test_all_features_in_both_parts_give_an_identifiability_warning(cohort):
    with pytest.warns(wh.IdentifiabilityWarning, match="outcome and propensity may be exchanged"):
        model = wh.SARPUClassifier().fit(cohort.X, cohort.y)
    assert model.exchangeable_


def test_least_agreement_tells_that_exchanged_optima_predict_differently(cohort):
    with pytest.warns(wh.IdentifiabilityWarning) as caught:
        model = wh.SARPUClassifier().fit(cohort.X, cohort.y)
    assert model.fit_result_.least_agreement < 0.5
    assert f"correlate from {model.fit_result_.least_agreement:.2f} to 1" in str(caught[0].message)


def test_named_propensity_features_do_not_warn(cohort):
    model = wh.SARPUClassifier(propensity_features=[2, 3]).fit(cohort.X, cohort.y)
    assert not model.exchangeable_
    assert model.fit_result_.least_agreement > 0.9


@pytest.mark.parametrize("build", [wh.FollowUpCureClassifier, wh.MixtureCureClassifier])
@pytest.mark.filterwarnings("ignore::whether.IdentifiabilityWarning")
def test_short_follow_up_gives_a_follow_up_warning(short, build):
    with pytest.warns(wh.FollowUpWarning) as caught:
        model = build("lognormal").fit(short.X, short.y, time=short.time, follow_up=short.follow_up)
    assert model.unseen_share_ > 0.1
    message = next(str(warning.message) for warning in caught if warning.category is wh.FollowUpWarning)
    assert f"{100 * model.unseen_share_:.0f} % of the expected positives" in message
    assert f"({model.longest_follow_up_:.3g})" in message
    assert model.longest_follow_up_ == pytest.approx(short.follow_up.max(), rel=1e-3)


@pytest.mark.parametrize("build", [wh.FollowUpCureClassifier, wh.MixtureCureClassifier, wh.DiscreteTimeCureClassifier])
def test_long_follow_up_does_not_warn(build):
    baseline = wh.simulate("baseline", n=1000, seed=0)
    model = build().fit(baseline.X, baseline.y, time=baseline.time, follow_up=baseline.follow_up)
    assert model.unseen_share_ < 0.1


def followed_for(longest, seed, n, d):
    """People of whom half are positive, followed evenly up to some time; their event takes about one unit of it."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    event = np.where(rng.random(n) < expit(X[:, 0]), rng.weibull(1.3, n), np.inf)
    follow_up = rng.uniform(0.05, longest, n)
    return X, (event <= follow_up).astype(int), np.minimum(event, follow_up)


def test_cox_model_warns_where_the_curve_of_events_still_rises(global_random_seed):
    X, y, time = followed_for(0.4, global_random_seed, 2000, 8)
    with pytest.warns(wh.FollowUpWarning, match="the curve of events has not levelled off") as caught:
        model = wh.CoxCureClassifier(random_state=0).fit(X, y, time=time)
    assert model.still_rising_ > 0.1
    assert f"{100 * model.still_rising_:.0f} % of all events would come later" in str(caught[0].message)


def test_cox_model_does_not_warn_of_few_events_that_have_all_been_seen(global_random_seed):
    X, y, time = followed_for(6.0, global_random_seed, 150, 8)
    assert wh.CoxCureClassifier(random_state=0).fit(X, y, time=time).still_rising_ < 0.1


def test_cox_model_of_a_level_known_from_elsewhere_does_not_warn_that_the_curve_rises():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        X, y, time = followed_for(0.4, 0, 2000, 8)
        model = wh.CoxCureClassifier(prevalence=0.5, random_state=0).fit(X, y, time=time)
    assert model.still_rising_ > 0.1
    assert "still rising" not in {getattr(warning.message, "finding", "") for warning in caught}


def test_model_without_a_cured_part_does_not_warn_of_short_follow_up(short):
    model = wh.AFTClassifier().fit(short.X, short.y, time=short.time)
    assert model.unseen_share_ > 0.1


@pytest.mark.filterwarnings("ignore::whether.FollowUpWarning")
@pytest.mark.filterwarnings("ignore::whether.IdentifiabilityWarning")
def test_too_few_steps_give_a_convergence_warning(classifier, cohort, needed_times):
    classifier.set_params(max_iter=1)
    with pytest.warns(
        ConvergenceWarning, match=f"{type(classifier).__name__} did not converge after 1 steps.*max_iter"
    ):
        classifier.fit(cohort.X, cohort.y, **needed_times(classifier))
    assert not classifier.converged_


def test_enough_steps_converge_without_a_warning(fitted):
    assert fitted.converged_
    assert fitted.n_iter_ >= 1


def test_label_frequency_that_is_too_small_gives_a_warning_with_its_value(cohort):
    with pytest.warns(ConvergenceWarning, match=r"label frequency \(0\.3\) is too small"):
        model = wh.UnbiasedPUClassifier(label_frequency=0.3).fit(cohort.X, cohort.y)
    assert model.negative_risk_ < 0


@pytest.mark.parametrize(
    ("estimator", "world", "category"),
    [
        (wh.SARPUClassifier(), "baseline", wh.IdentifiabilityWarning),
        (wh.FollowUpCureClassifier("lognormal"), "short-follow-up", wh.FollowUpWarning),
        (wh.MixtureCureClassifier("lognormal"), "short-follow-up", wh.FollowUpWarning),
        (wh.LabelClassifier(max_iter=1), "baseline", ConvergenceWarning),
        (wh.UnbiasedPUClassifier(label_frequency=0.5, max_iter=1), "baseline", ConvergenceWarning),
        (wh.UnbiasedPUClassifier(label_frequency=0.3), "baseline", ConvergenceWarning),
        (wh.MixtureCureClassifier("lognormal", max_iter=1), "baseline", ConvergenceWarning),
        (wh.AFTClassifier("lognormal", max_iter=1), "baseline", ConvergenceWarning),
    ],
    ids=str,
)
def test_warning_points_at_the_line_that_called_fit(estimator, world, category):
    cohort = wh.simulate(world, seed=0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        estimator.fit(cohort.X, cohort.y, time=cohort.time, follow_up=cohort.follow_up)
    assert {warning.filename for warning in caught} == {__file__}
    assert category in {warning.category for warning in caught}
