"""`whether analyze`: from a table to a folder, whole or not at all."""

import json
import shlex
from dataclasses import replace

import numpy as np
import pyarrow.csv
import pytest
from typer.testing import CliRunner

from tests.cli.conftest import make_cohort, to_csv
from tests.cli.test_bad_inputs import BAD_TABLES, GOOD, cells, check_refusal
from whether.cli import cohorts, reporting
from whether.cli.app import app
from whether.files.model import load_model
from whether.files.whole_files import SUMMARY
from whether.telling.figures.svg import Picture
from whether.telling.page import sections

FILES = ["model.whether", "predictions.csv", "report.html", "summary.json"]
COLUMNS = ("--event", "event", "--time", "time", "--follow-up", "follow_up", "--id", "patient")


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A folder that the program wrote, all of it for real."""
    folder = tmp_path_factory.mktemp("analysis")
    (folder / "my cohort.csv").write_text(to_csv(make_cohort(n=300)))
    arguments = ["analyze", str(folder / "my cohort.csv"), *COLUMNS, "--unit", "years", "--json"]
    done = CliRunner().invoke(app, [*arguments, "-o", str(folder / "report")])
    assert done.exit_code == 0, done.stderr
    return folder / "report", json.loads(done.stdout)


# ---------------------------------------------------------------- what is written


def test_the_folder_has_every_file_and_no_other(written):
    folder, told = written
    assert sorted(file.name for file in folder.iterdir()) == FILES == sorted(told["files"])
    assert [file.name for file in folder.parent.iterdir() if file.name.startswith(".")] == []


def test_the_summary_is_what_json_prints(written):
    folder, told = written
    assert json.loads((folder / "summary.json").read_text()) == told["summary"]
    assert told["summary"]["origin"]["name"] == "my cohort.csv"
    assert told["summary"]["origin"]["unit"] == "years"
    assert "Used as numbers: 'age'." in told["summary"]["origin"]["notes"]


def test_the_call_repeats_the_analysis_and_tells_nothing_of_the_machine(written):
    folder, told = written
    words = shlex.split(told["summary"]["origin"]["call"])
    assert words == ["whether", "analyze", "my cohort.csv", *COLUMNS, "--unit", "years", "-o", "report"]
    assert str(folder.parent) not in (folder / "summary.json").read_text() + (folder / "report.html").read_text()


def test_the_predictions_are_one_row_per_person_with_the_ids(written):
    folder, told = written
    table = pyarrow.csv.read_csv(folder / "predictions.csv")
    windows = told["summary"]["answer"]["windows"]
    within = [f"within_{window['length']:g}" for window in windows]
    assert table.column_names == ["patient", "risk", "risk_lower", "risk_upper", "still_to_come", *within, "labeled"]
    for name, window in zip(within, windows, strict=True):
        chances = [value for value in table[name].to_pylist() if value is not None]
        assert sum(chances) == pytest.approx(window["expected"]["estimate"])
    columns = make_cohort(n=300)
    assert table["patient"].to_pylist() == columns["patient"]
    assert table["labeled"].to_pylist() == columns["event"]
    still = table["still_to_come"].to_pylist()
    assert [value is None for value in still] == [event == 1 for event in columns["event"]]
    unseen = sum(value for value in still if value is not None)
    assert unseen == pytest.approx(told["summary"]["answer"]["unseen"]["estimate"])


def test_the_model_predicts_the_same_in_another_command(run, written, tmp_path):
    folder, _ = written
    done = run("predict", folder / "model.whether", folder.parent / "my cohort.csv", "-o", tmp_path / "r.csv")
    assert done.code == 0, done.err
    ours, theirs = (pyarrow.csv.read_csv(path) for path in (folder / "predictions.csv", tmp_path / "r.csv"))
    for column in ("patient", "risk", "risk_lower", "risk_upper"):
        assert ours[column].to_pylist() == theirs[column].to_pylist()


def test_the_model_file_tells_of_its_training(written):
    folder, told = written
    training = load_model(folder / "model.whether").training
    assert training["people"] == 300
    assert training["expected_unseen"] == told["summary"]["answer"]["unseen"]["estimate"]


def test_nobody_is_named_in_report_and_summary(written):
    folder, _ = written
    for name in ("report.html", "summary.json"):
        assert "P0007" not in (folder / name).read_text()


def test_without_ids_people_are_numbered(run, tmp_path, table, quick):
    done = run("analyze", table, *COLUMNS[:-2], "--drop", "patient", "-o", tmp_path / "r")
    assert done.code == 0, done.err
    assert pyarrow.csv.read_csv(tmp_path / "r" / "predictions.csv")["row"].to_pylist() == list(range(1, 121))


def test_where_every_event_is_taken_as_seen_nothing_is_said_of_what_is_still_to_come(answer):
    import pyarrow as pa

    from whether import LabelClassifier

    people = pa.table({"row": np.arange(answer.n_people)})
    assert reporting._predictions(answer, people)["still_to_come"].null_count == answer.n_events
    labels_only = reporting._predictions(replace(answer, model=LabelClassifier()), people)
    assert labels_only["still_to_come"].null_count == answer.n_people


def test_people_are_told_where_the_report_is_and_what_is_personal(run, tmp_path, table, quick):
    done = run("analyze", table, *COLUMNS, "-o", tmp_path / "r")
    assert str(tmp_path / "r" / "report.html") in done.out
    assert "predictions.csv holds a row for each person" in done.out
    assert done.out.startswith(("About ", "Between "))


def test_options_reach_the_analysis(run, tmp_path, table, quick):
    options = ("--no-backtest", "--seed", 3, "--learner", "linear", "--group", "stage", "--suppress-below", 5)
    done = run("analyze", table, *COLUMNS, *options, "-o", tmp_path / "r")
    assert done.code == 0, done.err
    (settings,) = quick
    assert (settings["backtest"], settings["random_state"], settings["learner"]) == (False, 3, "linear")
    assert len(set(settings["people"].groups)) == 3
    call = settings["origin"].call
    assert "--no-backtest" in call
    assert "--suppress-below 5" in call
    assert "--no-suppress" not in call


@pytest.mark.parametrize(("options", "threshold"), [((), 11), (("--no-suppress",), 0), (("--suppress-below", 20), 20)])
def test_small_counts_are_suppressed_unless_asked_for(run, tmp_path, table, quick, monkeypatch, options, threshold):
    asked = []
    monkeypatch.setattr(reporting, "write_report", lambda *_, suppress_below: asked.append(suppress_below))
    assert run("analyze", table, *COLUMNS, *options, "-o", tmp_path / "r").code == 0
    assert asked == [threshold]


def test_no_small_count_is_in_the_summary(run, tmp_path, monkeypatch):
    monkeypatch.setattr(reporting, "write_report", lambda _, path, **__: path.write_text("a report"))
    columns = make_cohort()
    columns["event"] = [event if i < 21 else 0 for i, event in enumerate(columns["event"])]
    n_events = sum(columns["event"])
    assert 0 < n_events < 11
    (tmp_path / "t.csv").write_text(to_csv(columns))
    options = (
        "--event",
        "event",
        "--time",
        "time",
        "--features",
        "age",
        "--no-backtest",
        "--json",
        "-o",
        tmp_path / "r",
    )
    hidden = run("analyze", tmp_path / "t.csv", *options).json["summary"]
    told = run("analyze", tmp_path / "t.csv", *options, "--no-suppress").json["summary"]
    assert hidden["cohort"]["events"] is hidden["evidence"]["counts"]["n_events"] is None
    assert told["cohort"]["events"] == n_events
    assert any(f"Only {n_events} events were recorded" in flag["text"] for flag in told["recommendation"]["flags"])
    assert any(flag["name"] == "few events" for flag in hidden["recommendation"]["flags"])
    assert not any(str(n_events) in flag["text"] for flag in hidden["recommendation"]["flags"])
    assert f"{n_events} events" not in json.dumps(hidden)


def test_dates_give_years_and_entries(run, tmp_path, quick):
    n = 120
    columns = {**make_cohort(), "entry": [f"201{i % 10}-01-01" for i in range(n)]}
    (tmp_path / "t.csv").write_text(to_csv(columns))
    options = ("--event", "event", "--entry", "entry", "--endpoint", "2190-01-01")
    done = run("analyze", tmp_path / "t.csv", *options, "--drop", "time,follow_up,patient", "-o", tmp_path / "r")
    assert done.code == 0, done.err
    (settings,) = quick
    assert settings["origin"].unit == "years"
    people = settings["people"]
    assert people.entry == pytest.approx([2010 + i % 10 for i in range(n)], abs=0.01)
    assert people.follow_up == pytest.approx(2190 - people.entry, abs=0.01)


# ---------------------------------------------------------------- the simulated cohort


def test_without_a_table_the_cohort_is_simulated(run, tmp_path, monkeypatch):
    monkeypatch.setattr(cohorts, "N_SIMULATED", 600)
    monkeypatch.setattr(sections, "render", lambda chart: Picture(chart, "", "", []))  # drawn in `written`
    done = run("analyze", "-o", tmp_path / "demo")
    assert done.code == 0, done.err
    assert sorted(file.name for file in (tmp_path / "demo").iterdir()) == FILES
    told = json.loads((tmp_path / "demo" / SUMMARY).read_text())
    assert told["origin"]["simulated"] is True
    assert told["origin"]["call"] == "whether analyze -o demo"
    assert "the truth is known" in done.err
    assert told["evidence"]["follow_up"]["events"]["n_after_last_event"] is not None


def test_a_column_without_a_table_is_refused(run, tmp_path):
    done = run("analyze", "--event", "event", "-o", tmp_path / "r")
    check_refusal(done, 2, "--event needs a table", tmp_path, [])


# ---------------------------------------------------------------- what is refused

CASES = ["binary file", "unknown column", "no events", "dates for durations", "unknown option"]


@pytest.mark.parametrize("case", CASES)
def test_a_bad_table_is_refused_in_one_sentence(run, tmp_path, case):
    content, options, code, said = BAD_TABLES[case]
    path = tmp_path / "t.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    check_refusal(run("analyze", path, *options, "-o", tmp_path / "r"), code, said, tmp_path, ["t.csv"])


BAD_CALLS = {
    "formula in an id": (cells("=1+1", column="patient"), COLUMNS, 1, "would run as a formula .row 7"),
    "an id called risk": (
        GOOD.replace("patient", "risk", 1), (*COLUMNS[:-1], "risk"), 2, "'risk' has the same name",
    ),
    "unknown group": (GOOD, (*COLUMNS, "--group", "family"), 1, "no column 'family'"),
    "a group that is a feature": (GOOD, (*COLUMNS, "--group", "stage", "--features", "stage"), 2, "another use"),
    "negative threshold": (GOOD, (*COLUMNS, "--suppress-below", "-1"), 2, "suppress-below"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_CALLS)
def test_a_bad_call_is_refused_before_the_long_work(run, tmp_path, quick, case):
    content, options, code, said = BAD_CALLS[case]
    (tmp_path / "t.csv").write_text(content)
    check_refusal(run("analyze", tmp_path / "t.csv", *options, "-o", tmp_path / "r"), code, said, tmp_path, ["t.csv"])
    assert quick == []


def test_a_missing_table_is_refused(run, tmp_path):
    done = run("analyze", tmp_path / "none.csv", *COLUMNS, "-o", tmp_path / "r")
    check_refusal(done, 1, "There is no file", tmp_path, [])
