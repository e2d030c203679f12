"""Fixtures of the laws: propensities, cohorts from the model itself, and quiet fits of the whole catalogue.

Helpers are fixtures that return functions, because test files cannot import each other.
"""

import inspect
import warnings
from dataclasses import dataclass, field

import numpy as np
import pytest
from scipy.special import expit

from whether import METHODS, FollowUpWarning, IdentifiabilityWarning
from whether.cohort import Cohort
from whether.distributions import DISTRIBUTIONS
from whether.learners import Task
from whether.learners.linear.objective import LinearObjective
from whether.open_residuals import OpenResiduals
from whether.propensity import (
    Certain,
    CoxPropensity,
    DiscreteTimePropensity,
    EventTimePropensity,
    FollowUpPropensity,
    LogisticPropensity,
)
from whether.risk import PURisk

EDGES = np.array([0.5, 1.0, 2.0, 4.0])
SURVIVAL_TIME = {"event-time": EventTimePropensity, "follow-up": FollowUpPropensity}
LOGISTIC = {"constant": LogisticPropensity(sloped=False), "features": LogisticPropensity(sloped=True)}
PROPENSITIES = {
    "certain": Certain(),
    **LOGISTIC,
    **{
        f"{name}-{distribution}": kind(DISTRIBUTIONS[distribution], center=0.3, spread=1.4)
        for name, kind in SURVIVAL_TIME.items()
        for distribution in DISTRIBUTIONS
    },
    "discrete-time": DiscreteTimePropensity(EDGES),
    "cox": CoxPropensity(EDGES, np.array([0.3, 0.7, 1.0, 2.5])),
    "event-time-open": EventTimePropensity(
        OpenResiduals(np.array([-1.5, -0.5, 0.5, 1.5]), np.array([0.2, 0.4, 0.1, 0.3]), 0.7), center=0.3, spread=1.4
    ),
}


@pytest.fixture(scope="session", params=PROPENSITIES)
def propensity(request):
    """Every propensity in turn."""
    return PROPENSITIES[request.param]


@pytest.fixture(scope="session", params=[name for name in PROPENSITIES if name != "certain"])
def uncertain_propensity(request):
    """Every propensity that has predictors."""
    return PROPENSITIES[request.param]


# Where only the places of the coefficients matter, one distribution stands for all.
@pytest.fixture(
    scope="session", params=["constant", "features", "event-time-weibull", "follow-up-lognormal", "discrete-time"]
)
def any_propensity(request):
    """One propensity of each kind that has predictors."""
    return PROPENSITIES[request.param]


@pytest.fixture(scope="session", params=DISTRIBUTIONS)
def distribution(request):
    """Every residual distribution in turn."""
    return DISTRIBUTIONS[request.param]


@pytest.fixture(scope="session", params=METHODS)
def method(request):
    """Every method of the catalogue in turn."""
    return METHODS[request.param]


@pytest.fixture(scope="session")
def draw_points():
    """Function that draws predictors of n people and what was observed of them."""

    def draw(propensity, rng, n=200):
        eta, v = rng.normal(scale=2, size=n), rng.normal(scale=0.6, size=(len(propensity.predictors), n))
        if isinstance(propensity, DiscreteTimePropensity):
            return eta, v, propensity.locate(np.concatenate([EDGES, rng.uniform(0.01, 5, n - EDGES.size)]))
        if isinstance(propensity, CoxPropensity):
            return eta, v, propensity.locate(rng.uniform(0.01, EDGES[-1], n))
        return eta, v, rng.normal(size=n)

    return draw


@dataclass(frozen=True)
class Draw:
    """People drawn from the model itself, and the coefficients they were drawn with."""

    X: np.ndarray
    y: np.ndarray
    time: np.ndarray
    follow_up: np.ndarray
    truth: dict = field(default_factory=dict)

    def take(self, rows):
        return Draw(self.X[rows], self.y[rows], self.time[rows], self.follow_up[rows], self.truth)

    def later(self, factor):
        return Draw(self.X, self.y, factor * self.time, factor * self.follow_up, self.truth)

    def checked(self, weight=None):
        return Cohort(self.X, self.y == 1, ("x0", "x1", "x2"), weight, self.time, self.follow_up)


