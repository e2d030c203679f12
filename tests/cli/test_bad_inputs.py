"""Whatever is wrong: one clear sentence on stderr, an exit code, no traceback, nothing half-written."""

import errno
import os
import re
import signal
import subprocess
import sys
import time

import pytest

from tests.cli.conftest import make_cohort, to_csv

FIT = ("--event", "event", "--time", "time", "--drop", "follow_up")


def changed(**columns):
    return to_csv({**make_cohort(), **columns})


def cells(cell, row=6, column="time"):
    """The cohort with one cell replaced."""
    values = list(make_cohort()[column])
    values[row] = cell
    return changed(**{column: values})


N = len(make_cohort()["age"])
GOOD = to_csv(make_cohort())
DATES = [f"2019-{1 + i % 12:02d}-{1 + i % 28:02d}" for i in range(N)]

# name: (content of the table, options, exit code, what is said)
BAD_TABLES = {
    "empty file": ("", FIT, 1, "is empty"),
    "blank lines": ("\n\n  \n", FIT, 1, "nothing but blank lines"),
    "binary file": (bytes(range(256)) * 20, FIT, 1, "is not a text file"),
    "zip or Excel": (b"PK\x03\x04" + bytes(100), FIT, 1, "Excel workbook"),
    "gzip": (b"\x1f\x8b\x08" + bytes(100), FIT, 1, "gzip"),
    "web page": ("<html><script>alert(1)</script></html>", FIT, 1, "web page"),
    "json": ('[{"event": 1}]', FIT, 1, "JSON"),
    "damaged parquet": (b"PAR1" + bytes(200), FIT, 1, "damaged Parquet"),
    "unknown separator": (GOOD.replace(",", "^"), FIT, 1, "Is the separator one of"),
    "spaces for separators": (GOOD.replace(",", " "), FIT, 1, "Is the separator one of"),
    "ragged rows": (GOOD.replace("P0007,", "P0007,x,"), FIT, 1, "row 8 below the header has 7, the header 6"),
    "an open quote": (GOOD.replace("P0099", '"P0099'), FIT, 1, "a quote or a line break"),
    "header only": (GOOD.splitlines()[0] + "\n", FIT, 1, "no rows"),
    "no header": ("\n".join("1,2,3" for _ in range(50)), FIT, 1, "names of the columns are expected"),
    "duplicate names": (GOOD.replace("stage,", "age,", 1), FIT, 1, "more than one column called 'age'"),
    "a million columns": (",".join(f"c{i}" for i in range(1_000_000)) + "\n", FIT, 1, "longer than a million"),
    "too many columns": (",".join(f"c{i}" for i in range(20_000)) + "\n1\n", FIT, 1, "20,000 columns"),
    "one row": ("\n".join(GOOD.splitlines()[:2]), FIT, 1, "has 1 row"),
    "few rows": ("\n".join(GOOD.splitlines()[:10]), FIT, 1, "too few"),
    "unknown column": (GOOD, ("--event", "evnt", "--time", "time"), 1, "no column 'evnt'.*Did you mean 'event'"),
    "unknown feature": (GOOD, (*FIT, "--features", "age,weight"), 1, "no column 'weight'"),
    "unknown id": (GOOD, (*FIT, "--id", "number"), 1, "no column 'number'"),
    "unknown propensity feature": (GOOD, (*FIT, "--propensity-features", "sex"), 1, "no column 'sex'"),
    "event not 0/1": (changed(event=[1, 2, 3] * 40), FIT, 1, "it has the values '1', '2', '3'.*--event-value"),
    "event in words": (changed(event=["dead", "alive"] * 60), FIT, 1, "'alive', 'dead'"),
    "event with gaps": (cells("", column="event"), FIT, 1, "'event' has empty cells: 1 of 120 .first: row 7"),
    "event empty": (changed(event=[""] * N), FIT, 1, "'event' is empty"),
    "event value never seen": (GOOD, (*FIT, "--event-value", "9"), 1, "never has the value '9'; it has '0', '1'"),
    "event continuous": (GOOD, ("--event", "age", "--time", "time"), 1, "must be 0 or 1"),
    "all events": (changed(event=[1] * N), FIT, 1, "Everybody has the event"),
    "an event column that is named for the others": (
        GOOD.replace("event", "censored", 1), ("--event", "censored", "--time", "time"), 1,
        "By its name.*--event-value",
    ),
    "no events": (changed(event=[0] * N), FIT, 1, "Nobody has the event"),
    "text in time": (cells("late"), FIT, 1, "row 7 holds 'late'"),
    "formula in time": (cells("=1+1"), FIT, 1, "row 7 holds '=1\\+1'"),
    "script in time": (cells("<script>"), FIT, 1, "row 7 holds '<script>'"),
    "negative time": (cells(-2), FIT, 1, "is not above zero for 1 of 120 people .first: row 7, -2"),
    "time zero": (cells(0), FIT, 1, "is not above zero"),
    "infinite time": (cells("inf"), FIT, 1, "row 7 holds 'inf'"),
    "time with gaps": (cells(""), FIT, 1, "'time' has empty cells"),
    "time empty": (changed(time=["NA"] * N), FIT, 1, "'time' is empty"),
    "dates for durations": (changed(time=DATES), FIT, 1, "holds dates.*--entry.*--endpoint"),
    "dates for follow-up": (
        changed(follow_up=DATES), ("--event", "event", "--follow-up", "follow_up"), 1, "holds dates.*--entry",
    ),
    "ambiguous dates": (
        changed(entry=["3/4/2019"] * N), (*FIT, "--entry", "entry", "--endpoint", "2020-12-31"), 1, "be told apart",
    ),
    "impossible date": (
        changed(entry=["2019-02-30", *DATES[1:]]), (*FIT, "--entry", "entry", "--endpoint", "2020-12-31"), 1,
        "date that does not exist",
    ),
    "entry after the endpoint": (
        changed(entry=DATES), (*FIT, "--entry", "entry", "--endpoint", "2019-02-01"), 1, "enter at or after the",
    ),
    "entry is text": (changed(), (*FIT, "--entry", "stage", "--endpoint", "2020-12-31"), 1, "dates of entry"),
    "endpoint is no date": (
        changed(entry=DATES), (*FIT, "--entry", "entry", "--endpoint", "3.4.2020"), 2, "--endpoint must be a date",
    ),
    "event after the endpoint": (
        changed(entry=["2019-01-01"] * N, time=[*DATES[:-1], "2022-01-01"], event=[0, 1] * 60),
        ("--event", "event", "--entry", "entry", "--endpoint", "2020-12-31", "--time", "time"), 1,
        "event after the endpoint .first: row 120",
    ),
    "event without a date": (
        changed(entry=["2018-01-01"] * N, time=["", *DATES[1:]], event=[1, 0] * 60),
        ("--event", "event", "--entry", "entry", "--endpoint", "2020-12-31", "--time", "time"), 1, "has empty cells: 1",
    ),
    "event later than the follow-up": (
        changed(follow_up=[0.0001] * N), ("--event", "event", "--time", "time", "--follow-up", "follow_up"), 1,
        "the event after the end of the follow-up in column 'follow_up' .first: row [0-9]+, event at",
    ),
    "dates in one word": (
        changed(time=["20190412"] * N), ("--event", "event", "--time", "time"), 1,
        "holds dates as numbers, such as 20190412, and no lengths of time. Write dates as 2020-12-31",
    ),
    "an endpoint of another era": (
        changed(entry=["2018-01-01"] * N), ("--event", "event", "--entry", "entry", "--endpoint", "2563-12-31"), 2,
        "--endpoint is in a year before 1700 or after 2199, got '2563-12-31'. From a year of the Buddhist era take 543",
    ),
    "a dropped event": (
        changed(), ("--event", "event", "--time", "time", "--drop", "event"), 2,
        "--drop has 'event', which was given as the event or a time: it cannot be left out",
    ),
    "a dropped time": (
        changed(), ("--event", "event", "--time", "time", "--drop", "time"), 2, "--drop has 'time', which was given",
    ),
    "short years": (
        changed(entry=["01/02/18"] * N), ("--event", "event", "--entry", "entry", "--time", "time"), 1,
        "dates of entry, as 2020-12-31; row 1 holds '01/02/18'",
    ),
    "a date for no event": (
        changed(entry=["2018-01-01"] * N, event=["1900-01-01"] * 90 + ["2019-05-06"] * 30),
        ("--event-date", "event", "--endpoint", "2020-12-31", "--entry", "entry"), 1,
        "'1900-01-01' for 90 of 120 people",
    ),
    "last visits after all events": (
        changed(left=[99.0] * N), (*FIT, "--time-lower", "left"), 1,
        "none of them have the event: in the others .*'left'",
    ),
    "a value of two meanings": (
        changed(event=["a", "b", "c"] * 40), (*FIT, "--event-value", "a,b", "--competing", "b"), 2,
        "'b' .* cannot mean both",
    ),
    "a share in percent": (GOOD, (*FIT, "--method", "AFTMC-F", "--prevalence", "30"), 2, "A share of 30 % is 0.3"),
    "follow-up that ends at the event": (
        changed(follow_up=make_cohort()["time"]), ("--event", "event", "--time", "time", "--follow-up", "follow_up"), 1,
        "follow_up seems to end at the event",
    ),
    "nothing but NaN": (
        changed(age=["NaN"] * N, stage=[""] * N, patient=["NA"] * N), FIT, 1, "No column is left that could be",
    ),
    "a feature of NaN": (changed(age=["NaN"] * N), (*FIT, "--features", "age"), 1, "'age' is empty"),
    "a constant feature": (changed(age=[3] * N), (*FIT, "--features", "age"), 1, "'age' is always the same .'3'"),
    "a feature of dates": (changed(age=DATES), (*FIT, "--features", "age"), 1, "'age' holds dates"),
    "a word among numbers": (cells("old", column="age"), FIT, 1, "'age' holds numbers except for a few cells .row 7"),
    "thousands or decimals": (
        changed(age=[f'"{1 + i % 9},{100 + i}"' for i in range(N)]), FIT, 1, "may be decimals or thousands",
    ),
    "a feature that is the event": (GOOD, (*FIT, "--features", "event"), 2, "'event' cannot be a feature"),
    "no features left": (GOOD, (*FIT, "--drop", "age,stage,patient"), 1, "No column is left"),
    "only ids left": (GOOD, (*FIT, "--drop", "age,stage", "--id", "patient"), 1, "No column is left"),
    "a query to a text file": (GOOD, (*FIT, "--query", "SELECT 1"), 1, "cannot be queried"),
    "nothing known": (GOOD, ("--event", "event"), 2, "--follow-up .*--time or --propensity-features"),
    "unknown method": (GOOD, (*FIT, "--method", "AFTM-F"), 2, "no method 'AFTM-F'.*Did you mean 'AFTMC-F'"),
    "method without its times": (GOOD, ("--event", "event", "--method", "FUMC-F"), 2, "--follow-up"),
    "method without event times": (GOOD, ("--event", "event", "--method", "AFT"), 2, "--time"),
    "R without features": (GOOD, (*FIT, "--method", "AFTMC-R"), 2, "needs --propensity-features"),
    "F with features": (
        GOOD, (*FIT, "--method", "AFTMC-F", "--propensity-features", "age"), 2, "no use for --propensity-features",
    ),
    "propensity feature that is no feature": (
        GOOD, (*FIT, "--features", "age", "--propensity-features", "stage"), 2, "which --features has not",
    ),
    "unknown penalty": (GOOD, (*FIT, "--method", "LR", "--penalty", "l2"), 2, "must be auto or none, got 'l2'"),
    "unknown penalty, as advised": ("no table at all", (*FIT, "--penalty", "l2"), 2, "must be auto or none, got 'l2'"),
    "unknown outcome feature": (
        GOOD, (*FIT, "--method", "AFTMC-F", "--outcome-features", "weight"), 2, "'weight', which is no feature",
    ),
    "no features to advise on": (GOOD, (*FIT, "--features", "none"), 2, "The advice is about features"),
    "unknown learner": (GOOD, (*FIT, "--learner", "deep"), 2, "linear, boosted, neural, auto, got 'deep'"),
    "one column for two roles": (GOOD, ("--event", "event", "--time", "event"), 2, "given as --event and as --time"),
    "endpoint without entry": (GOOD, (*FIT, "--endpoint", "2020-12-31"), 2, "--endpoint needs --entry"),
    "entry without endpoint": (GOOD, ("--event", "event", "--entry", "age"), 2, "--entry needs --endpoint"),
    "follow-up twice": (
        GOOD, ("--event", "event", "--follow-up", "follow_up", "--entry", "age", "--endpoint", "99"), 2, "not both",
    ),
    "unknown option": (GOOD, (*FIT, "--tme", "time"), 2, "No such option"),
    "negative seed": (GOOD, (*FIT, "--seed", "-1"), 2, "seed"),
}  # fmt: skip


