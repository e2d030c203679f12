"""Any scikit-learn classifier as the learner, and the choice among learners, through the classifiers themselves."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import whether as wh
from whether.learners import AutoLearner, BoostedLearner, LinearLearner, Selection

pytestmark = pytest.mark.filterwarnings("ignore::whether.FollowUpWarning")

FOREST = RandomForestClassifier(n_estimators=20, min_samples_leaf=20, random_state=0)
HISTOGRAM = HistGradientBoostingClassifier(max_iter=20, max_leaf_nodes=6, max_bins=31, random_state=0)


@pytest.fixture(scope="module")
def curved():
    """A cohort whose risk is not linear, and fresh people from the same world."""
    return wh.simulate("nonlinear-risk", n=1200, seed=0), wh.simulate("nonlinear-risk", n=5000, seed=1)


@pytest.mark.parametrize(
    ("method", "classifier"),
    [("SARPU-R", HISTOGRAM), ("FUMC-F", FOREST), ("AFTMC-F", FOREST)],
    ids=["SARPU-R-histogram", "FUMC-F-forest", "AFTMC-F-forest"],
)
def test_any_classifier_works_under_a_restriction(curved, method, classifier):
    cohort, fresh = curved
    model = wh.METHODS[method].build([2, 3] if method == "SARPU-R" else None, learner=classifier)
    model.fit(cohort.X, cohort.y, time=cohort.time, follow_up=cohort.follow_up)
    assert roc_auc_score(fresh.positive, model.decision_function(fresh.X)) > 0.82


def test_any_classifier_works_with_a_constant_propensity(curved):
    cohort, fresh = curved
    model = wh.ElkanNotoClassifier(prevalence=0.5, learner=FOREST).fit(cohort.X, cohort.y)
    assert roc_auc_score(fresh.positive, model.decision_function(fresh.X)) > 0.72


def test_any_classifier_works_in_a_pipeline_and_a_grid_search(curved):
    cohort, _ = curved
    learner = clone(FOREST).set_params(n_estimators=5)
    model = make_pipeline(StandardScaler(), wh.FollowUpCureClassifier(shrinkage=100.0, learner=learner))
    grid = {"followupcureclassifier__learner__min_samples_leaf": [10, 40]}
    search = GridSearchCV(model, grid, cv=2)
    some = slice(400)
    search.fit(cohort.X[some], cohort.y[some], followupcureclassifier__follow_up=cohort.follow_up[some])
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_classifier_without_probabilities_is_refused(curved):
    cohort, _ = curved
    with pytest.raises(ValueError, match="learner must be one of"):
        wh.LabelClassifier(learner=LinearSVC()).fit(cohort.X, cohort.y)


def test_logistic_regression_by_em_agrees_with_the_linear_learner():
    cohort = wh.simulate("partially-dependent", n=2000, seed=0)
    models = [wh.SARPUClassifier([2, 3], learner=learner) for learner in ("linear", LogisticRegression())]
    linear, by_em = (model.fit(cohort.X, cohort.y).predict_proba(cohort.X)[:, 1] for model in models)
    assert np.mean(np.abs(linear - by_em)) < 0.02


@pytest.fixture(scope="module")
def chooser():
    return AutoLearner({"linear": LinearLearner(shrinkage=100.0), "boosted": BoostedLearner(max_rounds=150)})


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_trees_are_chosen_where_the_risk_is_curved(curved, chooser, global_random_seed):
    cohort, _ = curved
    model = wh.MixtureCureClassifier(learner=chooser, random_state=global_random_seed)
    model.fit(cohort.X, cohort.y, time=cohort.time)
    assert model.selection_.chosen == "boosted"
    assert "boosted" in str(model.selection_)


def test_the_linear_model_is_chosen_where_it_is_right(chooser):
    cohort = wh.simulate("partially-dependent", n=1500, seed=0)
    model = wh.FollowUpCureClassifier(learner=chooser).fit(cohort.X, cohort.y, follow_up=cohort.follow_up)
    assert model.selection_.chosen == "linear"
    assert model.summary().coefficients


def test_a_simpler_learner_that_is_behind_in_the_first_fold_stays_in_the_running():
    behind = np.array([0.015, 0.0, 0.015])
    found = Selection(("linear", "boosted", "neural"), -behind, np.array([0.01, 0.0, 0.01]), (100,) * 3, "boosted")
    assert [found.may_win(name) for name in found.learners] == [True, True, False]
