"""The classifiers inside scikit-learn: cross-validation, search, pipelines, calibration, copies; routing off and on."""

import pickle

import joblib
import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import whether as wh

# Folds of 200 rows may end with the warning that follow-up is short or that starts disagree; not the point here.
pytestmark = [
    pytest.mark.filterwarnings("ignore::whether.FollowUpWarning"),
    pytest.mark.filterwarnings("ignore::whether.IdentifiabilityWarning"),
    # Calibration to labels is tried here; that it warns is tested in test_label_comparison.
    pytest.mark.filterwarnings("ignore::whether.LabelsAsTruthWarning"),
]


@pytest.fixture(params=[False, True], ids=["routing off", "routing on"])
def routing(request):
    with sklearn.config_context(enable_metadata_routing=request.param):
        yield request.param


@pytest.fixture
def ready(routing):
    """Function that makes a classifier ask for what it needs, where metadata are routed."""

    def ask(classifier):
        if routing:
            needs = dict.fromkeys(classifier._needs, True)
            classifier.set_fit_request(**needs)
            classifier.set_score_request(**needs)
        return classifier

    return ask


def test_cross_val_score_is_finite(classifier, ready, cohort, needed_times):
    scores = cross_val_score(ready(classifier), cohort.X, cohort.y, params=needed_times(classifier), cv=3)
    assert np.isfinite(scores).all()


def test_cross_val_predict_gives_probabilities(classifier, ready, cohort, needed_times):
    proba = cross_val_predict(
        ready(classifier), cohort.X, cohort.y, params=needed_times(classifier), cv=3, method="predict_proba"
    )
    assert proba.shape == (300, 2)
    assert np.all((proba >= 0) & (proba <= 1))


def test_grid_search_over_the_ridge_scores_every_candidate(classifier, ready, cohort, needed_times):
    search = GridSearchCV(ready(classifier), {"ridge": [0.1, 10.0]}, cv=3, error_score="raise")
    search.fit(cohort.X, cohort.y, **needed_times(classifier))
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.best_params_["ridge"] in (0.1, 10.0)


def test_grid_search_over_the_shrinkage_scores_every_candidate(shrunken_classifier, ready, cohort, needed_times):
    grid = {"shrinkage": [0.0, 100.0, np.inf]}
    search = GridSearchCV(ready(shrunken_classifier), grid, cv=3, error_score="raise")
    search.fit(cohort.X, cohort.y, **needed_times(shrunken_classifier))
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_pipeline_with_a_scaler_predicts_what_the_classifier_alone_predicts(
    classifier, ready, routing, cohort, needed_times
):
    times, last = needed_times(classifier), ready(classifier)
    prefix = "" if routing else f"{type(last).__name__.lower()}__"
    pipeline = make_pipeline(StandardScaler(), clone(last))
    pipeline.fit(cohort.X, cohort.y, **{f"{prefix}{name}": values for name, values in times.items()})
    alone = last.fit(cohort.X, cohort.y, **times)
    np.testing.assert_allclose(
        pipeline.decision_function(cohort.X), alone.decision_function(cohort.X), rtol=1e-4, atol=1e-4
    )


def test_calibrated_classifier_gives_probabilities(classifier, ready, cohort, needed_times):
    calibrated = CalibratedClassifierCV(ready(classifier), cv=3)
    calibrated.fit(cohort.X, cohort.y, **needed_times(classifier))
    proba = calibrated.predict_proba(cohort.X)
    assert np.isfinite(proba).all()
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)


def test_routed_weights_change_the_scores(cohort):
    weight = np.where(cohort.X[:, 0] > 0, 1.0, 0.01)
    with sklearn.config_context(enable_metadata_routing=True):
        model = wh.LabelClassifier().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        weighted = cross_val_score(model, cohort.X, cohort.y, params={"sample_weight": weight}, cv=3)
        plain = cross_val_score(wh.LabelClassifier(), cohort.X, cohort.y, cv=3)
    assert np.isfinite(weighted).all()
    assert not np.allclose(weighted, plain)