def check_refusal(done, code, said, folder, files):
    """One sentence, the exit code, no traceback, and no file that was not there before."""
    assert done.code == code, (done.code, done.err, done.error)
    assert "Traceback" not in done.err
    assert done.out == ""
    assert done.err.startswith("whether: ")
    assert done.err.count("\n") == 1
    assert len(done.err) < 1000
    assert re.search(said, done.err), done.err
    assert sorted(file.name for file in folder.iterdir()) == files


@pytest.mark.parametrize("case", BAD_TABLES)
def test_a_bad_table_is_refused_by_fit_in_one_sentence(run, tmp_path, case):
    content, options, code, said = BAD_TABLES[case]
    path = tmp_path / "t.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    done = run("fit", path, *options, "-o", tmp_path / "m.whether")
    check_refusal(done, code, said, tmp_path, ["t.csv"])


def test_at_least_forty_bad_inputs_are_tried():
    assert len(BAD_TABLES) >= 40


BAD_NEW_TABLES = {
    "empty file": ("", (), 1, "is empty"),
    "binary file": (bytes(range(256)) * 20, (), 1, "is not a text file"),
    "missing column": (GOOD.replace("stage", "stgae", 1), (), 1, "lacks 1 of the 2 .*: 'stage'. Did you mean 'stgae'"),
    "missing columns": ("a,b\n1,2\n", (), 1, "lacks 2 of the 2 columns that the model needs: 'age', 'stage'"),
    "text for numbers": (cells("old", column="age"), (), 1, "'age' should hold numbers, but row 7 holds 'old'"),
    "dates for numbers": (changed(age=DATES), (), 1, "'age' should hold numbers"),
    "infinite numbers": (cells("inf", column="age"), (), 1, "'age' should hold numbers, but row 7 holds 'inf'"),
    "strange categories": (changed(stage=["1", "2"] * 60), (), 1, "No value of column 'stage' was seen in training"),
    "ragged rows": (GOOD.replace("P0007,", "P0007,x,"), (), 1, "row 8 below the header"),
    "unknown id": (GOOD, ("--id", "number"), 1, "no column 'number'"),
    "formula in an id": (cells("=1+1", column="patient"), (), 1, "would run as a formula .row 7"),
    "an id called risk": (GOOD.replace("patient", "risk", 1), ("--id", "risk"), 2, "'risk' has the same name"),
    "level above one": (GOOD, ("--level", "95"), 2, "--level must lie between 0 and 1"),
    "no rows": (GOOD.splitlines()[0] + "\n", (), 1, "no rows"),
}


