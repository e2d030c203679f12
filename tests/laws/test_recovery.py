"""Fits to people drawn from the model itself find the coefficients they were drawn with, for every seed."""

import numpy as np
import pytest

from whether import FollowUpCureClassifier, MixtureCureClassifier, SARPUClassifier

CURE_MODELS = [MixtureCureClassifier, FollowUpCureClassifier]


def misses(model, truth):
    """Distance of each coefficient from the truth, in standard errors."""
    found = {(row.part, row.term): (row.estimate, row.standard_error) for row in model.summary().coefficients}
    assert found.keys() == truth.keys()
    return {name: abs(found[name][0] - truth[name]) / found[name][1] for name in truth}


def fall_of_error(fit_to, draw, seed, few):
    """How many times smaller the error is with sixteen times as many people; 4 is expected.

    The root mean square of the errors of all coefficients over five cohorts of each size, each coefficient in standard
    errors of the last large fit, so that none outweighs the others.
    """
    errors = []
    for n in (few, 16 * few):
        for repeat in range(5):
            people = draw([seed, repeat, n], n)
            coefficients = fit_to(people).summary().coefficients
            errors.append([row.estimate - people.truth[row.part, row.term] for row in coefficients])
    scaled = np.array(errors) / [row.standard_error for row in coefficients]
    return np.sqrt(np.mean(scaled[:5] ** 2) / np.mean(scaled[5:] ** 2))


@pytest.mark.parametrize("distribution", ["lognormal", "weibull"])
@pytest.mark.parametrize("estimator", CURE_MODELS)
def test_a_cure_model_finds_the_truth_within_four_standard_errors(
    estimator, distribution, draw_times, quiet_fit, global_random_seed
):
    people = draw_times([1, global_random_seed], 4000, distribution)
    model = quiet_fit(estimator(distribution, shrinkage=0.0, ridge=0.0), people)
    assert max(misses(model, people.truth).values()) < 4


def test_a_propensity_of_one_feature_is_found_within_four_standard_errors(draw_labels, quiet_fit, global_random_seed):
    people = draw_labels([2, global_random_seed], 4000)
    model = quiet_fit(SARPUClassifier(propensity_features=[2], ridge=0.0), people)
    assert max(misses(model, people.truth).values()) < 4


@pytest.mark.parametrize("estimator", CURE_MODELS)
def test_the_error_of_a_cure_model_falls_with_the_root_of_the_number_of_people(
    estimator, draw_times, quiet_fit, global_random_seed
):
    model = estimator("lognormal", shrinkage=0.0, ridge=0.0)
    ratio = fall_of_error(lambda people: quiet_fit(model, people), draw_times, global_random_seed, few=2000)
    assert 1.8 < ratio < 9


def test_the_error_of_a_restricted_propensity_falls_with_the_root_of_the_number_of_people(
    draw_labels, quiet_fit, global_random_seed
):
    model = SARPUClassifier(propensity_features=[2], ridge=0.0)
    # With 2,000 people there may be a second optimum, as likely, at which nearly every positive is labeled.
    ratio = fall_of_error(lambda people: quiet_fit(model, people), draw_labels, global_random_seed, few=8000)
    assert 1.8 < ratio < 9