OUTCOME = {"intercept": 0.2, "x0": 1.5, "x1": -0.5, "x2": 0.4}
LOCATION = {"intercept": -0.1, "x0": 0.1, "x1": 0.2, "x2": -0.3}
LOG_SCALE = -0.7
PROPENSITY = {"intercept": 0.5, "x2": 1.2}


def _linear(X, coefficients):
    columns = {"intercept": 1.0, "x0": X[:, 0], "x1": X[:, 1], "x2": X[:, 2]}
    return sum(value * columns[name] for name, value in coefficients.items())


def _truth(**parts):
    return {(part.replace("_", " "), name): value for part, terms in parts.items() for name, value in terms.items()}


@pytest.fixture(scope="session")
def draw_times():
    """Function that draws a cohort in which follow-up ends before some of the events."""

    def draw(seed, n, distribution="lognormal"):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(n, 3)) * [1.0, 2.0, 1.0] + [0.0, 1.0, 0.0]
        positive = rng.random(n) < expit(_linear(X, OUTCOME))
        residual = DISTRIBUTIONS[distribution].draw(rng.random(n))
        event_time = np.exp(_linear(X, LOCATION) + np.exp(LOG_SCALE) * residual)
        follow_up = rng.uniform(0.1, 6.0, n)
        y = positive & (event_time <= follow_up)
        truth = _truth(outcome=OUTCOME, location=LOCATION, log_scale={"intercept": LOG_SCALE})
        return Draw(X, y.astype(int), np.where(y, event_time, follow_up), follow_up, truth)

    return draw


@pytest.fixture(scope="session")
def draw_labels():
    """Function that draws a cohort in which one feature decides who of the positives is labeled."""

    def draw(seed, n, propensity=PROPENSITY):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(n, 3)) * [1.0, 2.0, 1.0] + [0.0, 1.0, 0.0]
        positive = rng.random(n) < expit(_linear(X, OUTCOME))
        y = positive & (rng.random(n) < expit(_linear(X, propensity)))
        times = np.ones(n)
        return Draw(X, y.astype(int), times, times, _truth(outcome=OUTCOME, propensity=propensity))

    return draw


@pytest.fixture(scope="session")
def objective_of(draw_times):
    """Function that makes the objective of a small drawn cohort."""

    def make(propensity, *, columns=(0, 1, 2), weighted=False, has_outcome=True, ridge=0.7, n=60, seed=5):
        weight = np.random.default_rng(seed).uniform(0, 3, n) if weighted else None
        cohort = draw_times(seed, n).checked(weight)
        risk, restriction = (
            (propensity, propensity.propensity) if isinstance(propensity, PURisk) else (None, propensity)
        )
        columns = np.array(columns, dtype=int)
        return LinearObjective(Task(cohort, [restriction], columns, has_outcome=has_outcome, risk=risk), ridge)

    return make


@pytest.fixture(scope="session")
def quiet_fit():
    """Function that fits without the warnings about what the data can tell, which are tested elsewhere."""

    def fit(model, people, **extra):
        with warnings.catch_warnings():
            for category in (IdentifiabilityWarning, FollowUpWarning):
                warnings.simplefilter("ignore", category)
            warnings.filterwarnings("ignore", "The negatives' share of the unbiased risk")
            return model.fit(people.X, people.y, time=people.time, follow_up=people.follow_up, **extra)

    return fit


@pytest.fixture(scope="session")
def build():
    """Function that builds a method of the catalogue; parameters that it lacks are dropped."""

    def make(method, named=(2,), **parameters):
        known = inspect.signature(method.estimator).parameters
        features = named if method.feature_parameter else None
        return method.build(features, **{name: value for name, value in parameters.items() if name in known})

    return make


@pytest.fixture(scope="session")
def finite_difference():
    """Function that differentiates along the first axis by central differences."""

    def differentiate(function, x, step=1e-5):
        moves = step * np.eye(x.shape[0])
        moves = moves.reshape(moves.shape + (1,) * (x.ndim - 1))
        return np.stack([(function(x + move) - function(x - move)) / (2 * step) for move in moves])

    return differentiate
