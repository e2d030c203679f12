"""Scores against a known truth."""

import numpy as np
import pytest
from sklearn.metrics import log_loss as reference_log_loss

from whether.evaluate import calibration_error, evaluate_propensity, evaluate_risks, log_loss


def test_log_loss_agrees_with_scikit_learn_and_is_infinite_where_certainty_was_wrong():
    outcome, risk = np.array([1, 0, 1, 0]), np.array([0.9, 0.2, 0.6, 0.5])
    assert log_loss(outcome, risk) == pytest.approx(reference_log_loss(outcome, risk))
    assert log_loss([0, 1], [1.0, 0.5]) == np.inf
    assert log_loss([0, 1], [0.0, 1.0]) == 0


def test_a_weight_counts_as_repeated_people(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    risk, times = rng.uniform(0.01, 0.99, 60), rng.integers(1, 4, 60)
    outcome = np.r_[0, 1, rng.random(58) < risk[2:]].astype(int)
    weighted = evaluate_risks(outcome, risk, sample_weight=times)
    repeated = evaluate_risks(np.repeat(outcome, times), np.repeat(risk, times))
    smoothed = "calibration_error"  # over a share of the rows, not of the weight
    for name in set(weighted) - {smoothed}:
        assert weighted[name] == pytest.approx(repeated[name])
    alike = evaluate_risks(outcome, risk, sample_weight=np.full(60, 3.0))
    assert alike[smoothed] == pytest.approx(evaluate_risks(outcome, risk)[smoothed])
    # A perfect prediction has no error however people count, and one that is off by a tenth is off by that.
    assert calibration_error(risk, risk - 0.1, sample_weight=times) == pytest.approx(0.1)


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