def test_a_model_and_a_table_in_the_place_of_each_other_are_refused(run, tmp_path, model, table):
    done = run("predict", model, model, "-o", tmp_path / "r.csv")
    check_refusal(done, 1, "is a model file of whether, and a table is needed", tmp_path, ["cohort.csv"])
    done = run("predict", table, model, "-o", tmp_path / "r.csv")
    check_refusal(done, 1, "takes the model first, then the table", tmp_path, ["cohort.csv"])


@pytest.mark.parametrize("case", BAD_NEW_TABLES)
def test_a_bad_table_is_refused_by_predict_in_one_sentence(run, tmp_path, model, case):
    content, options, code, said = BAD_NEW_TABLES[case]
    path = tmp_path / "t.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    done = run("predict", model, path, *options, "-o", tmp_path / "r.csv")
    check_refusal(done, code, said, tmp_path, ["t.csv"])


def commands(model, table, output):
    """All commands that write, with an output of their own kind."""
    return {
        "fit": ("fit", table, *FIT, "-o", output / "m.whether"),
        "predict": ("predict", model, table, "-o", output / "r.csv"),
        "simulate": ("simulate", "baseline", "--n", 50, "-o", output / "c.csv"),
    }


@pytest.mark.parametrize("command", ["fit", "predict"])
def test_a_missing_table_is_refused(run, tmp_path, model, command):
    done = run(*commands(model, tmp_path / "none.csv", tmp_path)[command])
    check_refusal(done, 1, "There is no file", tmp_path, [])


