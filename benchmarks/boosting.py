"""Time of boosted mixture cure as a ratio to LightGBM's own classifier with the same number of trees in total.

Counted are the trees of the final model; the trees grown to decide when to stop are part of the measured time.
"""

import time
import warnings

import lightgbm
import numpy as np

import whether as wh
from benchmarks.speed import make_cohort


def timed(fit, repeats):
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = fit()
        seconds.append(time.perf_counter() - start)
    return float(np.median(seconds)), result


def measure(n, d, repeats):
    X, y, event_time, _ = make_cohort(n, d)
    y = np.where(np.sin(3 * X[:, 0]) > -0.5, y, 0)  # a curved outcome, so that there is something to grow
    model = wh.MixtureCureClassifier(learner="boosted")
    seconds, fitted = timed(lambda: model.fit(X, y, time=event_time), repeats)
    trees = fitted.model_.outcome.num_trees() + fitted.model_.timing.num_trees()
    peer = lightgbm.LGBMClassifier(
        n_estimators=trees, num_leaves=8, learning_rate=0.1, min_child_samples=20, reg_lambda=5.0, verbose=-1
    )
    own, _ = timed(lambda: peer.fit(X, y), repeats)
    print(f"{n:9,d} {seconds:10.2f} {trees:6d} {own:11.2f} {seconds / own:6.1f} {4:6d}")


def main(arguments):
    warnings.simplefilter("ignore")
    print(f"{'rows':>9s} {'whether s':>10s} {'trees':>6s} {'LightGBM s':>11s} {'ratio':>6s} {'limit':>6s}")
    measure(4_000, 4, repeats=5)
    measure(100_000, 20, repeats=1)
