"""What an engineer would try in Python: lines of code, and what their result has to look like."""

from typing import NamedTuple

SETUP = """import tempfile, warnings
import numpy as np, pandas as pd, polars as pl, sklearn, whether as wh
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.feature_selection import RFE, SelectFromModel
from sklearn.inspection import partial_dependence, permutation_importance
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from whether.evaluate import ipcw_auc_scorer

people = wh.simulate("partially-dependent", n=600, seed=0)
X = people.frame()[list(people.feature_names)]
y, time, follow_up = people.y, people.time, people.follow_up
raw = X.assign(stage=pd.Categorical(np.where(X.x1 > 0, "late", "early")), x2=X.x2.where(X.index % 7 > 0))
Cure, few = wh.FollowUpCureClassifier, wh.BoostedLearner(max_rounds=30)
linear = Cure().fit(X, y, follow_up=follow_up)
boosted = Cure(learner=few, random_state=0).fit(X, y, follow_up=follow_up)
folder = tempfile.mkdtemp()


def onnx_risk(path, table):
    import onnxruntime

    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    return session.run(["risk"], {"features": np.asarray(table, dtype=float)})[0]
"""


class Trial(NamedTuple):
    aim: str
    code: str  # statements, the last one an expression: what came out
    gives: str  # a regular expression for its text, or for "Error: message" where it has to be refused
    routing: bool = False


