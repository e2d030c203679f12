"""MLflow: logged, opened as a Python function, the same risks, and no pickle on the way."""

import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from typer.testing import CliRunner

import whether as wh
from whether.cli.app import app
from whether.files.model import ModelFileError, log_mlflow, save_model

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of its own parts while it is imported
    mlflow = pytest.importorskip("mlflow", reason="MLflow is an extra")

pytestmark = pytest.mark.filterwarnings("ignore")  # MLflow warns of its own plans


@pytest.fixture(autouse=True)
def tracking(tmp_path, monkeypatch):
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")  # the small package brings no database
    monkeypatch.chdir(tmp_path)
    mlflow.set_tracking_uri((tmp_path / "runs").as_uri())
    yield tmp_path / "runs"
    mlflow.set_tracking_uri(None)


def log_and_open(model, **settings):
    with mlflow.start_run():
        return mlflow.pyfunc.load_model(log_mlflow(model, "risk", **settings).model_uri)


@pytest.mark.parametrize("learner", ["linear", wh.BoostedLearner(max_rounds=10)], ids=["linear", "boosted"])
def test_a_logged_classifier_gives_the_same_risks(tracking, fitted, frame, learner):
    model = fitted("FUMC-F", learner=learner)
    again = log_and_open(model, input_example=frame.head(3))
    np.testing.assert_array_equal(again.predict(frame)["risk"], model.predict_proba(frame)[:, 1])
    assert not [path for path in tracking.rglob("*") if path.suffix in (".pkl", ".pickle", ".joblib", ".cloudpickle")]


def test_a_logged_pipeline_gives_the_same_risks(cohort, frame):
    pytest.importorskip("skops", reason="pipelines are saved by skops, an extra")
    pipeline = make_pipeline(StandardScaler(), wh.LabelClassifier()).fit(frame, cohort.y)
    np.testing.assert_array_equal(log_and_open(pipeline).predict(frame)["risk"], pipeline.predict_proba(frame)[:, 1])


def test_a_model_of_the_program_takes_raw_tables(cohort, frame):
    table = frame.assign(stage=np.where(frame.x1 > 0, "late", "early"), event=cohort.y, follow_up=cohort.follow_up)
    table.to_csv("people.csv", index=False)
    command = "fit people.csv --event event --follow-up follow_up --method FUMC-F -o m.whether".split()
    assert CliRunner().invoke(app, command).exit_code == 0
    again = log_and_open("m.whether")
    assert list(again.predict(table).columns) == ["risk", "risk_lower", "risk_upper"]
    assert again.get_raw_model().method == "FUMC-F"


def test_what_cannot_be_saved_is_not_logged(fitted, frame):
    Path("thesis.txt").write_text("no model")
    with mlflow.start_run():
        for model, said in ((StandardScaler().fit(frame), "cannot be saved"), ("thesis.txt", "not a model file")):
            with pytest.raises(ModelFileError, match=said):
                log_mlflow(model)


def test_a_file_that_was_exchanged_for_another_is_refused(tracking, fitted, frame):
    with mlflow.start_run():
        info = log_mlflow(fitted("LR"))
    (stored,) = tracking.rglob("model.whether")
    stored.write_bytes(stored.read_bytes()[:-40])
    with pytest.raises(ModelFileError):
        mlflow.pyfunc.load_model(info.model_uri)


def test_saved_beside_mlflow_the_file_is_the_same(tracking, fitted, tmp_path):
    save_model(fitted("LR"), tmp_path / "m.whether")
    with mlflow.start_run():
        log_mlflow(fitted("LR"))
    (stored,) = tracking.rglob("model.whether")
    assert stored.read_bytes() == (tmp_path / "m.whether").read_bytes()
