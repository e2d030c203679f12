"""A first look at tables: what columns are by their names and cells, and what is asked because it cannot be told."""

import datetime

import numpy as np
import pandas as pd
import pytest

import whether as wh
from tests.files.test_messy_tables import END, ENTRY, EVENT, MESSY, PEOPLE, STATUS, TIME, N, base, dated, written
from whether.files.table import Hurdle

AGE = PEOPLE.age.to_numpy()
OTHER = np.arange(N) % 3 == 0
LATER = 2 * TIME + np.arange(N) % 7


def frame(**columns):
    """A table with an age besides."""
    return pd.DataFrame({"age": AGE, **columns})


# Tables as they come, and the options with which they are to be read.
CLEAR = {
    "plain": (frame(event=EVENT * 1, time=TIME), ["event", "time"]),
    "capitals": (frame(STATUS=EVENT * 1, SURVIVAL_MONTHS=12 * TIME), ["STATUS", "SURVIVAL_MONTHS"]),
    "words": (frame(vital_status=np.where(EVENT, "Dead", "Alive"), years=TIME), ["vital_status", "years"]),
    "customers": (frame(customerID=[f"C{i}" for i in range(N)], Churn=np.where(EVENT, "Yes", "No"), tenure=LATER),
                  ["Churn", "tenure"]),
    "German": (frame(Rezidiv=EVENT * 1, Zeit=TIME, PatientenNr=np.arange(N)), ["Rezidiv", "Zeit"]),
    "two units": (frame(relapse=EVENT * 1, fu_years=TIME, fu_days=(365.25 * TIME).round(1)), ["relapse", "fu_years"]),
    "the event twice": (frame(died=EVENT * 1, death=np.where(EVENT, "yes", "no"), time=TIME), ["died", "time"]),
    "what came before": (frame(relapse=EVENT * 1, prior_relapse=OTHER * 1, time=TIME), ["relapse", "time"]),
    "a year of entry": (frame(relapse=EVENT * 1, year=1990 + np.arange(N) % 9, months=TIME), ["relapse", "months"]),
}  # fmt: skip


@pytest.mark.parametrize("case", CLEAR)
def test_columns_are_known_by_names_and_cells(case):
    table, wanted = CLEAR[case]
    found = wh.check_table(table)
    assert found.is_ready, found
    assert [found.options[role] for role in ("event", "time")] == wanted
    cohort = wh.read_cohort(table, **found.options)
    np.testing.assert_array_equal(cohort.y, EVENT)
    assert found.events == EVENT.sum()


START = (np.arange(N) % 5) * TIME / 6


@pytest.mark.parametrize(
    "names", [("start", "stop"), ("tstart", "tstop"), ("time", "time2"), ("age_entry", "age_exit")]
)
def test_two_columns_between_which_people_were_observed_are_entry_and_time(names):
    found = wh.check_table(frame(event=EVENT * 1, **dict(zip(names, (START, TIME), strict=True))))
    assert found.is_ready, found
    assert (found.options["entry_time"], found.options["time"]) == names


def test_a_start_at_zero_for_everybody_is_no_late_entry():
    found = wh.check_table(frame(event=EVENT * 1, time=0 * TIME, time2=TIME))
    assert "entry_time" not in found.options


