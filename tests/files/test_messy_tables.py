"""Tables as people keep them: each is read as it was meant, or refused in one sentence that says what to do."""

import datetime
import re
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import whether as wh
from tests.cli.conftest import make_cohort
from tests.files.table.test_leaks import make_people
from whether.telling.table_words import word

N = 120
COLUMNS = ["age", "stage", "event", "time"]


def base(**columns):
    """The small cohort, with some columns added or replaced."""
    return pd.DataFrame(make_cohort(N))[COLUMNS].assign(**columns)


PEOPLE = base()
EVENT, TIME = PEOPLE.event.to_numpy() == 1, PEOPLE.time.to_numpy()
ENTRY = [datetime.date(2001, 1, 1) + datetime.timedelta(days=37 * i) for i in range(N)]
END = [day + datetime.timedelta(days=1 + int(365.25 * time)) for day, time in zip(ENTRY, TIME, strict=True)]
CLOSING = max(END) + datetime.timedelta(days=30)


def written(days, pattern="%Y-%m-%d", where=None):
    """Dates as text, empty where a condition does not hold."""
    return [day.strftime(pattern) if where is None or where[i] else "" for i, day in enumerate(days)]


def replaced(values, rows, by):
    """A list with another value in some rows."""
    return [by if i in rows else value for i, value in enumerate(values)]


@dataclass(frozen=True)
class Messy:
    """A table as text, how it is read, and what comes of it: features, what is said, or the sentence that refuses."""

    table: pd.DataFrame
    options: dict = field(default_factory=dict)
    features: tuple = ("age", "stage=I", "stage=II", "stage=III")  # those that may be there
    said: str = ""
    refused: str = ""
    event: object = None
    time: object = None
    days_off: float = 0.0  # how far times may be from the truth, in days
    csv: dict = field(default_factory=dict)


YEARS = {"event": "event", "time": "time"}
DATED = {"event_date": "relapse", "last_contact": "seen", "entry": "entry"}


def dated(pattern="%Y-%m-%d", **columns):
    """Entry, relapse (or nothing) and last contact as dates in three columns."""
    return pd.DataFrame(
        {
            "age": PEOPLE.age, "stage": PEOPLE.stage, "entry": written(ENTRY, pattern),
            "relapse": written(END, pattern, EVENT), "seen": written(END, pattern), **columns,
        }
    )  # fmt: skip


STATUS = np.where(EVENT, np.where(np.arange(N) % 2, "local", "distant"), np.where(np.arange(N) % 3, "alive", "died"))
LONG, _ = make_people(300)  # leaks need some people

