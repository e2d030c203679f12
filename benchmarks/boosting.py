"""Time of boosted mixture cure as a ratio to LightGBM's own classifier with the same number of trees in total.

Counted are all trees that a fit grows, also those that decide where to start and when to stop; beside it the ratio to
as many trees as the final model has.
"""

import time
import warnings
from unittest import mock

import lightgbm
import numpy as np

import whether as wh
from benchmarks.speed import make_cohort

LIMIT = 4


def timed(fit, repeats):
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = fit()
        seconds.append(time.perf_counter() - start)
    return float(np.median(seconds)), result


def count_trees(fit):
    """Number of trees that LightGBM is asked for during a fit."""
    count, update = 0, lightgbm.Booster.update

    def counted(self, *arguments, **settings):
        nonlocal count
        count += 1
        return update(self, *arguments, **settings)

    with mock.patch.object(lightgbm.Booster, "update", counted):
        fit()
    return count


def measure(n, d, repeats):
    X, y, event_time, _ = make_cohort(n, d)
    y = np.where(np.sin(3 * X[:, 0]) > -0.5, y, 0)  # a curved outcome, so that there is something to grow
    model = wh.MixtureCureClassifier(learner="boosted", random_state=0)
    grown = count_trees(lambda: model.fit(X, y, time=event_time))
    seconds, fitted = timed(lambda: model.fit(X, y, time=event_time), repeats)
    kept = fitted.model_.outcome.num_trees() + fitted.model_.timing.num_trees()
    own = {}
    for trees in (grown, kept):
        settings = {"num_leaves": 8, "min_child_samples": 20, "reg_lambda": 5.0, "subsample": 0.6, "subsample_freq": 1}
        peer = lightgbm.LGBMClassifier(n_estimators=trees, verbose=-1, **settings)
        own[trees], _ = timed(lambda peer=peer: peer.fit(X, y), repeats)
    print(
        f"{n:9,d} {seconds:10.2f} {grown:7d} {own[grown]:11.2f} {seconds / own[grown]:6.1f} {LIMIT:6d} "
        f"{kept:7d} {seconds / own[kept]:6.1f}"
    )


def main(arguments):
    warnings.simplefilter("ignore")
    print(f"{'':9s} {'':10s} {'all trees grown':>33s} {'final trees':>14s}")
    print(
        f"{'rows':>9s} {'whether s':>10s} {'trees':>7s} {'LightGBM s':>11s} {'ratio':>6s} {'limit':>6s} "
        f"{'trees':>7s} {'ratio':>6s}"
    )
    measure(4_000, 4, repeats=5)
    measure(100_000, 20, repeats=1)
