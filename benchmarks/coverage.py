"""Coverage of 95 % confidence intervals over 400 replicates, per coefficient."""

import numpy as np
from joblib import Parallel, delayed

import whether as wh

N_REPLICATES = 400
N_PEOPLE = 3_000
OUTCOME = np.array([0.2, 1.0, -1.0, 0.0, 0.5])
LOCATION = np.array([-0.5, 0.0, 0.4, 0.6, -0.6])
SCALE = 0.7
PROPENSITY = np.array([0.3, 1.0, -0.8])


def draw(seed):
    rng = np.random.default_rng([seed, 400])
    X = rng.normal(size=(N_PEOPLE, 4))
    positive = rng.random(N_PEOPLE) < 1 / (1 + np.exp(-(OUTCOME[0] + X @ OUTCOME[1:])))
    event = np.exp(LOCATION[0] + X @ LOCATION[1:] + SCALE * rng.normal(size=N_PEOPLE))
    follow_up = np.exp(rng.uniform(-2.5, 2.0, size=N_PEOPLE))
    seen = rng.random(N_PEOPLE) < 1 / (1 + np.exp(-(PROPENSITY[0] + X[:, 2:] @ PROPENSITY[1:])))
    return X, positive, event, follow_up, seen


def run(seed, covariance):
    X, positive, event, follow_up, seen = draw(seed)
    labeled = (positive & (event <= follow_up)).astype(int)
    time = np.where(labeled == 1, event, follow_up)
    settings = {"distribution": "lognormal", "shrinkage": 0.0, "covariance": covariance}
    times_truth = [*OUTCOME, *LOCATION, np.log(SCALE)]
    fits = {
        "SARPU restricted": (
            wh.SARPUClassifier([2, 3], covariance=covariance).fit(X, (positive & seen).astype(int)),
            [*OUTCOME, *PROPENSITY],
        ),
        "MixtureCure": (wh.MixtureCureClassifier(**settings).fit(X, labeled, time=time), times_truth),
        "FollowUpCure": (wh.FollowUpCureClassifier(**settings).fit(X, labeled, follow_up=follow_up), times_truth),
    }
    covered = {}
    for name, (model, truth) in fits.items():
        rows = model.summary().coefficients
        covered[name] = [row.lower <= value <= row.upper for row, value in zip(rows, truth, strict=True)]
        covered[f"{name} terms"] = [f"{row.part}:{row.term}" for row in rows]
    return covered


def main(arguments):
    covariance = arguments[0] if arguments else "observed"
    results = Parallel(n_jobs=-1)(delayed(run)(seed, covariance) for seed in range(N_REPLICATES))
    for name in ("SARPU restricted", "MixtureCure", "FollowUpCure"):
        share = np.mean([result[name] for result in results], axis=0)
        low, high = 100 * share.min(), 100 * share.max()
        print(f"\n{name} ({covariance}): overall {100 * share.mean():.1f} %, from {low:.1f} to {high:.1f} %")
        terms = zip(results[0][f"{name} terms"], share, strict=True)
        print("  " + "  ".join(f"{term} {100 * covered:.1f}" for term, covered in terms))
