"""Time of `predict_contributions` as a ratio to LightGBM's own ``pred_contrib`` on the same trees.

Beside it, how far the sums are off. The rest of the time checks the table and adds the linear model under the trees.
"""

import numpy as np

import whether as wh
from benchmarks.boosting import timed
from benchmarks.speed import make_cohort
from whether.learners.boosted.boosted_fit import threads_for

LIMIT = 1.5


def fastest(call):
    """Least processor time of five runs, and what the call returned."""
    return min((timed(call) for _ in range(5)), key=lambda run: run[0])


def main(arguments):
    X, y, event_time, _ = make_cohort(20_000, 10)
    y = np.where(np.sin(3 * X[:, 0]) > -0.5, y, 0)  # a curved outcome, so that there is something to grow
    model = wh.MixtureCureClassifier(learner="boosted", random_state=0).fit(X, y, time=event_time)
    trees = model.model_.outcome
    print(f"{'people':>9s} {'trees':>6s} {'seconds':>8s} {'LightGBM':>9s} {'ratio':>6s} {'limit':>6s} {'off by':>8s}")
    for n in (1_000, 20_000):
        some = X[:n]
        own, _ = fastest(lambda some=some: trees.predict(some, pred_contrib=True, num_threads=threads_for(len(some))))
        seconds, parts = fastest(lambda some=some: model.predict_contributions(some))
        error = np.abs(parts.sum(axis=1) - model.decision_function(some)).max()
        print(
            f"{n:9,d} {trees.num_trees():6d} {seconds:8.3f} {own:9.3f} {seconds / own:6.2f} {LIMIT:6.1f} {error:8.1e}"
        )
