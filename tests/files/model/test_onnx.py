"""ONNX: the same risks without Python."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import whether as wh
from whether.files.model import ModelFileError, save_onnx
from whether.files.model.boosted_state import pack_trees, separate_trees

# Ten rounds are few and follow-up may be short; the file does not mind.
pytestmark = [
    pytest.mark.filterwarnings("ignore::whether.FollowUpWarning"),
    pytest.mark.filterwarnings("ignore::whether.IdentifiabilityWarning"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]


@pytest.fixture(scope="module")
def onnx():
    return pytest.importorskip("onnx", reason="the package onnx is an extra")


def fitted(name, cohort, X, learner):
    features = [2, 3] if wh.METHODS[name].feature_parameter else None
    model = wh.METHODS[name].build(features, learner=learner, random_state=0)
    return model.fit(X, cohort.y, time=cohort.time, follow_up=cohort.follow_up)


def risks_by_onnx(path, X):
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime runs ONNX models")
    session = runtime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    return session.run(["risk"], {"features": np.asarray(X, dtype=float)})[0]


@pytest.mark.parametrize("name", ["LR", "SARPU-R", "FUMC-F", "FUPT"])
@pytest.mark.parametrize("learner", ["linear", wh.BoostedLearner(max_rounds=40)], ids=["linear", "boosted"])
def test_risks_are_the_same(tmp_path, onnx, cohort, name, learner):
    model = fitted(name, cohort, cohort.X, learner)
    save_onnx(model, tmp_path / "m.onnx")
    X = np.vstack([cohort.X, 5 * cohort.X, np.zeros((1, 4))])
    np.testing.assert_allclose(risks_by_onnx(tmp_path / "m.onnx", X), model.predict_proba(X)[:, 1], atol=1e-5)


def test_missing_values_go_where_lightgbm_sends_them(tmp_path, onnx, cohort):
    X = cohort.X.copy()
    X[::5, 0] = np.nan
    model = fitted("LR", cohort, X, wh.BoostedLearner(max_rounds=40))
    save_onnx(model, tmp_path / "m.onnx")
    X[1::5, 1:] = np.nan  # columns without gaps in the training, too
    np.testing.assert_allclose(risks_by_onnx(tmp_path / "m.onnx", X), model.predict_proba(X)[:, 1], atol=1e-5)


def test_people_on_a_threshold_and_a_hair_beside_it_take_the_same_branch(tmp_path, onnx, cohort):
    model = fitted("LR", cohort, cohort.X, wh.BoostedLearner(max_rounds=40))
    trees = separate_trees(pack_trees(model.model_.outcome))
    people = []
    for tree in trees:
        for feature, threshold in zip(tree["split_feature"], tree["threshold"], strict=True):
            for value in (threshold, np.nextafter(threshold, -np.inf), np.nextafter(threshold, np.inf)):
                people.append(cohort.X[len(people) % 400].copy())
                people[-1][feature] = value
    X = np.array(people)
    save_onnx(model, tmp_path / "m.onnx")
    np.testing.assert_allclose(risks_by_onnx(tmp_path / "m.onnx", X), model.predict_proba(X)[:, 1], atol=1e-5)


@pytest.mark.parametrize("learner", ["linear", wh.BoostedLearner(max_rounds=20)], ids=["linear", "boosted"])
def test_huge_tiny_and_single_precision_features_keep_their_risks(tmp_path, onnx, cohort, learner):
    X = (cohort.X * [1e8, 1e-8, 1.0, 1.0] + [1e9, 0.0, 0.0, 0.0]).astype(np.float32)
    model = fitted("LR", cohort, X, learner)
    save_onnx(model, tmp_path / "m.onnx")
    np.testing.assert_allclose(risks_by_onnx(tmp_path / "m.onnx", X), model.predict_proba(X)[:, 1], atol=1e-5)


def test_what_cannot_be_written_is_refused(tmp_path, onnx, cohort):
    codes = np.column_stack([cohort.X, np.arange(400) % 3 + 2 * (cohort.y == 1)])
    split = wh.BoostedLearner(max_rounds=20, categorical_features=[4])
    for model, said in (
        (wh.LabelClassifier(), "Only a fitted classifier"),
        (wh.LabelClassifier(learner=LogisticRegression()).fit(cohort.X, cohort.y), "linear or boosted outcome part"),
        (wh.AFTClassifier("lognormal").fit(cohort.X, cohort.y, time=cohort.time), "linear or boosted outcome part"),
        (wh.LabelClassifier(learner=split, random_state=0).fit(codes, cohort.y), "split categories"),
    ):
        with pytest.raises(ModelFileError, match=said):
            save_onnx(model, tmp_path / "m.onnx")
        assert not (tmp_path / "m.onnx").exists()