MESSY = {
    "dates in two columns": Messy(dated(), DATED, time=TIME, days_off=1.5),
    "dates in two columns, last contact only without the event": Messy(
        dated(seen=written(END, where=~EVENT)), DATED, time=TIME, days_off=1.5
    ),
    "a date of relapse, and everybody else to the closing date": Messy(
        dated().drop(columns="seen"), {"event_date": "relapse", "entry": "entry", "endpoint": CLOSING},
        said="Times are in years",
    ),
    "dates of relapse given as the event": Messy(
        dated(), {"event": "relapse", "time": "seen", "entry": "entry"}, refused="holds dates.*`event_date`"
    ),
    "neither relapse nor last contact": Messy(
        dated(seen=replaced(written(END), np.flatnonzero(~EVENT)[:2], "")), DATED, refused="has empty cells: 2"
    ),
    "dates of months": Messy(
        dated("%Y-%m", entry=written([day - datetime.timedelta(days=40) for day in ENTRY], "%Y-%m")), DATED,
        time=TIME + 40 / 365.25, days_off=32, said="as months, each at its middle",
    ),
    "months before years": Messy(
        dated("%m/%Y", entry=written([day - datetime.timedelta(days=40) for day in ENTRY], "%m/%Y")), DATED,
        time=TIME + 40 / 365.25, days_off=32,
    ),
    "days before months": Messy(dated("%d.%m.%Y"), DATED, time=TIME, days_off=1.5),
    "dates as whole numbers": Messy(
        dated("%Y%m%d"), DATED, said="'entry' was read as dates, such as 20201231"
    ),
    "times that are dates as whole numbers": Messy(
        base(time=[int(day.strftime("%Y%m%d")) for day in END]), YEARS, refused="'time' holds dates as numbers"
    ),
    "years for times": Messy(base(time=[day.year for day in END]), YEARS, refused="'time' holds years as numbers"),
    "years and months for times": Messy(
        base(time=[int(day.strftime("%Y%m")) for day in END]), YEARS, refused="'time' holds months as numbers"
    ),
    "a far date for a missing one": Messy(
        dated(entry=replaced(written(ENTRY), [7], "9999-12-31")), DATED,
        refused="'entry' has dates before 1700 or after 2199 for 1 of 120 people .first: row 8, 9999-12-31"
    ),
    "years of the Buddhist era": Messy(
        dated(entry=[f"{day.year + 543}-{day:%m}-01" for day in ENTRY]), DATED, refused="Buddhist era, take 543"
    ),
    "serial numbers of a spreadsheet": Messy(
        base(entry=[40000 + i for i in range(N)], time=[40400 + i for i in range(N)]), {**YEARS, "entry": "entry"},
        refused="'time' seems to hold dates as numbers, such as 40400"
    ),
    "years beside dates of entry": Messy(
        base(entry=written(ENTRY), time=[day.year + 1 for day in ENTRY]), {**YEARS, "entry": "entry"},
        refused="'time' holds years as numbers"
    ),
    "mixed orders of dates": Messy(
        dated(entry=replaced(written(ENTRY, "%d/%m/%Y"), range(40, 60), "12/31/2003")), DATED, refused="both orders"
    ),
    "entry after the end": Messy(
        dated(entry=replaced(written(ENTRY), [7], "2044-01-01")), DATED,
        refused="is before the entry in 'entry' for 1 of 120 people .first: row 8, 20.*, entry 2044-01-01"
    ),
    "1900-01-01 for a last contact that is not known": Messy(
        dated(entry=replaced(written(ENTRY), [3, 5, 8], "1900-01-01")), DATED,
        said="'entry': 1900-01-01 .fewer than 11 people. lies apart",
    ),
    "several values of the event": Messy(
        base(event=STATUS), {**YEARS, "event_value": ["local", "distant"]}, time=TIME, said="several values besides"
    ),
    "several values, and nobody says which": Messy(
        base(event=STATUS), YEARS, refused="'alive', 'died', 'distant', 'local'.*`event_value`.*`competing`"
    ),
    "deaths beside the event": Messy(
        base(event=STATUS), {**YEARS, "event_value": ["local", "distant"], "competing": "died"},
        time=TIME, said="'died' means that something else came first",
    ),
    "deaths beside 0 and 1": Messy(
        base(event=np.where(STATUS == "died", 2, EVENT)), {**YEARS, "competing": 2}, time=TIME
    ),
    "event coded 2 and 1": Messy(base(event=1 + EVENT), {**YEARS, "event_value": 2}, time=TIME),
    "event coded 2 and 1, and nobody says so": Messy(base(event=1 + EVENT), YEARS, refused="'1', '2'.*`event_value`"),
    "TRUE and FALSE": Messy(base(event=np.where(EVENT, "TRUE", "FALSE")), YEARS, time=TIME),
    "blanks around codes": Messy(
        base(event=np.where(EVENT, " Yes", "no "), stage="  " + PEOPLE.stage), YEARS, time=TIME
    ),
    "an empty event column": Messy(base(event=""), YEARS, refused="'event' is empty"),
    "everybody without the event": Messy(base(event=0), YEARS, refused="Nobody has the event"),
    "semicolons and decimal commas": Messy(PEOPLE.round(4), YEARS, time=TIME, csv={"sep": ";", "decimal": ","}),
    "a byte order mark": Messy(PEOPLE, YEARS, time=TIME, csv={"encoding": "utf-8-sig"}),
    "UTF-16 with tabs": Messy(PEOPLE, YEARS, time=TIME, csv={"encoding": "utf-16", "sep": "\t"}, said="UTF-16"),
    "negative times": Messy(base(time=replaced(TIME, [4], -2.0)), YEARS, refused="not above zero for 1 of 120.*row 5"),
    "-99 for a time that is not known": Messy(
        base(time=replaced(TIME, [4, 9], -99)), YEARS, refused="for 2 of 120.*code for a missing value"
    ),
    "-99 for an age that is not known": Messy(
        base(age=replaced(PEOPLE.age, range(12), -99)), YEARS, time=TIME, said="'age': -99 .12 people. .* code for a"
    ),
    "999 for an age that is not known": Messy(
        base(age=replaced(PEOPLE.age, range(3), 999)), YEARS, said="'age': 999 .fewer than 11 people. .* code for a"
    ),
    "ids that are no feature": Messy(
        base(patient=[f"P{i}" for i in range(N)]), YEARS, time=TIME, said="'patient' looks like an id"
    ),
    "duplicate ids": Messy(
        base(patient=[f"P{i // 2}" for i in range(N)]), {**YEARS, "id": "patient"}, time=TIME,
        said="not unique: 120 rows .*`group`",
    ),
    "constant and empty columns": Messy(
        base(site="north", note=[""] * N), YEARS, time=TIME, said="'site' is always the same"
    ),
    "a word among numbers": Messy(
        base(age=replaced(PEOPLE.age, [16], "unknown")), YEARS, refused="row 17 holds 'unknown'"
    ),
    "thousands or decimals": Messy(base(age="1,234"), YEARS, refused="'1,234'.* decimals or thousands"),
    "the event in other words": Messy(
        LONG.assign(outcome=np.where(LONG.event == 1, "relapsed", "none")), YEARS,
        features=("age", "marker", "entry_year"), said="'outcome' says the same as the event",
    ),
    "months beside years": Messy(
        LONG.assign(months=(12 * LONG.time).round(1)), YEARS, features=("age", "marker", "entry_year"),
        said="'months' follows the time",
    ),
    "age at the end": Messy(
        LONG.assign(age_at_end=(LONG.age + LONG.time).round(1)), YEARS, features=("age", "marker", "entry_year"),
        said="'age_at_end' is made of the time and what was known at entry .column 'age'.",
    ),
    "cause of death, blank for those alive": Messy(
        LONG.assign(cause=np.where(LONG.event == 1, "cancer", "")), YEARS, features=("age", "marker", "entry_year"),
        said="'cause' says the same as the event",
    ),
    "entry that is not before the end": Messy(
        base(since=replaced(TIME / 2, range(5), 99)), {**YEARS, "entry_time": "since"},
        event=EVENT[5:], time=TIME[5:], said="'since' is not before the time for fewer than 11 people.* left out",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", MESSY)
def test_a_messy_table_is_read_as_meant_or_refused_in_a_sentence(case, tmp_path):
    messy = MESSY[case]
    messy.table.to_csv(tmp_path / "t.csv", index=False, **messy.csv)
    if messy.refused:
        with pytest.raises(wh.DataError) as refusal:
            wh.read_cohort(tmp_path / "t.csv", **messy.options)
        assert re.search(messy.refused, str(refusal.value)), refusal.value
        return
    cohort = wh.read_cohort(tmp_path / "t.csv", **messy.options)
    assert {"age"} < set(cohort.X) <= {*messy.features}
    event = EVENT if messy.features[1] != "marker" else LONG.event == 1
    np.testing.assert_array_equal(cohort.y, event if messy.event is None else messy.event)
    if messy.time is not None:
        np.testing.assert_allclose(cohort.time, messy.time, atol=messy.days_off / 365.25 + 1e-4)
    said = " ".join(word(found) for found in cohort.findings)
    assert re.search(messy.said, said), said


def test_thirty_messy_tables_are_tried():
    assert len(MESSY) >= 30


def test_what_values_and_columns_say_of_people_is_on_the_cohort():
    table = base(event=STATUS, since=TIME / 2, visit=replaced(TIME / 3, range(0, N, 2), None))
    options = {**YEARS, "event_value": ["local", "distant"], "competing": ["died"], "entry_time": "since"}
    cohort = wh.read_cohort(table, **options, time_lower="visit", never_after=TIME[EVENT].max())
    np.testing.assert_array_equal(cohort.competing, STATUS == "died")
    np.testing.assert_array_equal(cohort.entry_time, TIME / 2)
    between = EVENT & (np.arange(N) % 2 == 1)
    np.testing.assert_array_equal(cohort.time_lower, np.where(between, TIME / 3, TIME))
    np.testing.assert_array_equal(cohort.known_negative, ~EVENT & (TIME >= TIME[EVENT].max()))
    assert set(cohort.beside) == {"competing", "entry_time", "time_lower", "known_negative"}
    assert wh.read_cohort(PEOPLE, **YEARS).beside == {}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"event": "event", "event_date": "time"}, "Give either `event`.* or `event_date`"),
        ({}, "Give either `event`.* or `event_date`"),
        ({"event": "event", "last_contact": "time"}, "`last_contact` goes with `event_date`"),
        ({"event_date": "time"}, "`event_date` needs `last_contact` or `endpoint`"),
        ({"event": "event", "entry_time": "time"}, "`entry_time` is on the scale of the times"),
        ({"event": "event", "never_after": 48}, "`never_after` is on the scale of the times"),
        ({"event_date": "time", "time": "age", "last_contact": "event"}, "`time`, or `event_date`"),
        (
            {"event": "event", "time": "time", "event_value": 1, "competing": 1},
            "The value '1' of .* cannot mean both",
        ),
    ],
)
def test_roles_that_do_not_go_together_are_refused(options, said):
    with pytest.raises(wh.ArgumentError, match=said):
        wh.read_cohort(PEOPLE, **options)


