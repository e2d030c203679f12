"""Risks set against labels: scikit-learn's tools warn, whatever is wrapped round the classifier; others do not."""

import warnings

import numpy as np
import pytest
import sklearn
from sklearn.calibration import CalibratedClassifierCV, CalibrationDisplay
from sklearn.ensemble import VotingClassifier
from sklearn.inspection import PartialDependenceDisplay, permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import RocCurveDisplay, get_scorer, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    TunedThresholdClassifierCV,
    cross_val_predict,
    cross_val_score,
    cross_validate,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import whether as wh
from whether.evaluate import ipcw_auc_scorer, pu_auc_scorer

SARPU = {"propensity_features": [2, 3]}
LINES = {
    "cross_val_score": lambda model, X, y: cross_val_score(model, X, y, scoring="roc_auc", cv=2),
    "by class": lambda model, X, y: cross_val_score(model, X, y, scoring="accuracy", cv=2),
    "several scores": lambda model, X, y: cross_validate(model, X, y, scoring=["roc_auc", "neg_brier_score"], cv=2),
    "own scorer": lambda model, X, y: cross_val_score(model, X, y, scoring=make_scorer(_share_right), cv=2),
    "scorer by hand": lambda model, X, y: get_scorer("average_precision")(model.fit(X, y), X, y),
    "search": lambda model, X, y: GridSearchCV(model, {"ridge": [1.0]}, scoring="f1", cv=2).fit(X, y),
    "calibration": lambda model, X, y: CalibratedClassifierCV(model, cv=2).fit(X, y),
    "calibration out of fold": lambda model, X, y: CalibratedClassifierCV(model, cv=2, ensemble=False).fit(X, y),
    "threshold": lambda model, X, y: TunedThresholdClassifierCV(model, cv=2).fit(X, y),
    "importance": lambda model, X, y: permutation_importance(model.fit(X, y), X, y, scoring="roc_auc", n_repeats=1),
    "ROC picture": lambda model, X, y: RocCurveDisplay.from_estimator(model.fit(X, y), X, y),
    "calibration picture": lambda model, X, y: CalibrationDisplay.from_estimator(model.fit(X, y), X, y),
}


def _share_right(y, predicted):
    return float(np.mean(y == predicted))


def warned(call, *arguments):
    """Warnings that labels are taken for outcomes; other ones are not the point here."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", wh.LabelsAsTruthWarning)
        call(*arguments)
    return caught


@pytest.mark.parametrize("line", LINES)
def test_a_tool_that_takes_labels_for_outcomes_warns_at_the_line_that_called_it(line, cohort):
    caught = warned(LINES[line], wh.SARPUClassifier(**SARPU), cohort.X, cohort.y)
    assert caught
    assert {warning.filename for warning in caught} == {__file__}
    expected = "sklearn.calibration" if "calibration" in line else "sklearn.metrics"
    assert all(str(warning.message).startswith(expected) for warning in caught)


@pytest.mark.parametrize(
    "wrap",
    [
        lambda model: make_pipeline(StandardScaler(), model),
        lambda model: VotingClassifier([("ours", model), ("other", LogisticRegression())], voting="soft"),
        lambda model: GridSearchCV(model, {"ridge": [1.0]}, cv=2),
    ],
    ids=["pipeline", "vote", "search"],
)
def test_what_is_wrapped_round_the_classifier_does_not_hide_it(wrap, cohort):
    assert warned(LINES["cross_val_score"], wrap(wh.SARPUClassifier(**SARPU)), cohort.X, cohort.y)


def test_the_advised_classifier_warns_too(cohort):
    model = wh.WhetherClassifier().fit(cohort.X, cohort.y, time=cohort.time, follow_up=cohort.follow_up)
    assert warned(get_scorer("roc_auc"), model, cohort.X, cohort.y)
    assert model.estimator_.compared_with_labels_


@pytest.mark.parametrize("name", sorted(wh.METHODS))
def test_every_method_notices_but_the_one_that_takes_all_events_for_seen(name, cohort):
    model = wh.METHODS[name].build([2, 3] if wh.METHODS[name].feature_parameter else None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(cohort.X, cohort.y, time=cohort.time, follow_up=cohort.follow_up)
    assert not model.compared_with_labels_
    caught = warned(get_scorer("neg_log_loss"), model, cohort.X, cohort.y)
    assert model.compared_with_labels_ == bool(caught) == (name != "LR")


def test_uses_that_compare_nothing_with_labels_are_silent(cohort):
    X, y, model = cohort.X, cohort.y, wh.MixtureCureClassifier("lognormal", shrinkage=100.0)
    with sklearn.config_context(enable_metadata_routing=True):
        model.set_fit_request(time=True).set_score_request(time=True)
        params = {"time": cohort.time}
        scorers = {"ours": ipcw_auc_scorer(), "pu": pu_auc_scorer(0.5)}
        for call in (
            lambda: cross_val_score(model, X, y, params=params, cv=2),
            lambda: cross_val_score(model, X, y, params=params, cv=2, scoring=ipcw_auc_scorer()),
            lambda: cross_validate(model, X, y, params=params, cv=2, scoring=scorers),
            lambda: cross_val_predict(model, X, y, params=params, cv=2, method="predict_proba"),
            lambda: PartialDependenceDisplay.from_estimator(model.fit(X, y, **params), X, [0]),
            lambda: make_pipeline(StandardScaler(), model).fit(X, y, **params).predict(X),
        ):
            assert not warned(call)
    assert not model.compared_with_labels_


def test_the_notice_is_no_part_of_a_model_file(tmp_path, cohort):
    model = wh.SARPUClassifier(**SARPU).fit(cohort.X, cohort.y)
    wh.save_model(model, tmp_path / "before.whether")
    assert warned(get_scorer("roc_auc"), model, cohort.X, cohort.y)
    wh.save_model(model, tmp_path / "after.whether")
    assert (tmp_path / "before.whether").read_bytes() == (tmp_path / "after.whether").read_bytes()
