import pickle
import subprocess
import sys

import numpy as np
import pytest
import sklearn
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import whether as wh
from whether.files.model import ModelFileError, load_model, save_model
from whether.files.table import Encoder
from whether.files.table.columns import guess_column
from whether.files.table.learn import learn_encoder
from whether.files.table.outcome import Outcome
from whether.files.table.roles import Choice

PREDICTIONS = ("predict_proba", "predict", "predict_propensity", "predict_label_proba", "decision_function")


@pytest.mark.parametrize("name", wh.METHODS)
@pytest.mark.parametrize("covariance", ["observed", "sandwich"])
def test_a_linear_model_predicts_and_tells_the_same_after_a_journey(tmp_path, fitted, frame, name, covariance):
    has_choice = "covariance" in wh.METHODS[name].build([] if wh.METHODS[name].feature_parameter else None).get_params()
    if covariance == "sandwich" and not has_choice:
        pytest.skip("always the sandwich")
    model = fitted(name, covariance=covariance) if has_choice else fitted(name)
    save_model(model, tmp_path / "m")
    opened = load_model(tmp_path / "m").model
    for call in PREDICTIONS:
        np.testing.assert_array_equal(getattr(opened, call)(frame), getattr(model, call)(frame), strict=True)
    assert str(opened.summary()) == str(model.summary())
    assert set(vars(opened)) == set(vars(model))
    assert {**opened.get_params(), "random_state": 0} == model.get_params()


def test_a_fit_has_no_people_in_it(fitted, cohort):
    assert len(pickle.dumps(fitted("AFTMC-F").model_)) < cohort.X.nbytes


@pytest.mark.parametrize("name", ["AFTMC-F", "FUMC-F", "DTMC", "AFT", "HIND"])
def test_nobody_finds_their_own_time_in_a_file(tmp_path, fitted, cohort, name):
    save_model(fitted(name), tmp_path / "m")
    content = (tmp_path / "m").read_bytes()
    for time in np.concatenate([cohort.time, cohort.follow_up]):
        assert np.float64(time).tobytes() not in content
        assert repr(float(time)).encode() not in content


def test_a_model_without_names_and_one_with_few_columns_are_saved_too(tmp_path, cohort):
    model = wh.SARPUClassifier(propensity_features=[1]).fit(cohort.X[:, :2], cohort.y)
    save_model(model, tmp_path / "m")
    np.testing.assert_array_equal(
        load_model(tmp_path / "m").model.predict_proba(cohort.X[:, :2]), model.predict_proba(cohort.X[:, :2])
    )


def test_another_process_predicts_the_same_to_the_last_bit(tmp_path, fitted, frame):
    model = fitted("FUMC-F")
    save_model(model, tmp_path / "m")
    frame.to_pickle(tmp_path / "frame")
    program = (
        "import sys, pandas, numpy; from whether.files.model import load_model\n"
        f"frame = pandas.read_pickle({str(tmp_path / 'frame')!r})\n"
        f"numpy.save({str(tmp_path / 'risk.npy')!r}, load_model({str(tmp_path / 'm')!r}).model.predict_proba(frame))"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
    np.testing.assert_array_equal(np.load(tmp_path / "risk.npy"), model.predict_proba(frame))


def test_the_same_model_gives_the_same_bytes(tmp_path, fitted):
    for name in ("a", "b"):
        save_model(fitted("AFTMC-F"), tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_saved_model_can_be_saved_again(tmp_path, saved):
    save_model(load_model(saved).model, tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == saved.read_bytes()


def test_numpy_lists_the_arrays(saved):
    with np.load(saved, allow_pickle=False) as arrays:
        assert {name for name in arrays.files if name.startswith("arrays/")} == {
            f"arrays/{number}" for number in range(len(arrays.files) - 1)
        }


def test_encoder_method_and_training_come_back(tmp_path, cohort):
    import pyarrow as pa

    table = pa.table({"x": cohort.X[:, 0], "stage": ["I", "II"] * 200})
    columns = {name: guess_column(name, table[name]) for name in table.column_names}
    encoder = learn_encoder(columns, Choice(list(columns), ids=["id"]), Outcome(cohort.y == 1), [])
    import pandas as pd

    features = pd.DataFrame(encoder.encode(columns, cohort.y.size, []), columns=list(encoder.features))
    model = wh.LabelClassifier().fit(features, cohort.y)
    save_model(model, tmp_path / "m", encoder=encoder, method="LR", training={"people": 400})
    opened = load_model(tmp_path / "m")
    assert isinstance(opened.encoder, Encoder)
    assert opened.encoder == encoder
    assert (opened.method, opened.training, opened.library_version) == ("LR", {"people": 400}, wh.__version__)


def test_settings_that_are_infinite_come_back(tmp_path, fitted):
    save_model(fitted("AFTMC-F", shrinkage=float("inf")), tmp_path / "m")
    assert load_model(tmp_path / "m").model.shrinkage == float("inf")


def test_a_generator_is_not_saved(tmp_path, cohort):
    model = wh.LabelClassifier(random_state=np.random.default_rng(0)).fit(cohort.X, cohort.y)
    save_model(model, tmp_path / "m")
    assert load_model(tmp_path / "m").model.random_state is None


class _OwnClassifier(wh.LabelClassifier):
    pass


def test_the_best_model_of_a_routed_search_is_saved(tmp_path, cohort, frame):
    with sklearn.config_context(enable_metadata_routing=True):
        model = wh.LabelClassifier().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        search = GridSearchCV(model, {"ridge": [1.0]}, cv=2).fit(frame, cohort.y, sample_weight=np.ones(400))
        save_model(search.best_estimator_, tmp_path / "m")
    opened = load_model(tmp_path / "m").model
    np.testing.assert_array_equal(opened.predict_proba(frame), search.predict_proba(frame))


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda X, y: wh.LabelClassifier(), "has not been fitted"),
        (lambda X, y: wh.LabelClassifier(learner=RandomForestClassifier(10)).fit(X, y), "can only be pickled"),
        (lambda X, y: _OwnClassifier().fit(X, y), "none of whether's own"),
        (lambda X, y: object(), "none of whether's own"),
        (lambda X, y: make_pipeline(StandardScaler(), wh.LabelClassifier()), "has not been fitted"),
        (lambda X, y: make_pipeline(StandardScaler(), RandomForestClassifier(5)).fit(X, y), "none of whether's own"),
        (lambda X, y: GridSearchCV(wh.LabelClassifier(), {"ridge": [1.0]}, cv=2).fit(X, y), "save its best_estimator_"),
    ],
)
def test_what_cannot_be_saved_is_refused_and_leaves_no_file(tmp_path, cohort, make, said):
    with pytest.raises(ModelFileError, match=said):
        save_model(make(cohort.X, cohort.y), tmp_path / "m")
    assert list(tmp_path.iterdir()) == []


def test_a_part_of_an_unknown_class_is_refused(tmp_path, cohort):
    model = wh.LabelClassifier().fit(cohort.X, cohort.y)
    model.remark_ = {1, 2}
    with pytest.raises(ModelFileError, match="set"):
        save_model(model, tmp_path / "m")