def test_an_event_after_the_last_time_at_which_it_comes_is_refused():
    with pytest.raises(wh.DataError, match=r"have the event after 1 .*`never_after`"):
        wh.read_cohort(PEOPLE, **YEARS, never_after=1)


@pytest.mark.parametrize("endpoint", ["2021-06-30", "30.6.2021", "6/30/2021", "2021-06", "06/2021", 2021.4956])
@pytest.mark.parametrize("entry", ["dates", "years"])
def test_an_endpoint_is_written_as_columns_are(endpoint, entry):
    days = pd.Series(pd.to_datetime(ENTRY))
    years = 1970 + (days - pd.Timestamp("1970-01-01")).dt.days / 365.25
    table = base(entry=days if entry == "dates" else years)
    cohort = wh.read_cohort(table, "event", entry="entry", endpoint=endpoint)
    np.testing.assert_allclose(cohort.follow_up + years, 2021.4956, atol=0.003)


def test_people_lost_before_the_endpoint_were_followed_until_then(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    n, closing = 1000, 2020.0
    entry = closing - rng.uniform(1, 10, n)
    event = rng.random(n) < 0.3
    planned = closing - entry
    few, many = (np.where(~event & (rng.random(n) < share), 0.5, 1.0) for share in (0.02, 0.3))
    for reached in (few, many):
        time = np.where(event, rng.random(n), reached) * planned
        table = pd.DataFrame({"entry": entry, "x": rng.normal(size=n), "event": event.astype(int), "time": time})
        cohort = wh.read_cohort(table, "event", time="time", entry="entry", endpoint=closing)
        if reached is many:
            assert cohort.follow_up is None
            lost = int((many < 1).sum())
            assert any(f"{lost} of {int((~event).sum())} people" in word(found) for found in cohort.findings)
        else:
            np.testing.assert_allclose(cohort.follow_up, np.where(event, planned, time))


def test_the_melanoma_registry_can_be_given_its_closing_date(shared_data):
    options = {"event": "event", "time": "time", "entry": "entry_year"}
    cohort = wh.read_cohort(shared_data / "melanoma_registry.parquet", **options, endpoint="1996")
    without = wh.read_cohort(shared_data / "melanoma_registry.parquet", **options)
    assert cohort.follow_up is None  # more than a thousand died of something else before
    np.testing.assert_array_equal(cohort.time, without.time)


def test_the_share_that_must_reach_the_endpoint_is_that_of_the_evidence():
    from whether.advise.evidence import material
    from whether.files.table import time_zero

    assert time_zero.ADMINISTRATIVE_SHARE == material.ADMINISTRATIVE_SHARE
    assert time_zero.SAME_END == material.SAME_END


def test_rows_that_cannot_be_are_left_out_of_a_real_cohort(shared_data):
    path = shared_data / "records" / "channing.parquet"
    cohort = wh.read_cohort(path, "event", time="age", entry_time="entry_age")
    assert cohort.y.size == len(pd.read_parquet(path)) - 5
    assert np.all(cohort.entry_time < cohort.time)


def test_where_no_row_is_possible_it_is_said_why():
    table = pd.DataFrame({"event": [0, 1] * 30, "time": [5.0] * 60, "age": [50.0] * 60, "x": list(range(60))})
    with pytest.raises(
        wh.files.table.TableError, match=r"0 rows left of 60 .*in the others column 'age' is not before"
    ):
        wh.read_cohort(table, "event", time="time", entry_time="age")


def test_an_event_column_of_lists_is_refused():
    table = pa.table({"age": PEOPLE.age, "event": [[int(seen)] for seen in EVENT], "time": TIME})
    with pytest.raises(wh.DataError, match=r"'event' holds list.* cannot say who had the event"):
        wh.read_cohort(table, "event", time="time")
