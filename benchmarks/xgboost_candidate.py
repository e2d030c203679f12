"""XGBoost under the same likelihood, beside our boosted learner: processor time, rounds, AUC and mean risk.

``python -m benchmarks xgboost_candidate [rows ...]``, with 2,000 and 10,000 rows unless others are given. XGBoost is no
dependency; where it is not installed (``pip install xgboost-cpu``) a sentence says so.

XGBoost grows both parts at once: labels are the matrix (S, log t), outputs are (eta, location), and the row gradients
and the EM curvature of the likelihood are the custom objective. It takes what our learner settled, the residual
distribution and where the trees start, with the levels that ours ended with, and learns as fast, with as large trees on
as large draws of people. A fifth of the rows says when to stop. Levels and the log scale, which everybody shares, stay
where the start has them: an objective of rows has no such numbers. So its time is that of the trees alone; of ours
"trees" is what compares with it.
"""

import importlib.util
import time
import warnings

import numpy as np
from scipy.special import expit
from sklearn.metrics import roc_auc_score

import whether as wh
from benchmarks.curved import METHODS, WORLDS

SIZES = (2_000, 10_000)
NAMED = ("squares", "steps")
PATIENCE = 25


class Timed(wh.BoostedLearner):
    """Our learner, which tells how long the trees took that it kept."""

    seconds = 0.0

    def _finish(self, *settled):
        begin = time.process_time()
        grown = super()._finish(*settled)
        Timed.seconds = time.process_time() - begin
        return grown


def objective(propensity, log_scale):
    """Value, gradient and curvature per row in (eta, location), of rows with the label matrix (S, log t)."""
    from whether.likelihood import Likelihood
    from whether.propensity.observed import Observed

    likelihood = Likelihood(propensity)

    def rows(outputs, labels):
        value, slopes = np.empty(len(labels)), np.empty((2, *outputs.shape))
        for labeled in (True, False):
            some = (labels[:, 0] == 1) == labeled
            eta, location = outputs[some].astype(float).T
            v = np.stack([location, np.full(location.size, log_scale)])
            found = likelihood.surrogate(eta, v, Observed(labels[some, 1].astype(float)), labeled=labeled)
            value[some], slopes[0][some] = found.value, -found.gradient[:2].T
            slopes[1][some] = np.maximum(found.curvature[:2].T, 1e-3)
        return value, slopes

    return rows


def fit_xgboost(cohort, fitted, clock):
    """Trees from where ours start, on four fifths of the rows, and how to predict the outcome of others."""
    import xgboost

    offset, learner = fitted.offset, wh.BoostedLearner().of_size(cohort.y.size)
    start = offset.predict(cohort.X)
    rows = objective(offset.fit.propensity, float(start[1][1, 0]))
    labels = np.column_stack([cohort.y, offset.fit.propensity.locate(clock)])
    base, held_out = np.column_stack([start[0], start[1][0]]), np.arange(cohort.y.size) % 5 == 0
    data = [xgboost.QuantileDMatrix(cohort.X[some], labels[some], max_bin=learner.max_bin) for some in (~held_out,)]
    data.append(xgboost.QuantileDMatrix(cohort.X[held_out], labels[held_out], ref=data[0], max_bin=learner.max_bin))
    for part, some in zip(data, (~held_out, held_out), strict=True):
        part.set_base_margin(base[some])
    parameters = {
        "max_leaves": learner.num_leaves, "max_depth": 0, "grow_policy": "lossguide", "tree_method": "hist",
        "eta": learner.learning_rate, "subsample": learner.bagging_fraction, "lambda": learner.lambda_l2,
        "max_bin": learner.max_bin, "nthread": 1, "seed": 0, "disable_default_eval_metric": True, "verbosity": 0,
    }  # fmt: skip
    booster = xgboost.train(
        parameters, data[0], 1000, evals=[(data[1], "held_out")], verbose_eval=False,
        obj=lambda outputs, part: tuple(rows(outputs, part.get_label().reshape(-1, 2))[1]),
        custom_metric=lambda outputs, part: ("loss", -rows(outputs, part.get_label().reshape(-1, 2))[0].mean()),
        callbacks=[xgboost.callback.EarlyStopping(PATIENCE, save_best=True)],
    )  # fmt: skip

    def predict(features):
        eta, v = offset.predict(features)
        return booster.predict(xgboost.DMatrix(features, base_margin=np.column_stack([eta, v[0]])), output_margin=True)

    return booster.num_boosted_rounds(), predict


def measure(world, n, name):
    cohort, fresh = WORLDS[world](n, 0), WORLDS[world](20_000, 10_000)
    clock = cohort.time if name.startswith("AFT") else cohort.follow_up
    ours, begin = wh.METHODS[name].build(learner=Timed(), random_state=0), time.process_time()
    ours.fit(cohort.X, cohort.y, time=cohort.time, follow_up=cohort.follow_up)
    middle = time.process_time()
    rounds, predict = fit_xgboost(cohort, ours.model_, clock)
    seconds = f"{middle - begin:7.2f} {Timed.seconds:6.2f}", f"{time.process_time() - middle:7.2f}"
    risks, counts = (
        (ours.predict_proba(fresh.X)[:, 1], expit(predict(fresh.X)[:, 0])),
        (ours.model_.result.n_steps, rounds),
    )
    found = [(roc_auc_score(fresh.positive, p), (p - fresh.positive).mean()) for p in risks]
    cells = [f"{s} {c:6d} {auc:6.4f} {off:+9.3f}" for s, c, (auc, off) in zip(seconds, counts, found, strict=True)]
    print(f"{world:8s} {name:8s} {n:9,d} {'   '.join(cells)}", flush=True)


def main(arguments):
    warnings.simplefilter("ignore")
    if importlib.util.find_spec("xgboost") is None:
        print("XGBoost is not installed: pip install xgboost-cpu")
        return
    print(f"{'':27s} {'whether, boosted':>38s}   {'XGBoost':>31s}")
    columns = "rounds    AUC mean risk"
    print(f"{'world':8s} {'method':8s} {'rows':>9s} seconds  trees {columns}   seconds {columns}")
    for n in [int(argument) for argument in arguments] or SIZES:
        for world in NAMED:
            for name in METHODS:
                measure(world, n, name)
