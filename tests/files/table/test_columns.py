import datetime

import numpy as np
import pyarrow as pa
import pytest

from whether.files.table import TableError
from whether.files.table.columns import as_categories, count_numbers
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