@pytest.mark.parametrize("command", ["fit", "predict"])
def test_a_folder_for_a_table_is_refused(run, tmp_path, model, command):
    (tmp_path / "folder").mkdir()
    done = run(*commands(model, tmp_path / "folder", tmp_path)[command])
    check_refusal(done, 1, "is a folder", tmp_path, ["folder"])


@pytest.mark.parametrize("command", ["fit", "predict", "simulate"])
def test_a_missing_folder_for_the_result_is_refused_before_any_work(run, tmp_path, model, table, command):
    done = run(*commands(model, table, tmp_path / "none")[command])
    check_refusal(done, 2, "There is no folder", tmp_path, ["cohort.csv"])


@pytest.mark.parametrize("command", ["fit", "predict", "simulate"])
def test_an_unwritable_folder_is_refused_before_any_work(run, tmp_path, model, table, command, monkeypatch):
    # Root may write anywhere, so the folder is only said to be unwritable.
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    done = run(*commands(model, table, tmp_path)[command])
    check_refusal(done, 2, "is not writable", tmp_path, ["cohort.csv"])


@pytest.mark.parametrize("command", ["fit", "predict", "simulate"])
@pytest.mark.parametrize(
    ("where", "error", "code", "said"),
    [
        ("fsync", OSError(errno.ENOSPC, "No space left on device"), 1, "No space left on device"),
        ("replace", PermissionError(errno.EACCES, "Permission denied", "m"), 1, "'m': Permission denied"),
        ("fsync", KeyboardInterrupt(), 130, "Stopped. Nothing was written"),
        ("fsync", MemoryError(), 1, "not enough memory"),
        ("fsync", RuntimeError("surprise"), 70, "report this line: .* RuntimeError: surprise .files/whole_files.py"),
        ("fsync", ValueError("not the table's fault"), 70, "bug in whether 0.*ValueError: not the table"),
    ],
)
def test_a_write_that_fails_leaves_nothing(run, tmp_path, model, table, monkeypatch, command, where, error, code, said):
    def fail(*_):
        raise error

    monkeypatch.setattr(os, where, fail)
    done = run(*commands(model, table, tmp_path)[command])
    check_refusal(done, code, said, tmp_path, ["cohort.csv"])


