"""Boosted trees under every restriction, and the choice among learners."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV

import whether as wh
from whether.cohort import Cohort
from whether.distributions import DISTRIBUTIONS
from whether.learners.boosted.boosted_learner import BoostedLearner
from whether.learners.rows import RowProblem
from whether.likelihood import Likelihood
from whether.propensity import EventTimePropensity, LogisticPropensity

# Few rounds keep the tests short; that they were too few is warned of, and not the question here.
pytestmark = [
    pytest.mark.filterwarnings("ignore::whether.FollowUpWarning"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]


@pytest.fixture(scope="module")
def curved():
    """A cohort whose risk is not linear, and fresh people from the same world."""
    return wh.simulate("nonlinear-risk", n=1500, seed=0), wh.simulate("nonlinear-risk", n=5000, seed=1)


def fitted(method, cohort, learner):
    features = [2, 3] if wh.METHODS[method].feature_parameter else None
    model = wh.METHODS[method].build(features, learner=learner, random_state=0)
    return model.fit(cohort.X, cohort.y, time=cohort.time, follow_up=cohort.follow_up)


@pytest.mark.parametrize("method", ["LR", "SARPU-R", "FUMC-F", "AFTMC-F", "AFTMC-R", "DTMC"])
def test_trees_rank_people_far_better_than_lines_where_the_risk_is_curved(curved, method):
    cohort, fresh = curved
    boosted, linear = fitted(method, cohort, BoostedLearner(max_rounds=200)), fitted(method, cohort, "linear")
    gain = roc_auc_score(fresh.positive, boosted.decision_function(fresh.X)) - roc_auc_score(
        fresh.positive, linear.decision_function(fresh.X)
    )
    assert gain > 0.08


@pytest.mark.parametrize("seed", [0, 1])
def test_a_start_that_is_wrong_about_everybody_is_put_right(seed, monkeypatch):
    # More positives whose events come later: labels hardly tell that from fewer whose events come earlier.
    cohort, starts = wh.simulate("nonlinear-risk", n=3000, seed=seed), BoostedLearner._offsets
    model = wh.FollowUpCureClassifier("lognormal", learner="boosted", random_state=0)

    def mean_risk(shift):
        shifted = lambda *given: tuple(start.moved(np.array(shift)) for start in starts(*given))  # noqa: E731
        monkeypatch.setattr(BoostedLearner, "_offsets", shifted)
        return model.fit(cohort.X, cohort.y, follow_up=cohort.follow_up).predict_proba(cohort.X)[:, 1].mean()

    # Where trees alone had to put it right, a tenth of the people became positive.
    assert abs(mean_risk([1.0, 0.5, 0.0]) - mean_risk([0.0, 0.0, 0.0])) < 0.08


def test_trees_add_little_where_the_linear_model_is_right():
    cohort, fresh = wh.simulate("baseline", n=2000, seed=0), wh.simulate("baseline", n=5000, seed=1)
    aucs = [
        roc_auc_score(fresh.positive, fitted("FUMC-F", cohort, learner).decision_function(fresh.X))
        for learner in ("boosted", "linear")
    ]
    assert abs(aucs[0] - aucs[1]) < 0.02


def test_the_same_data_and_seed_give_the_same_trees(curved):
    cohort, fresh = curved
    first, second = (fitted("FUMC-F", cohort, BoostedLearner(max_rounds=30)).predict_proba(fresh.X) for _ in range(2))
    np.testing.assert_array_equal(first, second)


def test_pickled_trees_predict_the_same(curved):
    cohort, fresh = curved
    model = fitted("AFTMC-F", cohort, BoostedLearner(max_rounds=30))
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(model.predict_proba(fresh.X), again.predict_proba(fresh.X))


def test_missing_features_are_taken_as_they_are(curved):
    cohort, fresh = curved
    X = cohort.X.copy()
    X[::5, 0] = np.nan
    model = wh.FollowUpCureClassifier(learner="boosted").fit(X, cohort.y, follow_up=cohort.follow_up)
    assert roc_auc_score(fresh.positive, model.decision_function(fresh.X)) > 0.8


def test_column_that_is_missing_for_everybody_is_refused(curved):
    cohort, _ = curved
    X = cohort.X.copy()
    X[:, 1] = np.nan
    with pytest.raises(ValueError, match="Column 'x1' is missing for everybody"):
        wh.FollowUpCureClassifier(learner="boosted").fit(X, cohort.y, follow_up=cohort.follow_up)


def test_missing_features_are_refused_by_the_linear_learner(curved):
    cohort, _ = curved
    X = cohort.X.copy()
    X[7, 2] = np.nan
    with pytest.raises(ValueError, match=r"NaN \(missing\).*row 7, column 'x2'"):
        wh.FollowUpCureClassifier().fit(X, cohort.y, follow_up=cohort.follow_up)


def test_category_codes_are_split_as_categories():
    rng = np.random.default_rng(0)
    code = rng.integers(0, 12, size=3000)
    risky = np.isin(code, [1, 4, 6, 9])  # no order in the codes
    X = np.column_stack([code, rng.normal(size=3000)]).astype(float)
    y = (rng.random(3000) < np.where(risky, 0.8, 0.2)).astype(int)
    learner = BoostedLearner(categorical_features=[0], max_rounds=100, num_leaves=2)
    risk = wh.LabelClassifier(learner=learner).fit(X, y).predict_proba(X)[:, 1]
    assert roc_auc_score(risky, risk) > 0.99


@pytest.mark.parametrize("frame", ["pandas", "polars"])
def test_categorical_columns_of_a_frame_are_taken_as_they_are(frame):
    rng = np.random.default_rng(0)
    names = np.array(list("abcdefghijkl"))[rng.integers(0, 12, size=3000)]
    risky = np.isin(names, ["b", "e", "g", "j"])
    y = (rng.random(3000) < np.where(risky, 0.8, 0.2)).astype(int)
    if frame == "pandas":
        table = pd.DataFrame({"x": rng.normal(size=3000), "site": pd.Categorical(names)})
        new = pd.DataFrame({"x": [0.0, 0.0], "site": pd.Categorical(["b", "never seen"])})
    else:
        table = pl.DataFrame({"x": rng.normal(size=3000), "site": pl.Series(names, dtype=pl.Categorical)})
        new = pl.DataFrame({"x": [0.0, 0.0], "site": pl.Series(["b", "never seen"], dtype=pl.Categorical)})
    model = wh.LabelClassifier(learner=BoostedLearner(max_rounds=100, num_leaves=2), random_state=0).fit(table, y)
    assert model.categories_ == {"site": tuple("abcdefghijkl")}
    assert roc_auc_score(risky, model.predict_proba(table)[:, 1]) > 0.99
    risk = model.predict_proba(new)[:, 1]
    assert risk[0] > 0.7
    assert 0 < risk[1] < 1
    with pytest.warns(UserWarning, match="valid feature names"):  # codes in an array are taken for what they are
        assert model.predict_proba(np.array([[0.0, 1.0]]))[0, 1] == pytest.approx(risk[0])
    with pytest.raises(ValueError, match="Column 'site' is not numeric"):
        wh.LabelClassifier().fit(table, y)


def test_useless_linear_start_is_left_behind():
    cohort, fresh = wh.simulate("interaction", n=4000, seed=0), wh.simulate("interaction", n=5000, seed=1)
    model = fitted("FUMC-F", cohort, "boosted")
    assert model.model_.offset.name == "level"
    assert roc_auc_score(fresh.positive, model.decision_function(fresh.X)) > 0.8


def test_importances_name_the_features_that_drive_each_part():
    cohort = wh.simulate("nonlinear-both", n=3000, seed=0)
    gains = fitted("AFTMC-F", cohort, "boosted").importances_by_part_
    assert set(np.argsort(gains["outcome"])[-2:]) == {0, 1}
    assert set(np.argsort(gains["propensity"])[-2:]) == {1, 2}


def test_propensity_trees_see_only_the_named_features(curved):
    cohort, _ = curved
    gains = fitted("SARPU-R", cohort, BoostedLearner(max_rounds=50)).importances_by_part_
    assert gains["propensity"][[0, 1]].sum() == 0


def test_whole_weights_count_as_repeated_rows_in_the_gradient():
    cohort = wh.simulate("partially-dependent", n=200, seed=0)
    weight = np.arange(200) % 3
    problem = RowProblem(
        Cohort(cohort.X, cohort.y == 1, ("a", "b", "c", "d"), weight=weight.astype(float), time=cohort.time),
        Likelihood(LogisticPropensity(sloped=False)),
    )
    np.testing.assert_array_equal(problem.weight, weight)


def test_safe_curvature_is_positive_and_the_gradient_is_that_of_the_likelihood():
    cohort = wh.simulate("partially-dependent", n=300, seed=0)
    problem = RowProblem(
        Cohort(cohort.X, cohort.y == 1, ("a", "b", "c", "d"), time=cohort.time),
        Likelihood(EventTimePropensity(DISTRIBUTIONS["lognormal"])),
    )
    rng = np.random.default_rng(0)
    eta, v = rng.normal(size=300), rng.normal(size=(2, 300))
    terms = problem.evaluate(eta, v)
    moved = problem.evaluate(eta + 1e-6, v).value - problem.evaluate(eta - 1e-6, v).value
    np.testing.assert_allclose(terms.gradient[0], moved / 2e-6, rtol=1e-4, atol=1e-6)
    assert (terms.curvature > 0).all()


def test_part_of_a_problem_has_the_rows_of_the_whole():
    cohort = wh.simulate("partially-dependent", n=300, seed=0)
    problem = RowProblem(
        Cohort(cohort.X, cohort.y == 1, ("a", "b", "c", "d"), time=cohort.time),
        Likelihood(EventTimePropensity(DISTRIBUTIONS["weibull"])),
    )
    rng = np.random.default_rng(0)
    eta, v, rows = rng.normal(size=300), rng.normal(size=(2, 300)), np.flatnonzero(rng.random(300) < 0.4)
    for whole, part in zip(problem.evaluate(eta, v), problem.part(rows).evaluate(eta[rows], v[:, rows]), strict=True):
        np.testing.assert_allclose(part, whole[..., rows], rtol=1e-12)


def test_steps_are_longer_with_more_people_unless_they_are_given():
    rates = [BoostedLearner().of_size(n).learning_rate for n in (1_000, 20_000, 200_000, 1_000_000)]
    assert rates == sorted(rates)
    assert len(set(rates)) == 3
    given = BoostedLearner(learning_rate=0.05, bagging_fraction=0.5).of_size(1_000_000)
    assert (given.learning_rate, given.bagging_fraction) == (0.05, 0.5)


def test_summary_of_trees_says_that_there_are_no_coefficients(curved):
    cohort, _ = curved
    model = fitted("FUMC-F", cohort, BoostedLearner(max_rounds=5))
    with pytest.raises(ValueError, match="has none"):
        model.summary()


def test_grid_search_reaches_into_the_learner(curved):
    cohort, _ = curved
    model = wh.LabelClassifier(learner=BoostedLearner(max_rounds=20))
    search = GridSearchCV(model, {"learner__num_leaves": [2, 6]}, cv=2).fit(cohort.X, cohort.y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


@pytest.mark.parametrize("learner", ["tree", 3, wh.simulate])
def test_unknown_learner_is_refused_with_what_there_is(curved, learner):
    cohort, _ = curved
    with pytest.raises(ValueError, match="'linear', 'boosted', 'neural', 'auto'"):
        wh.LabelClassifier(learner=learner).fit(cohort.X, cohort.y)


def test_non_negative_risk_refuses_other_learners(curved):
    cohort, _ = curved
    with pytest.raises(ValueError, match="learner='linear' or 'neural', got 'boosted'"):
        wh.UnbiasedPUClassifier(nonnegative=True, learner="boosted").fit(cohort.X, cohort.y)
