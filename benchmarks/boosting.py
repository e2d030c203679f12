"""Processor time of boosted fits beside LightGBM's own classifier with early stopping, on the same rows.

``python -m benchmarks boosting [rows ...]``. LightGBM is timed with its own settings (31 leaves, all rows for each
tree) and with ours (8 leaves, 60 % of the rows); a fifth of the rows says when to stop. It learns the labels alone.
"""

import time
import warnings

import lightgbm
import numpy as np
from sklearn.metrics import roc_auc_score

import whether as wh
from benchmarks.curved import squares

SIZES = (10_000, 200_000, 1_000_000)
LIMIT = 8
OURS = {"num_leaves": 8, "min_child_samples": 20, "reg_lambda": 5.0, "subsample": 0.6, "subsample_freq": 1}
METHODS = {"mixture cure": wh.MixtureCureClassifier, "follow-up": wh.FollowUpCureClassifier}


def timed(fit):
    start = time.process_time()
    result = fit()
    return time.process_time() - start, result


def fit_lightgbm(X, y, settings):
    """LightGBM's classifier as it is usually fitted: until a fifth of the rows says to stop."""
    held_out = np.arange(y.size) % 5 == 0
    model = lightgbm.LGBMClassifier(n_estimators=1000, n_jobs=1, verbose=-1, **settings)
    stop = lightgbm.early_stopping(25, verbose=False)
    return model.fit(X[~held_out], y[~held_out], eval_set=[(X[held_out], y[held_out])], callbacks=[stop])


def measure(n):
    cohort, fresh = squares(n, 0), squares(50_000, 10_000)
    repeats = 3 if n <= 10_000 else 1
    for name, method in METHODS.items():
        fits = {
            "own": lambda: fit_lightgbm(cohort.X, cohort.y, {}),
            "ours": lambda: fit_lightgbm(cohort.X, cohort.y, OURS),
            "whether": lambda method=method: method(learner="boosted", random_state=0).fit(
                cohort.X, cohort.y, time=cohort.time, follow_up=cohort.follow_up
            ),
        }
        runs = [{kind: timed(fit) for kind, fit in fits.items()} for _ in range(repeats)]
        seconds = {kind: float(np.median([run[kind][0] for run in runs])) for kind in fits}
        model = runs[-1]["whether"][1]
        auc = roc_auc_score(fresh.positive, model.decision_function(fresh.X))
        print(
            f"{n:9,d} {name:13s} {seconds['whether']:9.2f} {model.model_.result.n_steps:7d} {auc:7.4f} "
            f"{seconds['own']:9.2f} {seconds['whether'] / seconds['own']:6.1f} {LIMIT:6d} "
            f"{seconds['ours']:9.2f} {seconds['whether'] / seconds['ours']:6.1f}",
            flush=True,
        )


def main(arguments):
    warnings.simplefilter("ignore")
    print(f"{'':50s} {'LightGBM, its settings':>23s} {'our settings':>16s}")
    print(
        f"{'rows x 8':>9s} {'method':13s} {'seconds':>9s} {'rounds':>7s} {'AUC':>7s} {'seconds':>9s} {'ratio':>6s} "
        f"{'limit':>6s} {'seconds':>9s} {'ratio':>6s}"
    )
    for n in [int(argument) for argument in arguments] or SIZES:
        measure(n)
