"""Scores against a known truth."""

import numpy as np
import pytest
from sklearn.metrics import log_loss as reference_log_loss

from whether.evaluate import evaluate_propensity, evaluate_risks, log_loss


def test_log_loss_agrees_with_scikit_learn_and_is_infinite_where_certainty_was_wrong():
    outcome, risk = np.array([1, 0, 1, 0]), np.array([0.9, 0.2, 0.6, 0.5])
    assert log_loss(outcome, risk) == pytest.approx(reference_log_loss(outcome, risk))
    assert log_loss([0, 1], [1.0, 0.5]) == np.inf
    assert log_loss([0, 1], [0.0, 1.0]) == 0


def test_propensity_is_scored_as_the_risk_of_a_label_among_positives():
    positive = np.array([1, 1, 1, 1, 0, 0])
    labeled = np.array([1, 1, 0, 0, 0, 0])
    propensity = np.array([0.8, 0.6, 0.7, 0.1, 0.9, 0.2])
    found = evaluate_propensity(positive, labeled, propensity, true_propensity=propensity - 0.1)
    expected = evaluate_risks(labeled[:4], propensity[:4])
    assert {name: found[name] for name in expected} == expected
    assert found["rmse"] == pytest.approx(0.1)
    # Of the eight pairs of a positive and a negative, three have the higher propensity at the positive.
    assert found["outcome_auc"] == pytest.approx(3 / 8)


def test_without_a_true_propensity_there_is_no_distance_from_it():
    assert "rmse" not in evaluate_propensity([1, 1, 0], [1, 0, 0], [0.5, 0.4, 0.3])