def test_routed_follow_up_reaches_the_score(cohort):
    follow_up = {"follow_up": cohort.follow_up}
    model = wh.FollowUpCureClassifier("lognormal", shrinkage=100.0)
    with sklearn.config_context(enable_metadata_routing=True):
        model.set_fit_request(follow_up=True)
        averaged = cross_val_score(model.set_score_request(follow_up=False), cohort.X, cohort.y, params=follow_up, cv=3)
        own = cross_val_score(model.set_score_request(follow_up=True), cohort.X, cohort.y, params=follow_up, cv=3)
    assert np.isfinite(own).all()
    assert not np.any(np.isclose(own, averaged))


# ---------------------------------------------------------------- copies


def test_clone_keeps_parameters_and_forgets_the_fit(fitted):
    copy = clone(fitted)
    assert copy.get_params() == fitted.get_params()
    assert not hasattr(copy, "model_")


def test_pickle_predicts_the_same(fitted, cohort):
    copy = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(copy.predict_proba(cohort.X), fitted.predict_proba(cohort.X))
    np.testing.assert_array_equal(copy.predict_propensity(cohort.X), fitted.predict_propensity(cohort.X))
    assert str(copy.summary()) == str(fitted.summary())


def test_pickle_holds_no_rows_of_the_cohort(fitted):
    assert len(pickle.dumps(fitted)) < 40_000


def test_fits_in_threads_equal_fits_in_turn(cohort):
    model = wh.MixtureCureClassifier("lognormal", shrinkage=100.0)
    ridges = [0.1, 1.0, 10.0, 100.0]

    def logits(ridge):
        return (
            clone(model).set_params(ridge=ridge).fit(cohort.X, cohort.y, time=cohort.time).decision_function(cohort.X)
        )

    in_threads = joblib.Parallel(n_jobs=2, backend="threading")(joblib.delayed(logits)(ridge) for ridge in ridges)
    np.testing.assert_array_equal(in_threads, [logits(ridge) for ridge in ridges])


def test_cross_validation_in_processes_equals_the_one_in_turn(cohort):
    model, params = wh.MixtureCureClassifier("lognormal", shrinkage=100.0), {"time": cohort.time}
    one, two = (cross_val_score(model, cohort.X, cohort.y, params=params, cv=2, n_jobs=jobs) for jobs in (1, 2))
    np.testing.assert_allclose(one, two, rtol=1e-12)


def test_refit_forgets_the_first_fit(classifier, cohort, needed_times):
    times = needed_times(classifier)
    once = clone(classifier).fit(cohort.X, cohort.y, **times).predict_proba(cohort.X)
    half = {name: values[:150] for name, values in times.items()}
    twice = classifier.fit(cohort.X[:150], cohort.y[:150], **half).fit(cohort.X, cohort.y, **times)
    np.testing.assert_array_equal(twice.predict_proba(cohort.X), once)


# ---------------------------------------------------------------- tables


def test_every_kind_of_table_gives_exactly_the_same(classifier, cohort, needed_times, as_table, as_column):
    times = needed_times(classifier)
    expected = clone(classifier).fit(cohort.X, cohort.y, **times)
    table = as_table(cohort.X, cohort.feature_names)
    columns = {name: as_column(values) for name, values in times.items()}
    model = classifier.fit(table, as_column(cohort.y), **columns)
    np.testing.assert_array_equal(model.predict_proba(table), expected.predict_proba(cohort.X))
    assert model.score(table, as_column(cohort.y)) == expected.score(cohort.X, cohort.y)


@pytest.mark.parametrize("kind", ["pandas", "polars"], indirect=True)
def test_feature_names_are_kept(classifier, cohort, needed_times, as_table):
    table = as_table(cohort.X, ["age", "bmi", "dose", "stage"])
    model = classifier.fit(table, cohort.y, **needed_times(classifier))
    assert model.feature_names_in_.tolist() == ["age", "bmi", "dose", "stage"]


@pytest.mark.parametrize(
    ("names", "message"),
    [(["x2", "x1", "x3", "x4"], "same order"), (["x1", "x2", "x3", "y4"], "y4")],
    ids=["other order", "other names"],
)
@pytest.mark.parametrize("kind", ["pandas", "polars"], indirect=True)
def test_other_feature_names_at_prediction_are_an_error(cohort, as_table, names, message):
    model = wh.LabelClassifier().fit(as_table(cohort.X, cohort.feature_names), cohort.y)
    with pytest.raises(ValueError, match=message):
        model.predict_proba(as_table(cohort.X, names))


