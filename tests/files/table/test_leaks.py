"""Columns that give the outcome away are left out and named; strong features that were known before are not."""

import re

import numpy as np
import pandas as pd
import pytest

import whether as wh
from whether.files.table.findings import LEAKS, LeftOut, Reason, Suspected
from whether.telling.table_words import word

CLOSING = 2020.0


def make_people(n=600, seed=0, noise=1.0):
    """A cohort with staggered entry, a plateau, and some who are lost early; what drives events is known."""
    rng = np.random.default_rng(seed)
    age, marker, entry = rng.normal(60, 12, n), rng.normal(size=n), CLOSING - 10 * rng.random(n)
    positive = rng.random(n) < 1 / (1 + np.exp(0.3 - marker))
    event_time = np.exp(0.3 + 0.5 * (age - 60) / 12 + noise * rng.normal(0, 0.8, n))
    lost = np.where(rng.random(n) < 0.1, 10 * rng.random(n) + 0.1, np.inf)
    end = np.minimum(CLOSING - entry, lost)
    seen = positive & (event_time < end)
    people = {"age": np.round(age, 1), "marker": marker, "entry_year": entry, "event": seen.astype(int)}
    return pd.DataFrame({**people, "time": np.where(seen, event_time, end)}), rng


def flipped(event, rng, share):
    """The event, wrong in a share of the rows."""
    wrong = rng.choice(event.size, round(share * event.size), replace=False)
    copy = np.array(event, dtype=bool)
    copy[wrong] = ~copy[wrong]
    return copy


def filled(condition, values):
    return pd.Series(np.where(condition, values, None))


def codes(t, rng, last):
    """A list of diagnoses in each cell, and behind them another word, or none."""
    known = rng.choice([f"I{number}" for number in range(10, 22)], (len(t), 2))
    return [f"{one}; {two}; {word}" for (one, two), word in zip(known, last, strict=True)]


def relapse_words(t, rng):
    return np.where(flipped(t.event, rng, 0.0), "relapsed", "none")


LEAKY = {
    "1 and 2": (lambda t, rng: 1 + t.event, Reason.IS_EVENT),
    "yes and no, 1 % wrong": (lambda t, rng: np.where(flipped(t.event, rng, 0.01), "yes", "no"), Reason.IS_EVENT),
    "2 and 1, 2 % wrong": (lambda t, rng: 1 + flipped(t.event, rng, 0.02), Reason.IS_EVENT),
    "words": (relapse_words, Reason.IS_EVENT),
    "months": (lambda t, rng: 12 * t.time, Reason.FOLLOWS_TIME),
    "whole months": (lambda t, rng: np.ceil(12 * t.time), Reason.FOLLOWS_TIME),
    "days": (lambda t, rng: np.round(365.25 * t.time), Reason.FOLLOWS_TIME),
    "logarithm": (lambda t, rng: np.log(t.time), Reason.FOLLOWS_TIME),
    "time left": (lambda t, rng: 100 - t.time, Reason.FOLLOWS_TIME),
    "time in bands": (lambda t, rng: pd.cut(t.time, np.arange(0, 12, 0.5)).astype(str), Reason.FOLLOWS_TIME),
    "age at the end": (lambda t, rng: t.age + t.time, Reason.ADDS_TIME),
    "whole age at the end": (lambda t, rng: np.floor(t.age + t.time), Reason.ADDS_TIME),
    "year of the end": (lambda t, rng: t.entry_year + t.time, Reason.IS_EVENT),  # the others end at the closing date
    "visits": (lambda t, rng: 1 + np.floor(t.time * 4 + rng.random(len(t))), Reason.FOLLOWS_TIME),
    "vital status": (lambda t, rng: np.where(t.event == 1, "dead", "alive"), Reason.IS_EVENT),
    "cause of death": (lambda t, rng: filled(t.event == 1, rng.choice(["A", "B", "C"], len(t))), Reason.IS_EVENT),
    "cause, some unknown": (
        lambda t, rng: filled((t.event == 1) & (rng.random(len(t)) < 0.7), rng.choice(["A", "B"], len(t))),
        Reason.FILLED_WITH_EVENT,
    ),
    "cause, alive as a word": (
        lambda t, rng: np.where(t.event == 1, rng.choice(["A", "B", "C"], len(t)), "alive"), Reason.IS_EVENT,
    ),
    "dose of second treatment": (lambda t, rng: filled(t.event == 1, rng.random(len(t))), Reason.IS_EVENT),
    "number of second treatments": (
        lambda t, rng: np.where((t.event == 1) & (rng.random(len(t)) < 0.8), rng.integers(1, 4, len(t)), 0),
        Reason.LEVELS_ARE_EVENT,
    ),
    "cycles until the event, at most 18": (
        lambda t, rng: np.minimum(np.ceil(17 * t.time), 18), Reason.FOLLOWS_TIME,
    ),
    "gaps of a visit after a year": (lambda t, rng: filled(t.time >= 1, rng.normal(size=len(t))), Reason.FOLLOWS_TIME),
    "a score that separates": (lambda t, rng: 3 * t.event + rng.random(len(t)), Reason.SEPARATES),
}  # fmt: skip


