"""AUC of every method in the 13 simulated worlds, 10 replicates, beside the oracle fitted to the same rows."""

import warnings

import numpy as np
from joblib import Parallel, delayed
from sklearn.metrics import roc_auc_score

import whether as wh
from whether.simulation import PAPER_WORLDS, WORLDS

N_REPLICATES = 10
N_FRESH = 20_000
METHODS = ("LR", "ENPU", "uPU", "SARPU-F", "SARPU-R", "FUMC-F", "FUMC-R", "AFTMC-F", "AFTMC-R", "DTMC", "AFT")


def run(world, seed):
    """AUC of the oracle and of each method, all fitted to 80 % of the world's usual number of people."""
    cohort = wh.simulate(world, n=int(0.8 * WORLDS[world].n), seed=seed)
    fresh = wh.simulate(world, n=N_FRESH, seed=10_000 + seed)
    oracle = wh.LabelClassifier().fit(cohort.X, cohort.positive)
    scores = {"oracle": roc_auc_score(fresh.positive, oracle.decision_function(fresh.X))}
    names = list(cohort.feature_names)
    drivers = [names.index(name) for name in WORLDS[world].propensity_features]
    for name in METHODS:
        method = wh.METHODS[name]
        model = method.build(drivers if method.feature_parameter else None)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(cohort.X, cohort.y, time=cohort.time, follow_up=cohort.follow_up)
        scores[name] = roc_auc_score(fresh.positive, model.decision_function(fresh.X))
    return scores


def main(arguments):
    names = arguments or PAPER_WORLDS
    print(f"AUC, mean of {N_REPLICATES} replicates, scored on {N_FRESH:,} fresh people")
    print(f"{'world':22s} {'oracle':>7s} " + " ".join(f"{name:>7s}" for name in METHODS))
    worst = dict.fromkeys(METHODS, np.inf)
    for world in names:
        results = Parallel(n_jobs=-1)(delayed(run)(world, seed) for seed in range(N_REPLICATES))
        mean = {name: float(np.mean([result[name] for result in results])) for name in results[0]}
        for name in METHODS:
            worst[name] = min(worst[name], mean[name] - mean["oracle"])
        print(f"{world:22s} {mean['oracle']:7.4f} " + " ".join(f"{mean[name]:7.4f}" for name in METHODS))
    print(f"{'worst difference':30s} " + " ".join(f"{worst[name]:+7.4f}" for name in METHODS))
