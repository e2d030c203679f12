"""Cohorts whose follow-up depends on the features that drive event times: records are right, and tests should say so.

Eight correlated features; risk and log event time are linear in them unless said otherwise.
"""

from dataclasses import dataclass, replace

import numpy as np

N_FEATURES = 8
CORRELATION = 0.5


@dataclass(frozen=True)
class NullWorld:
    """Who is followed for how long, and when events come."""

    n: int
    residual: str  # of log event time
    censoring: str  # distribution of follow-up given the features
    dependence: str  # of follow-up on the features
    strength: float = 1.0  # of that dependence
    shift: float = 0.5  # of log follow-up: short -0.7, long 1.5
    times: str = "linear"  # in the features; "curved" or "independent"
    reporting: str = "exact"


RESIDUALS = {
    "lognormal": lambda rng, n: rng.normal(size=n),
    "loglogistic": lambda rng, n: 0.6 * rng.logistic(size=n),
    "weibull": lambda rng, n: 0.6 * np.log(rng.exponential(size=n)),
    "exponential": lambda rng, n: np.log(rng.exponential(size=n)),
}
LOCATIONS = {
    "linear": lambda x: 0.7 * x[0] - 0.6 * x[3] + 0.5 * x[4],
    "curved": lambda x: 0.7 * x[0] - 0.6 * x[3] + 0.5 * x[4] + 0.7 * (x[3] ** 2 - 1) + np.sin(2 * x[4]),
    "independent": lambda x: np.zeros(x.shape[1]),
}
DEPENDENCES = {
    "none": lambda x: np.zeros(x.shape[1]),
    "linear": lambda x: 0.7 * x[0] - 0.7 * x[3] + 0.4 * x[5],
    "opposed": lambda x: -0.7 * x[0] + 0.7 * x[3] + 0.4 * x[5],
    "squares": lambda x: 0.6 * (x[0] ** 2 - 1) + 0.5 * x[3] * x[4],
    "group": lambda x: 1.6 * (x[3] > 0) - 0.8,
}
FOLLOW_UPS = {
    "lognormal": lambda rng, index: np.exp(index + 0.9 * rng.normal(size=index.size)),
    "uniform": lambda rng, index: 2.5 * rng.random(index.size) * np.exp(index),
    "exponential": lambda rng, index: rng.exponential(size=index.size) * np.exp(index),
    # Everybody enters at some time and would be followed to one date, but some leave before.
    "dropout": lambda rng, index: np.minimum(4 * rng.random(index.size), 2 * rng.exponential(np.exp(index))),
}

NULL_WORLDS = {
    "linear-1": NullWorld(2000, "lognormal", "lognormal", "linear", 1.5),
    "linear-2": NullWorld(1000, "loglogistic", "uniform", "linear", 0.5, 1.5),
    "linear-3": NullWorld(5000, "weibull", "exponential", "linear", 1.5, -0.7),
    "linear-4": NullWorld(2000, "exponential", "uniform", "linear", 1.5),
    "linear-5": NullWorld(5000, "lognormal", "lognormal", "linear", 2.0),
    "opposed-1": NullWorld(2000, "weibull", "uniform", "opposed", 1.5),
    "opposed-2": NullWorld(1000, "lognormal", "exponential", "opposed", 1.0, 1.5),
    "squares-1": NullWorld(2000, "lognormal", "exponential", "squares"),
    "squares-2": NullWorld(1000, "weibull", "uniform", "squares", 0.5, 1.5),
    "squares-3": NullWorld(5000, "exponential", "exponential", "squares", 1.0, 1.5),
    "group-1": NullWorld(2000, "loglogistic", "lognormal", "group", 1.0, -0.7),
    "group-2": NullWorld(5000, "exponential", "lognormal", "group"),
    "dropout-1": NullWorld(2000, "weibull", "dropout", "linear"),
    "dropout-2": NullWorld(5000, "lognormal", "dropout", "linear", 1.5, -0.7),
    "curved-times-1": NullWorld(2000, "lognormal", "uniform", "group", times="curved"),
    "curved-times-2": NullWorld(5000, "weibull", "exponential", "squares", times="curved"),
    "curved-times-3": NullWorld(2000, "loglogistic", "dropout", "linear", times="curved"),
    "independent-1": NullWorld(2000, "lognormal", "uniform", "linear", 1.5, times="independent"),
    "independent-2": NullWorld(1000, "weibull", "exponential", "squares", 1.0, 1.5, times="independent"),
}
WRONG_RECORDS = {
    f"{reporting}-{name}": replace(NULL_WORLDS[name], reporting=reporting)
    for name in ("linear-1", "opposed-1", "group-2")
    for reporting in ("late", "noisy", "batch")
}


def draw(world, seed):
    """Features, labels, recorded times and follow-up."""
    rng = np.random.default_rng([seed, world.n])
    lag = np.abs(np.subtract.outer(np.arange(N_FEATURES), np.arange(N_FEATURES)))
    features = rng.normal(size=(world.n, N_FEATURES)) @ np.linalg.cholesky(CORRELATION**lag).T
    x = features.T
    positive = rng.random(world.n) < 1 / (1 + np.exp(-(0.3 + x[0] - 0.8 * x[1] + 0.5 * x[2])))
    event = np.exp(LOCATIONS[world.times](x) + RESIDUALS[world.residual](rng, world.n))
    follow_up = FOLLOW_UPS[world.censoring](rng, world.shift + world.strength * DEPENDENCES[world.dependence](x))
    labeled = positive & (event <= follow_up)
    recorded = record(world.reporting, event, follow_up, rng)
    return features, labeled.astype(int), np.where(labeled, recorded, follow_up), follow_up


def record(reporting, event, follow_up, rng):
    """Event times as they are recorded, never beyond follow-up."""
    if reporting == "late":
        return event + rng.random(event.size) * (follow_up - event)
    if reporting == "noisy":
        return np.minimum(event * np.exp(3 * rng.normal(size=event.size)), follow_up)
    return follow_up if reporting == "batch" else event
