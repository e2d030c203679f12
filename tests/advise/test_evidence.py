import json
import math
import warnings

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest

import whether as wh
from whether.advise.evidence.dependence import cox_score
from whether.advise.evidence.label_check import check_labels_against_times
from whether.advise.evidence.material import gather
from whether.advise.evidence.probes import EventTimeFits
from whether.advise.evidence.scar import bootstrap_scar_test
from whether.advise.evidence.time_trust import measure_end_mass, measure_heaping


@pytest.mark.parametrize("world", ["late-reporting", "noisy-times", "batch-reporting"])
def test_wrong_event_times_are_contradicted(world, examine_world):
    trust = examine_world(world).trust
    assert trust.reading == "contradicted"
    assert trust.hausman.rejects(1e-4)
    assert trust.risk_difference.lower > 0


def test_exact_event_times_are_rarely_contradicted(examine_world):
    # A true null: rejected at 1e-6 once in a million.
    assert not examine_world("partially-dependent").trust.labels.rejects(1e-6)


def test_models_are_not_compared_where_nothing_can_come_of_it(examine_world):
    # Times without noise.
    exact = examine_world("baseline").trust
    assert not exact.hausman.was_run
    assert exact.hausman.note == "features tell event times nearly without noise"
    assert exact.risk_difference is None
    # Follow-up that ends before most events: both models extrapolate.
    assert examine_world("short-follow-up", n=12_000).trust.hausman.note == "both models extrapolate"
    assert examine_world("partially-dependent", n=1000).trust.hausman.note == "too few events to compare two models"


def test_features_that_drive_event_times_are_named(examine_world):
    found = examine_world("partially-dependent").dependence
    assert found.event_times.rejects(1e-6)
    assert {driver.feature for driver in found.time_drivers[:2]} == {"x2", "x3"}
    assert 0 < found.propensity_range[0] < found.propensity_range[1] < 1


def test_event_times_that_do_not_depend_on_features_are_not_said_to(examine_world):
    found = examine_world("feature-independent").dependence
    assert not found.event_times.rejects(1e-6)
    assert not found.follow_up.rejects(1e-6)
    assert found.selection_share < 0.05


def test_follow_up_that_depends_on_a_feature_is_found(examine_world):
    found = examine_world("dependent-censoring").dependence
    assert found.follow_up.rejects(1e-6)
    assert found.follow_up_drivers[0].feature == "x3"


