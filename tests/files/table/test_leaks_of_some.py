"""Leaks that show in a part of the people only, or beside another column; what was known before is no leak."""

import numpy as np
import pandas as pd
import pytest

import whether as wh
from whether.files.table.findings import LEAKS, LeftOut, Reason, Suspected

CLOSING = 2020.0


def make_people(n=600, seed=0, log_odds=-0.5):
    """A cohort with staggered entry of whom many are lost; no feature is near the time."""
    rng = np.random.default_rng(seed)
    age, marker, entry = np.round(rng.normal(60, 12, n), 1), rng.normal(size=n), CLOSING - 0.1 - 12 * rng.random(n)
    positive = rng.random(n) < 1 / (1 + np.exp(-log_odds - marker))
    event_time, lost = np.exp(rng.normal(0, 1, n)), np.exp(rng.normal(0.8, 0.8, n))
    end = np.minimum(CLOSING - entry, lost)
    seen = positive & (event_time < end)
    people = {"age": age, "marker": marker, "entry_year": np.round(entry, 2), "event": seen.astype(int)}
    return pd.DataFrame({**people, "time": np.where(seen, event_time, end)}), rng


def told(table, **options):
    """Columns that are left out as leaks, and those that are suspected."""
    found = wh.read_cohort(table, "event", time="time", **options).findings
    left_out = {one.column: one.reason for one in found if isinstance(one, LeftOut) and one.reason in LEAKS}
    return left_out, {one.column: one.reason for one in found if isinstance(one, Suspected)}


def last_seen(t, rng):
    """The end of follow-up without the event; somewhat later than the event with it."""
    return t.time + np.where(t.event == 1, rng.exponential(0.3, len(t)), 0)


LAST_SEEN = {
    "in the unit of the time": lambda t, rng: last_seen(t, rng),
    "in months": lambda t, rng: np.round(12 * last_seen(t, rng), 1),
    "in whole months": lambda t, rng: np.ceil(12 * last_seen(t, rng)),
    "as a year": lambda t, rng: t.entry_year + last_seen(t, rng),
    "as an age": lambda t, rng: t.age + last_seen(t, rng),
}


@pytest.mark.parametrize("log_odds", [-0.5, 2.5])
@pytest.mark.parametrize("case", LAST_SEEN)
def test_when_people_were_last_seen_is_found(case, log_odds, global_random_seed):
    people, rng = make_people(seed=global_random_seed, log_odds=log_odds)
    left_out, suspected = told(people.assign(leak=LAST_SEEN[case](people, rng)))
    assert left_out.keys() <= {"leak"}  # the year of entry may be suspected together with that of the end
    assert "leak" in {**left_out, **suspected}


def test_when_people_were_last_seen_may_be_dates_as_numbers_of_days(global_random_seed):
    people, rng = make_people(seed=global_random_seed)
    entered = pd.Timestamp("2000-01-01") + pd.to_timedelta(np.floor(365.25 * (people.entry_year - 2000)), unit="D")
    days = np.round((entered - pd.Timestamp("1970-01-01")).dt.days + 365.25 * last_seen(people, rng))
    left_out, suspected = told(people.assign(entered=entered, leak=days).drop(columns="entry_year"))
    assert {**left_out, **suspected}.keys() == {"leak"}


@pytest.mark.parametrize("n", [60, 600, 4000])
def test_the_time_to_the_endpoint_is_known_at_entry(n, global_random_seed):
    people, _ = make_people(n, seed=global_random_seed)
    people["time"] = np.where(people.event == 1, people.time, CLOSING - people.entry_year)  # nobody is lost
    left_out, _ = told(people.assign(days=np.round(365.25 * (CLOSING - people.entry_year))))
    assert left_out == {}


@pytest.mark.parametrize("share", [0.35, 0.45])
def test_a_flag_that_some_events_have_and_nobody_else_is_left_out(share, global_random_seed):
    people, rng = make_people(1500, seed=global_random_seed)
    flag = (people.event == 1) & (rng.random(len(people)) < share)
    left_out, suspected = told(people.assign(flag=flag.astype(int)))
    # By chance those with the flag have later events, as people who entered first would.
    assert {**left_out, **suspected} == {"flag": Reason.LEVELS_ARE_EVENT}


def test_such_a_flag_is_only_suspected_where_nobody_could_have_been_lost(global_random_seed):
    people, rng = make_people(seed=global_random_seed, log_odds=0.0)
    people["time"] = np.where(people.event == 1, people.time / 100, 5 + people.time)  # every event is early
    flag = (people.event == 1) & (rng.random(len(people)) < 0.35)
    left_out, suspected = told(people.assign(flag=flag.astype(int)).drop(columns=["entry_year"]))
    assert (left_out, suspected) == ({}, {"flag": Reason.LEVELS_ARE_EVENT})


def test_those_who_entered_first_may_all_have_had_the_event(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    entry, age_at_death = 40 * rng.random(3000), 5 + 10 * rng.random(3000)  # everybody dies in the end
    time, event = np.minimum(age_at_death, 40 - entry), age_at_death <= 40 - entry
    era = np.where(entry < 20, "early", np.where(entry < 30, "middle", "late"))
    table = pd.DataFrame({"era": era, "marker": rng.normal(size=3000), "event": event.astype(int), "time": time})
    assert told(table)[0] == {}


MIXTURES = {
    "age at the end": lambda t: t.age + t.time,
    "what is left of a century": lambda t: 100 - t.age - t.time,
    "the time less age": lambda t: t.time - t.age,
    "age and the time, weighted": lambda t: 3 * t.age + 5 * t.time,
    "a marker less the time": lambda t: t.marker - t.time,
}


@pytest.mark.parametrize("case", MIXTURES)
def test_of_a_mixture_and_its_part_the_mixture_is_left_out(case, global_random_seed):
    people, _ = make_people(seed=global_random_seed)
    left_out, suspected = told(people.assign(leak=MIXTURES[case](people)))
    assert "leak" in {**left_out, **suspected}
    if not suspected:  # where both columns hardly follow the time by themselves, both are named
        assert left_out == {"leak": Reason.ADDS_TIME}
