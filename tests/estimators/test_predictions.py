"""Probabilities of a fitted classifier and how they hang together."""

import math

import numpy as np
import pytest

import whether as wh


def test_probabilities_of_both_outcomes_sum_to_one(fitted, cohort):
    proba = fitted.predict_proba(cohort.X)
    assert np.all((proba >= 0) & (proba <= 1))
    np.testing.assert_allclose(proba.sum(axis=1), 1.0, rtol=1e-15)


def test_predicted_class_is_the_more_likely_one(fitted, cohort):
    np.testing.assert_array_equal(fitted.predict(cohort.X), fitted.predict_proba(cohort.X)[:, 1] > 0.5)


def test_probability_is_the_logistic_of_the_decision_function(fitted, cohort):
    expected = 1 / (1 + np.exp(-fitted.decision_function(cohort.X)))
    np.testing.assert_allclose(fitted.predict_proba(cohort.X)[:, 1], expected, rtol=1e-12)


def test_propensity_is_a_probability(fitted, cohort):
    propensity = fitted.predict_propensity(cohort.X)
    assert propensity.shape == (300,)
    assert np.all((propensity >= 0) & (propensity <= 1))


def test_label_probability_is_outcome_times_propensity(fitted_label_only, cohort):
    expected = fitted_label_only.predict_proba(cohort.X)[:, 1] * fitted_label_only.predict_propensity(cohort.X)
    np.testing.assert_allclose(fitted_label_only.predict_label_proba(cohort.X), expected, rtol=1e-12)


@pytest.mark.parametrize("follow_up", [None, 1.0])
def test_label_probability_of_a_cure_model_is_outcome_times_propensity(fitted_cure, cohort, follow_up):
    expected = fitted_cure.predict_proba(cohort.X)[:, 1] * fitted_cure.predict_propensity(cohort.X, follow_up)
    np.testing.assert_allclose(fitted_cure.predict_label_proba(cohort.X, follow_up), expected, rtol=1e-12)


def test_label_probability_is_the_propensity_where_everybody_is_positive(cohort):
    model = wh.AFTClassifier().fit(cohort.X, cohort.y, time=cohort.time)
    np.testing.assert_array_equal(model.predict_label_proba(cohort.X, 1.0), model.predict_propensity(cohort.X, 1.0))


def test_propensity_increases_with_follow_up(fitted_with_times, cohort):
    values = [fitted_with_times.predict_propensity(cohort.X, follow_up) for follow_up in (0.01, 0.1, 1.0, 10.0)]
    assert np.all(np.diff(values, axis=0) >= 0)
    assert np.all(values[0] < values[-1])


def test_propensity_at_one_follow_up_per_person_equals_that_at_each(fitted_with_times, cohort):
    together = fitted_with_times.predict_propensity(cohort.X[:5], cohort.follow_up[:5])
    alone = [fitted_with_times.predict_propensity(cohort.X[[i]], cohort.follow_up[i])[0] for i in range(5)]
    np.testing.assert_allclose(together, alone, rtol=1e-12)


def test_propensity_without_follow_up_is_its_average_over_the_training_cohort(fitted_with_times, cohort):
    points = fitted_with_times.follow_up_points_
    expected = np.mean([fitted_with_times.predict_propensity(cohort.X, point) for point in points], axis=0)
    np.testing.assert_allclose(fitted_with_times.predict_propensity(cohort.X), expected, rtol=1e-12)


def test_propensity_of_labels_alone_refuses_a_follow_up(fitted_label_only, cohort):
    with pytest.raises(ValueError, match=f"{type(fitted_label_only).__name__} has no model of times: follow_up"):
        fitted_label_only.predict_propensity(cohort.X, 1.0)


@pytest.mark.parametrize("follow_up", [0.0, -1.0, math.nan])
def test_impossible_follow_up_is_refused_with_its_value(fitted_with_times, cohort, follow_up):
    with pytest.raises(ValueError, match=rf"row 0, follow_up={follow_up}"):
        fitted_with_times.predict_propensity(cohort.X, follow_up)


