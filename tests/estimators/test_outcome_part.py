"""The outcome part as scikit-learn's tools read it: coefficients, importances, contributions that add up."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import RFE, SelectFromModel
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import whether as wh

# Few rounds keep the tests short; that they were too few, or follow-up short, is not the question here.
pytestmark = [
    pytest.mark.filterwarnings("ignore::whether.FollowUpWarning"),
    pytest.mark.filterwarnings("ignore::whether.IdentifiabilityWarning"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]
# Methods whose outcome predictor is the logit that decision_function gives.
LOGITS = ["LR", "SARPU-R", "FUMC-F", "AFTMC-R", "DTMC", "HIND"]


@pytest.fixture(scope="module")
def cohort():
    return wh.simulate("nonlinear-both", n=500, seed=0)


@pytest.fixture(scope="module")
def table(cohort):
    """Features in units of their own, with gaps in one and categories in another."""
    frame = cohort.frame()[list(cohort.feature_names)] * [1.0, 100.0, 0.01, 1.0] + [0.0, 50.0, 3.0, -7.0]
    frame.iloc[::9, 1] = np.nan
    return frame.assign(site=pd.Categorical(np.array(list("abcde"))[np.arange(len(frame)) * 7 % 5]))


def fitted(name, cohort, X, learner):
    features = ["x3", "x4"] if wh.METHODS[name].feature_parameter else None
    model = wh.METHODS[name].build(features, learner=learner, random_state=0)
    return model.fit(X, cohort.y, time=cohort.time, follow_up=cohort.follow_up)


@pytest.mark.parametrize("name", LOGITS)
def test_slopes_times_features_are_the_log_odds_of_a_linear_model(cohort, table, name):
    numbers = table[["x1", "x3", "x4"]]
    model = fitted(name, cohort, numbers, "linear")
    assert model.coef_.shape == (1, 3)
    assert model.intercept_.shape == (1,)
    expected = model.decision_function(numbers)
    np.testing.assert_allclose(numbers.to_numpy() @ model.coef_[0] + model.intercept_, expected, atol=1e-9)
    parts = model.predict_contributions(numbers)
    np.testing.assert_allclose(parts.sum(axis=1), expected, atol=1e-9)
    np.testing.assert_allclose(parts[:, :-1].mean(axis=0), 0, atol=1e-9)
    assert not hasattr(model, "feature_importances_")


@pytest.mark.parametrize("name", ["LR", "FUMC-F", "AFTMC-R"])
def test_contributions_of_trees_and_of_the_line_below_them_add_up_to_the_log_odds(cohort, table, name):
    model = fitted(name, cohort, table, wh.BoostedLearner(max_rounds=20))
    parts = model.predict_contributions(table)
    assert parts.shape == (500, 6)
    np.testing.assert_allclose(parts.sum(axis=1), model.decision_function(table), atol=1e-6)
    np.testing.assert_array_equal(parts[:, -1], parts[0, -1])
    np.testing.assert_allclose(model.feature_importances_, np.abs(parts[:, :-1]).mean(axis=0))
    assert not hasattr(model, "coef_")


def test_contributions_to_the_log_rate_add_up_to_it(cohort):
    model = fitted("FUPT", cohort, cohort.X, "linear")
    rate = np.log(-np.log1p(-model.predict_proba(cohort.X)[:, 1]))
    np.testing.assert_allclose(model.predict_contributions(cohort.X).sum(axis=1), rate, atol=1e-9)


def test_feature_that_only_the_line_needs_is_important():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 3))
    y = (rng.random(1000) < 1 / (1 + np.exp(-2 * X[:, 0]))).astype(int)
    model = wh.LabelClassifier(learner=wh.BoostedLearner(max_rounds=20), random_state=0).fit(X, y)
    assert model.model_.offset.name == "linear"
    assert np.argmax(model.feature_importances_) == 0


def test_slopes_without_a_penalty_are_those_of_logistic_regression(cohort):
    X = 100 * cohort.X + 3
    ours, theirs = wh.LabelClassifier(penalty=None).fit(X, cohort.y), LogisticRegression(C=np.inf, tol=1e-9)
    theirs.fit(cohort.X, cohort.y)
    np.testing.assert_allclose(100 * ours.coef_, theirs.coef_, atol=1e-4)


def test_feature_outside_of_the_outcome_part_has_slope_zero(cohort):
    model = wh.MixtureCureClassifier("lognormal", outcome_features=[1, 3]).fit(cohort.X, cohort.y, time=cohort.time)
    assert (model.coef_[0] != 0).tolist() == [False, True, False, True]
    np.testing.assert_allclose(cohort.X @ model.coef_[0] + model.intercept_, model.decision_function(cohort.X))


@pytest.mark.parametrize("learner", ["linear", wh.BoostedLearner(max_rounds=20)], ids=["linear", "boosted"])
def test_features_are_selected_by_the_outcome_part(cohort, learner):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(500, 2)), 3 * (cohort.y - 0.5) + rng.normal(size=500)])
    model = wh.LabelClassifier(learner=learner, random_state=0)
    assert SelectFromModel(model).fit(X, cohort.y).get_support().tolist() == [False, False, True]
    assert RFE(model, n_features_to_select=1).fit(X, cohort.y).ranking_[2] == 1
    pipeline = make_pipeline(SelectFromModel(model), wh.LabelClassifier()).fit(X, cohort.y)
    assert pipeline[-1].n_features_in_ == 1


@pytest.mark.parametrize("name", ["coef_", "intercept_", "feature_importances_", "importances_by_part_"])
def test_what_a_model_has_not_is_no_attribute(cohort, name):
    everybody = wh.AFTClassifier("lognormal").fit(cohort.X, cohort.y, time=cohort.time)
    by_classifier = wh.LabelClassifier(learner=LogisticRegression()).fit(cohort.X, cohort.y)
    for model in (wh.LabelClassifier(), everybody, by_classifier):
        assert not hasattr(model, name)
    with pytest.raises(AttributeError, match=r"outcome part, which AFTClassifier\(learner='linear'\) has not"):
        getattr(everybody, name)


def test_contributions_without_a_linear_or_boosted_outcome_are_refused(cohort):
    with pytest.raises(NotFittedError):
        wh.LabelClassifier().predict_contributions(cohort.X)
    everybody = wh.AFTClassifier("lognormal").fit(cohort.X, cohort.y, time=cohort.time)
    with pytest.raises(wh.ArgumentError, match="linear or boosted outcome part"):
        everybody.predict_contributions(cohort.X)
