"""The unbiased and the non-negative risk: the paper's equation 7 over a cohort."""

from functools import partial

import numpy as np
import pytest
from scipy.special import expit

from whether import UnbiasedPUClassifier
from whether.learners.linear.nonnegative import NonNegativeObjective
from whether.risk import PURisk

RISKS = {
    "unbiased": PURisk,
    "positive": lambda c: PURisk(c).shares()[0],
    "negative": lambda c: PURisk(c).shares()[1],
}


def logistic_loss(eta, sign):
    return np.logaddexp(0.0, -sign * eta)


@pytest.mark.parametrize("c", [0.3, 0.8, 1.0])
def test_the_unbiased_risk_sums_over_everybody(c, objective_of):
    objective = objective_of(PURisk(c), ridge=0.0, columns=())
    theta = np.array([0.4, -0.3, 0.8, 0.1])
    eta, _ = objective.predictors(theta, slice(None))
    s = np.arange(objective.n) < objective.n_labeled
    expected = np.sum(s / c * logistic_loss(eta, 1) + (1 - s / c) * logistic_loss(eta, -1))
    assert objective.evaluate(theta).value == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("c", [0.3, 1.0])
def test_the_unbiased_risk_is_the_positives_share_plus_the_negatives_share(c):
    eta = np.random.default_rng(0).normal(scale=3, size=50)
    for labeled in (True, False):
        whole, *parts = (
            risk(c).terms(eta, np.empty((0, 50)), np.zeros(50), labeled=labeled) for risk in RISKS.values()
        )
        for total, positive, negative in zip(whole, *parts, strict=True):
            np.testing.assert_allclose(positive + negative, total, rtol=1e-12, atol=1e-12)


def test_the_unbiased_risk_is_on_average_the_risk_of_the_true_outcome():
    eta, p, c = np.linspace(-3, 3, 7), np.linspace(0.1, 0.9, 7), 0.4
    nothing = np.empty((0, 7)), np.zeros(7)
    labeled, unlabeled = (PURisk(c).terms(eta, *nothing, labeled=flag) for flag in (True, False))
    expected = -p * logistic_loss(eta, 1) - (1 - p) * logistic_loss(eta, -1)
    np.testing.assert_allclose(c * p * labeled.value + (1 - c * p) * unlabeled.value, expected, rtol=1e-12)


@pytest.mark.parametrize("labeled", [True, False])
@pytest.mark.parametrize("risk", RISKS.values(), ids=RISKS)
def test_risks_have_the_derivatives_they_say(risk, labeled, finite_difference):
    eta, nothing = np.linspace(-5, 5, 21)[None], (np.empty((0, 21)), np.zeros(21))
    of_rows = partial(risk(0.4).terms, labeled=labeled)
    terms = of_rows(eta[0], *nothing)
    gradient = finite_difference(lambda x: of_rows(x[0], *nothing).value, eta)
    curvature = finite_difference(lambda x: of_rows(x[0], *nothing).gradient, eta)
    np.testing.assert_allclose(terms.gradient, gradient, atol=1e-8)
    np.testing.assert_allclose(terms.curvature, curvature, atol=1e-8)


@pytest.mark.parametrize("labeled", [True, False])
@pytest.mark.parametrize("risk", RISKS.values(), ids=RISKS)
def test_risks_are_finite_at_extreme_logits(risk, labeled):
    eta = np.array([-700.0, 0.0, 700.0])
    terms = risk(0.4).terms(eta, np.empty((0, 3)), np.zeros(3), labeled=labeled)
    assert all(np.isfinite(part).all() for part in terms)


def test_the_nonnegative_objective_has_the_derivatives_it_says(objective_of, finite_difference):
    composite = NonNegativeObjective(objective_of(PURisk(0.6), columns=()), PURisk(0.6))
    theta = np.array([0.9, 1.2, -0.5, 0.4])
    at = composite.evaluate(theta)
    np.testing.assert_allclose(at.gradient, finite_difference(lambda x: composite.evaluate(x).value, theta), rtol=1e-6)
    numerical = finite_difference(lambda x: composite.evaluate(x).gradient, theta)
    np.testing.assert_allclose(at.hessian, numerical, rtol=1e-6, atol=1e-5)


def test_nonnegative_equals_unbiased_where_the_negatives_risk_is_positive(draw_labels):
    people = draw_labels(0, 2000, {"intercept": 0.4})
    unbiased, nonnegative = (
        UnbiasedPUClassifier(nonnegative=flag, label_frequency=float(expit(0.4))).fit(people.X, people.y)
        for flag in (False, True)
    )
    assert unbiased.negative_risk_ > 0.05
    np.testing.assert_allclose(nonnegative.predict_proba(people.X), unbiased.predict_proba(people.X), atol=1e-6)


def test_the_nonnegative_risk_keeps_the_negatives_share_from_falling_below_zero(draw_labels, quiet_fit):
    people = draw_labels(0, 2000, {"intercept": 2.2})
    c = 1.35 * people.y.mean()
    unbiased, nonnegative = (
        quiet_fit(UnbiasedPUClassifier(nonnegative=flag, label_frequency=c), people) for flag in (False, True)
    )
    assert unbiased.negative_risk_ < -0.05
    assert nonnegative.negative_risk_ > -0.01


def test_with_every_positive_labeled_the_risk_is_that_of_logistic_regression(draw_labels):
    from whether import LabelClassifier

    people = draw_labels(0, 500)
    risk = UnbiasedPUClassifier(label_frequency=1.0).fit(people.X, people.y)
    label = LabelClassifier().fit(people.X, people.y)
    np.testing.assert_allclose(risk.predict_proba(people.X), label.predict_proba(people.X), atol=1e-8)
