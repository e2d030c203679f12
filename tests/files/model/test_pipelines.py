"""A pipeline that ends in one of ours is saved whole, of parts that nobody has to trust."""

import builtins
import io
import zipfile

import numpy as np
import pytest
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.decomposition import PCA
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, OrdinalEncoder, SplineTransformer, StandardScaler

import whether as wh
from whether.files.model import ModelFileError, load_model, save_model

skops = pytest.importorskip("skops.io", reason="pipelines are saved by skops, an extra")
NUMBERS = ["x1", "x2", "x3", "x4"]
STEPS = {
    "scaler": lambda: StandardScaler(),
    "columns": lambda: ColumnTransformer(
        [
            ("numbers", make_pipeline(SimpleImputer(), StandardScaler()), NUMBERS),
            ("stage", OneHotEncoder(handle_unknown="ignore"), ["stage"]),
        ]
    ),
    "columns by type": lambda: ColumnTransformer(
        [("numbers", SimpleImputer(), make_column_selector(dtype_include="number"))]
    ),
    "frames": lambda: ColumnTransformer([("stage", OrdinalEncoder(), ["stage"])]).set_output(transform="pandas"),
    "splines": lambda: SplineTransformer(n_knots=3),
    "components": lambda: PCA(2),
    "selection": lambda: SelectKBest(k=2),
    "function": lambda: FunctionTransformer(np.arctan),
}


@pytest.fixture(scope="module")
def table(frame):
    return frame.assign(stage=np.where(frame.x1 > 0, "late", "early"))


def fit(step, cohort, X, learner="linear"):
    model = wh.FollowUpCureClassifier("lognormal", learner=learner, random_state=0)
    return Pipeline([("before", step), ("ours", model)]).fit(X, cohort.y, ours__follow_up=cohort.follow_up)


@pytest.mark.filterwarnings("ignore::whether.FollowUpWarning")
@pytest.mark.parametrize("name", STEPS)
def test_a_saved_pipeline_predicts_the_same(name, tmp_path, cohort, frame, table):
    X = table if name in ("columns", "columns by type", "frames") else frame
    pipeline = fit(STEPS[name](), cohort, X)
    save_model(pipeline, tmp_path / "p.whether", training={"people": 400})
    opened = load_model(tmp_path / "p.whether")
    assert opened.training == {"people": 400}
    assert [step for step, _ in opened.model.steps] == ["before", "ours"]
    np.testing.assert_array_equal(opened.model.predict_proba(X), pipeline.predict_proba(X))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # ten rounds are few
def test_trees_after_steps_are_saved_too(tmp_path, cohort, frame):
    pipeline = fit(StandardScaler(), cohort, frame, wh.BoostedLearner(max_rounds=10))
    save_model(pipeline, tmp_path / "p.whether")
    again = load_model(tmp_path / "p.whether").model
    np.testing.assert_array_equal(again.predict_proba(frame), pipeline.predict_proba(frame))


def test_a_step_of_an_unknown_type_is_refused_and_named(tmp_path, cohort, frame):
    pipeline = fit(FunctionTransformer(lambda X: X), cohort, frame)
    with pytest.raises(ModelFileError, match=r"nobody should have to trust: .*<lambda>.*save_model\(pipeline\[-1\]"):
        save_model(pipeline, tmp_path / "p.whether")
    assert not list(tmp_path.iterdir())


def test_a_pipeline_that_ends_in_somebody_elses_classifier_is_refused(tmp_path, cohort, frame):
    pipeline = make_pipeline(StandardScaler(), LogisticRegression()).fit(frame, cohort.y)
    with pytest.raises(ModelFileError, match="nor a pipeline that ends in one"):
        save_model(pipeline, tmp_path / "p.whether")


def with_steps(path, content):
    """Put other steps into a model file."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, old in members.items():
            archive.writestr(name, content if name == "steps.skops" else old)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (lambda: skops.dumps(Pipeline([("before", FunctionTransformer(exec)), ("ours", "passthrough")])), "exec"),
        (lambda: skops.dumps(StandardScaler()), "no pipeline"),
        (lambda: skops.dumps(make_pipeline(StandardScaler(), LogisticRegression())), "no pipeline"),
        (lambda: skops.dumps(make_pipeline(StandardScaler(), "passthrough"), compression=8), "compressed"),
        (lambda: b"no archive", "damaged"),
    ],
    ids=["code", "no pipeline", "other end", "compressed", "nothing"],
)
def test_forged_steps_are_refused(content, said, tmp_path, cohort, frame):
    save_model(fit(StandardScaler(), cohort, frame), tmp_path / "p.whether")
    with_steps(tmp_path / "p.whether", content())
    with pytest.raises(ModelFileError, match=said):
        load_model(tmp_path / "p.whether")


def test_flipped_bytes_in_steps_are_refused_or_harmless(tmp_path, cohort, frame):
    pipeline = fit(StandardScaler(), cohort, frame)
    save_model(pipeline, tmp_path / "p.whether")
    content, rng, refused = (tmp_path / "p.whether").read_bytes(), np.random.default_rng(0), 0
    start = content.index(b"steps.skops")
    for position in rng.integers(start, len(content), size=100):
        damaged = bytearray(content)
        damaged[position] ^= int(rng.integers(1, 256))
        (tmp_path / "p.whether").write_bytes(damaged)
        try:
            again = load_model(tmp_path / "p.whether").model
        except ModelFileError:
            refused += 1
        else:
            np.testing.assert_array_equal(again.predict_proba(frame), pipeline.predict_proba(frame))
    assert refused > 80


def test_without_skops_both_ways_say_what_to_install(tmp_path, cohort, frame, monkeypatch):
    pipeline = fit(StandardScaler(), cohort, frame)
    save_model(pipeline, tmp_path / "p.whether")
    found = builtins.__import__

    def missing(name, *others, **more):
        if name.startswith("skops"):
            raise ImportError(name)
        return found(name, *others, **more)

    monkeypatch.setattr(builtins, "__import__", missing)
    for call in (lambda: save_model(pipeline, tmp_path / "q.whether"), lambda: load_model(tmp_path / "p.whether")):
        with pytest.raises(ModelFileError, match=r"pip install 'whether\[skops\]'"):
            call()
    assert not (tmp_path / "q.whether").exists()


@pytest.mark.parametrize("name", ["FUMC-F", "AFTMC-F", "LR", "SARPU-R"])
def test_skops_alone_opens_a_classifier_whose_types_are_all_ours(name, fitted, frame):
    content = skops.dumps(fitted(name))
    types = skops.get_untrusted_types(data=content)
    assert all(kind.startswith("whether.") for kind in types)
    again = skops.loads(io.BytesIO(content).getvalue(), trusted=types)
    np.testing.assert_array_equal(again.predict_proba(frame), fitted(name).predict_proba(frame))
