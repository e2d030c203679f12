"""Bounds that hold without a restriction, and sentences that do not contradict each other."""

import json
import math

import numpy as np
import pytest

import whether as wh
from whether.advise.evidence.bounds import bound
from whether.advise.evidence.hypothesis import HypothesisTest
from whether.advise.evidence.material import gather
from whether.telling.evidence_words import outcome_of
from whether.telling.plain import to_plain
from whether.telling.words import wrap


def test_the_curve_of_events_bounds_the_share_of_positives_from_below(global_random_seed):
    cohort = wh.simulate("feature-independent", n=2000, seed=global_random_seed)
    found = bound(gather(cohort.X, cohort.y, time=cohort.time))
    assert found.lowest <= found.lowest_by_times_limit <= found.lowest_by_times
    # The limit is the highest of many pointwise ones: a margin of half its distance keeps chance out of it.
    room = 0.5 * (found.lowest_by_times - found.lowest_by_times_limit)
    assert found.lowest_by_times_limit - room <= cohort.positive.mean()


def test_the_people_most_likely_to_be_labeled_bound_it_from_above_if_labeling_is_at_random(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    cohort = wh.simulate("feature-independent", n=3000, seed=global_random_seed)
    labeled = (cohort.positive == 1) & (rng.random(3000) < 0.4)
    found = bound(gather(cohort.X, labeled.astype(int)))
    # Of 150 people at most 40 % are labeled but for chance: 5 standard errors above the lower limit's own distance.
    assert found.highest_label_probability <= 0.4 + 5 * math.sqrt(0.24 / 150)
    assert found.highest_if_constant >= 0.8 * cohort.positive.mean()
    assert math.isnan(found.lowest_by_times)


def test_a_handful_of_events_bounds_nothing_from_above():
    y = np.zeros(60, dtype=int)
    y[0] = 1
    found = bound(gather(np.arange(60.0)[:, None], y))
    assert found.highest_if_constant == 1.0
    assert found.lowest == pytest.approx(1 / 60)


def test_features_drive_times_and_follow_up_only_where_the_joint_test_rejects(global_random_seed):
    for world in ("feature-independent", "partially-dependent"):
        cohort = wh.simulate(world, n=1500, seed=global_random_seed)
        found = wh.examine(cohort.X, cohort.y, time=cohort.time, follow_up=cohort.follow_up).dependence
        assert found.event_times.rejects() or not found.time_drivers
        assert found.follow_up.rejects() or not found.follow_up_drivers


def test_a_positive_z_means_longer_follow_up(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    x = rng.normal(size=(1000, 2))
    follow_up = np.exp(x[:, 0] + rng.normal(size=1000))
    event = rng.exponential(2.0, size=1000)
    y = (event <= follow_up).astype(int)
    found = wh.examine(x, y, time=np.minimum(event, follow_up), follow_up=follow_up).dependence
    assert found.follow_up_drivers[0].feature == "x0"
    assert found.follow_up_drivers[0].z > 0


def test_what_is_stored_is_json_without_exceptions(global_random_seed):
    cohort = wh.simulate("small-sample", n=120, seed=global_random_seed)
    json.dumps(wh.recommend(cohort.X, cohort.y).to_dict(), allow_nan=False)
    assert to_plain({"a": np.array([1.0, np.nan]), "b": math.inf}) == {"a": [1.0, None], "b": None}


def test_a_line_breaks_neither_before_a_per_cent_sign_nor_at_a_hyphen():
    lines = wrap("Of all people 12 % follow an event-time model", 17, "  ")
    assert lines == ["  Of all people", "    12 % follow", "    an event-time", "    model"]


def test_what_a_test_says_of_its_null_reads_as_a_sentence():
    assert outcome_of(HypothesisTest("null", note="too few")) == "could not be tested (too few)"
    assert outcome_of(HypothesisTest.of("null", 0.5, 1)).startswith("is not rejected (chi2(1) = 0.5, p = 0.4")
    assert (
        outcome_of(HypothesisTest.of("null", 50.0, 1, "on half")) == "is rejected (chi2(1) = 50.0, p < 0.001, on half)"
    )


@pytest.mark.parametrize("known", [{}, {"time"}, {"follow_up"}, {"time", "follow_up"}])
def test_fifteen_events_among_two_hundred_people_give_no_nonsense(known, global_random_seed):
    cohort = wh.simulate("baseline", n=4000, seed=global_random_seed)
    rows = np.r_[np.flatnonzero(cohort.y == 1)[:15], np.flatnonzero(cohort.y == 0)[:185]]
    advice = wh.recommend(cohort.X[rows], cohort.y[rows], **{name: getattr(cohort, name)[rows] for name in known})
    words = f"{advice.evidence} {advice}".replace("(", " ").split()
    assert "nan" not in words
    assert "inf" not in words
    assert "few events" in advice.flags
    assert "Only 15 events were recorded" in str(advice)
    assert advice.refused or advice.evidence.follow_up.reading() in ("levels off", "unclear")


def test_equal_follow_up_of_everybody_is_said_and_not_used(global_random_seed):
    cohort = wh.simulate("feature-independent", n=600, seed=global_random_seed)
    advice = wh.recommend(cohort.X, cohort.y, follow_up=np.full(600, 3.0))
    assert advice.method != "FUMC-F"
    text = str(advice.evidence)
    assert "everybody is followed equally long" in " ".join(text.split())
    assert "nan" not in text
    assert "inf" not in text


def test_a_ratio_that_could_as_well_be_large_does_not_level_off():
    from whether.advise.evidence.cure_fraction import CureFraction

    sure, unsure, unknown = (CureFraction("weibull", 0.5, 0.001, 0.001, error) for error in (0.5, 4.0, math.nan))
    assert sure.ratio_limits[1] < 0.2
    assert unsure.ratio_limits[1] == 1.0
    assert math.isnan(unknown.ratio_limits[1])
