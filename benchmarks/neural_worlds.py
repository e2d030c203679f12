"""AUC of the neural methods in the 13 simulated worlds, beside the published table.

``python -m benchmarks neural_worlds [replicates] [world ...]``. The published AUCs are read from the folder
../shared/paper, or from that named by WHETHER_PAPER; without them only ours are shown.

The last column is what no flexible method with a constant propensity can exceed: it ranks people by how likely they are
to be *labeled*, and that column is the AUC of the true probability of a label. A published ENPU or uPU above it was
reached by networks that did not learn who is labeled: nearly linear ones, whose published AUC is that of LR.
"""

import csv
import os
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from sklearn.metrics import roc_auc_score

import whether as wh
from whether.simulation import PAPER_WORLDS, WORLDS

METHODS = {
    "ENPU": "ENPU",
    "uPU": "uPU",
    "SARPU-R": "SARPU-R",
    "AFTMC-F": "AFTMC-F",
    "AFTMC-R": "AFTMC-R",
    "DTNN": "DTMC",
}
N_FRESH = 20_000
SLACK = 0.01


def published():
    """Published AUC by title of the world and method."""
    folder = os.environ.get("WHETHER_PAPER") or Path(__file__).parents[1].parent / "shared" / "paper"
    table = Path(folder) / "table_simulation.csv"
    if not table.exists():
        print(f"no published table at {table}", file=sys.stderr)
        return {}
    with table.open() as lines:
        return {(row["scenario"], row["method"]): float(row["auc_mean"]) for row in csv.DictReader(lines)}


def run(world, seed):
    """AUC and seconds of every method, fitted to 80 % of the world's usual number of people."""
    warnings.simplefilter("ignore")
    cohort = wh.simulate(world, n=int(0.8 * WORLDS[world].n), seed=seed)
    fresh = wh.simulate(world, n=N_FRESH, seed=10_000 + seed)
    drivers = [cohort.feature_names.index(name) for name in WORLDS[world].propensity_features]
    scores, seconds = {}, {}
    for name, key in METHODS.items():
        method = wh.METHODS[key]
        model = method.build(drivers if method.feature_parameter else None, learner="neural", random_state=seed)
        start = time.perf_counter()
        model.fit(cohort.X, cohort.y, time=cohort.time, follow_up=cohort.follow_up)
        seconds[name] = time.perf_counter() - start
        scores[name] = roc_auc_score(fresh.positive, model.decision_function(fresh.X))
    oracle = wh.LabelClassifier().fit(cohort.X, cohort.positive)
    scores["oracle"] = roc_auc_score(fresh.positive, oracle.decision_function(fresh.X))
    scores["label"] = roc_auc_score(fresh.positive, fresh.outcome_proba * fresh.propensity)
    return scores, seconds


def cell(name, ours, paper, ceiling):
    """Ours, the published one, and a mark if ours is lower: * by more than the slack, ^ as any such method must be."""
    if paper is None:
        return f"{ours:.3f}"
    below = ours < paper - SLACK
    beyond = name in ("ENPU", "uPU") and paper > ceiling
    return f"{ours:.3f} {paper:.2f} {ours - paper:+.3f}{('^' if beyond else '*') if below else ' '}"


def main(arguments):
    n_replicates = int(arguments[0]) if arguments else 3
    paper = published()
    print(f"our neural AUC (mean of {n_replicates} replicates on {N_FRESH:,} fresh people), the published, difference;")
    print(f"* below the published one by more than {SLACK}, ^ so too, but the published one is above the label's AUC")
    print(f"{'world':22s} {'oracle':>6s} " + " ".join(f"{name:>18s}" for name in METHODS) + f" {'label':>6s}")
    taken = {name: [] for name in METHODS}
    for world in arguments[1:] or PAPER_WORLDS:
        results = Parallel(n_jobs=1)(delayed(run)(world, seed) for seed in range(n_replicates))
        mean = {name: float(np.mean([scores[name] for scores, _ in results])) for name in results[0][0]}
        for name in METHODS:
            taken[name] += [seconds[name] for _, seconds in results]
        title = WORLDS[world].title
        cells = [cell(name, mean[name], paper.get((title, name)), mean["label"]) for name in METHODS]
        print(f"{world:22s} {mean['oracle']:6.3f} " + " ".join(f"{text:>18s}" for text in cells), end="")
        print(f" {mean['label']:6.3f}", flush=True)
    print(f"{'seconds per fit':29s} " + " ".join(f"{np.mean(taken[name]):18.2f}" for name in METHODS))