def test_score_of_cox_model_agrees_with_its_definition(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    x, time, ended = rng.normal(size=(60, 2)), np.round(rng.exponential(size=60), 1) + 0.1, rng.random(60) < 0.6
    score, variance = np.zeros(2), np.zeros((2, 2))
    for i in np.flatnonzero(ended):
        at_risk, n_tied = x[time >= time[i]], np.count_nonzero(ended & (time == time[i]))
        score += x[i] - at_risk.mean(axis=0)
        variance += np.cov(at_risk.T, bias=True) * (len(at_risk) - n_tied) / max(len(at_risk) - 1, 1)
    np.testing.assert_allclose(cox_score(x, time, ended)[0], score, atol=1e-9)
    np.testing.assert_allclose(cox_score(x, time, ended)[1], variance, atol=1e-9)


def test_a_common_last_day_says_nothing_of_follow_up():
    x, time = np.arange(12.0)[:, None], np.array([1.0, 2.0, 3.0] + 9 * [5.0])
    for found, alone in zip(cox_score(x, time, time > 0), cox_score(x, time, time < 5), strict=True):
        np.testing.assert_allclose(found, alone, atol=1e-12)


def test_selection_is_found_from_labels_alone(examine_world):
    assert examine_world("baseline", known=()).scar.likelihood_ratio.rejects(1e-6)
    assert not examine_world("feature-independent", known=()).scar.likelihood_ratio.rejects(1e-6)


def test_published_scar_test_accepts_labels_drawn_at_random_where_positives_are_known(global_random_seed):
    # Positives far from negatives and their number known, so that those it takes for positive are.
    rng = np.random.default_rng([global_random_seed, 9])
    positive = rng.random(1000) < 0.5
    X = rng.normal(size=(1000, 2)) + 8 * positive[:, None]
    p_values = []
    for _ in range(5):
        labeled = positive & (rng.random(1000) < 0.5)
        cohort = gather(X, labeled.astype(int)).cohort
        p_values.append(bootstrap_scar_test(cohort, labeled.sum() / positive.sum(), rng).p_value)
    assert max(p_values) > 0.05  # all five below: once in three million


def test_curvature_is_found_where_it_is(examine_world):
    assert examine_world("nonlinear-risk").linearity.is_curved
    assert not examine_world("partially-dependent").linearity.outcome.rejects(1e-7)


def test_outcome_and_propensity_are_told_apart_by_follow_up_only(examine_world):
    assert not examine_world("baseline", known=()).exchange.decided
    assert examine_world("baseline", known=("follow_up",)).exchange.decided


def test_round_numbers_are_found(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    months = rng.integers(1, 120, size=1000) / 12
    heaped = np.where(rng.random(1000) < 0.3, np.maximum(1, np.round(months)), months)
    found = measure_heaping(heaped)
    assert 0.1 < found.excess_share < 0.4
    assert all(value.time == round(value.time) for value in found.values[:3])
    assert measure_heaping(months).excess_share < 0.03
    assert measure_heaping(rng.exponential(size=500)).excess_share == 0


def test_events_at_the_end_of_follow_up_are_found(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    follow_up = rng.uniform(1, 2, size=600)
    even = follow_up * rng.random(600)
    assert measure_end_mass(even, follow_up).p_value > 1e-6
    at_end = np.where(rng.random(600) < 0.2, follow_up, even)
    assert measure_end_mass(at_end, follow_up).p_value < 1e-6


def follow_up_by_features(rng, n=3000):
    """Features that drive event times and, by a line and a group, follow-up."""
    x = rng.normal(size=(n, 3))
    event = np.where(rng.random(n) < 0.6, np.exp(x[:, 0] + rng.normal(size=n)), np.inf)
    follow_up = np.exp(x[:, 0] + (x[:, 1] > 0) + 0.7 * rng.normal(size=n))  # longer for those with later events
    return x, event, follow_up


def check_labels(x, labeled, time, follow_up):
    cohort = gather(x, labeled.astype(int), time=np.where(labeled, time, follow_up), follow_up=follow_up).cohort
    return check_labels_against_times(cohort, EventTimeFits(cohort))


def test_labels_and_times_agree_whatever_drives_follow_up(global_random_seed):
    rng = np.random.default_rng([global_random_seed, 3])
    x, event, follow_up = follow_up_by_features(rng)
    labeled = event <= follow_up
    assert check_labels(x, labeled, event, follow_up).p_value > 1e-6
    late = (np.minimum(event, follow_up) + follow_up) / 2
    for wrong in (late, follow_up, np.minimum(event * np.exp(3 * rng.normal(size=event.size)), follow_up)):
        assert check_labels(x, labeled, wrong, follow_up).p_value < 1e-6


def test_labels_and_times_agree_in_most_cohorts_whose_follow_up_goes_with_features(global_random_seed):
    # Twelve true nulls: ten or more below 0.2 come once in two hundred thousand.
    rng = np.random.default_rng([global_random_seed, 6])
    p_values = []
    for _ in range(12):
        x, event, follow_up = follow_up_by_features(rng, 800)
        p_values.append(check_labels(x, event <= follow_up, event, follow_up).p_value)
    assert np.count_nonzero(np.array(p_values) < 0.2) < 10


def test_times_are_not_checked_where_follow_up_has_nothing_of_its_own(global_random_seed):
    rng = np.random.default_rng([global_random_seed, 7])
    x, event, _ = follow_up_by_features(rng, 1000)
    by_features, equal = np.exp(x[:, 1]), np.full(1000, 2.0)
    told = check_labels(x, event <= by_features, event, by_features)
    assert told.note == "features tell follow-up nearly without noise"
    assert check_labels(x, event <= equal, event, equal).note == "everybody is followed equally long"


def test_few_events_give_no_nonsense(global_random_seed):
    cohort = wh.simulate("low-susceptibility", n=200, seed=global_random_seed)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = wh.examine(cohort.X, cohort.y, time=cohort.time, follow_up=cohort.follow_up)
    if cohort.y.sum() < 30:
        assert not found.dependence.event_times.was_run
        assert "too few" in str(found)
    assert 0 <= found.bounds.lowest <= found.bounds.highest_if_constant <= 1


def test_evidence_can_be_read_stored_and_drawn(examine_world):
    found = examine_world("late-reporting")
    text = str(found)
    assert f"{found.counts.n_events:,} with a recorded event" in text
    stored = json.loads(json.dumps(found.to_dict()))
    assert stored["trust"]["labels"]["p_value"] == found.trust.labels.p_value
    matplotlib.use("Agg")
    figure = found.plot()
    assert len(figure.axes) == 4  # the curve, the numbers at risk under it, and two more
    plt.close(figure)


def test_dates_of_entry_give_follow_up_where_everybody_was_followed_to_one_end(global_random_seed):
    rng = np.random.default_rng([global_random_seed, 4])
    entry = rng.uniform(2000, 2010, size=1000)
    x = rng.normal(size=(1000, 2))
    event = np.where(rng.random(1000) < 0.5, rng.exponential(3.0, size=1000), np.inf)
    follow_up = 2012 - entry
    y, time = (event <= follow_up).astype(int), np.minimum(event, follow_up)
    found = wh.examine(x, y, time=time, entry=entry)
    np.testing.assert_allclose(found.material.cohort.follow_up, follow_up)
    assert found.trust.labels.was_run


def test_dates_of_entry_give_no_follow_up_where_many_were_lost(global_random_seed):
    rng = np.random.default_rng([global_random_seed, 4])
    x, time = rng.normal(size=(1000, 2)), rng.uniform(1, 5, size=1000)
    found = wh.examine(x, (rng.random(1000) < 0.5).astype(int), time=time, entry=np.full(1000, 2000.0))
    assert found.material.cohort.follow_up is None
    assert found.follow_up.potential.source == "lost"
    assert math.isnan(found.trust.labels.p_value)


def test_given_follow_up_that_many_did_not_reach_is_not_relied_on(global_random_seed):
    cohort = wh.simulate("partially-dependent", n=2000, seed=global_random_seed)
    rng = np.random.default_rng([global_random_seed, 5])
    lost = (rng.random(cohort.y.size) < 0.3) & (cohort.y == 0)
    time = np.where(lost, 0.5 * cohort.time, cohort.time)
    found = wh.examine(cohort.X, cohort.y, time=time, follow_up=cohort.follow_up)
    assert found.follow_up.potential.source == "lost"
    assert not found.counts.has_follow_up
    few = np.flatnonzero(lost)[:10]
    time = cohort.time.copy()
    time[few] *= 0.5
    kept = wh.examine(cohort.X, cohort.y, time=time, follow_up=cohort.follow_up).material.cohort.follow_up
    np.testing.assert_array_equal(kept[few], time[few])  # as long as they were followed


def test_bad_dates_are_refused():
    cohort = wh.simulate("baseline", n=100, seed=0)
    texts, dates, gaps = ["2000"] * 100, np.full(100, "2000-01-01", dtype="datetime64[D]"), np.arange(2000.0, 2100.0)
    gaps[7] = np.nan
    for entry, message in ((texts, "entry must be 100 numbers"), (dates, "timedelta64"), (gaps, "first: row 7")):
        with pytest.raises(ValueError, match=message):
            wh.examine(cohort.X, cohort.y, time=cohort.time, entry=entry)


@pytest.mark.parametrize(("world", "fits"), [("wide-50", True), ("two-humps", False)])
def test_event_times_of_another_shape_than_the_model_are_found_and_flagged(world, fits, global_random_seed):
    cohort = wh.simulate(world, n=3200, seed=global_random_seed)
    advice = wh.recommend(cohort.X, cohort.y, time=cohort.time, follow_up=cohort.follow_up)
    shape = advice.evidence.shape
    assert shape.test.rejects(1e-6) is not fits
    assert (shape.misplaced_share > 0.2) is not fits
    assert ("shape of times" in advice.flags) is not fits


def test_the_shape_is_not_tested_where_features_say_when_the_event_comes(global_random_seed):
    cohort = wh.simulate("baseline", n=2000, seed=global_random_seed)
    shape = wh.examine(cohort.X, cohort.y, time=cohort.time, follow_up=cohort.follow_up).shape
    assert not shape.test.was_run
    assert "features say when the event comes" in shape.test.note
    assert wh.examine(cohort.X, cohort.y).shape is None
