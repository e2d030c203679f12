"""What a simulated cohort contains."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm

from whether.simulation import WORLDS, SimulatedCohort, simulate

MISREPORTED = ["late-reporting", "noisy-times", "batch-reporting"]


def large(name: str) -> SimulatedCohort:
    # Irrelevant features cost time and change nothing tested here.
    return simulate(replace(WORLDS[name], n_features=4), n=30_000, seed=11)


def assert_within_five_sd(labels: np.ndarray, probabilities: np.ndarray) -> None:
    spread = np.sqrt(np.sum(probabilities * (1 - probabilities)))
    # The true propensity is exact to 1e-3 only.
    assert abs(np.sum(labels - probabilities)) <= 5 * spread + 1e-3 * len(labels)


@pytest.mark.parametrize("name", WORLDS)
def test_labels_and_times_are_those_of_events_within_follow_up(name: str) -> None:
    cohort = simulate(replace(WORLDS[name], n_features=4), n=20_000, seed=5)
    labeled = (cohort.positive == 1) & (cohort.event_time <= cohort.follow_up)
    np.testing.assert_array_equal(cohort.y, labeled)
    np.testing.assert_array_equal(cohort.time[~labeled], cohort.follow_up[~labeled])
    assert np.all((cohort.time > 0) & (cohort.time <= cohort.follow_up) & np.isfinite(cohort.follow_up))


@pytest.mark.parametrize("name", [name for name in WORLDS if name not in MISREPORTED])
def test_labeled_times_are_true_event_times_where_reporting_is_exact(name: str) -> None:
    cohort = simulate(name, n=500, seed=4)
    labeled = cohort.y == 1
    np.testing.assert_array_equal(cohort.time[labeled], cohort.event_time[labeled])


@pytest.mark.parametrize("name", MISREPORTED)
def test_misreporting_leaves_labels_and_follow_up_as_they_are(name: str) -> None:
    wrong = simulate(name, seed=6)
    right = simulate(replace(WORLDS[name], reporting="exact"), seed=6)
    np.testing.assert_array_equal(wrong.y, right.y)
    np.testing.assert_array_equal(wrong.follow_up, right.follow_up)


@pytest.mark.parametrize("name", MISREPORTED)
def test_misreporting_changes_the_times_of_the_labeled_only(name: str) -> None:
    wrong = simulate(name, seed=6)
    right = simulate(replace(WORLDS[name], reporting="exact"), seed=6)
    np.testing.assert_array_equal(wrong.time != right.time, wrong.y == 1)


def test_late_reports_never_precede_the_event() -> None:
    cohort = simulate("late-reporting", seed=6)
    labeled = cohort.y == 1
    assert np.all(cohort.time[labeled] >= cohort.event_time[labeled])


def test_noisy_reports_fall_on_either_side_of_the_event() -> None:
    cohort = simulate("noisy-times", seed=6)
    labeled = cohort.y == 1
    early = cohort.time[labeled] < cohort.event_time[labeled]
    assert 0.4 < early.mean() < 0.6


def test_batch_reports_are_the_end_of_follow_up() -> None:
    cohort = simulate("batch-reporting", seed=6)
    np.testing.assert_array_equal(cohort.time, cohort.follow_up)


@pytest.mark.parametrize("name", WORLDS)
def test_true_risk_agrees_with_the_share_of_positives(name: str) -> None:
    cohort = large(name)
    for group in np.array_split(np.argsort(cohort.outcome_proba), 5):
        assert_within_five_sd(cohort.positive[group], cohort.outcome_proba[group])


@pytest.mark.parametrize("name", WORLDS)
def test_true_propensity_agrees_with_the_label_rate_among_positives(name: str) -> None:
    cohort = large(name)
    among = cohort.positive == 1
    labels, propensity = cohort.y[among], cohort.propensity[among]
    for group in np.array_split(np.argsort(propensity), 5):
        assert_within_five_sd(labels[group], propensity[group])


def test_numerical_propensity_matches_the_closed_form_for_normal_noise() -> None:
    cohort = simulate("late-reporting", seed=7)
    gap = -2 * cohort.X[:, 2] + 2 * cohort.X[:, 3]
    np.testing.assert_allclose(cohort.propensity, norm.cdf(gap / np.hypot(0.5, 2.5)), atol=1e-3)


def test_negatives_have_a_counterfactual_event_time() -> None:
    cohort = simulate("baseline", seed=7)
    np.testing.assert_allclose(np.log(cohort.event_time), 2 * cohort.X[:, 2] - 2 * cohort.X[:, 3], atol=1e-12)


def test_most_events_come_after_a_short_follow_up() -> None:
    cohort = large("short-follow-up")
    assert cohort.propensity[cohort.positive == 1].mean() < 0.4


@pytest.mark.parametrize(("name", "width"), [("baseline", 4), ("wide-50", 50), ("wide-256", 256)])
def test_feature_matrix_has_one_named_column_per_feature(name: str, width: int) -> None:
    cohort = simulate(name, n=10)
    assert cohort.X.shape == (10, width)
    assert cohort.feature_names == tuple(f"x{number}" for number in range(1, width + 1))


def test_features_stay_within_two() -> None:
    assert np.abs(large("baseline").X).max() <= 2


def test_size_defaults_to_that_of_the_world() -> None:
    assert len(simulate("small-sample").y) == 1000


def test_frame_holds_features_observations_and_truth() -> None:
    pytest.importorskip("pandas")
    cohort = simulate("baseline", n=5)
    frame = cohort.frame()
    assert list(frame) == ["x1", "x2", "x3", "x4", "y", "time", "follow_up", "positive", "outcome_proba"]
    np.testing.assert_array_equal(frame[["x1", "x2", "x3", "x4"]], cohort.X)
    np.testing.assert_array_equal(frame["time"], cohort.time)


def test_misspelled_world_is_refused_with_the_closest_names() -> None:
    with pytest.raises(ValueError, match=r"'basline'; did you mean .*'baseline'"):
        simulate("basline")


def test_name_unlike_any_world_is_refused_with_all_names() -> None:
    with pytest.raises(ValueError, match=r"there are baseline, .*batch-reporting"):
        simulate("???")


@pytest.mark.parametrize("n", [-1, 0, 1])
def test_fewer_than_two_people_are_refused(n: int) -> None:
    with pytest.raises(ValueError, match=f"at least 2, got {n}"):
        simulate("baseline", n=n)
