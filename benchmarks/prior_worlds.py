"""Worlds in which labels are given at random, for class priors; see `priors`."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, ndtr

import whether as wh

N = 2000


@dataclass(frozen=True)
class PriorWorld:
    """Who is positive, and which share of them is labeled."""

    name: str
    c: float = 0.5
    slope: float = 4.0
    d: int = 4
    level: float = 0.0
    kind: str = "linear"

    def draw(self, rng):
        X = rng.normal(size=(N, self.d))
        if self.kind == "binary":
            X = (X > 0).astype(float)
        if self.kind == "skewed":
            X = np.exp(0.6 * X + 0.6 * X[:, :1])
        positive = rng.random(N) < self.risk(X)
        return X, (positive & (rng.random(N) < self.c)).astype(int), self.c

    def risk(self, X):
        if self.kind == "corners":
            return np.where((X[:, 0] > 0) == (X[:, 1] > 0.3), 0.96, 0.03)
        if self.kind == "skewed":
            return -np.expm1(-np.exp(-2.5 + np.log(X[:, 1]) + 0.8 * np.log(X[:, 2]) + 1.5 * np.log(X[:, 0])))
        used = min(self.d, 4)
        index = (X - X.mean(axis=0))[:, :used] @ np.resize([1.0, -1.0], used) / (np.sqrt(used) * X.std())
        if self.kind == "ring":
            index = 1.2 - np.hypot(X[:, 0], X[:, 1])
        return expit(self.level + self.slope * index) * (0.7 if self.kind == "bounded" else 1.0)


@dataclass(frozen=True)
class Simulated:
    """A world of the package, by its name; the label frequency is that of its positives."""

    name: str

    def draw(self, rng):
        cohort = wh.simulate(self.name, n=N, seed=int(rng.integers(2**31)))
        return cohort.X, cohort.y, float(cohort.y.sum() / cohort.positive.sum())


@dataclass(frozen=True)
class ShapedWorld:
    """Features and risks by a function of a generator."""

    name: str
    people: Callable
    c: float

    def draw(self, rng):
        X, risk = self.people(rng)
        positive = rng.random(N) < risk
        return X, (positive & (rng.random(N) < self.c)).astype(int), self.c


def heavy_tails(rng):
    """Features of Student's distribution with three degrees of freedom; a probit."""
    X = rng.standard_t(3, size=(N, 4))
    return X, ndtr(1.2 * X[:, 0] - X[:, 1] + 0.6 * X[:, 2] - 0.3)


def log_log(rng):
    """Some features are 0 or 1, others exponential; a log-log link."""
    X = np.column_stack([(rng.random((N, 3)) < [0.5, 0.3, 0.15]).astype(float), rng.exponential(size=(N, 2))])
    return X, np.exp(-np.exp(-(X @ [1.5, -1.2, 2.0, 1.0, -0.7] - 0.4)))


def dose(rng):
    """Gamma-distributed features, of which two make a dose; the risk saturates."""
    X = rng.gamma(1.5, size=(N, 3))
    taken = X[:, 0] ** 1.5 * np.exp(-0.6 * X[:, 1])
    return X, taken**2 / (taken**2 + 1)


def binary_product(rng):
    """Correlated features that are 0 or 1, two of which count together."""
    X = ((rng.normal(size=(N, 5)) + rng.normal(size=(N, 1))) > [0.3, 0.8, 0.0, 1.2, 0.5]).astype(float)
    return X, expit(-2.2 + 2.0 * X[:, 0] + 1.8 * X[:, 1] + 1.2 * X[:, 2] * X[:, 3] + 1.5 * X[:, 4])


def cubic(rng):
    """The log odds are a cubic function of one index."""
    X = rng.normal(size=(N, 3))
    index = X @ [1.0, -0.7, 0.5]
    return X, expit(index + 0.8 * index**3)


def counts(rng):
    """Counts and a uniform feature; nobody has no risk at all, and the surest have 0.99."""
    X = np.column_stack([rng.poisson(2.0, N), rng.uniform(-1, 1, N), rng.poisson(0.5, N)]).astype(float)
    return X, 0.04 + 0.95 * ndtr(0.9 * X[:, 0] - 2.5 + 1.5 * X[:, 1] - 0.8 * X[:, 2])


def two_clusters(rng):
    """Two groups of people apart, each with a line of its own."""
    group = rng.random(N) < 0.4
    X = rng.normal(size=(N, 3)) + np.where(group, 1.5, -1.5)[:, None] * [1.0, 0.5, 0.0]
    return X, expit(np.where(group, 2.0 + 2.5 * X[:, 2], -3.0 + 1.5 * X[:, 1]))


def step(rng):
    """Beyond a threshold of one feature nearly everybody is positive; below it a line in two others tells."""
    X = rng.normal(size=(N, 4))
    return X, np.where(X[:, 0] > 0.8, 0.98, expit(-1.5 + 1.2 * X[:, 1] - X[:, 2]))


SHAPED = tuple(
    ShapedWorld(f"{name}, c {c:g}", people, c)
    for name, people, c in (
        ("heavy tails, probit", heavy_tails, 0.4),
        ("mixed, log-log", log_log, 0.6),
        ("dose", dose, 0.35),
        ("binary, product", binary_product, 0.5),
        ("cubic index", cubic, 0.45),
    )
)
FRESH = tuple(
    ShapedWorld(f"{name}, c {c:g}", people, c)
    for name, people, c in (("counts", counts, 0.5), ("two clusters", two_clusters, 0.3), ("step", step, 0.7))
)
ANCHORED = (
    PriorWorld("linear, c 0.5"),
    PriorWorld("linear, c 0.2", c=0.2),
    PriorWorld("linear, c 0.8", c=0.8),
    PriorWorld("linear, c 0.95", c=0.95),
    PriorWorld("linear, steep", slope=10.0),
    PriorWorld("linear, flatter", slope=2.0),
    PriorWorld("linear, 30 features", d=30),
    PriorWorld("linear, 10 % positive", level=-6.0),
    PriorWorld("binary, 6 features", d=6, kind="binary"),
    Simulated("feature-independent"),
)
NOT_ANCHORED = (
    PriorWorld("linear, flat", slope=1.0),
    PriorWorld("bounded, c 0.5", kind="bounded"),
    PriorWorld("ring, c 0.5", kind="ring"),
    PriorWorld("corners, c 0.6", c=0.6, kind="corners"),
    PriorWorld("skewed, c 0.3", c=0.3, kind="skewed"),
)
NOT_CONSTANT = tuple(
    Simulated(name) for name in ("baseline", "partially-dependent", "positive-correlation", "negative-correlation")
)
GROUPS = {
    "constant propensity, some people surely positive": ANCHORED,
    "constant propensity, nobody surely positive, or no line": NOT_ANCHORED,
    "constant propensity, other shapes": SHAPED,
    "constant propensity, shapes that were fresh": FRESH,
    "labeling depends on features": NOT_CONSTANT,
}
