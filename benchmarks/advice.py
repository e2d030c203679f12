"""Advice against every method that applies: on worlds with known truth, and on real cohorts put back in time.

    python -m benchmarks advice worlds [replicates] [learner] [world ...]
    python -m benchmarks advice cohorts [splits] [cohort ...]

In a world the advice sees features, labels, times and follow-up, and is not told which feature does what. Learner is
"linear" for all methods, or "advised" for the one that the advice asks for, again for all methods alike.
"""

import sys
import warnings
from collections import Counter

import numpy as np
from joblib import Parallel, delayed

import whether as wh
from benchmarks.cohorts import COHORTS, load
from whether.evaluate import evaluate_risks
from whether.simulation import DIABETES_WORLDS, PAPER_WORLDS, STRESS_WORLDS

N_REPLICATES = 10
N_SPLITS = 10
N_FRESH = 20_000
# What is asked for: on average and in every world, and the mean risk where nothing is flagged or refused.
AVERAGE_GAP, WORST_GAP, RISK_ERROR = 0.01, 0.03, 0.05
# Methods that apply without names of features. AFT has no risk of its own and is not in the running.
APPLICABLE = [name for name, method in wh.METHODS.items() if not method.feature_parameter and name != "AFT"]


def draw(world, seed):
    """People to learn from and people to be judged by."""
    if world in DIABETES_WORLDS:  # the table holds so many people with diabetes that a fifth is kept for judging
        cohort = wh.simulate(world, seed=seed)
        cut = int(0.8 * cohort.y.size)
        parts = [slice(0, cut), slice(cut, None)]
        training = {name: getattr(cohort, name)[parts[0]] for name in ("X", "y", "time", "follow_up")}
        return training, cohort.X[parts[1]], cohort.positive[parts[1]]
    n = int(0.8 * wh.simulation.WORLDS[world].n)
    cohort, fresh = wh.simulate(world, n=n, seed=seed), wh.simulate(world, n=N_FRESH, seed=10_000 + seed)
    training = {name: getattr(cohort, name) for name in ("X", "y", "time", "follow_up")}
    return training, fresh.X, fresh.positive


def run(world, seed, learner):
    warnings.simplefilter("ignore")
    known, X, positive = draw(world, seed)
    advice = wh.recommend(known["X"], known["y"], time=known["time"], follow_up=known["follow_up"])
    chosen = advice.learner if learner == "advised" else learner
    scores = {}
    for name in APPLICABLE:
        settings = {} if name == "nnPU" else {"learner": chosen}
        try:
            model = wh.METHODS[name].build(random_state=0, **settings).fit(**known)
        except ValueError:  # constant columns of a rare feature, say
            continue
        scores[name] = evaluate_risks(positive, model.predict_proba(X)[:, 1])
    return {
        "method": advice.method,
        "learner": advice.learner,
        "refused": advice.refused,
        "flags": len(advice.flags),
        "scores": scores,
    }


def tabulate_world(world, results):
    """Print a world's row; return the gap to the best method and whether the mean risk fails unflagged."""
    names = [name for name in APPLICABLE if all(name in result["scores"] for result in results)]
    means = {name: np.mean([result["scores"][name]["auc"] for result in results]) for name in names}
    best = max(means, key=means.get)
    auc = np.mean([result["scores"][result["method"]]["auc"] for result in results])
    errors = np.array([result["scores"][result["method"]]["mean_risk_error"] for result in results])
    warned = np.array([result["refused"] or result["flags"] > 0 for result in results])
    refused = np.mean([result["refused"] for result in results])
    advised = ", ".join(f"{name} {count}" for name, count in Counter(r["method"] for r in results).most_common())
    curved = np.mean([result["learner"] != "linear" for result in results])
    silent = errors[~warned]
    worst = silent[np.argmax(np.abs(silent))] if silent.size else np.nan
    print(f"{world:30s} {advised:22s} {auc:6.3f} {best:>8s} {means[best]:6.3f} {auc - means[best]:+7.3f} "
          f"{errors.mean():+7.3f} {worst:+7.3f} {100 * refused:5.0f}% {100 * warned.mean():5.0f}% {100 * curved:5.0f}%",
          flush=True)  # fmt: skip
    mean_silent = abs(silent.mean()) if silent.size else 0.0
    return means[best] - auc, mean_silent


def worlds(replicates, learner, names):
    print(f"{replicates} replicates, learner {learner}. Silent: replicates without flag or refusal.")
    print(f"{'world':30s} {'advised':22s} {'AUC':>6s} {'best':>8s} {'AUC':>6s} {'gap':>7s} {'risk':>7s} {'silent':>7s} "
          f"{'refus.':>6s} {'warned':>6s} {'curved':>6s}")  # fmt: skip
    gaps, errors = {}, {}
    for world in names or [*PAPER_WORLDS, *STRESS_WORLDS, *DIABETES_WORLDS]:
        results = Parallel(n_jobs=-1)(delayed(run)(world, seed, learner) for seed in range(replicates))
        gaps[world], errors[world] = tabulate_world(world, results)
    worst = max(gaps, key=gaps.get)
    print(f"mean gap {np.mean(list(gaps.values())):.4f} (asked: {AVERAGE_GAP}); worst {gaps[worst]:.4f} in {worst} "
          f"(asked: {WORST_GAP})")  # fmt: skip
    largest = max(errors, key=errors.get)
    print(f"largest error of the mean risk where silent: {errors[largest]:.3f} in {largest} (asked: {RISK_ERROR})")


def cohorts(splits, names):
    warnings.simplefilter("ignore")
    for name in names or [*COHORTS, "e1684"]:
        X, event, time, known_negative, group, about = load(name)
        times = np.maximum(time, 1e-4)
        print(f"\n{'=' * 20} {name}\n{wh.recommend(X, event.astype(int), time=times)}\n", flush=True)
        record = wh.backtest(
            X, event.astype(int), time=times, stagger=about["stagger"], horizon=about["horizon"], groups=group,
            known_negative=known_negative, n_splits=splits,
        )  # fmt: skip
        print(record, flush=True)


def main(arguments):
    what = arguments[0] if arguments else "worlds"
    if what == "worlds":
        replicates = int(arguments[1]) if len(arguments) > 1 else N_REPLICATES
        worlds(replicates, arguments[2] if len(arguments) > 2 else "linear", arguments[3:])
    elif what == "cohorts":
        cohorts(int(arguments[1]) if len(arguments) > 1 else N_SPLITS, arguments[2:])
    else:
        sys.exit(f"unknown part {what!r}: worlds or cohorts")