# ---------------------------------------------------------------- people without the event


def test_probability_falls_while_no_event_comes(fitted_with_times, cohort):
    values = [fitted_with_times.predict_proba_event_free(cohort.X, time) for time in (0.01, 0.1, 1.0, 10.0)]
    assert np.all(np.diff(values, axis=0) <= 0)
    assert np.all(values[0] > values[-1])


def test_probability_at_the_start_of_observation_is_that_of_everybody(fitted_with_times, cohort):
    start = fitted_with_times.predict_proba_event_free(cohort.X, 1e-30)
    np.testing.assert_allclose(start, fitted_with_times.predict_proba(cohort.X)[:, 1], rtol=1e-9)


def test_nobody_is_left_to_have_the_event_in_the_end(fitted_with_times, cohort):
    end = fitted_with_times.predict_proba_event_free(cohort.X, 1e30)
    np.testing.assert_allclose(end, 0.0, atol=1e-6)


def test_probability_without_an_event_follows_bayes_rule(fitted_cure, cohort):
    p, e = fitted_cure.predict_proba(cohort.X)[:, 1], fitted_cure.predict_propensity(cohort.X, 1.0)
    expected = p * (1 - e) / (1 - p * e)
    np.testing.assert_allclose(fitted_cure.predict_proba_event_free(cohort.X, 1.0), expected, rtol=1e-6, atol=1e-12)


def test_probability_of_the_unlabeled_follows_bayes_rule(fitted_label_only, cohort):
    p, e = fitted_label_only.predict_proba(cohort.X)[:, 1], fitted_label_only.predict_propensity(cohort.X)
    expected = p * (1 - e) / (1 - p * e)
    np.testing.assert_allclose(fitted_label_only.predict_proba_event_free(cohort.X), expected, rtol=1e-9, atol=1e-12)


def test_probability_without_an_event_refuses_a_time_where_there_is_no_clock(fitted_label_only, cohort):
    with pytest.raises(ValueError, match=f"{type(fitted_label_only).__name__} has no model of times: time"):
        fitted_label_only.predict_proba_event_free(cohort.X, 1.0)


# ---------------------------------------------------------------- survival


def test_survival_lies_between_the_cured_share_and_one(fitted_with_times, cohort):
    survival = fitted_with_times.predict_survival(cohort.X, [0.01, 0.1, 1.0, 10.0])
    cured = 1 - fitted_with_times.predict_proba(cohort.X)[:, 1] if fitted_with_times._claims_cure else np.zeros(300)
    assert survival.shape == (300, 4)
    assert np.all(survival <= 1)
    assert np.all(survival >= cured[:, None] - 1e-12)


def test_survival_falls_with_time(fitted_with_times, cohort):
    assert np.all(np.diff(fitted_with_times.predict_survival(cohort.X, [0.01, 0.1, 1.0, 10.0]), axis=1) <= 0)


def test_survival_levels_off_at_the_cured_share(fitted_cure, cohort):
    survival = fitted_cure.predict_survival(cohort.X, [1e30])[:, 0]
    np.testing.assert_allclose(survival, fitted_cure.predict_proba(cohort.X)[:, 0], atol=1e-9)


def test_survival_is_one_minus_the_label_probability(fitted_with_times, cohort):
    survival = fitted_with_times.predict_survival(cohort.X, 2.0)[:, 0]
    np.testing.assert_allclose(survival, 1 - fitted_with_times.predict_label_proba(cohort.X, 2.0), rtol=1e-9)


@pytest.mark.parametrize("time", [0.0, -1.0, math.inf])
def test_survival_at_an_impossible_time_is_refused_with_its_value(fitted_with_times, cohort, time):
    with pytest.raises(ValueError, match=rf"row 1, times={time}"):
        fitted_with_times.predict_survival(cohort.X, [1.0, time])
