"""Labels corrected by looking back, beside the cure models: AUC, level and log loss, scored on fresh people.

``corrected once`` are the same steps, but the outcome is trained on labels that are corrected once. ``ULC`` is the way
of unbiased label correction: one classifier for each of three deadlines says who turned up since, their mean corrects
the labels. Trees take a minute for each fit and are run on the first seed in some of the worlds.
"""

import time
import warnings

import numpy as np
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

import whether as wh
from whether.simulation import PAPER_WORLDS, SHAPE_WORLDS

N_FRESH = 20_000
WORLDS = (*PAPER_WORLDS, "two-humps", *SHAPE_WORLDS)
WITH_TREES = ("baseline", "two-humps", "plateau", "nonlinear-both")


def corrected_labels(X, y, share):
    """Outcome trained on labels of which the unlabeled ones are positive with some probability."""
    positive, twice = np.where(y == 1, 1.0, share), np.vstack([X, X])
    weight = np.concatenate([positive, 1 - positive])
    used, labels = weight > 0, np.repeat([1, 0], y.size)
    return wh.LabelClassifier().fit(twice[used], labels[used], sample_weight=weight[used])


def corrected_once(model, cohort):
    """Labels corrected by the steps of a fitted model, once."""
    chain, edges = model.model_.chain, model.step_edges_
    n = cohort.y.size
    hazards = [expit(chain.model.predict(chain.design.columns(cohort.X, np.full(n, k)))[0]) for k in range(edges.size)]
    left = np.vstack([np.ones(n), np.cumprod(1 - np.array(hazards), axis=0)])
    ever = 1 - left[-1]
    now = 1 - ever * model.predict_propensity(cohort.X, cohort.follow_up)
    return corrected_labels(cohort.X, cohort.y, np.clip(1 - left[-1] / np.maximum(now, 1e-12), 0, 1))


def ulc(cohort, n_deadlines=3):
    """Labels corrected by the mean of classifiers of who turned up since a deadline."""
    shares = []
    for back in np.quantile(cohort.follow_up, np.linspace(0.25, 0.75, n_deadlines)):
        then = cohort.follow_up - back
        rows = np.flatnonzero((then > 0) & ~((cohort.y == 1) & (cohort.time <= then)))
        curves = make_pipeline(StandardScaler(), PolynomialFeatures(3), LogisticRegression(max_iter=500))
        curves.fit(np.column_stack([cohort.X, np.log(then.clip(1e-9))])[rows], cohort.y[rows])
        shares.append(curves.predict_proba(np.column_stack([cohort.X, np.log(cohort.follow_up)]))[:, 1])
    return corrected_labels(cohort.X, cohort.y, np.mean(shares, axis=0))


def run(world, seed):
    """Score every method on one cohort of a world."""
    cohort, fresh = wh.simulate(world, seed=seed), wh.simulate(world, n=N_FRESH, seed=10_000 + seed)
    times = {"time": cohort.time, "follow_up": cohort.follow_up}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        models = {"oracle": wh.LabelClassifier().fit(cohort.X, cohort.positive)}
        for name in ("LR", "AFTMC-F", "FUMC-F", "DFM", "HIND"):
            models[name] = wh.METHODS[name].build().fit(cohort.X, cohort.y, **times)
        models["corrected once"], models["ULC"] = corrected_once(models["HIND"], cohort), ulc(cohort)
        if seed == 0 and world in WITH_TREES:
            trees = wh.HindsightClassifier(learner="boosted", random_state=0)
            models["HIND, trees"] = trees.fit(cohort.X, cohort.y, **times)
    scores = {}
    for name, model in models.items():
        p = np.clip(model.predict_proba(fresh.X)[:, 1], 1e-6, 1 - 1e-6)
        auc, level = roc_auc_score(fresh.positive, p), p.mean() - fresh.positive.mean()
        scores[name] = auc, level, log_loss(fresh.positive, p)
    return scores


def main(arguments):
    n_seeds = int(arguments[0]) if arguments else 3
    print(f"AUC, mean risk minus the share of positives, log loss; mean of {n_seeds} seeds, {N_FRESH:,} fresh people")
    for world in arguments[1:] or (*WORLDS, "nonlinear-both"):
        started = time.perf_counter()
        runs = [run(world, seed) for seed in range(n_seeds)]
        print(f"{world}  ({time.perf_counter() - started:.0f} s)")
        for name in dict.fromkeys(name for scores in runs for name in scores):
            auc, level, loss = np.mean([scores[name] for scores in runs if name in scores], axis=0)
            print(f"    {name:15s} {auc:.4f} {level:+.3f} {loss:.4f}", flush=True)
