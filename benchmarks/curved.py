"""Boosted trees where neither risk nor time is linear: AUC and mean risk beside trees trained on the true outcome.

``python -m benchmarks curved [world ...]``. The worlds differ in kind: squares and products of correlated features,
steps, binary features that turn effects round, features and times with heavy tails, and skewed times, which go by a
square, under a follow-up that goes by a product.
"""

import warnings
from typing import NamedTuple

import numpy as np
from sklearn.metrics import roc_auc_score

import whether as wh

SIZES = {2_000: 6, 10_000: 3}  # people, and replicates
METHODS = ("AFTMC-F", "FUMC-F")


class Drawn(NamedTuple):
    X: np.ndarray
    y: np.ndarray
    time: np.ndarray
    follow_up: np.ndarray
    positive: np.ndarray


def draw(rng, X, logit, location, residual, log_follow_up):
    positive = rng.random(len(X)) < 1 / (1 + np.exp(-logit))
    event, follow_up = np.exp(location + residual), np.exp(log_follow_up)
    y = (positive & (event <= follow_up)).astype(int)
    return Drawn(X, y, np.where(y == 1, event, follow_up), follow_up, positive)


def squares(n, seed):
    """Squares and products of eight correlated features."""
    rng = np.random.default_rng([seed, 1])
    X = rng.standard_normal((n, 8)) @ np.linalg.cholesky(0.3 * np.ones((8, 8)) + 0.7 * np.eye(8)).T
    logit = 1.2 * (X[:, 0] ** 2 - 1) + 1.5 * X[:, 1] * X[:, 2] - 0.8 * X[:, 3] - 0.3
    location = 0.6 * X[:, 4] * X[:, 5] + 0.5 * (X[:, 6] ** 2 - 1) - 0.4 * X[:, 3]
    return draw(rng, X, logit, location, 0.7 * rng.standard_normal(n), rng.uniform(-1.5, 1.5, n))


def steps(n, seed):
    """Thresholds of uniform features."""
    rng = np.random.default_rng([seed, 11])
    X = rng.uniform(-1, 1, (n, 6))
    logit = -1.2 + 2.2 * (X[:, 0] > 0.3) + 1.8 * ((X[:, 1] > 0) & (X[:, 2] < 0.2)) - 1.5 * (X[:, 3] < -0.5)
    location = 0.9 * (X[:, 3] > 0.1) - 0.7 * (X[:, 4] > -0.2) + 0.3 * (X[:, 0] > 0.3)
    return draw(rng, X, logit, location, 0.6 * rng.logistic(size=n), rng.uniform(-1.2, 1.5, n))


def binary(n, seed):
    """Binary features that turn the effects of others round; Weibull times."""
    rng = np.random.default_rng([seed, 12])
    B, Z = (rng.random((n, 5)) < [0.5, 0.3, 0.4, 0.5, 0.2]).astype(float), rng.standard_normal((n, 3))
    logit = -0.6 + 1.5 * Z[:, 0] * (2 * B[:, 0] - 1) + 1.4 * (B[:, 1] != B[:, 2]) + 0.5 * Z[:, 1] * B[:, 3]
    location = 0.6 * Z[:, 2] * (2 * B[:, 3] - 1) - 0.8 * B[:, 4] + 0.5 * B[:, 0]
    return draw(
        rng, np.column_stack([B, Z]), logit, location, np.log(rng.weibull(1.5, n)), np.log(rng.uniform(0.1, 4, n))
    )


def heavy(n, seed):
    """Features and times with heavy tails."""
    rng = np.random.default_rng([seed, 13])
    X = rng.standard_t(2.5, (n, 7))
    s = np.tanh(X)
    logit = 2.5 * np.abs(s[:, 0]) - 1.8 + 2 * s[:, 1] * s[:, 2] + s[:, 3]
    location = 0.8 * s[:, 3] + 0.9 * np.abs(s[:, 4]) - 0.6 * s[:, 5]
    return draw(rng, X, logit, location, 0.5 * rng.standard_t(3, n), rng.normal(0.2, 1.1, n))


def skewed(n, seed):
    """Times that go by a square, so that over all people they are no lognormal ones, and follow-up by a product."""
    rng = np.random.default_rng([seed, 14])
    distance = np.abs(np.subtract.outer(np.arange(8), np.arange(8)))
    X = rng.standard_normal((n, 8)) @ np.linalg.cholesky(0.6**distance).T
    logit = X[:, 0] * X[:, 1] + X[:, 2] ** 2 - 1 - X[:, 3] * X[:, 4]
    location = 0.5 * X[:, 1] + 0.3 * X[:, 5] ** 2
    watched = 0.6 + 0.5 * X[:, 2] - 0.3 * X[:, 6] * X[:, 7] + 0.8 * rng.standard_normal(n)
    return draw(rng, X, logit, location, 0.8 * rng.standard_normal(n), watched)


WORLDS = {"squares": squares, "steps": steps, "binary": binary, "heavy": heavy, "skewed": skewed}


def run(world, n, seed):
    """AUC and error of the mean risk, of trees on the true outcome and of each method."""
    cohort, fresh = WORLDS[world](n, seed), WORLDS[world](20_000, 10_000 + seed)
    models = {"truth": wh.LabelClassifier(learner="boosted", random_state=0).fit(cohort.X, cohort.positive.astype(int))}
    for name in METHODS:
        model = wh.METHODS[name].build(learner="boosted", random_state=0)
        models[name] = model.fit(cohort.X, cohort.y, time=cohort.time, follow_up=cohort.follow_up)
    risks = {name: model.predict_proba(fresh.X)[:, 1] for name, model in models.items()}
    return {name: (roc_auc_score(fresh.positive, p), p.mean() - fresh.positive.mean()) for name, p in risks.items()}


def main(arguments):
    warnings.simplefilter("ignore")
    print(
        f"{'world':10s} {'people':>7s} {'truth':>7s} " + " ".join(f"{name + ' (mean risk)':>26s}" for name in METHODS)
    )
    for world in arguments or WORLDS:
        for n, replicates in SIZES.items():
            results = [run(world, n, seed) for seed in range(replicates)]
            mean = {name: np.mean([result[name] for result in results], axis=0) for name in results[0]}
            truth = mean["truth"][0]
            cells = [f"{mean[m][0]:.4f} {mean[m][0] - truth:+.4f} ({mean[m][1]:+.3f})" for m in METHODS]
            print(f"{world:10s} {n:7,d} {truth:7.4f} " + " ".join(f"{cell:>26s}" for cell in cells), flush=True)
