"""Where two restrictions say the same, their fits are the same."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from whether import ElkanNotoClassifier, LabelClassifier, SARPUClassifier
from whether.learners import LinearLearner, Task
from whether.propensity import LogisticPropensity


@pytest.fixture
def people(draw_labels):
    return draw_labels(3, 800, {"intercept": 0.5})


@pytest.mark.parametrize("ridge", [0.01, 1.0, 100.0])
def test_with_every_positive_seen_the_fit_is_scikit_learns(ridge, people):
    ours = LabelClassifier(ridge=ridge).fit(people.X, people.y)
    scaled = StandardScaler().fit_transform(people.X)
    theirs = LogisticRegression(C=1 / ridge, solver="newton-cholesky", tol=1e-12).fit(scaled, people.y)
    np.testing.assert_allclose(ours.model_.coefficients[0], theirs.intercept_[0], atol=1e-5)
    np.testing.assert_allclose(ours.model_.coefficients[1:], theirs.coef_[0], atol=1e-5)
    np.testing.assert_allclose(ours.predict_proba(people.X), theirs.predict_proba(scaled), atol=1e-6)


def test_without_a_ridge_the_fit_is_scikit_learns_without_a_penalty(people):
    ours = LabelClassifier(ridge=0.0).fit(people.X, people.y)
    theirs = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-12).fit(people.X, people.y)
    estimates = [row.estimate for row in ours.summary().coefficients]
    np.testing.assert_allclose(estimates, [theirs.intercept_[0], *theirs.coef_[0]], atol=1e-5)


def test_weights_are_scikit_learns_weights(people):
    weight = np.random.default_rng(0).uniform(0, 3, people.y.size)
    ours = LabelClassifier(ridge=0.0).fit(people.X, people.y, sample_weight=weight)
    theirs = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-12).fit(people.X, people.y, weight)
    np.testing.assert_allclose(ours.predict_proba(people.X), theirs.predict_proba(people.X), atol=1e-6)


def test_a_propensity_of_no_features_is_the_estimated_constant(people):
    empty = SARPUClassifier(propensity_features=[]).fit(people.X, people.y)
    constant = LinearLearner(ridge=1.0).fit(Task(people.checked(), [LogisticPropensity(sloped=False)]))
    np.testing.assert_allclose(empty.model_.coefficients, constant.coefficients, atol=1e-12)
    assert np.ptp(empty.predict_propensity(people.X)) == 0


def test_a_label_frequency_of_one_is_logistic_regression_on_the_labels(people):
    certain = ElkanNotoClassifier(label_frequency=1.0).fit(people.X, people.y)
    label = LabelClassifier().fit(people.X, people.y)
    np.testing.assert_allclose(certain.predict_proba(people.X), label.predict_proba(people.X), atol=1e-12)


def test_the_estimated_constant_given_as_label_frequency_fits_the_labels_equally_well(people):
    estimated = SARPUClassifier(propensity_features=[]).fit(people.X, people.y)
    c = float(estimated.predict_propensity(people.X)[0])
    given = ElkanNotoClassifier(label_frequency=c).fit(people.X, people.y)
    assert given.score(people.X, people.y) == pytest.approx(estimated.score(people.X, people.y), abs=1e-9)
    np.testing.assert_allclose(given.predict_proba(people.X), estimated.predict_proba(people.X), atol=1e-5)


def test_no_label_frequency_fits_the_labels_better_than_the_estimated_constant(people):
    estimated = SARPUClassifier(propensity_features=[], ridge=0.0).fit(people.X, people.y)
    best = estimated.score(people.X, people.y)
    for c in (0.45, 0.55, 0.7, 0.9, 1.0):
        given = ElkanNotoClassifier(label_frequency=c, ridge=0.0).fit(people.X, people.y)
        assert given.score(people.X, people.y) <= best + 1e-9


@pytest.mark.parametrize("factor", [1.05, 1.2, 1.5, 2.0])
def test_whatever_the_label_frequency_a_probability_is_at_most_one(factor, people):
    c = factor * people.y.mean()
    model = ElkanNotoClassifier(label_frequency=c).fit(people.X, people.y)
    far = 100 * people.X
    assert np.all((model.predict_proba(far) >= 0) & (model.predict_proba(far) <= 1))
    assert np.all(model.predict_label_proba(far) <= c)
