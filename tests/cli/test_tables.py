"""Options about tables, as the program takes them: all commands that read a cohort have the same."""

import io
import re

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from tests.cli.conftest import make_cohort, to_csv
from whether.cli.app import app
from whether.cli.options import CohortOptions

COMMANDS = ("examine", "recommend", "fit", "analyze", "backtest", "sensitivity")


@pytest.fixture
def messy(tmp_path):
    """Function that writes a small cohort with other columns."""

    def write(**columns):
        (tmp_path / "t.csv").write_text(to_csv({**make_cohort(), **columns}))
        return tmp_path / "t.csv"

    return write


def test_a_leak_is_named_and_kept_only_if_asked_for(run, messy, tmp_path):
    table = messy(months=[12 * time for time in make_cohort()["time"]])
    options = ("--event", "event", "--time", "time", "--drop", "follow_up", "--id", "patient", "--method", "AFTMC-F")
    done = run("fit", table, *options, "-o", tmp_path / "m.whether", "--json")
    assert done.code == 0, done.err
    assert "age" in done.json["features"]
    assert "months" not in done.json["features"]
    note = next(note for note in done.json["notes"] if "'months'" in note["text"])
    assert note["warning"]
    assert "name it in --keep" in note["text"]
    kept = run("fit", table, *options, "--keep", "months", "-o", tmp_path / "m.whether", "--json")
    assert "months" in kept.json["features"]


def test_a_table_of_leaks_is_refused_in_a_sentence(run, messy, tmp_path):
    table = messy(months=[12 * time for time in make_cohort()["time"]])
    options = ("--event", "event", "--time", "time", "--drop", "follow_up,age,stage,patient")
    done = run("fit", table, *options, "-o", tmp_path / "m.whether")
    assert done.code == 1
    assert "No column is left" in done.err
    assert "--keep" in done.err


def test_several_values_are_given_as_a_list_or_repeatedly(run, messy, tmp_path):
    event = np.array(make_cohort()["event"])
    status = np.where(event == 1, np.where(np.arange(event.size) % 2, "near", "far"), "none")
    table = messy(event=status.tolist())
    options = ("--time", "time", "--drop", "follow_up", "--id", "patient", "--method", "AFTMC-F", "--json")
    for given in (("--event-value", "near,far"), ("--event-value", "near", "--event-value", "far")):
        done = run("fit", table, "--event", "event", *given, *options, "-o", tmp_path / "m.whether")
        assert done.code == 0, done.err
        assert done.json["events"] == event.sum()


def test_dates_in_two_columns_stand_for_event_and_time(run, tmp_path):
    people = make_cohort()
    entry = pd.Series(pd.date_range("2001-01-01", periods=120, freq="37D"))
    end = entry + pd.to_timedelta((np.array(people["time"]) * 365.25).round() + 1, unit="D")
    seen = np.array(people["event"]) == 1
    table = pd.DataFrame({"age": people["age"], "surgery": entry, "relapse": end.where(seen), "seen": end})
    table.to_csv(tmp_path / "t.csv", index=False)
    options = ("--event-date", "relapse", "--last-contact", "seen", "--entry", "surgery", "--method", "AFTMC-F")
    done = run("fit", tmp_path / "t.csv", *options, "-o", tmp_path / "m.whether", "--json")
    assert done.code == 0, done.err
    assert done.json["events"] == seen.sum()


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_the_options_about_tables(run, command):
    said = " ".join(run(command, "--help").out.split())
    for name in ("--keep", "--event-date", "--last-contact", "--competing", "--entry-time", "--time-lower"):
        assert name in said
    assert {"keep", "competing", "never_after"} <= {*CohortOptions.__dataclass_fields__}


def test_what_a_command_cannot_read_is_refused_and_not_left_aside(run, messy, tmp_path):
    table = messy(since=[time / 2 for time in make_cohort()["time"]])
    options = ("--event", "event", "--time", "time", "--drop", "follow_up", "--id", "patient", "--entry-time", "since")
    done = run("fit", table, *options, "--method", "LR", "-o", tmp_path / "m.whether")
    assert done.code == 2
    assert re.search("cannot read|does not read", done.err)
    assert re.search("entry.time", done.err)


def test_a_method_of_follow_up_is_refused_where_many_were_lost(run, messy, tmp_path):
    table = messy(entry=["2010-01-01"] * 120)
    options = ("--event", "event", "--time", "time", "--entry", "entry", "--endpoint", "2060", "--drop", "follow_up")
    done = run("fit", table, *options, "--id", "patient", "--method", "FUMC-F", "-o", tmp_path / "m.whether")
    assert done.code == 2
    assert "too many people without the event were last seen before --endpoint" in done.err


def test_a_table_comes_from_standard_input_and_from_a_sheet(tmp_path, cohort, model):
    text = to_csv(cohort)
    line = ["predict", str(model), "-", "-o", str(tmp_path / "risks.csv")]
    done = CliRunner().invoke(app, line, input=text)
    assert done.exit_code == 0, done.stderr
    frame = pd.read_csv(io.StringIO(text))
    with pd.ExcelWriter(tmp_path / "t.xlsx") as book:
        pd.DataFrame({"note": ["made in May"]}).to_excel(book, sheet_name="notes", index=False)
        frame.to_excel(book, sheet_name="people", index=False)
    line = ["predict", str(model), str(tmp_path / "t.xlsx"), "--sheet", "people", "-o", str(tmp_path / "sheet.csv")]
    assert CliRunner().invoke(app, line).exit_code == 0
    assert (tmp_path / "risks.csv").read_text() == (tmp_path / "sheet.csv").read_text()
    done = CliRunner().invoke(app, [*line[:3], *line[5:]])
    assert (done.exit_code, "say which with --sheet" in done.stderr) == (1, True)
    # It can be read only once.
    line = ["fit", "-", "--event", "event", "--time", "time", "--drop", "follow_up", "--id", "patient"]
    done = CliRunner().invoke(app, [*line, "--method", "LR", "-o", str(tmp_path / "m.whether")], input=text)
    assert done.exit_code == 0, done.stderr
