"""People of whom some die first, come late or are seen at visits, with the truth."""

from types import SimpleNamespace

import numpy as np


def draw_mortal(seed, n=3000):
    """Half of the risk by x0; whoever never has the event dies, sooner with a high x1; follow-up by the calendar."""
    rng = np.random.default_rng([seed, 71])
    X = rng.normal(size=(n, 2))
    positive = rng.random(n) < 1 / (1 + np.exp(-X[:, 0]))
    event = np.where(positive, np.exp(0.5 * rng.normal(size=n)), np.inf)
    death = np.where(positive, np.inf, np.exp(1.0 - 0.5 * X[:, 1] + 0.5 * rng.normal(size=n)))
    planned = rng.uniform(0.5, 8.0, n)
    time = np.minimum(np.minimum(event, death), planned)
    y, died = (event <= planned).astype(int), death <= planned
    return SimpleNamespace(X=X, y=y, time=time, died=died, planned=planned, positive=positive)


def draw_late(seed, n=4000):
    """Some come under observation late, and nobody is there whose event came before."""
    rng = np.random.default_rng([seed, 72])
    X = rng.normal(size=(n, 2))
    chance = 1 / (1 + np.exp(-X[:, 0]))
    positive = rng.random(n) < chance
    event = np.where(positive, np.exp(0.5 * X[:, 1] + 0.6 * rng.normal(size=n) + 0.7), np.inf)
    entry = np.where(rng.random(n) < 0.5, rng.uniform(0.0, 2.0, n), 0.0)
    planned = entry + rng.uniform(0.5, 12.0, n)
    there = event > entry
    parts = X, event, entry, planned, positive, chance
    X, event, entry, planned, positive, chance = (part[there] for part in parts)
    y, time = (event <= planned).astype(int), np.minimum(event, planned)
    return SimpleNamespace(X=X, y=y, time=time, entry=entry, planned=planned, positive=positive, chance=chance)


def draw_visited(seed, n=3000, step=0.5):
    """Events are found at visits, every half a year; between the last one and the end nothing is known."""
    rng = np.random.default_rng([seed, 73])
    X = rng.normal(size=(n, 2))
    positive = rng.random(n) < 1 / (1 + np.exp(-X[:, 0]))
    event = np.where(positive, np.exp(0.5 * rng.normal(size=n)), np.inf)
    last = step * np.floor(rng.uniform(step, 8.0, n) / step)
    found = step * np.ceil(event / step)
    y = (found <= last).astype(int)
    time = np.where(y == 1, found, last)
    return SimpleNamespace(X=X, y=y, time=time, lower=np.where(y == 1, time - step, np.nan), positive=positive)