@pytest.mark.parametrize("command", ["fit", "predict", "simulate"])
def test_a_folder_in_the_place_of_the_result_is_refused(run, tmp_path, model, table, command):
    arguments = commands(model, table, tmp_path)[command]
    arguments[-1].mkdir()
    done = run(*arguments)
    check_refusal(done, 2, "is a folder", tmp_path, sorted(["cohort.csv", arguments[-1].name]))


@pytest.mark.parametrize("command", ["predict", "simulate"])
def test_an_unknown_ending_of_the_result_is_refused_before_any_work(run, tmp_path, model, table, command):
    arguments = list(commands(model, table, tmp_path)[command])
    arguments[-1] = tmp_path / "r.xlsx"
    check_refusal(run(*arguments), 2, "must end in .csv, .parquet or .feather", tmp_path, ["cohort.csv"])


def test_a_table_is_never_overwritten_by_its_own_result(run, tmp_path, model, table):
    before = table.read_bytes()
    done = run("predict", model, table, "-o", table)
    check_refusal(done, 2, "would overwrite", tmp_path, ["cohort.csv"])
    assert table.read_bytes() == before


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04" + bytes(99), b"event,time\n1,2\n", None])
def test_a_bad_model_file_is_refused(run, tmp_path, table, content):
    if content is not None:
        (tmp_path / "m.whether").write_bytes(content)
    done = run("predict", tmp_path / "m.whether", table, "-o", tmp_path / "r.csv")
    said = "There is no file" if content is None else "not a model file|damaged"
    check_refusal(done, 1, said, tmp_path, ["cohort.csv"] + ["m.whether"] * (content is not None))


