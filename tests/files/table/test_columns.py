import datetime

import numpy as np
import pyarrow as pa
import pytest

from whether.files.table import TableError
from whether.files.table.codes import as_categories, read_as
from whether.files.table.columns import count_numbers, count_rows_alike, guess_column
from whether.files.table.dates import as_days, parse_end


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["1", "2.5", "-3e2", "+4", " 5 "], "number"),
        (["1", "", "NA", "n/a", "nan", "."], "number"),
        (["1", "2", "x"], "text"),
        (["1", "inf"], "text"),
        (["", "NA"], "empty"),
        (["2020-01-02", "2021-12-31T10:00:00"], "date"),
        (["31/12/2020", ""], "date"),
        (["31.12.2020 14:30", "1.2.2020"], "date"),
        (["26 July 2019", "1 Jan. 2018", "NA"], "date"),
        (["26JUL2019", "01sep2011"], "date"),
        (["Sept 1, 2019", "May 26 2019"], "date"),
        (["10 Elm 1990", "2 May 1999"], "text"),
        (["1 Ma 2019", "1 J 2019"], "text"),
        (["yes", "no"], "text"),
        (["0x10", "1_0"], "text"),
        (["=1+1", "@cmd"], "text"),
        (["None", "drug"], "text"),
    ],
)
def test_text_is_told_by_all_of_its_cells(column, cells, kind):
    assert column(cells).kind == kind


@pytest.mark.parametrize(
    ("cells", "type_", "expected"),
    [
        ([1, None, 3], pa.int64(), [1, np.nan, 3]),
        ([1.5, float("nan")], pa.float64(), [1.5, np.nan]),
        ([True, False, None], pa.bool_(), [1, 0, np.nan]),
        (["1", "none", "?"], pa.string(), [1, np.nan, np.nan]),
        (["1,5", "2"], pa.string(), [1.5, 2]),
    ],
)
def test_numbers_keep_their_values_and_their_gaps(column, cells, type_, expected):
    np.testing.assert_array_equal(column(cells, kind=type_).numbers(), expected)


def test_months_in_words_are_the_same_days_as_in_numbers(column):
    words, numbers = column(["26-Jul-2019", None, "1 March 2020"]), column(["2019-07-26", None, "2020-03-01"])
    np.testing.assert_array_equal(as_days(words), as_days(numbers))
    assert parse_end("31 December 2019") == parse_end("Dec 31, 2019") == parse_end("2019-12-31")
    with pytest.raises(TableError, match="month 2, day 31"):
        as_days(column(["31 Feb 2019"]))


def test_none_is_a_category_among_words_and_a_gap_among_numbers(column):
    assert column(["None", "drug"]).n_missing == 0
    assert column(["None", "2"]).n_missing == 1


def test_commas_that_may_be_thousands_are_refused(column):
    with pytest.raises(TableError, match="'1,234'"):
        column(["1,234", "5"])


def test_a_word_among_numbers_in_the_last_of_many_rows_is_noticed(column):
    found = column(["1"] * 5000 + ["old"])
    assert found.kind == "text"
    assert count_numbers(found) == (5000, 5001, "old")


def test_categories_have_the_same_names_whatever_the_file_said(column):
    for cells, type_ in (([1, 2], pa.int64()), ([1.0, 2.0], pa.float64()), (["1", "2"], pa.string())):
        assert as_categories(column(cells, kind=type_)).to_pylist() == ["1", "2"]
    coded = column(pa.array(["a", None, "b"]).dictionary_encode())
    assert as_categories(coded).to_pylist() == ["a", None, "b"]


@pytest.mark.parametrize(
    "cells",
    [
        ["1970-01-02", "1970-02-28", ""],
        ["1970-1-2", "1970-2-28", ""],
        ["1970-01-02 10:30", "1970-02-28 00:00", ""],
        ["2.1.1970", "28.2.1970", ""],
        ["1/2/1970", "2/28/1970", ""],
        [datetime.date(1970, 1, 2), datetime.date(1970, 2, 28), None],
        [datetime.datetime(1970, 1, 2), datetime.datetime(1970, 2, 28), None],
    ],
)
def test_dates_are_read_in_many_ways(column, cells):
    np.testing.assert_array_equal(np.floor(as_days(column(cells))), [1, 58, np.nan])