def leaks_of(cohort):
    return {found.column: found.reason for found in cohort.findings if getattr(found, "reason", None) in LEAKS}


@pytest.mark.parametrize("case", LEAKY)
def test_a_leak_is_left_out_and_named(case, global_random_seed):
    people, rng = make_people(seed=global_random_seed)
    make, reason = LEAKY[case]
    table = people.assign(leak=make(people, rng))
    cohort = wh.read_cohort(table, "event", time="time")
    assert not [name for name in cohort.X.columns if name.startswith("leak")]
    left_out = [found for found in cohort.findings if isinstance(found, LeftOut)]
    assert [found.column for found in left_out] == ["leak"]
    assert left_out[0].reason is reason
    assert left_out[0].is_warning
    assert "'leak'" in word(left_out[0])
    kept = wh.read_cohort(table, "event", time="time", keep="leak")
    assert [name for name in kept.X.columns if name.startswith("leak")]


@pytest.mark.parametrize("share_of_events", [0.8, 1.0])
def test_a_word_within_longer_text_is_found(share_of_events, global_random_seed):
    people, rng = make_people(seed=global_random_seed)
    noted = (people.event == 1) & (rng.random(len(people)) < share_of_events)
    found = leaks_of(
        wh.read_cohort(people.assign(codes=codes(people, rng, np.where(noted, "C79.5", ""))), "event", time="time")
    )
    assert found == {"codes": Reason.WORDS_ARE_EVENT}


def test_entry_may_be_a_role_and_dates_at_the_end_are_found(global_random_seed):
    people, rng = make_people(seed=global_random_seed)
    lost = np.where(people.event == 0, rng.uniform(0.3, 1, 600), 1)  # many, so that few end at the closing date
    people["time"] *= lost
    table = people.assign(last=people.entry_year + people.time)
    cohort = wh.read_cohort(table, "event", time="time", entry="entry_year")
    assert leaks_of(cohort) == {"last": Reason.ADDS_TIME}


def test_the_time_since_entry_is_found_on_the_scale_of_age(global_random_seed):
    people, _ = make_people(seed=global_random_seed)
    table = people.assign(age_at_end=people.age + people.time).rename(columns={"time": "years"})
    cohort = wh.read_cohort(table, "event", time="age_at_end", entry_time="age")
    assert leaks_of(cohort) == {"years": Reason.ADDS_TIME}


def test_the_time_beside_follow_up_is_found(global_random_seed):
    people, _ = make_people(seed=global_random_seed)
    table = people.assign(until_closing=np.maximum(CLOSING - people.entry_year, people.time), end=people.time)
    table = table.drop(columns=["time", "entry_year"])
    assert "end" not in wh.read_cohort(table, "event", follow_up="until_closing").X


def honest_biomarker(people, rng):
    return 2.33 * people.event + rng.normal(size=len(people))  # AUC 0.95


HONEST = {
    "lists of diagnoses": lambda t, rng: codes(t, rng, np.where(t.marker > 0, "K21", "")),
    "late or early era": lambda t, rng: np.where(t.entry_year > 2015, "late", "early"),
    "a biomarker of AUC 0.95": honest_biomarker,
    "its cut": lambda t, rng: np.where(honest_biomarker(t, rng) > 1.16, "high", "low"),
    "treatment arm": lambda t, rng: rng.choice(["A", "B"], len(t)),
    "rare values": lambda t, rng: rng.choice([f"c{i}" for i in range(30)], len(t)),
    "year of entry": lambda t, rng: np.floor(t.entry_year),
    "days from entry to closing": lambda t, rng: np.round(365.25 * (CLOSING - t.entry_year)),
    "a test of later years": lambda t, rng: filled(t.entry_year > 2015, rng.normal(size=len(t))),
    "age, again, with errors": lambda t, rng: t.age + rng.normal(0, 1, len(t)),
    "measured in those with symptoms": lambda t, rng: filled(rng.random(len(t)) < 0.3 + 0.5 * t.event, t.marker),
}


