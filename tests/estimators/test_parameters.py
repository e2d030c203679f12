"""Constructor parameters that make no sense are refused with their value."""

import math

import numpy as np
import pytest

import whether as wh


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"ridge": -1}, "ridge must be 'auto' or a finite number >= 0, got -1"),
        ({"max_iter": 0}, "`max_iter` must be a whole number >= 1, got 0"),
    ],
    ids=str,
)
def test_bad_parameter_of_every_classifier_is_refused(classifier, refused, needed_times, parameters, message):
    refused(classifier.set_params(**parameters), message, **needed_times(classifier))


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (wh.LabelClassifier(ridge=math.nan), "ridge must be 'auto' or a finite number >= 0, got nan"),
        (wh.LabelClassifier(ridge=math.inf), "ridge must be 'auto' or a finite number >= 0, got inf"),
        (wh.LabelClassifier(ridge="1"), "ridge must be 'auto' or a finite number >= 0, got '1'"),
        (wh.LabelClassifier(ridge=None), "ridge must be 'auto' or a finite number >= 0, got None"),
        (wh.LabelClassifier(max_iter=2.5), r"`max_iter` must be a whole number >= 1, got 2\.5"),
        (wh.LabelClassifier(covariance="x"), "covariance must be 'observed' or 'sandwich', got 'x'"),
        (wh.SARPUClassifier([0], n_starts=0), "`n_starts` must be a whole number >= 1, got 0"),
        (wh.SARPUClassifier([0], n_starts=1.5), r"`n_starts` must be a whole number >= 1, got 1\.5"),
        (wh.MixtureCureClassifier(shrinkage="x"), "shrinkage must be 'cv' or a number >= 0.*got 'x'"),
        (wh.FollowUpCureClassifier(shrinkage=-1), "shrinkage must be 'cv' or a number >= 0.*got -1"),
        (wh.DiscreteTimeCureClassifier(shrinkage=math.nan), "shrinkage must be 'cv' or a number >= 0.*got nan"),
        (wh.MixtureCureClassifier("gamma"), r"distribution must be 'auto' or one of \[.*'weibull'\], got 'gamma'"),
        (wh.AFTClassifier("gamma"), r"distribution must be 'auto' or one of \[.*'weibull'\], got 'gamma'"),
        (wh.DiscreteTimeCureClassifier(n_bins=1), "`n_bins` must be a whole number >= 2, got 1"),
        (wh.DiscreteTimeCureClassifier(n_bins=2.5), r"`n_bins` must be a whole number >= 2, got 2\.5"),
    ],
    ids=str,
)
def test_bad_parameter_is_refused(refused, cohort, estimator, message):
    refused(estimator, message, time=cohort.time, follow_up=cohort.follow_up)


@pytest.mark.parametrize("build", [wh.ElkanNotoClassifier, wh.UnbiasedPUClassifier])
@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"label_frequency": 0}, r"`label_frequency` must be a share above 0 and at most 1, got 0"),
        ({"label_frequency": 1.5}, r"`label_frequency` must be a share above 0 and at most 1, got 1\.5"),
        ({"label_frequency": 0.1}, r"label_frequency=0\.1 would make more positives than people: 0\.25 of all"),
        ({"prevalence": 0.1}, r"between the share labeled \(0\.25\) and 1, got 0\.1"),
        ({"prevalence": 1.1}, r"`prevalence` must be a share above 0 and at most 1, got 1\.1"),
        ({"prevalence": "x"}, r"`prevalence` must be a share above 0 and at most 1, got 'x'"),
        ({"prevalence": 0.5, "label_frequency": 0.5}, "Give label_frequency or prevalence, not both"),
    ],
    ids=str,
)
def test_impossible_label_frequency_is_refused(refused, build, given, message):
    refused(build(**given), message)


def test_failed_refit_leaves_no_earlier_model_behind(classifier, refused, cohort, needed_times):
    times = needed_times(classifier)
    classifier.fit(cohort.X, cohort.y, **times)
    refused(classifier, "Column 'x4' is constant", X=np.column_stack([cohort.X, np.ones(300)]), **times)