def test_dates_that_may_be_read_two_ways_are_refused(column):
    with pytest.raises(TableError, match="'3/4/2020' in which day and month"):
        as_days(column(["3/4/2020", "5/6/2020"]))


def test_a_date_that_does_not_exist_is_refused(column):
    with pytest.raises(TableError, match="year 2020, month 2, day 30"):
        as_days(column(["2020-02-28", "2020-02-30"]))


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("1970-01-11", 10), ("11.1.1970", None), ("31.1.1970", 30), ("1/31/1970", 30), ("5.5.1970", 124),
        ("1970-01", 30), ("02/1970", 58), ("1970", 364), ("1970-02-30", None), ("soon", None), ("1970.5", None),
    ],
)  # fmt: skip
def test_an_end_is_a_day_or_the_last_day_of_a_month_or_year(text, day):
    assert parse_end(text) == day


def test_months_are_dates_in_their_middle(column):
    for cells in (["1970-01", "1970-02"], ["01/1970", "2/1970"]):
        found = column(cells)
        assert "months" in found.how
        np.testing.assert_array_equal(as_days(found), [14, 45])


def chunked(cells, kind=None):
    return pa.chunked_array([pa.array(cells, type=kind)])


def test_codes_beyond_doubles_keep_their_digits():
    large = [2**53 + 1, 2**53, 2**63 - 1]
    names = [str(value) for value in large]
    assert as_categories(guess_column("c", chunked(large))).to_pylist() == names
    assert as_categories(guess_column("c", chunked([f"00{value}" for value in large]))).to_pylist() == names
    assert read_as("code", "c", chunked(names)).data.to_pylist() == names
    assert read_as("code", "c", chunked(large)).data.to_pylist() == names


def test_a_code_has_one_name_however_it_is_stored():
    cells = ["7", "007", "+7", " 7.0 ", "7e0", "7,0"]
    assert set(read_as("code", "c", chunked(cells)).data.to_pylist()) == {"7"}
    for stored in (chunked([7]), chunked([7.0]), chunked([7], pa.uint8()), chunked(["7"]).dictionary_encode()):
        assert read_as("code", "c", stored).data.to_pylist() == ["7"]
    assert read_as("text", "c", chunked(["007", "NA", "x"])).data.to_pylist() == ["007", None, "x"]


def test_times_of_day_are_the_same_from_text_and_from_timestamps():
    text = [
        "2020-01-02T18:00:00",
        "2020-01-02 06:30",
        "2020-01-02T01:00:00+02:00",
        "2020-01-02",
        "2020-01-02T12:00:00.5Z",
    ]
    hours = [18, 6.5, -1, 0, 12 + 0.5 / 3600]
    stamps = [datetime.datetime(2020, 1, 2) + datetime.timedelta(hours=hour) for hour in hours]
    read = as_days(guess_column("d", chunked(text)))
    np.testing.assert_allclose(read, as_days(guess_column("d", chunked(stamps, pa.timestamp("us")))), atol=1e-9)
    with pytest.raises(TableError, match="time of day that does not exist: '2020-01-02T99:00'"):
        as_days(guess_column("d", chunked(["2020-01-02T99:00"])))


@pytest.mark.parametrize("kind", [pa.timestamp("s"), pa.timestamp("ms"), pa.date32(), pa.date64()])
def test_a_date_beyond_the_calendar_is_refused(kind):
    size = {pa.date32(): 4_000_000, pa.timestamp("s"): 10**15}.get(kind, 10**18 // 86_400_000 * 86_400_000)
    with pytest.raises(TableError, match="beyond the years 1 to 9999 in row 2"):
        guess_column("d", chunked([0, size], pa.int32() if kind == pa.date32() else pa.int64()).cast(kind))


def test_a_number_that_is_too_large_is_told_with_its_row():
    with pytest.raises(TableError, match="too large in row 2: '1e400'"):
        guess_column("x", chunked(["1", "1e400", "2"]))


def test_a_long_cell_is_not_echoed_whole():
    column = guess_column("x", chunked(["1", "2", "z" * 6_000_000]))
    assert len(count_numbers(column)[2]) < 100


@pytest.mark.parametrize("name", [".", ".a", "a.b[0]", ""])
def test_rows_alike_are_counted_whatever_a_column_is_called(name):
    assert sorted(count_rows_alike(pa.table({name: [1, 1, 2]}))) == [1, 2]