@pytest.mark.parametrize("n", [60, 600, 4000])
@pytest.mark.parametrize("case", HONEST)
def test_what_was_known_before_is_no_leak(case, n, global_random_seed):
    people, rng = make_people(n, seed=global_random_seed)
    cohort = wh.read_cohort(people.assign(x=HONEST[case](people, rng)), "event", time="time")
    assert not [found for found in cohort.findings if isinstance(found, LeftOut) and found.reason in LEAKS]


def test_what_alone_decides_when_the_event_comes_is_no_leak(global_random_seed):
    people, _ = make_people(2000, seed=global_random_seed, noise=0.0)
    labeled = people[people.event == 1]
    assert labeled.age.corr(labeled.time, method="spearman") > 0.8
    assert leaks_of(wh.read_cohort(people, "event", time="time")) == {}


def test_a_score_that_is_almost_too_good_is_used_with_a_warning(global_random_seed):
    people, rng = make_people(4000, seed=global_random_seed)
    cohort = wh.read_cohort(people.assign(x=3.0 * people.event + rng.normal(size=4000)), "event", time="time")
    assert "x" in cohort.X
    suspected = [found for found in cohort.findings if isinstance(found, Suspected)]
    assert [(found.column, found.reason) for found in suspected] == [("x", Reason.SEPARATES)]
    assert re.search(r"almost without error \(AUC 0\.9[89]\)", word(suspected[0]))


def test_a_name_alone_is_no_reason_but_a_warning_where_the_column_tells_something(global_random_seed):
    people, rng = make_people(2000, seed=global_random_seed)
    dead = rng.random(2000) < np.where(people.event == 1, 0.7, 0.1)
    table = people.assign(vital_status=np.where(dead, "dead", "alive"), death_in_family=rng.choice([0, 1], 2000))
    cohort = wh.read_cohort(table, "event", time="time")
    assert leaks_of(cohort) == {}
    assert [(found.column, found.reason) for found in cohort.findings if isinstance(found, Suspected)] == [
        ("vital_status", Reason.SOUNDS_LATE)
    ]


def test_nothing_but_leaks_is_refused_and_so_is_one_that_was_asked_for():
    people, _ = make_people()
    table = pd.DataFrame({"event": people.event, "time": people.time, "months": 12 * people.time})
    with pytest.raises(wh.DataError, match=r"No column is left .*'months' follows the time.*`keep`"):
        wh.read_cohort(table, "event", time="time")
    with pytest.raises(wh.DataError, match=r"'months' follows the time .*name it in `keep`"):
        wh.read_cohort(people.assign(months=12 * people.time), "event", time="time", features=["age", "months"])
    kept = wh.read_cohort(table, "event", time="time", features="months", keep="months")
    assert list(kept.X) == ["months"]


@pytest.mark.parametrize("size", [1e300, np.inf])
def test_numbers_of_any_size_are_looked_at(size):
    people, rng = make_people()
    table = people.assign(x=np.where(people.age > 60, size, rng.normal(size=600)))
    if np.isinf(size):
        with pytest.raises(wh.DataError, match="infinite"):
            wh.read_cohort(table, "event", time="time")
    else:
        assert "x" in wh.read_cohort(table, "event", time="time").X


def test_exact_copies_are_found_among_few_people(global_random_seed):
    people, _ = make_people(60, seed=global_random_seed)
    table = people.assign(copy=np.where(people.event == 1, "b", "a"), days=np.round(365.25 * people.time))
    cohort = wh.read_cohort(table, "event", time="time")
    assert leaks_of(cohort) == {"copy": Reason.IS_EVENT, "days": Reason.FOLLOWS_TIME}


REAL = ["rotterdam", "nwts", "fertility", "melanoma_registry", "colon_ncctg", "hodgkin", "colon_registry", "e1684"]


@pytest.mark.parametrize("name", REAL)
def test_real_cohorts_have_no_leaks(shared_data, name):
    table = pd.read_parquet(shared_data / f"{name}.parquet")
    cohort = wh.read_cohort(table, "event", time="time", drop=[name for name in ["group"] if name in table])
    assert leaks_of(cohort) == {}
    assert not any(isinstance(found, Suspected) for found in cohort.findings)


def test_a_leak_that_is_said_to_decide_who_is_seen_is_an_error_unless_kept():
    people, _ = make_people()
    table = people.assign(months=12 * people.time)
    with pytest.raises(wh.DataError, match=r"'months' follows the time .*name it in `keep`"):
        wh.read_cohort(table, "event", time="time", propensity_features=["age", "months"])
    kept = wh.read_cohort(table, "event", time="time", propensity_features=["age", "months"], keep="months")
    assert kept.propensity_features == ["age", "months"]
