"""Mean risk where labels and follow-up are right and only the recorded event times are wrong."""

import warnings

import numpy as np
from joblib import Parallel, delayed

import whether as wh
from whether.evaluate import evaluate_risks

WORLDS = ("late-reporting", "noisy-times", "batch-reporting")
N_REPLICATES = 10


def run(world, seed):
    cohort = wh.simulate(world, seed=seed)
    fresh = wh.simulate(world, n=20_000, seed=10_000 + seed)
    models = {
        "FollowUpCure": wh.FollowUpCureClassifier().fit(cohort.X, cohort.y, follow_up=cohort.follow_up),
        "MixtureCure": wh.MixtureCureClassifier().fit(cohort.X, cohort.y, time=cohort.time),
    }
    return {name: evaluate_risks(fresh.positive, model.predict_proba(fresh.X)[:, 1]) for name, model in models.items()}


def main(arguments):
    warnings.simplefilter("ignore")
    print(f"{'world':18s} {'model':14s} {'AUC':>7s} {'mean risk - truth':>18s} {'worst':>8s} {'calibration':>12s}")
    for world in arguments or WORLDS:
        results = Parallel(n_jobs=-1)(delayed(run)(world, seed) for seed in range(N_REPLICATES))
        for model in results[0]:
            rows = [result[model] for result in results]
            error = np.array([row["mean_risk_error"] for row in rows])
            auc = np.mean([row["auc"] for row in rows])
            calibration = np.mean([row["calibration_error"] for row in rows])
            worst = error[np.argmax(np.abs(error))]
            print(f"{world:18s} {model:14s} {auc:7.4f} {error.mean():+18.4f} {worst:+8.4f} {calibration:12.4f}")