def test_a_model_that_was_not_made_from_a_table_is_refused(run, tmp_path, table):
    import whether as wh
    from whether.files.model import save_model

    cohort = wh.simulate("baseline", n=100, seed=0)
    save_model(wh.LabelClassifier().fit(cohort.X, cohort.y), tmp_path / "m.whether")
    done = run("predict", tmp_path / "m.whether", table, "-o", tmp_path / "r.csv")
    check_refusal(done, 1, "was not made from a table", tmp_path, ["cohort.csv", "m.whether"])


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("baselin",), 2, "No world is called 'baselin'; did you mean 'baseline'"),
        (("baseline", "--n", "1"), 2, "n must be at least 2"),
        (("baseline", "--n", "many"), 2, "--n"),
        (("baseline", "--seed", "-1"), 2, "--seed"),
    ],
)
def test_a_bad_simulation_is_refused(run, tmp_path, arguments, code, said):
    done = run("simulate", *arguments, "-o", tmp_path / "c.csv")
    check_refusal(done, code, said, tmp_path, [])


def test_a_name_that_a_terminal_would_obey_is_shown_harmless(run, tmp_path):
    (tmp_path / "t.csv").write_text("\x1b[31mred\x07,b\n1,2\n")
    done = run("fit", tmp_path / "t.csv", "--event", "event", "--time", "b", "-o", tmp_path / "m")
    assert done.code == 1
    assert "\x1b" not in done.err
    assert "\x07" not in done.err


# ---------------------------------------------------------------- through a process of its own

PROGRAM = [sys.executable, "-m", "whether"]


def test_a_process_says_one_sentence_and_ends_with_the_code(tmp_path):
    done = subprocess.run(
        [*PROGRAM, "fit", tmp_path / "none.csv", "--event", "e", "--time", "t", "-o", tmp_path / "m"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr == f"whether: There is no file '{tmp_path / 'none.csv'}'.\n"
    assert done.stdout == ""


def test_a_disk_that_is_full_halfway_leaves_nothing(tmp_path):
    limited = (
        "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))\n"
        "from whether.cli import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", limited, "simulate", "baseline", "--n", "5000", "-o", tmp_path / "c.csv"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "File too large" in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_process_that_is_stopped_while_it_writes_leaves_nothing(tmp_path, number):
    slow = (
        "import time, pyarrow.csv\n"
        "def wait(table, path):\n"
        "    open(path, 'w').write('half')\n"
        "    print('writing', flush=True)\n"
        "    time.sleep(60)\n"
        "pyarrow.csv.write_csv = wait\n"
        "from whether.cli import main; main()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", slow, "simulate", "baseline", "-o", tmp_path / "c.csv"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout.readline() == "writing\n"
    time.sleep(0.05)
    process.send_signal(number)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert err == "whether: Stopped. Nothing was written.\n"
    assert list(tmp_path.iterdir()) == []
