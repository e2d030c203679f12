"""`whether analyze`: from a table to a folder, whole or not at all."""

import errno
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.csv
import pytest
from typer.testing import CliRunner

from tests.cli.conftest import make_cohort, to_csv
from tests.cli.test_bad_inputs import BAD_TABLES, GOOD, cells, check_refusal
from whether.cli import reporting
from whether.cli.app import app
from whether.cli.folder import SUMMARY
from whether.model_file import read

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


@pytest.fixture(scope="module")
def answer():
    """An analysis of the small cohort, for tests of what is written."""
    import pandas as pd

    import whether as wh

    columns = make_cohort()
    stage = np.array(columns["stage"])
    features = pd.DataFrame({"age": columns["age"], "stage=II": stage == "II", "stage=III": stage == "III"}).astype(
        float
    )
    return wh.analyze(features, columns["event"], time=columns["time"], backtest=False, sensitivity=False)


@pytest.fixture
def quick(monkeypatch, answer):
    """Analyses and reports that take no time; the analyses are counted."""
    calls = []

    def analyze(*_, **settings):
        calls.append(settings)
        return answer

    monkeypatch.setattr(reporting, "analyze", analyze)
    monkeypatch.setattr(reporting, "write_report", lambda _, path, **__: path.write_text("a report"))
    return calls


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
    assert table.column_names == ["patient", "risk", "risk_lower", "risk_upper", "still_to_come", "labeled"]
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
    training = read(folder / "model.whether").training
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
    assert "predictions.csv is about single persons" in done.out
    assert done.out.startswith("Of ")


def test_options_reach_the_analysis(run, tmp_path, table, quick):
    options = ("--no-backtest", "--seed", 3, "--learner", "linear", "--group", "stage", "--suppress-below", 5)
    done = run("analyze", table, *COLUMNS, *options, "-o", tmp_path / "r")
    assert done.code == 0, done.err
    (settings,) = quick
    assert (settings["backtest"], settings["random_state"], settings["learner"]) == (False, 3, "linear")
    assert len(set(settings["groups"])) == 3
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


def test_no_small_count_is_in_the_summary(run, tmp_path):
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
    assert any(f"{n_events} events are few" in flag for flag in told["recommendation"]["flags"])
    assert any("<11 events are few" in flag for flag in hidden["recommendation"]["flags"])
    assert f"{n_events} events" not in json.dumps(hidden)


def test_dates_give_years_and_entries(run, tmp_path, quick):
    n = 120
    columns = {**make_cohort(), "entry": [f"201{i % 10}-01-01" for i in range(n)]}
    (tmp_path / "t.csv").write_text(to_csv(columns))
    options = ("--event", "event", "--time", "time", "--entry", "entry", "--endpoint", "2190-01-01")
    done = run("analyze", tmp_path / "t.csv", *options, "--drop", "follow_up,patient", "-o", tmp_path / "r")
    assert done.code == 0, done.err
    (settings,) = quick
    assert settings["origin"].unit == "years"
    assert settings["entry"] == pytest.approx([2010 + i % 10 for i in range(n)], abs=0.01)
    assert settings["follow_up"] == pytest.approx(2190 - settings["entry"], abs=0.01)


# ---------------------------------------------------------------- the simulated cohort


def test_without_a_table_the_cohort_is_simulated(run, tmp_path, monkeypatch):
    monkeypatch.setattr(reporting, "N_SIMULATED", 600)
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

# Without --method, and with nothing known besides labels, an analysis can still say what the bounds are.
CASES = [name for name, (_, options, *_) in BAD_TABLES.items() if "--method" not in options and name != "nothing known"]


@pytest.mark.parametrize("case", CASES)
def test_a_bad_table_is_refused_in_one_sentence(run, tmp_path, case):
    content, options, code, said = BAD_TABLES[case]
    path = tmp_path / "t.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    check_refusal(run("analyze", path, *options, "-o", tmp_path / "r"), code, said, tmp_path, ["t.csv"])


