"""Learners beside themselves: AUC of each under a restriction, beside the same learner trained on the true outcome.

``python -m benchmarks learners boosted [world ...]`` (or neural, auto).
"""

import warnings

import numpy as np
from joblib import Parallel, delayed
from sklearn.metrics import roc_auc_score

import whether as wh

WORLDS = ("nonlinear-risk", "nonlinear-times", "nonlinear-both", "interaction", "baseline", "dependent-censoring")
METHODS = ("AFTMC-F", "FUMC-F")
N_REPLICATES = 10
N_PEOPLE = 4_000


def run(world, seed, learner):
    warnings.simplefilter("ignore")
    cohort = wh.simulate(world, n=N_PEOPLE, seed=seed)
    fresh = wh.simulate(world, n=20_000, seed=10_000 + seed)
    truth = wh.LabelClassifier(learner=learner, random_state=0).fit(cohort.X, cohort.positive)
    scores = {"truth": roc_auc_score(fresh.positive, truth.decision_function(fresh.X))}
    naive = wh.LabelClassifier(learner=learner, random_state=0).fit(cohort.X, cohort.y)
    scores["labels"] = roc_auc_score(fresh.positive, naive.decision_function(fresh.X))
    chosen = {}
    for name in METHODS:
        model = wh.METHODS[name].build(learner=learner, random_state=0)
        model.fit(cohort.X, cohort.y, time=cohort.time, follow_up=cohort.follow_up)
        scores[name] = roc_auc_score(fresh.positive, model.decision_function(fresh.X))
        chosen[name] = None if model.selection_ is None else model.selection_.chosen
    return scores, chosen


def main(arguments):
    learner, names = arguments[0] if arguments else "boosted", arguments[1:] or WORLDS
    print(f"AUC, mean of {N_REPLICATES} replicates, learner={learner}; difference from it trained on the true outcome")
    print(f"{'world':22s} {'truth':>7s} {'labels':>7s} " + " ".join(f"{name:>17s}" for name in METHODS))
    for world in names:
        results = Parallel(n_jobs=-1)(delayed(run)(world, seed, learner) for seed in range(N_REPLICATES))
        mean = {name: float(np.mean([scores[name] for scores, _ in results])) for name in results[0][0]}
        cells = [f"{mean[name]:.4f} ({mean[name] - mean['truth']:+.4f})" for name in METHODS]
        print(f"{world:22s} {mean['truth']:7.4f} {mean['labels']:7.4f} " + " ".join(f"{cell:>17s}" for cell in cells))
        if results[0][1][METHODS[0]]:
            print("    chosen: ", {name: sorted({chosen[name] for _, chosen in results}) for name in METHODS})
