"""penalty=None is maximum likelihood, models may have no features, and parts may have features of their own."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning

import whether as wh
from whether.learners import FittedPeople

TIMED = [wh.MixtureCureClassifier, wh.FollowUpCureClassifier, wh.AFTClassifier]


@pytest.fixture(scope="session")
def people(global_random_seed):
    return wh.simulate("partially-dependent", n=800, seed=global_random_seed)


@pytest.fixture(scope="session")
def fit(people):
    """Function that fits by maximum likelihood, and may stretch time or take other features."""

    def fit(model, *, stretch=1.0, X=None, rows=slice(None)):
        model.set_params(penalty=None)
        times = {"time": stretch * people.time[rows], "follow_up": stretch * people.follow_up[rows]}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", wh.FollowUpWarning)
            warnings.simplefilter("ignore", wh.IdentifiabilityWarning)
            return model.fit(people.X[rows] if X is None else X, people.y[rows], **times)

    return fit


def without_features(people):
    return np.empty((people.y.size, 0))


@pytest.mark.parametrize("name", [name for name in wh.METHODS if name not in ("uPU", "nnPU", "SARPU-F", "HIND")])
def test_nothing_but_the_likelihood_is_maximised(name, fit):
    method = wh.METHODS[name]
    model = fit(method.build([2, 3] if method.feature_parameter else None))
    assert model.is_maximum_likelihood_
    assert model.converged_
    assert model.fit_result_.objective == pytest.approx(-model.loglik_, abs=1e-9)


@pytest.mark.parametrize("parts", [{}, {"outcome_features": [0, 2], "time_features": [1, 2, 3]}])
@pytest.mark.parametrize("distribution", ["lognormal", "weibull", "exponential"])
def test_the_gradient_of_the_likelihood_vanishes_at_the_estimates(parts, distribution, fit, people):
    from whether.validate import check_cohort

    model = fit(wh.MixtureCureClassifier(distribution, **parts))
    cohort = check_cohort(people.X, people.y, names=model._names(), time=people.time)
    fitted = FittedPeople(model.model_, model._task(cohort))
    errors = np.sqrt(np.diag(model.model_.covariance.matrix))
    np.testing.assert_allclose(fitted.scores.sum(axis=0) * errors, 0.0, atol=1e-6)


@pytest.mark.parametrize("build", TIMED)
def test_the_unit_of_time_moves_the_location_and_the_density_only(build, fit, people):
    years, days = fit(build("weibull")), fit(build("weibull"), stretch=365.25)
    told, stretched = (model.summary().to_frame() for model in (years, days))
    is_location = (told.part == "location") & (told.term == "intercept")
    np.testing.assert_allclose(stretched.estimate, told.estimate + np.log(365.25) * is_location, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(stretched.standard_error, told.standard_error, rtol=1e-5)
    n_densities = 0 if build is wh.FollowUpCureClassifier else people.y.sum()
    assert days.loglik_ == pytest.approx(years.loglik_ - n_densities * np.log(365.25), abs=1e-6)


def test_labels_without_features_have_the_likelihood_of_a_coin(fit, people):
    model = fit(wh.LabelClassifier(), X=without_features(people))
    share, n = people.y.mean(), people.y.size
    assert model.loglik_ == pytest.approx(n * (share * np.log(share) + (1 - share) * np.log(1 - share)), abs=1e-9)
    assert model.aic_ == pytest.approx(2 - 2 * model.loglik_)
    assert model.bic_ == pytest.approx(np.log(n) - 2 * model.loglik_)
    assert model.vcov().to_numpy() == pytest.approx(1 / (n * share * (1 - share)), rel=1e-6)


def test_exponential_times_without_features_have_events_per_time_as_their_rate(fit, people):
    model = fit(wh.AFTClassifier("exponential"), X=without_features(people))
    (row,) = model.summary().coefficients
    events, total = people.y.sum(), people.time.sum()
    assert row.estimate == pytest.approx(np.log(total / events), abs=1e-8)
    assert row.standard_error == pytest.approx(1 / np.sqrt(events), rel=1e-6)
    assert model.loglik_ == pytest.approx(events * np.log(events / total) - events, abs=1e-8)


@pytest.mark.parametrize("build", [wh.MixtureCureClassifier, wh.FollowUpCureClassifier])
def test_no_columns_are_the_same_as_columns_that_no_part_uses(build, fit, people, tmp_path):
    bare = fit(build("lognormal"), X=pd.DataFrame(without_features(people)))
    unused = fit(build("lognormal", outcome_features=[], time_features=[]))
    assert unused.loglik_ == pytest.approx(bare.loglik_, abs=1e-9)
    assert bare.n_parameters_ == unused.n_parameters_ == 3
    wh.save_model(bare, tmp_path / "model")
    opened = wh.load_model(tmp_path / "model").model
    nobody = np.empty((5, 0))
    for ask in ("predict_proba", "predict_propensity"):
        np.testing.assert_array_equal(getattr(opened, ask)(nobody), getattr(bare, ask)(nobody))
    np.testing.assert_allclose(opened.predict_proba(nobody)[0], unused.predict_proba(people.X)[0])
    pd.testing.assert_frame_equal(opened.summary().to_frame(), bare.summary().to_frame())


def test_features_of_the_parts_are_theirs_alone(fit, people):
    model = fit(wh.MixtureCureClassifier("lognormal", time_features=[3, 1], outcome_features=[2, 1]))
    terms = model.summary().to_frame().set_index("part").term
    assert terms["outcome"].tolist() == ["intercept", "x1", "x2"]
    assert terms["location"].tolist() == ["intercept", "x1", "x3"]
    logit, shifted = model.decision_function(people.X), people.X + np.array([5.0, 0.0, 0.0, 5.0])
    np.testing.assert_array_equal(model.decision_function(shifted), logit)
    assert not np.allclose(model.predict_propensity(shifted), model.predict_propensity(people.X))


def test_covariance_is_that_of_the_table(fit):
    model = fit(wh.MixtureCureClassifier("weibull"))
    table, covariance = model.summary().to_frame(), model.vcov()
    assert covariance.index.tolist() == list(zip(table.part, table.term, strict=True))
    np.testing.assert_allclose(np.sqrt(np.diag(covariance)), table.standard_error, rtol=1e-10)
    assert "AIC" in str(model.summary())


def test_penalised_fits_have_no_information_criteria(people):
    model = wh.MixtureCureClassifier("lognormal", shrinkage=0, ridge=0).fit(people.X, people.y, time=people.time)
    assert not model.is_maximum_likelihood_
    assert not hasattr(model, "aic_")
    assert np.isfinite(model.loglik_)
    assert "AIC" not in str(model.summary())


def test_random_starts_end_at_the_same_maximum(fit):
    model = fit(wh.MixtureCureClassifier("lognormal", n_starts=6, random_state=0))
    ends = [start.objective for start in model.fit_result_.starts]
    assert len(ends) == 6
    assert min(ends) == pytest.approx(-model.loglik_, abs=1e-8)


@pytest.mark.filterwarnings("ignore::whether.FollowUpWarning")
def test_a_cured_fraction_of_zero_is_a_warning_and_the_model_without_cure():
    """Events come ever faster, and an exponential mixture can only have them come ever slower: nobody is cured."""
    time = np.linspace(0.1, 1.0, 200) ** 0.25
    y, nothing = (np.arange(200) % 4 > 0).astype(int), np.empty((200, 0))
    model = wh.MixtureCureClassifier("exponential", penalty=None)
    with pytest.warns(wh.IdentifiabilityWarning, match="outcome: intercept"):
        model.fit(nothing, y, time=time)
    assert model.at_boundary_
    assert model.converged_
    assert model.predict_proba(nothing[:1])[0, 1] == pytest.approx(1, abs=1e-6)
    without_cure = wh.AFTClassifier("exponential", penalty=None).fit(nothing, y, time=time)
    assert not without_cure.at_boundary_
    assert model.loglik_ == pytest.approx(without_cure.loglik_, abs=1e-6)
    assert model.vcov().isna().all(axis=None)
    assert "No standard errors" in str(model.summary())


@pytest.mark.parametrize("distribution", ["lognormal", "weibull", "gengamma"])
def test_times_without_noise_have_no_maximum_and_the_fit_says_so(distribution, global_random_seed):
    """The density is unbounded as the scale goes to zero."""
    rng = np.random.default_rng(global_random_seed)
    X, follow_up = rng.normal(size=(200, 1)), rng.uniform(0.5, 8, 200)
    event_time = np.exp(X[:, 0])
    y, time = (event_time <= follow_up).astype(int), np.minimum(event_time, follow_up)
    with pytest.warns((ConvergenceWarning, wh.IdentifiabilityWarning)):
        model = wh.AFTClassifier(distribution, penalty=None).fit(X, y, time=time)
    assert model.at_boundary_ or not model.converged_
    assert np.isfinite(model.predict_proba(X)).all()


def test_separation_is_at_the_boundary():
    x = np.linspace(-1, 1, 40)[:, None]
    with pytest.warns(wh.IdentifiabilityWarning, match="outcome: x0"):
        model = wh.LabelClassifier(penalty=None).fit(x, (x[:, 0] > 0).astype(int))
    assert model.at_boundary_


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"ridge": 1.0}, "ridge=1.0 asks for one"),
        ({"shrinkage": 10.0}, "shrinkage=10.0 asks for one"),
        ({"learner": "boosted"}, "learner='boosted'"),
        ({"penalty": "l2"}, "penalty must be 'auto', or None"),
        ({"penalty": "auto", "learner": "boosted", "outcome_features": [0]}, "outcome_features is for"),
        ({"penalty": "auto", "shrinkage": 10.0, "outcome_features": [0]}, "outcome_features lacks some"),
        ({"outcome_features": [7]}, "outcome_features has 7"),
    ],
)
def test_contradictions_are_refused(parameters, message, people):
    model = wh.MixtureCureClassifier("lognormal", **{"penalty": None, **parameters})
    with pytest.raises((wh.ArgumentError, wh.DataError), match=message):
        model.fit(people.X, people.y, time=people.time)


# ---------------------------------------------------------------- likelihood ratio


def test_likelihood_ratio_of_nested_fits(fit):
    large = fit(wh.MixtureCureClassifier("weibull"))
    small = fit(wh.MixtureCureClassifier("exponential", time_features=[0, 1]))
    test = wh.likelihood_ratio_test(small, large)
    assert test.statistic == pytest.approx(2 * (large.loglik_ - small.loglik_))
    assert test.df == 3
    assert 0 <= test.p_value <= 1
    assert f"{test.statistic:.4f} on 3 df" in str(test)


@pytest.mark.parametrize(
    ("small", "large", "message"),
    [
        (wh.AFTClassifier("weibull"), wh.MixtureCureClassifier("weibull"), "of one class"),
        (wh.MixtureCureClassifier("lognormal"), wh.MixtureCureClassifier("weibull"), "no special case"),
        (wh.MixtureCureClassifier("weibull"), wh.MixtureCureClassifier("weibull", time_features=[0]), "lacks 'x1'"),
        (wh.MixtureCureClassifier("weibull"), wh.MixtureCureClassifier("weibull"), "more parameters"),
        (wh.DiscreteTimeCureClassifier(4), wh.DiscreteTimeCureClassifier(5), "bins of time"),
    ],
)
def test_fits_that_are_not_nested_are_refused(small, large, message, fit):
    with pytest.raises(wh.ArgumentError, match=message):
        wh.likelihood_ratio_test(fit(small), fit(large))


def test_fits_to_other_people_and_penalised_ones_are_refused(fit, people):
    small, large = fit(wh.LabelClassifier(), X=people.X[:, :2]), fit(wh.LabelClassifier(), rows=slice(0, 799))
    with pytest.raises(wh.ArgumentError, match="the number of people"):
        wh.likelihood_ratio_test(small, large)
    with pytest.raises(wh.ArgumentError, match="penalty=None"):
        wh.likelihood_ratio_test(small, wh.LabelClassifier().fit(people.X, people.y))
