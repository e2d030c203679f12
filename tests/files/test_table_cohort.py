"""From a raw table to a cohort, in Python as in the program."""

import datetime

import numpy as np
import pandas as pd
import polars
import pyarrow as pa
import pytest

import whether as wh
from tests.cli.conftest import make_cohort, to_csv
from whether.files.table.findings import DatesToYears, LeftOut, Reason

COLUMNS = {"event": "event", "time": "time", "follow_up": "follow_up", "id": "patient"}


@pytest.fixture
def raw():
    """A data frame as people have it: categories, gaps and ids."""
    frame = pd.DataFrame(make_cohort(n=300))
    frame.loc[:19, "age"] = np.nan
    frame.loc[5:9, "stage"] = None
    return frame


def test_a_cohort_has_features_labels_times_and_the_encoder(raw):
    cohort = wh.read_cohort(raw, **COLUMNS, group="stage")
    assert list(cohort.X.columns) == ["age", "age is missing"] == list(cohort.encoder.features)
    np.testing.assert_array_equal(cohort.y, raw["event"])
    np.testing.assert_array_equal(cohort.time, raw["time"])
    np.testing.assert_array_equal(cohort.known["follow_up"], raw["follow_up"])
    assert cohort.ids["patient"].to_pylist() == list(raw["patient"])
    assert len(set(cohort.groups)) == 3 + 5  # rows without a group are one each


@pytest.mark.parametrize("convert", [pa.Table.from_pandas, polars.from_pandas, lambda frame: frame])
def test_every_kind_of_table_gives_what_the_file_gives(raw, tmp_path, convert):
    (tmp_path / "t.csv").write_text(to_csv(raw.astype(object).fillna("").to_dict("list")))
    from_file, from_frame = wh.read_cohort(tmp_path / "t.csv", **COLUMNS), wh.read_cohort(convert(raw), **COLUMNS)
    pd.testing.assert_frame_equal(from_file.X, from_frame.X)
    assert from_file.encoder == from_frame.encoder
    assert (from_file.name, from_frame.name) == ("t.csv", "table")


def test_dates_are_found_to_be_years(raw):
    entry = [datetime.date(2010, 1, 1 + i % 28) for i in range(len(raw))]
    cohort = wh.read_cohort(raw.assign(entry=entry), "event", entry="entry", endpoint=datetime.date(2040, 1, 1))
    assert cohort.is_in_years
    assert DatesToYears() in cohort.findings
    assert cohort.follow_up == pytest.approx(30, abs=0.1)
    assert LeftOut("patient", Reason.REMARK) in cohort.findings
    assert not wh.read_cohort(raw, **COLUMNS).is_in_years


@pytest.mark.parametrize(
    ("columns", "error", "said"),
    [
        ({"event": "evnt"}, wh.DataError, "no column 'evnt'.*Did you mean 'event'"),
        ({"event": "age"}, wh.DataError, "has empty cells"),
        ({"event": "event", "endpoint": "2020-01-01"}, wh.ArgumentError, "`endpoint` needs `entry`"),
        ({"event": "event", "features": ["age"], "drop": "age"}, wh.ArgumentError, "'age' cannot be a feature"),
    ],
)
def test_bad_data_and_bad_calls_are_told_apart(raw, columns, error, said):
    with pytest.raises(error, match=said):
        wh.read_cohort(raw, **columns)


@pytest.mark.parametrize(
    "table", [pd.DataFrame({0: [1, 2]}), pd.DataFrame({"event": [1, "a", b"b"]}), [1, 2], "none.csv"]
)
def test_what_is_no_table_is_refused(table):
    with pytest.raises(wh.DataError):
        wh.read_cohort(table, event="event")


def test_an_analysis_of_a_raw_frame_is_that_of_its_cohort(raw):
    settings = {"backtest": False, "sensitivity": False}
    told = wh.analyze(raw, **COLUMNS, **settings)
    cohort = wh.read_cohort(raw, **COLUMNS)
    arrays = wh.analyze(cohort.X, cohort.y, time=cohort.time, follow_up=cohort.follow_up, **settings)
    np.testing.assert_array_equal(told.risks, arrays.risks)
    assert told.origin.time == "time"
    assert told.origin.findings


def test_columns_without_an_event_and_no_labels_are_refused(raw):
    with pytest.raises(wh.ArgumentError, match="`drop` is about a table"):
        wh.analyze(raw, raw["event"], drop=["age"])
    with pytest.raises(wh.ArgumentError, match="needs `y`"):
        wh.analyze(raw)


def test_a_model_of_the_program_predicts_from_a_raw_frame(raw, tmp_path):
    from typer.testing import CliRunner

    from whether.cli.app import app

    raw.to_parquet(tmp_path / "t.parquet")
    options = ["--event", "event", "--time", "time", "--drop", "follow_up", "--id", "patient", "--method", "AFTMC-F"]
    for arguments in (
        ["fit", tmp_path / "t.parquet", *options, "-o", tmp_path / "m"],
        ["predict", tmp_path / "m", tmp_path / "t.parquet", "-o", tmp_path / "r.parquet"],
    ):
        assert CliRunner().invoke(app, [str(word) for word in arguments]).exit_code == 0
    told = pd.read_parquet(tmp_path / "r.parquet")
    model = wh.load_model(tmp_path / "m")
    pd.testing.assert_frame_equal(model.predict(raw), told[["risk", "risk_lower", "risk_upper"]])
    with pytest.raises(wh.DataError, match="lacks 1 of the 2 columns"):
        model.predict(raw.drop(columns="age"))
