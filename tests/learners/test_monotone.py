"""Monotone constraints: the risk of nobody moves the wrong way along a constrained feature."""

import numpy as np
import pandas as pd
import pytest

import whether as wh
from whether.files.model import load_model, save_model

# Few rounds keep the tests short; that they were too few, or follow-up short, is not the question here.
pytestmark = [
    pytest.mark.filterwarnings("ignore::whether.FollowUpWarning"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]


@pytest.fixture(scope="module")
def cohort():
    """A world in which risks rise and fall again along the features."""
    return wh.simulate("nonlinear-both", n=400, seed=0)


@pytest.fixture(scope="module")
def people(cohort):
    return cohort.frame()[list(cohort.feature_names)]


def fitted(cohort, X, monotone, name="LR", **settings):
    learner = wh.BoostedLearner(max_rounds=20, monotone=monotone)
    model = wh.METHODS[name].build(learner=learner, random_state=0, **settings)
    return model.fit(X, cohort.y, time=cohort.time, follow_up=cohort.follow_up)


def steps_along(model, X, feature, n=40):
    """How the log odds of each person change along a feature, from below its smallest value to above its largest."""
    values = np.linspace(X[feature].min() - 1, X[feature].max() + 1, n)
    return np.diff([model.decision_function(X.assign(**{feature: value})) for value in values], axis=0)


@pytest.mark.parametrize(
    ("name", "settings", "sign"), [("LR", {}, 1), ("LR", {}, -1), ("FUMC-F", {"shrinkage": 100.0}, 1)]
)
def test_nobodys_risk_moves_against_the_constraint(cohort, people, name, settings, sign):
    fresh = wh.simulate("nonlinear-both", n=100, seed=1).frame()[list(people.columns)]
    constraints = {"x1": sign, "x2": -sign}
    model, free = (fitted(cohort, people, each, name, **settings) for each in (constraints, None))
    for feature, direction in constraints.items():
        assert (direction * steps_along(model, fresh, feature) >= -1e-12).all()
    assert any((sign * steps_along(free, fresh, feature)).min() < -0.01 for feature, sign in constraints.items())


def test_line_below_the_trees_gives_up_slopes_against_the_constraint():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(800, 3))
    y = (rng.random(800) < 1 / (1 + np.exp(-2 * X[:, 0] - X[:, 1]))).astype(int)
    model = wh.LabelClassifier(learner=wh.BoostedLearner(max_rounds=20, monotone={0: -1, 1: 1}), random_state=0)
    offset = model.fit(X, y).model_.offset
    assert offset.name == "linear"
    assert offset.columns.tolist() == [1, 2]
    assert (np.diff(model.decision_function(np.c_[np.linspace(-3, 3, 50), np.zeros((50, 2))])) <= 0).all()


def test_times_are_free(cohort, people):
    model = fitted(cohort, people, dict.fromkeys(people.columns, 1), "AFTMC-F", shrinkage=100.0)
    changes = np.diff(
        [model.model_.predict(people.assign(x2=value).to_numpy())[1][0] for value in np.linspace(-3, 3, 30)], axis=0
    )
    assert changes.min() < 0 < changes.max()


def test_constraints_by_position_equal_those_by_name(cohort, people):
    by_name = fitted(cohort, people, {"x1": 1, "x4": -1, "x3": 0})
    by_position = fitted(cohort, people, {0: 1, -1: -1})
    np.testing.assert_array_equal(by_name.predict_proba(people), by_position.predict_proba(people))


def test_hindsight_keeps_to_the_constraint_and_learns_when_freely(cohort, people):
    learner = wh.BoostedLearner(max_rounds=10, monotone={"x1": 1})
    model = wh.HindsightClassifier(4, n_folds=0, learner=learner, random_state=0)
    model.fit(people, cohort.y, time=cohort.time, follow_up=cohort.follow_up)
    assert (steps_along(model, people[:50], "x1") >= -1e-12).all()


@pytest.mark.parametrize("monotone", [{"x1": 1}, {0: -1}], ids=str)
def test_constraints_come_back_from_a_file(tmp_path, cohort, people, monotone):
    model = fitted(cohort, people, monotone)
    save_model(model, tmp_path / "m")
    opened = load_model(tmp_path / "m").model
    assert opened.learner.monotone == monotone
    np.testing.assert_array_equal(opened.predict_proba(people), model.predict_proba(people))


@pytest.mark.parametrize(
    ("monotone", "message"),
    [
        ({"X1": 1}, "monotone has 'X1', which is no feature of X .* Did you mean 'x1'"),
        ({4: 1}, "positions run from 0 to 3"),
        ({"x1": "up"}, r"must be 1 \(rising\), -1 \(falling\) or 0 \(either\) of each feature, got 'up' of 'x1'"),
        ([1, 0, 0, 0], r"must be a dictionary .* write \{'x1': 1\}"),
        ({"x1": 1, 0: 1}, "names a feature twice"),
    ],
    ids=str,
)
def test_constraints_that_make_no_sense_are_refused(cohort, people, monotone, message):
    with pytest.raises(ValueError, match=message):
        fitted(cohort, people, monotone)


def test_constraint_on_categories_is_refused(cohort, people):
    table = people.assign(site=pd.Categorical(["a", "b"] * 200))
    with pytest.raises(wh.ArgumentError, match="'site', which holds categories: they have no order"):
        fitted(cohort, table, {"site": 1})


def test_constraint_on_a_model_without_an_outcome_part_is_refused(cohort, people):
    with pytest.raises(wh.ArgumentError, match="in this model everybody is positive"):
        fitted(cohort, people, {"x1": 1}, "AFT")