TRIALS = [
    Trial(
        "Pipeline",
        "pipe = make_pipeline(StandardScaler(), Cure()).fit(X, y, "
        "followupcureclassifier__follow_up=follow_up); pipe.predict_proba(X)[:2, 1].round(3)",
        r"\[0\.\d+, 0\.\d+\]",
    ),
    Trial(
        "ColumnTransformer, one-hot",
        "columns = make_column_transformer((StandardScaler(), ['x1', 'x3', 'x4']), (OneHotEncoder(), "
        "['stage'])); mixed = make_pipeline(columns, Cure()).fit(raw, y, "
        "followupcureclassifier__follow_up=follow_up); mixed[-1].n_features_in_",
        r"^5$",
    ),
    Trial(
        "A raw frame with categories and gaps, trees",
        "trees = Cure(learner=few, random_state=0).fit(raw, y, follow_up=follow_up); trees.categories_",
        r"early.*late",
    ),
    Trial(
        "The same, linear",
        "Cure().fit(raw, y, follow_up=follow_up)",
        r"ValueError|DataError",
    ),
    Trial(
        "polars",
        "float(abs(Cure().fit(pl.DataFrame(X.to_dict('list')), y, "
        "follow_up=follow_up).predict_proba(pl.DataFrame(X.to_dict('list'))) - "
        "linear.predict_proba(X)).max())",
        r"^0\.0$",
    ),
    Trial(
        "Labels that are words",
        "Cure().fit(X, np.where(y == 1, 'yes', 'no'), follow_up=follow_up)",
        r"Error: .*y",
    ),
    Trial(
        "Columns in another order",
        "linear.predict_proba(X[['x2', 'x1', 'x3', 'x4']])",
        r"Error: .*order",
    ),
    Trial(
        "A sparse matrix",
        "import scipy.sparse; sparse = Cure().fit(scipy.sparse.csr_matrix(X), y, follow_up=follow_up); "
        "bool(np.allclose(sparse.predict_proba(X), Cure().fit(X, y, follow_up=follow_up).predict_proba(X)))",
        r"^True$",
    ),
    Trial(
        "Times forgotten",
        "Cure().fit(X, y)",
        r"Error: .*follow_up",
    ),
    Trial(
        "Metadata routing, default score",
        "cross_val_score(Cure().set_fit_request(follow_up=True).set_score_request(follow_up=True), X, y, "
        "params={'follow_up': follow_up}, cv=3).round(2)",
        r"\[-0\.\d",
        routing=True,
    ),
    Trial(
        "Search over a setting",
        "GridSearchCV(Cure().set_fit_request(follow_up=True).set_score_request(follow_up=True), "
        "{'shrinkage': [0.0, 100.0]}, cv=2).fit(X, y, follow_up=follow_up).best_params_",
        r"shrinkage",
        routing=True,
    ),
    Trial(
        "Search with our scorer",
        "float(GridSearchCV(wh.MixtureCureClassifier('lognormal').set_fit_request(time=True), {'shrinkage': "
        "[0.0, 100.0]}, cv=2, scoring=ipcw_auc_scorer()).fit(X, y, time=time).best_score_.round(2))",
        r"^0\.\d+$",
        routing=True,
    ),
    Trial(
        "Folds by group",
        "cross_val_score(Cure().set_fit_request(follow_up=True, "
        "groups=True).set_score_request(follow_up=False), X, y, params={'follow_up': follow_up, 'groups': "
        "np.arange(600) // 2}, cv=GroupKFold(3)).round(2)",
        r"\[-0\.",
        routing=True,
    ),
    Trial(
        "Risks out of fold",
        "cross_val_predict(Cure().set_fit_request(follow_up=True), X, y, params={'follow_up': follow_up}, "
        "cv=3, method='predict_proba').shape",
        r"\(600, 2\)",
        routing=True,
    ),
    Trial(
        '`scoring="roc_auc"`',
        "cross_val_score(wh.SARPUClassifier(propensity_features=['x3', 'x4']), X, y, cv=2, scoring='roc_auc').round(2)",
        r"LabelsAsTruthWarning: sklearn\.metrics scores the risks against the labels",
    ),
    Trial(
        "`CalibratedClassifierCV`",
        "CalibratedClassifierCV(wh.SARPUClassifier(propensity_features=['x3', 'x4']), cv=2).fit(X, y)",
        r"LabelsAsTruthWarning: sklearn\.calibration calibrates the risks to the labels",
    ),
    Trial(
        "Was it asked by such a tool?",
        "from sklearn.metrics import get_scorer; asked = clone(linear).fit(X, y, follow_up=follow_up); "
        "get_scorer('roc_auc')(asked, X, y); asked.compared_with_labels_",
        r"True",
    ),
    Trial(
        "Coefficients",
        "linear.coef_.round(2), linear.intercept_.round(2)",
        r"array\(\[\[",
    ),
    Trial(
        "Importances",
        "boosted.feature_importances_.round(2)",
        r"\[",
    ),
    Trial(
        "SelectFromModel, fitted",
        "SelectFromModel(boosted, prefit=True).fit(X).get_feature_names_out()",
        r"x1",
    ),
    Trial(
        "SelectFromModel inside a pipeline, routed",
        "make_pipeline(SelectFromModel(Cure().set_fit_request(follow_up=True)), "
        "Cure().set_fit_request(follow_up=True)).fit(X, y, follow_up=follow_up)[-1].n_features_in_",
        r"^\d$",
        routing=True,
    ),
    Trial(
        "RFE",
        "RFE(Cure().set_fit_request(follow_up=True), n_features_to_select=2).fit(X, y, follow_up=follow_up).support_",
        r"True",
        routing=True,
    ),
    Trial(
        "SHAP values add up to the log odds",
        "parts = boosted.predict_contributions(X); bool(abs(parts.sum(axis=1) - "
        "boosted.decision_function(X)).max() < 1e-6)",
        r"True",
    ),
    Trial(
        "Monotone constraint",
        "kept = Cure(learner=wh.BoostedLearner(monotone={'x1': 1}, max_rounds=30), random_state=0).fit(X, y, "
        "follow_up=follow_up); bool((np.diff([kept.decision_function(X.assign(x1=v)) for v in "
        "np.linspace(-2, 2, 20)], axis=0) > -1e-12).all())",
        r"True",
    ),
    Trial(
        "Partial dependence",
        "partial_dependence(linear, X, ['x1'], grid_resolution=5)['average'].shape",
        r"\(1, 5\)",
    ),
    Trial(
        "Permutation importance, our scorer",
        "permutation_importance(linear, X, y, n_repeats=2, random_state=0, scoring=lambda m, X, y: "
        "ipcw_auc_scorer()(m, X, y, time=time)).importances_mean.round(2)",
        r"\[",
    ),
    Trial(
        "Survival curves",
        "wh.MixtureCureClassifier('lognormal').fit(X, y, time=time).predict_survival(X, [1.0, 5.0]).shape",
        r"\(600, 2\)",
    ),
    Trial(
        "Standard errors",
        "np.sqrt(np.diag(linear.vcov()))[:2].round(2)",
        r"\[0\.\d+, 0\.\d+\]",
    ),
    Trial(
        "clone",
        "clone(linear).get_params() == linear.get_params(), hasattr(clone(linear), 'model_')",
        r"\(True, False\)",
    ),
    Trial(
        "pickle",
        "import pickle; bool((pickle.loads(pickle.dumps(boosted)).predict_proba(X) == boosted.predict_proba(X)).all())",
        r"True",
    ),
    Trial(
        "Saved, safe to open",
        "wh.save_model(boosted, folder + '/m.whether'); bool((wh.load_model(folder + "
        "'/m.whether').model.predict_proba(X) == boosted.predict_proba(X)).all())",
        r"True",
    ),
    Trial(
        "A pipeline saved whole",
        "wh.save_model(mixed, folder + '/p.whether'); bool((wh.load_model(folder + "
        "'/p.whether').model.predict_proba(raw) == mixed.predict_proba(raw)).all())",
        r"True",
    ),
    Trial(
        "A pipeline with code of one's own",
        "wh.save_model(make_pipeline(FunctionTransformer(lambda t: t), Cure()).fit(X, y, "
        "followupcureclassifier__follow_up=follow_up), folder + '/q.whether')",
        r"ModelFileError: .*<lambda>",
    ),
    Trial(
        "skops",
        "import skops.io; kinds = skops.io.get_untrusted_types(data=skops.io.dumps(linear)); "
        "{kind.split('.')[0] for kind in kinds}, type(skops.io.loads(skops.io.dumps(linear), "
        "trusted=kinds)).__name__",
        r"\{'whether'\}, 'FollowUpCureClassifier'",
    ),
    Trial(
        "MLflow",
        "import os; os.environ['MLFLOW_ALLOW_FILE_STORE'] = 'true'; import mlflow; from whether.files.model "
        "import log_mlflow; mlflow.set_tracking_uri('file://' + folder + '/runs'); run = mlflow.start_run(); "
        "info = log_mlflow(mixed, 'risk'); mlflow.end_run(); "
        "mlflow.pyfunc.load_model(info.model_uri).predict(raw).columns.tolist()",
        r"\['risk'\]",
    ),
    Trial(
        "ONNX, linear",
        "from whether.files.model import save_onnx; save_onnx(linear, folder + '/l.onnx'); "
        "bool(abs(onnx_risk(folder + '/l.onnx', X) - linear.predict_proba(X)[:, 1]).max() < 1e-5)",
        r"True",
    ),
    Trial(
        "ONNX, trees, missing values",
        "gaps = X.mask(np.random.default_rng(0).random(X.shape) < 0.2); save_onnx(boosted, folder + "
        "'/t.onnx'); bool(abs(onnx_risk(folder + '/t.onnx', gaps) - boosted.predict_proba(gaps)[:, 1]).max() "
        "< 1e-5)",
        r"True",
    ),
    Trial(
        "ONNX, trees that split a category",
        "split = Cure(learner=few, random_state=0).fit(raw[['x3', 'stage']], y, follow_up=follow_up); "
        "save_onnx(split, folder + '/c.onnx')",
        r"ModelFileError: .*[Ee]ncode",
    ),
    Trial(
        "Transformers that return frames",
        "framed = make_pipeline(StandardScaler(), Cure()); framed[:-1].set_output(transform='pandas'); "
        "framed.fit(X, y, followupcureclassifier__follow_up=follow_up)[-1].feature_names_in_",
        r"x1",
    ),
    Trial(
        "A table and its answer, no steps between",
        "str(wh.analyze(raw.assign(event=y, time=time), event='event', time='time', backtest=False, "
        "sensitivity=False)).splitlines()[0]",
        r"with no recorded event",
    ),
]