BAD_CALLS = {
    "no event": (GOOD, ("--time", "time"), 2, "--event is missing"),
    "formula in an id": (cells("=1+1", column="patient"), COLUMNS, 1, "would run as a formula .row 7"),
    "an id called risk": (
        GOOD.replace("patient", "risk", 1), (*COLUMNS[:-1], "risk"), 2, "'risk' would have the name",
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


# ---------------------------------------------------------------- the folder


def contents(folder):
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def test_a_folder_that_an_analysis_wrote_is_replaced(run, tmp_path, table, quick):
    assert run("analyze", table, *COLUMNS, "-o", tmp_path / "r").code == 0
    before = contents(tmp_path / "r")
    assert run("analyze", table, *COLUMNS, "--drop", "age", "-o", tmp_path / "r" / "").code == 0
    after = contents(tmp_path / "r")
    assert sorted(after) == sorted(before) == FILES
    assert after["model.whether"] != b""
    assert sorted(file.name for file in tmp_path.iterdir()) == ["cohort.csv", "r"]


def test_an_empty_folder_is_used(run, tmp_path, table, quick):
    (tmp_path / "r").mkdir()
    assert run("analyze", table, *COLUMNS, "-o", tmp_path / "r").code == 0
    assert sorted(contents(tmp_path / "r")) == FILES


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"thesis.tex": "x"}, "holds files that are no result of an analysis, such as 'thesis.tex'"),
        ({"summary.json": "{}"}, "was not written by an analysis"),
        ({"summary.json": "[1"}, "was not written by an analysis"),
        ({"report.html": "<html>"}, "was not written by an analysis"),
        ({"summary.json": '{"schema": "whether analysis"}', "notes.txt": "mine"}, "such as 'notes.txt'"),
    ],
)
def test_a_folder_of_somebody_else_is_left_alone(run, tmp_path, table, quick, files, said):
    (tmp_path / "r").mkdir()
    for name, text in files.items():
        (tmp_path / "r" / name).write_text(text)
    before = contents(tmp_path / "r")
    done = run("analyze", table, *COLUMNS, "-o", tmp_path / "r")
    check_refusal(done, 2, said, tmp_path, ["cohort.csv", "r"])
    assert contents(tmp_path / "r") == before
    assert quick == []


@pytest.mark.parametrize("place", ["cohort.csv", "link"])
def test_a_file_or_a_link_in_the_place_of_the_folder_is_refused(run, tmp_path, table, quick, place):
    (tmp_path / "link").symlink_to(tmp_path)
    done = run("analyze", table, *COLUMNS, "-o", tmp_path / place)
    check_refusal(done, 2, "is a file; -o takes", tmp_path, ["cohort.csv", "link"])


def test_the_current_folder_and_a_missing_one_are_refused(run, tmp_path, table):
    done = run("analyze", table, *COLUMNS, "-o", ".")
    check_refusal(done, 2, "-o needs the name of a folder", tmp_path, ["cohort.csv"])
    done = run("analyze", table, *COLUMNS, "-o", tmp_path / "none" / "r")
    check_refusal(done, 2, "There is no folder", tmp_path, ["cohort.csv"])


def test_an_unwritable_folder_is_refused_before_any_work(run, tmp_path, table, quick, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    done = run("analyze", table, *COLUMNS, "-o", tmp_path / "r")
    check_refusal(done, 2, "is not writable", tmp_path, ["cohort.csv"])
    assert quick == []


STEPS = [
    (reporting, "prepare"),
    (reporting, "write_table"),
    (reporting, "analyze"),
    (reporting, "_save_model"),
    (reporting, "_predictions"),
    (reporting, "write_report"),
    (json, "dumps"),
    (os, "fsync"),
    (os, "replace"),
    (os, "rename"),
]
ERRORS = [
    (OSError(errno.ENOSPC, "No space left on device"), 1, "No space left on device"),
    (KeyboardInterrupt(), 130, "Stopped. Nothing was written"),
]


@pytest.mark.parametrize("earlier", [False, True])
@pytest.mark.parametrize(("error", "code", "said"), ERRORS)
@pytest.mark.parametrize(("module", "name"), STEPS)
def test_a_step_that_fails_leaves_what_was_there(
    run, tmp_path, table, quick, monkeypatch, module, name, error, code, said, earlier
):
    before, files = {}, ["cohort.csv"]
    if earlier:
        assert run("analyze", table, *COLUMNS, "-o", tmp_path / "r").code == 0
        before, files = contents(tmp_path / "r"), ["cohort.csv", "r"]

    def fail(*_, **__):
        raise error

    monkeypatch.setattr(module, name, fail)
    done = run("analyze", table, *COLUMNS, "-o", tmp_path / "r")
    monkeypatch.undo()
    check_refusal(done, code, said, tmp_path, files)
    if earlier:
        assert contents(tmp_path / "r") == before


def test_a_folder_that_cannot_take_its_name_gives_way_to_the_old_one(run, tmp_path, table, quick, monkeypatch):
    assert run("analyze", table, *COLUMNS, "-o", tmp_path / "r").code == 0
    before, rename = contents(tmp_path / "r"), os.rename

    def fail(source, target):
        if Path(source).name.endswith(".unfinished"):
            raise OSError(errno.EIO, "Input/output error")
        rename(source, target)

    monkeypatch.setattr(os, "rename", fail)
    done = run("analyze", table, *COLUMNS, "-o", tmp_path / "r")
    check_refusal(done, 1, "Input/output error", tmp_path, ["cohort.csv", "r"])
    assert contents(tmp_path / "r") == before


def test_a_process_that_is_stopped_while_it_works_leaves_nothing(tmp_path, table):
    slow = (
        "import time\n"
        "from whether.cli import reporting\n"
        "def wait(*_, **__):\n"
        "    print('working', flush=True)\n"
        "    time.sleep(60)\n"
        "reporting.analyze = wait\n"
        "from whether.cli import main; main()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", slow, "analyze", table, *COLUMNS, "-o", tmp_path / "r"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout.readline() == "working\n"
    time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert err == "whether: Stopped. Nothing was written.\n"
    assert [file.name for file in tmp_path.iterdir()] == ["cohort.csv"]
