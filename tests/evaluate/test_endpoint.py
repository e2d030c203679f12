"""An earlier endpoint hides exactly what came after it, and says who has an outcome now."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

import whether as wh
from whether.evaluate import impose_calendar_endpoint, impose_staggered_endpoint, kaplan_meier

EVENT = np.array([1, 1, 0, 0, 1, 0])
TIME = np.array([1.0, 6.0, 9.0, 2.0, 3.0, 4.0])
ENTRY = np.array([2000.0, 2000.0, 2000.0, 2001.0, 2004.0, 2004.5])


def calendar(**changes):
    settings = {"endpoint": 2005.0, "horizon": 5.0, "data_end": 2009.5, **changes}
    return impose_calendar_endpoint(EVENT, TIME, ENTRY, **settings)


def test_what_came_after_the_endpoint_is_hidden():
    then = calendar()
    np.testing.assert_array_equal(then.y, [1, 0, 0, 0, 0, 0])
    np.testing.assert_array_equal(then.time, [1, 5, 5, 2, 1, 0.5])
    assert then.hidden_share == pytest.approx(2 / 3)


def test_those_with_the_event_would_have_been_followed_to_the_endpoint_and_the_lost_were_not():
    np.testing.assert_array_equal(calendar().follow_up, [5, 5, 5, 2, 1, 0.5])


def test_scorable_are_those_who_could_be_followed_to_the_horizon_except_the_lost():
    then = calendar()
    np.testing.assert_array_equal(then.scorable, [True, True, True, False, True, False])
    np.testing.assert_array_equal(then.positive[then.scorable], [1, 1, 0, 1])


def test_those_who_enter_after_the_endpoint_have_no_times_and_no_score():
    then = calendar(endpoint=2002.0)
    np.testing.assert_array_equal(then.entered, ENTRY < 2002)
    assert np.isnan(then.time[4:]).all()
    assert np.isnan(then.follow_up[4:]).all()
    assert not then.scorable[4:].any()
    assert not then.y[4:].any()


def test_known_follow_up_takes_the_place_of_the_potential_one():
    then = calendar(follow_up=[2.0, 9.0, 9.0, 2.0, 3.5, 4.0])
    np.testing.assert_array_equal(then.follow_up, [2, 5, 5, 2, 1, 0.5])
    np.testing.assert_array_equal(then.scorable, [False, True, True, False, False, False])


def test_known_negatives_are_scored_however_short_their_follow_up():
    known = np.array([True, False, False, True, False, False])
    then = calendar(known_negative=known)
    assert then.scorable[3]
    assert then.positive[0] == 1  # who had the event is no negative, whatever else is said


def test_without_an_end_of_the_data_the_last_observation_is_it():
    np.testing.assert_array_equal(calendar(data_end=None).scorable, calendar(data_end=2009.0).scorable)


def test_a_staggered_endpoint_cuts_everybody_at_a_draw_within_the_period_of_entry():
    rng = np.random.default_rng(3)
    cut = 5 * np.random.default_rng(3).random(6)
    then = impose_staggered_endpoint(EVENT, TIME, stagger=5, horizon=4, rng=rng)
    np.testing.assert_array_equal(then.y, EVENT & (TIME <= cut))
    np.testing.assert_array_equal(then.time, np.minimum(TIME, cut))
    np.testing.assert_array_equal(then.follow_up, np.where(EVENT == 1, cut, np.minimum(TIME, cut)))
    assert then.lost_share == np.mean((EVENT == 0)[then.y == 0] & (TIME < cut)[then.y == 0])
    np.testing.assert_array_equal(then.scorable, [True, True, True, False, True, True])
    assert then.entered.all()


def test_weights_give_those_who_can_be_scored_the_share_of_events_of_the_whole_cohort(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    event_time = np.where(rng.random(400) < 0.5, np.inf, rng.exponential(2, 400))
    until = rng.uniform(0, 8, 400)
    event, time = event_time <= until, np.minimum(event_time, until)
    then = impose_staggered_endpoint(event, time, stagger=3, horizon=6, rng=rng)
    early = event & (time <= 6)
    share = np.average(early[then.scorable], weights=then.weight[then.scorable])
    assert share == pytest.approx(1 - kaplan_meier(event, time).at(6.0))
    assert then.weighted
    assert share < then.positive[then.scorable].mean()


def test_by_date_weights_make_up_for_those_lost_before_the_horizon(global_random_seed):
    rng = np.random.default_rng([global_random_seed, 1])
    entry, event_time = rng.uniform(0, 10, 600), np.where(rng.random(600) < 0.5, np.inf, rng.exponential(2, 600))
    lost = rng.exponential(8, 600)
    for until, is_weighted in ((np.minimum(12 - entry, lost), True), (12 - entry, False)):
        event, time = event_time <= until, np.minimum(event_time, until)
        then = impose_calendar_endpoint(event, time, entry, endpoint=6.0, horizon=4.0, data_end=12.0)
        assert then.weighted == is_weighted
        # Everybody who had entered by 6 would have been followed for 6 years.
        kept, early = entry < 6, event & (time <= 4)
        share = np.average(early[then.scorable], weights=then.weight[then.scorable])
        assert share == pytest.approx(1 - kaplan_meier(event[kept], time[kept]).at(4.0))


def test_weighted_scores_are_those_of_people_followed_long_enough(global_random_seed):
    # Features tell when the event comes. Unweighted, early events count too much, and so does who is seen early.
    cohort = wh.simulate("baseline", n=10_000, seed=global_random_seed)
    seen_early, settings = cohort.outcome_proba * cohort.propensity, {"stagger": 0.6, "horizon": 5.0}
    for_all, for_some = (
        impose_staggered_endpoint(cohort.y, cohort.time, rng=np.random.default_rng(0), follow_up=known, **settings)
        for known in (None, cohort.follow_up)
    )
    asked = roc_auc_score(for_some.positive[for_some.scorable], seen_early[for_some.scorable])
    rows = for_all.scorable
    assert roc_auc_score(for_all.positive[rows], seen_early[rows]) > asked + 0.02
    weighted = roc_auc_score(for_all.positive[rows], seen_early[rows], sample_weight=for_all.weight[rows])
    assert abs(weighted - asked) < 0.015


def test_where_follow_up_is_known_positives_have_to_be_followed_as_long_as_negatives():
    until = np.array([3.0, 7.0, 9.0, 2.0, 5.0, 4.0])
    settings = {"stagger": 5, "horizon": 4, "rng": np.random.default_rng(3)}
    then = impose_staggered_endpoint(EVENT, TIME, follow_up=until, **settings)
    np.testing.assert_array_equal(then.scorable, [False, True, True, False, True, True])
    assert not then.weighted


def test_who_is_known_to_stay_event_free_stands_for_nobody_else():
    known = np.array([False, False, False, True, False, True])
    settings = {"stagger": 5, "horizon": 4, "rng": np.random.default_rng(3)}
    then = impose_staggered_endpoint(EVENT, TIME, known_negative=known, **settings)
    # One of the five followed to 2 was lost then: whoever is known for longer stands for 5/4.
    np.testing.assert_allclose(then.weight[then.scorable], [1, 5 / 4, 5 / 4, 1, 5 / 4, 1])


def test_a_later_endpoint_never_hides_more(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    event, time, entry = rng.random(200) < 0.5, rng.exponential(5, 200), rng.uniform(0, 10, 200)
    early, late = (impose_calendar_endpoint(event, time, entry, endpoint=end, horizon=1) for end in (6.0, 9.0))
    assert np.all(early.y <= late.y)
    assert np.all((early.follow_up <= late.follow_up) | ~early.entered)
    assert np.all(early.time[early.entered] <= early.follow_up[early.entered])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"endpoint": 1999.0}, "Nobody had entered before endpoint=1999: the first person entered at 2000"),
        ({"endpoint": 2030.0}, "endpoint=2030 is not earlier than the end of the data, 2009.5"),
        ({"endpoint": np.nan}, "endpoint must be a finite number, got nan"),
        ({"horizon": 0.0}, "horizon must be > 0, got 0.0"),
        ({"horizon": 50.0}, "the longest follow-up of theirs is 9"),
        ({"follow_up": np.ones(6)}, "follow_up ends before time for 5 of 6 people .first: row 1, time=6, follow_up=1"),
        ({"known_negative": [1, 0, 0, 0, 0, 0]}, "known_negative must be 6 booleans, got int64"),
    ],
)
def test_settings_that_make_no_sense_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        calendar(**changes)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1, 0], [1.0], [0.0, 0.0]), r"time must be one number per person: shape \(2,\)"),
        (([1, 2], [1.0, 1.0], [0.0, 0.0]), r"row 1, y=2"),
        (([1, 0], [1.0, 0.0], [0.0, 0.0]), r"row 1, time=0.0"),
        (([1, 0], [1.0, 2.0], [0.0, np.nan]), r"row 1, entry=nan"),
        (([1, 0], [1.0, 2.0], [0.0]), r"entry must be 2 numbers.*shape \(1,\)"),
        (([1, 0], [1.0, 2.0], np.array(["2001", "2002"], dtype="M8[Y]")), "entry holds dates .datetime64"),
        (([], [], []), "at least one"),
    ],
)
def test_data_that_make_no_sense_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        impose_calendar_endpoint(*arguments, endpoint=1.5, horizon=1.0)


# Counts that the description of the tables gives: people kept, events seen by then, events by now.
@pytest.mark.parametrize(("name", "counts"), [("rotterdam", (1167, 280, 688)), ("melanoma_registry", (1885, 360, 667))])
def test_calendar_endpoints_of_real_cohorts_reproduce_the_stated_counts(shared_data, name, counts):
    about = json.loads((shared_data / "datasets.json").read_text())[name]
    table = pd.read_parquet(shared_data / about["file"])
    then = impose_calendar_endpoint(
        table["event"],
        table["time"],
        table["entry_year"],
        endpoint=about["endpoint"],
        horizon=about["horizon"],
        data_end=about["admin_end"],
    )
    assert (then.entered.sum(), then.y.sum(), then.positive[then.entered].sum()) == counts


@pytest.mark.parametrize(("name", "evaluable"), [("nwts", 3414), ("hodgkin", 792), ("colon_ncctg", 888)])
def test_staggered_endpoints_of_real_cohorts_leave_the_stated_number_to_score(shared_data, name, evaluable):
    about = json.loads((shared_data / "datasets.json").read_text())[name]
    table = pd.read_parquet(shared_data / about["file"])
    rng = np.random.default_rng(0)
    then = impose_staggered_endpoint(
        table["event"], table["time"], stagger=about["stagger"], horizon=about["horizon"], rng=rng
    )
    assert then.scorable.sum() == evaluable
    assert 0.4 < then.hidden_share < 0.65  # the table says about one half


def test_a_death_before_the_endpoint_was_known_then_and_a_later_one_makes_a_negative():
    time = np.array([2.0, 6.0, 8.0, 1.5, 3.0, 4.0])
    event = np.array([1, 1, 0, 0, 0, 0])
    died = np.array([False, False, False, True, True, False])
    then = impose_calendar_endpoint(
        event, time, np.full(6, 2000.0), endpoint=2002.0, horizon=5.0, data_end=2010.0, competing=died
    )
    assert then.competing.tolist() == [False, False, False, True, False, False]
    assert then.time[[3, 4]].tolist() == [1.5, 2.0]
    assert then.follow_up[3] == 2.0  # potential, as of those with the event: to the endpoint, had the person lived
    assert then.scorable.tolist() == [True, True, True, True, True, False]
    without = impose_calendar_endpoint(event, time, np.full(6, 2000.0), endpoint=2002.0, horizon=5.0, data_end=2010.0)
    assert not without.scorable[[3, 4]].any()
    assert without.competing is None


def test_deaths_are_outcomes_for_the_weights_too(global_random_seed):
    rng = np.random.default_rng([global_random_seed, 5])
    ends = np.stack([rng.exponential(6.0, 4000), rng.exponential(5.0, 4000), rng.uniform(0.5, 9.0, 4000)])
    what, time = ends.argmin(axis=0), ends.min(axis=0)
    then = impose_staggered_endpoint(
        (what == 0).astype(int), time, stagger=4.0, horizon=20.0, rng=rng, competing=what == 1
    )
    # Nobody is followed to the horizon: those who can be scored stand for the others, up to where follow-up ends.
    rows = then.scorable & (time <= 8.0)
    share = np.average(then.positive[rows], weights=then.weight[rows])
    assert abs(share - 5 / 11) < 5 * np.sqrt(0.25 / rows.sum()) * 1.5


def test_whoever_had_not_entered_by_then_is_not_there():
    late = np.array([0.0, 4.0, 1.0])
    known = {"endpoint": 2003.0, "horizon": 4.0, "data_end": 2010.0, "entry_time": late}
    then = impose_calendar_endpoint([1, 0, 0], [2.0, 9.0, 6.0], [2000.0, 2000.0, 2001.0], **known)
    assert then.entered.tolist() == [True, False, True]
    assert then.known(then.entered)["entry_time"].tolist() == [0.0, 1.0]


def test_a_staggered_endpoint_counts_from_entry():
    late = np.array([3.0, 0.0, 5.0])
    then = impose_staggered_endpoint(
        [1, 0, 0], [4.0, 9.0, 9.0], stagger=2.0, horizon=6.0, rng=np.random.default_rng(0), entry_time=late
    )
    assert then.entered.all()
    assert np.all((then.time > late) & (then.time <= late + 2.0))


def test_an_event_that_a_later_visit_found_was_not_yet_seen():
    known = {"endpoint": 2003.0, "horizon": 4.0, "data_end": 2010.0, "time_lower": [2.0, 1.0, np.nan]}
    then = impose_calendar_endpoint([1, 1, 0], [4.0, 2.0, 9.0], np.full(3, 2000.0), **known)
    assert then.y.tolist() == [0, 1, 0]
    assert then.time.tolist() == [2.0, 2.0, 3.0]  # known to be free at the visit before
    assert then.follow_up.tolist() == [2.0, 3.0, 3.0]
