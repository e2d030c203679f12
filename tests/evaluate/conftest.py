"""A world small enough to write down: risks, event times, follow-up, and what each tells of the outcome."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import norm


def draw_world(rng, n=4000, *, lost_at_once=False):
    """Times among positives are log-normal and depend on x; follow-up is uniform and longer than all of them.

    With ``lost_at_once`` half of the people are lost before anything can happen and the others followed to the end.
    """
    X = rng.normal(size=(n, 2))
    p = 1 / (1 + np.exp(-(X[:, 0] - X[:, 1])))
    positive = rng.random(n) < p
    location = 0.5 * X[:, 1]
    event = np.exp(location + 0.5 * rng.normal(size=n))
    follow_up = np.where(rng.random(n) < 0.5, 0.001, 20.0) if lost_at_once else rng.uniform(0.05, 20.0, n)
    labeled = positive & (event <= follow_up)
    time = np.where(labeled, event, follow_up)
    seen = norm.cdf((np.log(follow_up) - location) / 0.5)
    posterior = np.where(labeled, 1.0, p * (1 - seen) / (1 - p * seen))
    # A score that is good but neither the truth nor calibrated.
    score = 1 / (1 + np.exp(-(0.6 * X[:, 0] - 0.2 * X[:, 1] - 0.5)))
    return SimpleNamespace(
        X=X, p=p, positive=positive.astype(int), y=labeled.astype(int), time=time, follow_up=follow_up,
        posterior=posterior, score=score, rng=rng,
    )  # fmt: skip


@pytest.fixture
def world(global_random_seed):
    return draw_world(np.random.default_rng([global_random_seed, 31]))


@pytest.fixture
def lost_at_once(global_random_seed):
    return draw_world(np.random.default_rng([global_random_seed, 32]), lost_at_once=True)
