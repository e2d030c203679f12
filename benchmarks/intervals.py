"""Coverage of 95 % intervals of single risks of new people, averaged over them, by learner and world.

`python -m benchmarks intervals boosted,neural 8 1000`: learners, cohorts of each world, people in each.
"""

import time
import warnings

import numpy as np
from scipy.special import expit

import whether as wh

N_NEW = 2_000


def line(X):
    return 0.2 + X[:, 0] - X[:, 1] + 0.5 * X[:, 2]


def wave(X):
    return 1.5 * np.sin(2 * X[:, 0]) + 1.5 * (np.abs(X[:, 1]) - 0.8)


def steps(X):
    return np.where((X[:, 0] > 0) & (X[:, 1] > -0.5), 1.2, -1.2) + 0.5 * X[:, 2]


WORLDS = {"line": line, "wave": wave, "steps": steps}


def draw(signal, n, rng):
    """Features, the true risk, labels and times; event times depend on one more feature, follow-up on none."""
    X = rng.normal(size=(n, 4))
    risk = expit(signal(X))
    event = np.exp(-0.3 + 0.5 * X[:, 3] + 0.7 * rng.normal(size=n))
    follow_up = np.exp(rng.uniform(-1.5, 2.0, size=n))
    labeled = (rng.random(n) < risk) & (event <= follow_up)
    return X, risk, labeled.astype(int), np.where(labeled, event, follow_up)


def run(learner, world, seed, n):
    rng = np.random.default_rng([seed, 19])
    X, _, y, clock = draw(WORLDS[world], n, rng)
    new, risk, _, _ = draw(WORLDS[world], N_NEW, rng)
    start = time.process_time()
    model = wh.MixtureCureClassifier(learner=learner, random_state=seed).fit(X, y, time=clock)
    fitted = time.process_time() - start
    limits = model.fit_intervals(X, y, time=clock).predict_interval(new)
    cost = (time.process_time() - start) / fitted
    held = (limits[:, 0] <= risk) & (risk <= limits[:, 1])
    far = np.abs(risk - 0.5) > 0.3
    return held.mean(), held[far].mean(), np.mean(limits[:, 1] - limits[:, 0]), cost


def main(arguments):
    learners = (arguments[0] if arguments else "linear,boosted,neural").split(",")
    n_cohorts, n = (int(arguments[i]) if len(arguments) > i else usual for i, usual in ((1, 8), (2, 1_000)))
    warnings.simplefilter("ignore")
    print(f"{n_cohorts} cohorts of {n:,} people each; {N_NEW:,} new people\n")
    print("learner  world  held, %  (lowest, highest)  extreme risks, %  mean width  time beside the fit's")
    for learner in learners:
        for world in WORLDS:
            found = np.array([run(learner, world, seed, n) for seed in range(n_cohorts)])
            held, far, width, cost = found.mean(axis=0)
            low, high = 100 * found[:, 0].min(), 100 * found[:, 0].max()
            print(
                f"{learner:8s} {world:6s} {100 * held:6.1f}   ({low:.0f}, {high:.0f})"
                f"            {100 * far:6.1f}            {width:.3f}       {cost:.0f}",
                flush=True,
            )
