"""Logs of clicks and conversions, seen from a moment."""

import numpy as np
import pytest

import whether as wh
from whether.simulation import simulate_conversion_log

DAY = 86_400.0


@pytest.fixture(scope="module")
def drawn():
    return simulate_conversion_log(1500, seed=3)


@pytest.fixture
def path(drawn, tmp_path):
    drawn.write(tmp_path / "log.txt")
    return tmp_path / "log.txt"


def test_seen_from_a_moment_later_conversions_have_not_come(path, drawn):
    at = 40 * DAY
    log = wh.read_conversion_log(path, at=at)
    clicks = drawn.table[drawn.table["click"] < at]
    seen = (clicks["conversion"] <= at).fillna(False).to_numpy(dtype=bool)
    assert log.cohort.y.tolist() == seen.astype(int).tolist()
    assert log.converted.tolist() == clicks["conversion"].notna().tolist()
    follow_up = (at - clicks["click"].to_numpy()) / DAY
    np.testing.assert_allclose(log.cohort.follow_up, follow_up)
    assert (log.cohort.time <= log.cohort.follow_up).all()
    np.testing.assert_allclose(log.cohort.time[~seen], follow_up[~seen])


def test_by_default_it_is_seen_from_its_end_and_nothing_is_unknown(path):
    log = wh.read_conversion_log(path)
    assert log.cohort.y.tolist() == log.converted.astype(int).tolist()


def test_numbers_are_numbers_and_hashes_categories_even_if_they_are_digits(path):
    names = list(wh.read_conversion_log(path, at=40 * DAY).cohort.X.columns)
    assert "number 1" in names
    assert "category 1" not in names
    assert any(name.startswith("category 1=") for name in names)


def test_a_limit_reads_the_first_rows(path, drawn):
    assert wh.read_conversion_log(path, at=60 * DAY, limit=100).table.num_rows == 100


@pytest.mark.filterwarnings("ignore::whether.FollowUpWarning")
def test_the_cohort_goes_into_a_fit_and_the_table_into_the_program(path, tmp_path):
    log = wh.read_conversion_log(path, at=40 * DAY, drop=[f"category {k}" for k in range(2, 10)])
    cohort = log.cohort
    known = {"time": cohort.time, "follow_up": cohort.follow_up}
    model = wh.HindsightClassifier(4, n_folds=0).fit(cohort.X, cohort.y, **known)
    assert cohort.y.mean() < model.predict_proba(cohort.X)[:, 1].mean() < 1
    again = wh.read_cohort(log.table, event="converted", time="days", follow_up="follow_up")
    assert again.y.tolist() == cohort.y.tolist()


def line(click="100", conversion="200", n_cells=17):
    return "\t".join([click, conversion, *(["7"] * n_cells)])


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([], "it is empty"),
        ([line().replace("\t", ",")] * 30, "no log of conversions .* 19 cells in each line, with tabs"),
        ([line(n_cells=12)] * 30, "no log of conversions"),
        (
            [line()] * 3 + [line("300", "250")],
            r"1 conversions .* before their click .*line 4, click 300, conversion 250",
        ),
        (["\t".join(["click", "conversion", *"abcdefghijklmnopq"])] + [line()] * 3, "Line 1 .* 'click' .* seconds"),
        ([line(), line("soon", "")], "Line 2 .* 'soon' for the time of the click"),
        ([line(), line("", "")], "Line 2 .* has no time of the click"),
    ],
    ids=["empty", "commas", "too few cells", "conversion first", "header", "words", "no click"],
)
def test_a_file_that_is_no_such_log_is_refused_with_the_reason(tmp_path, lines, message):
    (tmp_path / "log.txt").write_text("".join(f"{text}\n" for text in lines))
    with pytest.raises(wh.DataError, match=message):
        wh.read_conversion_log(tmp_path / "log.txt")


def test_a_moment_before_all_clicks_and_one_that_is_no_number_are_refused(path):
    with pytest.raises(wh.ArgumentError, match="No click comes before at=0"):
        wh.read_conversion_log(path, at=0)
    with pytest.raises(wh.ArgumentError, match="at must be a second"):
        wh.read_conversion_log(path, at="2020-01-01")


def test_a_log_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(wh.DataError, match="There is no file"):
        wh.read_conversion_log(tmp_path / "nothing.txt")
