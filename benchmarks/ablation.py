"""From the published AUC of the all-features mixture cure model (AFTMC-F) to ours, one change at a time.

The paper trains two networks by gradient descent on the marginal likelihood and says no more. The first row does that
as one would write it down: a network for the risk, a network for location and log scale of the log time, full batches,
Adam, one random start, no penalty, and a fixed number of steps. Then one thing after the other: one scale for
everybody; a penalty that keeps it from vanishing; stopping on held-out people; a linear model instead of networks;
Newton's method; several starts; the shared index; and our own networks.
"""

import warnings
from itertools import pairwise

import numpy as np
import torch
from joblib import Parallel, delayed
from sklearn.metrics import roc_auc_score

import whether as wh
from whether.simulation import WORLDS

SCENARIOS = {  # the published AUC of AFTMC-F
    "baseline": 0.89,
    "low-censorship": 0.84,
    "high-censorship": 0.63,
    "small-sample": 0.75,
    "centered-censoring": 0.80,
    "dependent-censoring": 0.59,
}


CHECK_EVERY = 10


def network(n_features, hidden, n_outputs=1):
    sizes = [n_features, *([hidden, hidden] if hidden else []), n_outputs]
    layers = []
    for first, second in pairwise(sizes):
        layers += [torch.nn.Linear(first, second), torch.nn.ReLU()]
    return torch.nn.Sequential(*layers[:-1])


def negative_log_likelihood(eta, location, log_scale, log_time, labeled):
    z = (log_time - location) / log_scale.exp()
    density = -0.5 * z**2 - log_scale - log_time - 0.5 * np.log(2 * np.pi)
    seen = torch.nn.functional.logsigmoid(eta) + density
    missed = torch.logaddexp(
        torch.nn.functional.logsigmoid(-eta), torch.nn.functional.logsigmoid(eta) + torch.special.log_ndtr(-z)
    )
    return -torch.where(labeled, seen, missed)


def by_gradient_descent(cohort, fresh, seed, *, hidden=32, n_steps=3000, own_scale=False, floor=False, stop=False):
    """AUC of a mixture cure model trained by Adam from one random start."""
    torch.manual_seed(seed)
    X, log_time = torch.tensor(cohort.X).float(), torch.tensor(np.log(cohort.time)).float()
    labeled = torch.tensor(cohort.y == 1)
    outcome, times = network(X.shape[1], hidden), network(X.shape[1], hidden, n_outputs=1 + own_scale)
    common = torch.nn.Parameter(torch.zeros(()))
    training = torch.ones(X.shape[0], dtype=torch.bool)
    if stop:
        training = torch.rand(X.shape[0], generator=torch.Generator().manual_seed(seed)) > 0.2
    optimizer = torch.optim.Adam([*outcome.parameters(), *times.parameters(), common], lr=1e-2)
    fresh_X = torch.tensor(fresh.X).float()
    best, risk = np.inf, None
    for step in range(n_steps):
        optimizer.zero_grad()
        predicted = times(X)
        log_scale = predicted[:, 1] if own_scale else common
        losses = negative_log_likelihood(outcome(X)[:, 0], predicted[:, 0], log_scale, log_time, labeled)
        if stop and step % CHECK_EVERY == 0 and float(losses[~training].mean().detach()) < best:
            best, risk = float(losses[~training].mean().detach()), rank(outcome, fresh_X)
        loss = losses[training].mean()
        if floor:
            loss = loss + 0.5 * (0.05 * log_time.std() / log_scale.exp()) ** 2 / X.shape[0]
        loss.backward()
        optimizer.step()
    if not stop:
        risk = rank(outcome, fresh_X)
    return roc_auc_score(fresh.positive, risk) if np.isfinite(risk).all() else np.nan


def rank(outcome, X):
    with torch.no_grad():
        return outcome(X)[:, 0].numpy()


def by_ours(cohort, fresh, seed, **parameters):
    """AUC of our mixture cure model with log-normal times."""
    model = wh.MixtureCureClassifier(**{"distribution": "lognormal", "random_state": seed, **parameters})
    model.fit(cohort.X, cohort.y, time=cohort.time)
    return roc_auc_score(fresh.positive, model.decision_function(fresh.X))


STEPS = {
    "networks, Adam, 3,000 steps": lambda *data: by_gradient_descent(*data, own_scale=True),
    "+ one scale for everybody": lambda *data: by_gradient_descent(*data),
    "+ penalty on a small scale": lambda *data: by_gradient_descent(*data, floor=True),
    "+ stopping on held-out people": lambda *data: by_gradient_descent(*data, floor=True, stop=True),
    "linear, Adam, 300 steps": lambda *data: by_gradient_descent(*data, hidden=0, n_steps=300),
    "linear, Adam, 3,000 steps": lambda *data: by_gradient_descent(*data, hidden=0),
    "linear, Newton, one start": lambda *data: by_ours(*data, shrinkage=0.0, ridge=0.0, n_starts=1),
    "+ eight starts": lambda *data: by_ours(*data, shrinkage=0.0, ridge=0.0, n_starts=8),
    "+ shared index, ridge": lambda *data: by_ours(*data),
    "our networks": lambda *data: by_ours(*data, learner="neural"),
}


def run(world, seed):
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    cohort = wh.simulate(world, n=round(0.8 * WORLDS[world].n), seed=seed)
    fresh = wh.simulate(world, n=20_000, seed=10_000 + seed)
    return [step(cohort, fresh, seed) for step in STEPS.values()]


def main(arguments):
    n_replicates = int(arguments[0]) if arguments else 5
    print(f"AUC of the all-features mixture cure model, mean (sd) of {n_replicates} replicates")
    print(f"{'':30s} " + " ".join(f"{world:>20s}" for world in SCENARIOS))
    print(f"{'published':30s} " + " ".join(f"{auc:20.2f}" for auc in SCENARIOS.values()))
    cells = [(world, seed) for world in SCENARIOS for seed in range(n_replicates)]
    aucs = np.array(Parallel(n_jobs=-1)(delayed(run)(*cell) for cell in cells))
    aucs = aucs.reshape(len(SCENARIOS), n_replicates, len(STEPS))
    for number, name in enumerate(STEPS):
        row = [f"{np.nanmean(auc):13.3f} ({np.nanstd(auc):.3f})" for auc in aucs[:, :, number]]
        print(f"{name:30s} " + " ".join(row))