def test_stretches_of_one_persons_time_stand_in_the_way():
    stretches = {"pid": np.arange(N) // 2, "start": np.arange(N) % 2, "stop": 1 + np.arange(N) % 2}
    found = wh.check_table(frame(event=EVENT * 1, **stretches))
    assert [obstacle.hurdle for obstacle in found.obstacles] == [Hurdle.REFUSED]
    assert "continue another row" in str(found)


UNCLEAR = {
    "two events": (frame(recur=EVENT * 1, rtime=TIME, death=OTHER * 1, dtime=LATER), Hurdle.SEVERAL_EVENTS,
                   ("recur", "death")),
    "endpoints of a trial": (frame(OS=OTHER * 1, **{"OS.time": LATER}, PFI=EVENT * 1, **{"PFI.time": TIME}),
                             Hurdle.SEVERAL_EVENTS, ("OS", "PFI")),
    "1 and 2": (frame(status=1 + EVENT, time=TIME), Hurdle.EVENT_VALUES, ("status",)),
    "0, 1 and 2": (frame(status=np.where(OTHER & ~EVENT, 2, EVENT), time=TIME), Hurdle.EVENT_VALUES, ("status",)),
    "who is censored": (frame(censored=~EVENT * 1, time=TIME), Hurdle.EVENT_VALUES, ("censored",)),
    "no event": (frame(smoker=OTHER * 1, sex=np.where(OTHER, "f", "m"), time=TIME), Hurdle.NO_EVENT, ("smoker",)),
    "no time": (frame(relapse=EVENT * 1), Hurdle.NO_TIME, ()),
    "two times": (frame(relapse=EVENT * 1, time_a=TIME, time_b=LATER), Hurdle.SEVERAL_TIMES, ("time_a", "time_b")),
    "no last contact": (dated().drop(columns="seen"), Hurdle.NO_ENDPOINT, ("entry",)),
    "nobody had it": (frame(event=0, time=TIME), Hurdle.REFUSED, ()),
}  # fmt: skip


@pytest.mark.parametrize("case", UNCLEAR)
def test_what_cannot_be_told_is_said_and_not_decided(case):
    table, hurdle, columns = UNCLEAR[case]
    found = wh.check_table(table)
    assert not found.is_ready
    assert (found.obstacles[0].hurdle, found.obstacles[0].columns) == (hurdle, columns)
    assert all(name in str(found) for name in columns)
    assert found.to_dict()["obstacles"][0]["name"] == hurdle.value


@pytest.mark.parametrize(("event", "time"), [("recur", "rtime"), ("death", "dtime")])
def test_the_time_is_that_of_the_event(event, time):
    assert wh.check_table(UNCLEAR["two events"][0], event=event).options["time"] == time


def test_values_are_guessed_but_have_to_be_confirmed():
    table = base(event=STATUS)
    found = wh.check_table(table)
    assert (found.options["event_value"], found.options["competing"]) == (["distant", "local"], ["died"])
    assert not found.is_ready
    assert wh.check_table(table, **found.options).is_ready


@pytest.mark.parametrize("has_event", [False, True])
def test_dates_are_those_of_entry_event_and_last_contact(has_event):
    table = dated(birth=written([datetime.date(1950, 1, 2)] * N), **({"relapsed": EVENT * 1} if has_event else {}))
    table = table.rename(columns={"entry": "surgery", "seen": "last_contact", "relapse": "relapse_date"})
    found = wh.check_table(table)
    assert found.is_ready, found
    assert found.options == {"event_date": "relapse_date", "entry": "surgery", "last_contact": "last_contact"}
    assert {column.name: column.part for column in found.columns}["birth"] == "left out"


@pytest.mark.parametrize("given", [{}, {"entry": "entry"}])
def test_an_endpoint_is_enough_where_nothing_says_when_people_were_last_seen(given):
    found = wh.check_table(dated().drop(columns="seen"), endpoint="2030-12-31", **given)
    assert found.is_ready, found
    assert found.options == {"event_date": "relapse", "entry": "entry", "endpoint": "2030-12-31"}


def test_an_event_column_beside_dates_of_entry_and_end():
    found = wh.check_table(frame(died=EVENT * 1, enrolled=written(ENTRY, "%d.%m.%Y"), exit=written(END, "%d.%m.%Y")))
    assert found.options == {"event": "died", "entry": "enrolled", "time": "exit"}
    assert found.is_ready, found


def test_days_to_death_beside_days_to_last_follow_up():
    days = 365.25 * TIME
    table = frame(vital_status=np.where(EVENT, "Dead", "Alive"), days_to_death=np.where(EVENT, days, np.nan),
                  days_to_last_followup=np.where(EVENT, np.nan, days))  # fmt: skip
    found = wh.check_table(table)
    assert found.options == {"event_date": "days_to_death", "last_contact": "days_to_last_followup"}
    np.testing.assert_allclose(wh.read_cohort(table, **found.options).time, days)


def test_ids_leaks_codes_and_repeated_rows_are_seen():
    table = base(patient=[f"P{i // 2}" for i in range(N)], months=12 * TIME, age=np.where(OTHER, -99, AGE))
    found = wh.check_table(table)
    seen = {column.name: column for column in found.columns}
    assert found.options["id"] == [found.options["group"]] == ["patient"]
    assert seen["months"].part == "left out"
    assert seen["age"].code.value == "-99"
    assert "possible leak" in str(found)


@pytest.mark.parametrize("name", ["family", "household_no", "Group"])
def test_families_are_rows_that_belong_together_and_treatments_are_not(name):
    kin = frame(event=EVENT * 1, time=TIME, group_treated=OTHER * 1, **{name: np.arange(N) // 3})
    assert wh.check_table(kin).options["group"] == name
    assert "group" not in wh.check_table(kin.drop(columns=name)).options
    assert "group" not in wh.check_table(kin, features=[name]).options


@pytest.mark.parametrize("case", MESSY)
def test_what_can_be_read_is_ready_and_what_cannot_is_in_the_way(case, tmp_path):
    messy = MESSY[case]
    messy.table.to_csv(tmp_path / "t.csv", index=False, **messy.csv)
    given = wh.check_table(tmp_path / "t.csv", **messy.options)
    assert given.is_ready == (not messy.refused)
    found = wh.check_table(tmp_path / "t.csv")
    if found.is_ready:
        cohort = wh.read_cohort(tmp_path / "t.csv", **found.options)
        np.testing.assert_array_equal(cohort.y[-N // 2 :], (wh.read_cohort(messy.table, **messy.options).y
                                                          if not messy.refused else EVENT)[-N // 2 :])  # fmt: skip


def test_a_name_that_is_not_there_is_asked_for_whatever_the_case():
    found = wh.check_table(PEOPLE, event="EVENTS", time="time")
    assert found.obstacles[0].hurdle is Hurdle.REFUSED
    assert "Did you mean 'event'?" in str(found)
    assert found.options["event"] == "event"


def test_every_name_that_is_not_there_is_said_and_none_is_proposed_again():
    found = wh.check_table(PEOPLE, event="EVENTS", time="tim", group="zzz", id=["zzzz"])
    assert [obstacle.hurdle for obstacle in found.obstacles[:4]] == [Hurdle.REFUSED] * 4
    assert (found.options["event"], found.options["time"]) == ("event", "time")
    assert not {"zzz", "zzzz"} & {str(value) for value in found.options.values()}


def test_values_of_few_people_are_not_told():
    status = np.where(EVENT, "relapse", "alive").astype(object)
    status[np.flatnonzero(~EVENT)[:3]] = "suicide"
    found = wh.check_table(base(event=status))
    assert "suicide" not in str(found)
    assert "suicide" not in str(found.to_dict()["columns"])
