"""Real cohorts with masked follow-up: who ranks people best who did not see the later truth?

Each person's follow-up is cut at C ~ U(0, L), as if people had entered evenly over the L years before an early
endpoint. Methods are fitted to what was known then, on 70 % of the people, and scored on the others against what is
known now: positive if the event came at any time, negative if event-free to the horizon H.
"""

import json
import os
import warnings

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import whether as wh
from whether.evaluate import impose_staggered_endpoint
from whether.simulation.real_tables import data_folder

COHORTS = ("rotterdam", "nwts", "melanoma_registry", "colon_ncctg", "hodgkin", "colon_registry", "fertility")
N_SEEDS = 5


def load(name):
    """Features as numbers, the event and its time, and who is known to stay without it."""
    folder = data_folder()
    about = json.loads((folder / "datasets.json").read_text())[name]
    table = pd.read_parquet(folder / about["file"])
    features = table[[column for column in about["features"] if column != "entry_year"]].copy()
    for column in set(features) - set(about["categorical"]):
        features[column] = features[column].astype(float)
        features[column] = features[column].fillna(features[column].median())
    features = pd.get_dummies(features, columns=about["categorical"], drop_first=True).astype(float)
    event, time = table["event"].to_numpy(bool), table["time"].to_numpy(float)
    # Women followed to the age of 48 have had their last child.
    known_negative = table["age"].to_numpy() + time > 46.5 if name == "fertility" else None
    group = table["group"].to_numpy() if "group" in table else np.arange(len(table))
    return features, event, time, known_negative, group, about


def event_free_share(event, time, horizon):
    """Kaplan-Meier estimate of staying event-free to the horizon."""
    order = np.argsort(time)
    at_risk = np.arange(time.size, 0, -1)
    steps = np.where(event[order] & (time[order] <= horizon), 1 - 1 / at_risk, 1.0)
    return float(np.prod(steps))


def run(name, seed, learner):
    features, event, time, known_negative, group, about = load(name)
    rng = np.random.default_rng([seed, 2026])
    then = impose_staggered_endpoint(
        event, time, stagger=about["stagger"], horizon=about["horizon"], rng=rng, known_negative=known_negative
    )
    members = np.unique(group)
    training = (rng.random(members.size) < 0.7)[np.searchsorted(members, group)]
    test = ~training & then.scorable
    X = features.to_numpy()
    later = training & then.scorable
    if learner == "linear":
        baseline = make_pipeline(StandardScaler(), LogisticRegression())
    else:
        baseline = wh.LabelClassifier(learner=learner, random_state=0)
    aucs = {
        "labels": baseline.fit(X[training], then.y[training]).decision_function(X[test]),
        "truth": baseline.fit(X[later], event[later]).decision_function(X[test]),
    }
    risks = {}
    models = {
        "MixtureCure": wh.MixtureCureClassifier(learner=learner, random_state=0),
        "FollowUpCure": wh.FollowUpCureClassifier(learner=learner, random_state=0),
    }
    chosen = {}
    for method, model in models.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(X[training], then.y[training], time=then.time[training], follow_up=then.follow_up[training])
        aucs[method] = model.decision_function(X[test])
        risks[method] = float(model.predict_proba(X[~training])[:, 1].mean())
        chosen[method] = (model.distribution_, model.shrinkage_)
    scores = {method: roc_auc_score(event[test], score) for method, score in aucs.items()}
    return scores, risks, chosen, 1 - event_free_share(event, time, about["horizon"])


def main(arguments):
    learner = arguments[0] if arguments else "linear"
    names = arguments[1:] or COHORTS
    other = "LogisticRegression" if learner == "linear" else f"learner={learner!r}"
    print(f"AUC, mean of {N_SEEDS} splits; difference from {other} trained on the labels in brackets; mean risk")
    print(f"{'cohort':18s} {'labels':>9s} {'truth':>9s} {'MixtureCure':>17s} {'FollowUpCure':>17s} "
          f"{'risk MC':>8s} {'risk FU':>8s} {'1-KM(H)':>8s}")  # fmt: skip
    differences = {"MixtureCure": [], "FollowUpCure": []}
    for name in names:
        results = Parallel(n_jobs=-1)(delayed(run)(name, seed, learner) for seed in range(N_SEEDS))
        auc = {method: np.mean([r[0][method] for r in results]) for method in results[0][0]}
        risk = {method: np.mean([r[1][method] for r in results]) for method in results[0][1]}
        cells = []
        for method in differences:
            difference = auc[method] - auc["labels"]
            if name != "fertility":
                differences[method].append(difference)
            cells.append(f"{auc[method]:.3f} ({difference:+.3f})")
        print(f"{name:18s} {auc['labels']:9.3f} {auc['truth']:9.3f} {cells[0]:>17s} {cells[1]:>17s} "
              f"{risk['MixtureCure']:8.2f} {risk['FollowUpCure']:8.2f} {results[0][3]:8.2f}")  # fmt: skip
        if os.environ.get("WHETHER_VERBOSE"):
            for method in differences:
                print("   ", method, [(d[:4], s) for d, s in (r[2][method] for r in results)],
                      np.round([r[0][method] - r[0]["labels"] for r in results], 3))  # fmt: skip
    for method, values in differences.items():
        if values:
            print(
                f"{method}: mean difference {np.mean(values):+.4f}, smallest {min(values):+.3f} (fertility not counted)"
            )
