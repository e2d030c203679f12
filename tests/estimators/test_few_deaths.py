"""Times of death follow the features: slopes of few deaths are held back, not left out."""

import numpy as np
import pytest

import whether as wh
from whether.cohort import Cohort
from whether.estimators.candidates import DEATHS_PER_FEATURE, RIDGE_OF_FEW
from whether.learners import Task
from whether.learners.linear.objective import LinearObjective


def people(rng, n=1_500, died_by=0.15):
    """A feature brings death, another one the event; follow-up is short, and few die within it."""
    X = rng.normal(size=(n, 2))
    positive = rng.random(n) < 1 / (1 + np.exp(0.4 - X[:, 0]))
    event = np.where(positive, rng.lognormal(-0.5, 0.6, n), np.inf)
    death = np.where(positive, np.inf, rng.lognormal(3.0 - 1.5 * X[:, 1], 0.5, n)) / (died_by / 0.15)
    follow_up = rng.uniform(0.1, 2.5, n)
    y, died = event <= follow_up, death <= np.minimum(event, follow_up)
    return X, y.astype(int), np.minimum(np.minimum(event, death), follow_up), died, positive


@pytest.fixture(scope="module")
def cohort():
    return people(np.random.default_rng(3))


def ridge_of(X, y, time, died, **parameters):
    return wh.MixtureCureClassifier(**parameters).fit(X, y, time=time, competing=died).model_.propensity.other_ridge


def test_slopes_of_few_deaths_are_held_back(cohort):
    X, y, time, died, _ = cohort
    few, n_features = np.flatnonzero(died)[DEATHS_PER_FEATURE * 2 - 1 :], X.shape[1]
    alive = died.copy()
    alive[few] = False
    assert alive.sum() == DEATHS_PER_FEATURE * n_features - 1
    assert ridge_of(X, y, time, alive) == RIDGE_OF_FEW
    assert ridge_of(X, y, time, alive, penalty=None) == 0
    assert died.sum() >= DEATHS_PER_FEATURE * n_features
    assert ridge_of(X, y, time, died) == 0


def test_the_penalty_has_its_own_derivatives(cohort):
    X, y, time, died, _ = cohort
    part = died.copy()
    part[np.flatnonzero(died)[5:]] = False
    model = wh.MixtureCureClassifier().fit(X, y, time=time, competing=part)
    recorded = Cohort(X, y == 1, ("a", "b"), time=time, competing=part)
    objective = LinearObjective(Task(recorded, [model.model_.propensity], np.arange(2)), 1.0)
    theta = np.random.default_rng(0).normal(size=objective.layout.size)
    found = objective.penalty(theta)
    for k, step in enumerate(1e-5 * np.eye(theta.size)):
        up, down = objective.penalty(theta + step), objective.penalty(theta - step)
        assert found.gradient[k] == pytest.approx((up.value - down.value) / 2e-5, rel=1e-6, abs=1e-6)
        np.testing.assert_allclose(found.hessian[k], (up.gradient - down.gradient) / 2e-5, rtol=1e-6, atol=1e-6)


def test_a_feature_that_brings_death_does_not_make_positives_of_the_rest(global_random_seed):
    X, y, time, died, positive = people(np.random.default_rng(global_random_seed), died_by=0.1)
    noise = np.random.default_rng(global_random_seed + 1).normal(size=(y.size, 6))
    model = wh.MixtureCureClassifier().fit(np.hstack([X, noise]), y, time=time, competing=died)
    risk = model.predict_proba(np.hstack([X, noise]))[:, 1]
    assert 0 < died.sum() < DEATHS_PER_FEATURE * 8
    # Five standard errors of a share of 1,500, three times as wide for what is extrapolated.
    assert abs(risk.mean() - positive.mean()) < 15 * 0.5 / np.sqrt(y.size)
