"""Worlds in which the level is measured, besides those of the package: each a function of a random generator.

The first six have eight correlated features, four distributions, and follow-up that goes with features of the time
part. The others differ from them in kind: no distribution of ours, few, binary or skewed features, something behind
risk and time that nobody recorded, centres that follow people for quite different times, and another family.
"""

from functools import partial

import numpy as np
from scipy.special import expit

from whether.distributions import DISTRIBUTIONS


def observe(X, risk, positive, event, follow_up):
    """Features, labels, times, follow-up, truth, risk, and when the event comes or would."""
    labeled = positive & (event <= follow_up)
    return X, labeled, np.where(labeled, event, follow_up), follow_up, positive, risk, event


def correlated(rng, residual, dependence, intercept, n=2_000):
    """Eight correlated features; how follow-up goes with them, and the log odds of an average person."""
    X = rng.multivariate_normal(np.zeros(8), 0.5 ** np.abs(np.subtract.outer(np.arange(8), np.arange(8))), size=n)
    risk = expit(intercept + X @ [1.0, -0.8, 0.6, 0.0, 0.5, 0.0, -0.4, 0.0])
    positive = rng.random(n) < risk
    scale = 1.0 if residual == "exponential" else 0.8
    location = X @ [0.2, 0.4, -0.5, 0.5, 0.0, -0.3, 0.0, 0.2]
    event = np.exp(location + scale * DISTRIBUTIONS[residual].draw(rng.random(n)))
    driven = dependence * (X @ [0.0, 0.5, -0.3, 0.4, 0.0, 0.0, 0.3, 0.0])
    follow_up = np.exp(driven + 0.6 + 0.9 * rng.normal(size=n))
    return observe(X, risk, positive, event, follow_up)


def registry(rng, n=1_500):
    """Two binary features and a skewed one, gamma times; people enter over six years, and some leave before the end."""
    arm, stage, marker = rng.random(n) < 0.5, rng.random(n) < 0.3, np.log1p(rng.exponential(3.0, size=n))
    X = np.column_stack([arm, stage, marker]).astype(float)
    risk = expit(-1.0 - 0.7 * arm + 1.4 * stage + 0.5 * (marker - 1.1))
    event = rng.gamma(2.0, 0.5, size=n) * np.exp(0.3 * arm - 0.5 * stage)
    follow_up = np.minimum(6.0 * rng.random(n), rng.exponential(8.0 - 4.0 * stage))
    return observe(X, risk, rng.random(n) < risk, event, np.maximum(follow_up, 1e-3))


def ageing(rng, n=2_000):
    """Hazards that grow exponentially (Gompertz), which no distribution here has; heavy-tailed features."""
    X = rng.standard_t(4, size=(n, 4))
    risk = expit(0.2 + X @ [0.6, -0.4, 0.0, 0.3])
    rate = np.exp(X @ [0.3, 0.2, -0.3, 0.0])
    event = np.log1p(1.5 * rng.exponential(size=n) / rate) / 1.5
    return observe(X, risk, rng.random(n) < risk, event, 2.5 * rng.random(n) + 1e-3)


def unrecorded(rng, n=3_000):
    """Something that nobody recorded raises the risk and brings the event forward."""
    X, hidden = rng.normal(size=(n, 5)), rng.normal(size=n)
    log_odds = X @ [0.9, -0.6, 0.4, 0.0, 0.0]
    positive = rng.random(n) < expit(-0.3 + log_odds + 0.7 * hidden)
    nodes, weights = np.polynomial.hermite_e.hermegauss(30)
    risk = expit(-0.3 + log_odds[:, None] + 0.7 * nodes) @ (weights / weights.sum())
    event = np.exp(X @ [0.3, 0.0, -0.4, 0.4, 0.0] - 0.4 * hidden + 0.5 * rng.normal(size=n))
    return observe(X, risk, positive, event, 5.0 * rng.random(n) + 1e-3)


def centres(rng, n=2_400):
    """Three centres of different risk, which follow people for one, three and eight units of time at most."""
    centre, X = rng.integers(3, size=n), rng.normal(size=(n, 4))
    X = np.column_stack([X, centre == 1, centre == 2])
    risk = expit(X @ [1.0, -0.5, 0.0, 0.5, 0.5, -0.5])
    event = np.exp(X @ [-0.3, 0.0, 0.5, 0.2, 0.0, 0.3] + 0.6 * rng.logistic(size=n) - 0.5)
    follow_up = np.array([1.0, 3.0, 8.0])[centre] * (0.2 + 0.8 * rng.random(n))
    return observe(X, risk, rng.random(n) < risk, event, follow_up)


def causes(rng, n=2_000):
    """Hidden causes, Poisson many, of which the first is the event: the promotion-time family."""
    X = rng.normal(size=(n, 5))
    mean = np.exp(-0.4 + X @ [0.6, -0.4, 0.3, 0.0, 0.0])
    number = rng.poisson(mean)
    # The first of so many Weibull times, by its distribution function.
    event = np.full(n, np.inf)
    hit = number > 0
    event[hit] = (rng.exponential(size=int(hit.sum())) / number[hit]) ** (1 / 1.5)
    return observe(X, -np.expm1(-mean), hit, event, 3.0 * rng.random(n) + 1e-3)


OWN_WORLDS = {
    "lognormal, follow-up apart": partial(correlated, residual="lognormal", dependence=0.0, intercept=0.0),
    "weibull, follow-up by features": partial(correlated, residual="weibull", dependence=1.0, intercept=0.0),
    "loglogistic, follow-up by features, few": partial(
        correlated, residual="loglogistic", dependence=1.0, intercept=-1.2
    ),
    "exponential, follow-up by features, many": partial(
        correlated, residual="exponential", dependence=0.5, intercept=1.0
    ),
    "lognormal, follow-up by features": partial(correlated, residual="lognormal", dependence=1.0, intercept=0.0),
    "weibull, follow-up apart, few": partial(correlated, residual="weibull", dependence=0.0, intercept=-1.2),
    "registry, gamma times": registry,
    "ageing, Gompertz times": ageing,
    "something unrecorded": unrecorded,
    "three centres": centres,
    "hidden causes": causes,
}
