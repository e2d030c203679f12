"""Cohorts in which the records are right, or labels have nothing to do with a clock, and tests should say so.

Mostly follow-up depends on the features that drive event times. Features are eight, normal and correlated, and risk and
log event time are linear in them, unless said otherwise.
"""

from dataclasses import dataclass, replace

import numpy as np

CORRELATION = 0.5
# A chance to be seen that is the same for everybody.
CONSTANT = 0.6
# Parts into which whole numbers divide a unit of time, where records are of whole numbers.
PARTS = 50


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
    features: str = "normal"  # or "mixed", "heavy"
    n_features: int = 8
    level: float = 0.3  # log odds of the event at the mean of the features
    seen: str = "clock"  # positives within their follow-up; or whatever it is: "all", "constant", "features"
    is_risk_curved: bool = False


RESIDUALS = {
    "lognormal": lambda rng, n: rng.normal(size=n),
    "loglogistic": lambda rng, n: 0.6 * rng.logistic(size=n),
    "weibull": lambda rng, n: 0.6 * np.log(rng.exponential(size=n)),
    "exponential": lambda rng, n: np.log(rng.exponential(size=n)),
    # None of the shapes that are fitted.
    "gamma": lambda rng, n: np.log(rng.gamma(3.0, 1 / 3, size=n)),
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
SEEN = {
    "all": lambda x: np.ones(x.shape[1]),
    "constant": lambda x: np.full(x.shape[1], CONSTANT),
    "features": lambda x: 1 / (1 + np.exp(-(0.5 + x[3] - 0.7 * x[0]))),
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
    # Nothing depends on features but the risk: labeling is completely at random.
    "random-1": NullWorld(2000, "lognormal", "uniform", "none", times="independent"),
    "random-2": NullWorld(1000, "weibull", "exponential", "none", shift=1.5, times="independent"),
    "random-3": NullWorld(5000, "loglogistic", "lognormal", "none", shift=-0.7, times="independent"),
    "linear-times": NullWorld(2000, "weibull", "dropout", "none"),
    # No clock: who is seen has nothing to do with follow-up.
    "all-seen": NullWorld(2000, "lognormal", "lognormal", "linear", seen="all"),
    "all-seen-curved": NullWorld(2000, "lognormal", "dropout", "squares", seen="all", is_risk_curved=True),
    "constant-1": NullWorld(2000, "lognormal", "lognormal", "linear", 1.5, seen="constant"),
    "constant-2": NullWorld(1000, "lognormal", "uniform", "squares", seen="constant"),
    "by-features": NullWorld(5000, "lognormal", "exponential", "group", seen="features"),
    # Different in kind from those above.
    "fresh-mixed": NullWorld(3000, "weibull", "dropout", "linear", features="mixed", level=-0.3),
    "fresh-three": NullWorld(700, "lognormal", "exponential", "linear", 1.0, 1.5, n_features=3),
    "fresh-fifteen": NullWorld(8000, "loglogistic", "lognormal", "group", n_features=15),
    "fresh-heavy": NullWorld(3000, "lognormal", "uniform", "opposed", features="heavy"),
    "fresh-rare": NullWorld(8000, "weibull", "dropout", "squares", 1.0, 1.0, level=-2.5),
    "fresh-gamma": NullWorld(2000, "gamma", "dropout", "opposed", n_features=5),
    "fresh-random": NullWorld(1500, "loglogistic", "dropout", "none", times="independent", features="mixed", level=1.0),
    "fresh-seen": NullWorld(1500, "weibull", "dropout", "linear", features="mixed", n_features=5, seen="constant"),
}
# Times in whole numbers, without favourites among them.
ROUNDED = {
    f"rounded-{name}": replace(NULL_WORLDS[name], reporting="rounded")
    for name in ("linear-1", "linear-3", "squares-2", "dropout-1", "fresh-mixed", "fresh-rare")
}
WRONG_RECORDS = {
    f"{reporting}-{name}": replace(NULL_WORLDS[name], reporting=reporting)
    for name in ("linear-1", "opposed-1", "group-2")
    for reporting in ("late", "noisy", "batch")
}


def draw(world, seed):
    """Features, labels, recorded times and follow-up."""
    rng = np.random.default_rng([seed, world.n])
    features = draw_features(world, rng)
    x = features.T[np.arange(8) % world.n_features]  # of fewer than eight some play two parts
    curve = 0.6 * (x[0] ** 2 - 1) + 0.5 * x[3] * x[4] if world.is_risk_curved else 0.0
    positive = rng.random(world.n) < 1 / (1 + np.exp(-(world.level + x[0] - 0.8 * x[1] + 0.5 * x[2] + curve)))
    event = np.exp(LOCATIONS[world.times](x) + RESIDUALS[world.residual](rng, world.n))
    follow_up = FOLLOW_UPS[world.censoring](rng, world.shift + world.strength * DEPENDENCES[world.dependence](x))
    if world.seen == "clock":
        labeled = positive & (event <= follow_up)
    else:
        labeled, event = positive & (rng.random(world.n) < SEEN[world.seen](x)), rng.random(world.n) * follow_up
    if world.reporting == "rounded":
        event, follow_up = (np.ceil(PARTS * time) / PARTS for time in (event, follow_up))
    recorded = record(world.reporting, event, follow_up, rng)
    return features, labeled.astype(int), np.where(labeled, recorded, follow_up), follow_up


def draw_features(world, rng):
    """Correlated features of mean 0 and variance 1."""
    lag = np.abs(np.subtract.outer(np.arange(world.n_features), np.arange(world.n_features)))
    x = rng.normal(size=(world.n, world.n_features)) @ np.linalg.cholesky(CORRELATION**lag).T
    if world.features == "heavy":  # Student's t with four degrees of freedom
        return x * np.sqrt(2 / rng.chisquare(4, size=(world.n, 1)))
    if world.features == "mixed":  # in turn binary, skewed, normal
        x[:, ::3] = 2.0 * (x[:, ::3] > 0) - 1
        x[:, 1::3] = (np.exp(x[:, 1::3]) - np.exp(0.5)) / np.sqrt((np.e - 1) * np.e)
    return x


def record(reporting, event, follow_up, rng):
    """Event times as they are recorded, never beyond follow-up."""
    if reporting == "late":
        return event + rng.random(event.size) * (follow_up - event)
    if reporting == "noisy":
        return np.minimum(event * np.exp(3 * rng.normal(size=event.size)), follow_up)
    return follow_up if reporting == "batch" else event
