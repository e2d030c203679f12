"""Time of the discrete-time neural network as a ratio to a plain PyTorch classifier, in one run.

The classifier is written as a user of PyTorch would: a module of the same layer sizes, AdamW, binary cross-entropy on
the labels, the same batch size and as many epochs in total. Counted are all passes of all our networks: those of every
kind that competed and of every fold, in passes over the whole cohort. Ours has a second network for the times, and its
linear model and its held-out people are part of the measured time.
"""

import time
import warnings
from itertools import pairwise

import numpy as np
import torch

import whether as wh
from benchmarks.speed import make_cohort
from whether.learners import NeuralLearner
from whether.learners.neural.batches import Split

LIMIT = 3


def count_passes(fit):
    """Seconds of a fit, and how many passes its networks made over the people they were trained on."""
    passed, batches = [], Split.batches

    def counted(self, networks, n_batches, rng):
        passed.append(networks.size * self.n_training)
        return batches(self, networks, n_batches, rng)

    Split.batches = counted
    start = time.perf_counter()
    try:
        fit()
    finally:
        Split.batches = batches
    return time.perf_counter() - start, sum(passed)


def train_plainly(X, y, hidden, batch_size, n_epochs):
    """Seconds of a classifier of the labels."""
    torch.manual_seed(0)
    start = time.perf_counter()
    features, labels = torch.as_tensor(X, dtype=torch.float32), torch.as_tensor(y, dtype=torch.float32)[:, None]
    widths, layers = [X.shape[1], *hidden], []
    for n_in, n_out in pairwise(widths):
        layers += [torch.nn.Linear(n_in, n_out), torch.nn.SiLU()]
    network = torch.nn.Sequential(*layers, torch.nn.Linear(widths[-1], 1))
    optimizer, loss = torch.optim.AdamW(network.parameters(), lr=1e-3), torch.nn.BCEWithLogitsLoss()
    for _ in range(n_epochs):
        for rows in torch.randperm(len(labels)).split(batch_size):
            optimizer.zero_grad()
            loss(network(features[rows]), labels[rows]).backward()
            optimizer.step()
    return time.perf_counter() - start


def measure(n, d, repeats):
    X, y, event_time, _ = make_cohort(n, d)
    learner, runs = NeuralLearner(), []
    for _ in range(repeats):
        model = wh.DiscreteTimeCureClassifier(learner=learner, random_state=0)
        seconds, rows = count_passes(lambda model=model: model.fit(X, y, time=event_time))
        n_epochs = max(1, round(rows / n))
        runs.append((seconds, train_plainly(X, y, learner.hidden, learner.batch_size, n_epochs)))
    ours, plain = (float(np.median(column)) for column in zip(*runs, strict=True))
    print(f"{n:9,d} {d:9d} {ours:10.2f} {n_epochs:7d} {plain:10.2f} {ours / plain:6.2f} {LIMIT:6d}", flush=True)


def main(arguments):
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    names = ("rows", "features", "whether s", "epochs", "PyTorch s", "ratio", "limit")
    print(" ".join(f"{name:>{width}s}" for name, width in zip(names, (9, 9, 10, 7, 10, 6, 6), strict=True)))
    train_plainly(*make_cohort(500, 4)[:2], (32, 32), 256, 1)  # what is loaded at first use is not measured
    measure(4_000, 4, repeats=5)
    measure(100_000, 20, repeats=1)