def test_another_number_of_columns_at_prediction_is_an_error(fitted, cohort):
    with pytest.raises(ValueError, match=r"X has 3 features, but .* is expecting 4 features"):
        fitted.predict_proba(cohort.X[:, :3])


@pytest.mark.parametrize("kind", ["pandas", "polars"], indirect=True)
@pytest.mark.parametrize("features", [["x3", "x4"], ["x4", "x3"], [2, "x4"], [-2, -1]], ids=str)
def test_features_by_name_equal_features_by_position(cohort, as_table, features):
    table = as_table(cohort.X, cohort.feature_names)
    by_position = wh.SARPUClassifier(propensity_features=[2, 3]).fit(table, cohort.y)
    by_name = wh.SARPUClassifier(propensity_features=features).fit(table, cohort.y)
    np.testing.assert_allclose(by_name.predict_proba(table), by_position.predict_proba(table), rtol=1e-6)


def test_time_features_by_name_equal_those_by_position(cohort):
    table = cohort.frame()[list(cohort.feature_names)]
    one, two = (
        wh.MixtureCureClassifier(time_features=features).fit(table, cohort.y, time=cohort.time)
        for features in (["x3", "x4"], [2, 3])
    )
    np.testing.assert_array_equal(one.predict_proba(table), two.predict_proba(table))


def test_order_of_rows_does_not_matter(classifier, cohort, needed_times):
    order = np.random.default_rng(0).permutation(300)
    times = needed_times(classifier)
    moved = {name: values[order] for name, values in times.items()}
    one = clone(classifier).fit(cohort.X, cohort.y, **times).decision_function(cohort.X)
    two = clone(classifier).fit(cohort.X[order], cohort.y[order], **moved).decision_function(cohort.X)
    np.testing.assert_allclose(one, two, rtol=1e-6, atol=1e-6)


def test_single_precision_gives_nearly_the_same(classifier, cohort, needed_times):
    times = needed_times(classifier)
    double = clone(classifier).fit(cohort.X, cohort.y, **times).predict_proba(cohort.X)
    single = clone(classifier).fit(cohort.X.astype(np.float32), cohort.y, **times).predict_proba(cohort.X)
    np.testing.assert_allclose(single, double, atol=1e-4)


# ---------------------------------------------------------------- score


def test_score_is_the_mean_log_likelihood_of_the_labels(fitted, cohort):
    seen = fitted.predict_label_proba(cohort.X)
    expected = np.mean(cohort.y * np.log(seen) + (1 - cohort.y) * np.log(1 - seen))
    assert fitted.score(cohort.X, cohort.y) == pytest.approx(expected, rel=1e-9)


def test_score_at_known_follow_up_uses_the_propensity_there(fitted_with_times, cohort):
    seen = fitted_with_times.predict_label_proba(cohort.X, cohort.follow_up)
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = np.mean(np.where(cohort.y == 1, np.log(seen), np.log1p(-seen)))
    found = fitted_with_times.score(cohort.X, cohort.y, follow_up=cohort.follow_up)
    assert found == pytest.approx(expected, rel=1e-9)


def test_weighted_score_is_the_weighted_mean(fitted, cohort):
    first = cohort.X[:, 0] > 0
    weighted = fitted.score(cohort.X, cohort.y, sample_weight=first.astype(float))
    assert weighted == pytest.approx(fitted.score(cohort.X[first], cohort.y[first]), rel=1e-9)


def test_row_of_weight_zero_adds_nothing_to_the_score_however_unlikely(cohort):
    model = wh.LabelClassifier().fit(cohort.X, cohort.y)
    X = np.vstack([cohort.X, 1e6 * cohort.X[:2]])
    labels, weight = np.append(cohort.y, [0, 1]), np.append(np.ones(300), [0.0, 0.0])
    assert model.score(X, labels, sample_weight=weight) == pytest.approx(model.score(cohort.X, cohort.y), rel=1e-12)


def test_time_does_not_change_the_score(fitted, cohort):
    assert fitted.score(cohort.X, cohort.y, time=cohort.time) == fitted.score(cohort.X, cohort.y)


def test_score_refuses_labels_that_are_not_0_and_1(fitted, cohort):
    with pytest.raises(ValueError, match=r"got the values 1, 2 \(first: row \d+, y=2\)"):
        fitted.score(cohort.X, cohort.y + 1)
