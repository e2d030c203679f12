"""The folder that `whether analyze` writes: whole or not at all."""

import errno
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.test_bad_inputs import check_refusal
from whether.cli import reporting

FILES = ["model.whether", "predictions.csv", "report.html", "summary.json"]
COLUMNS = ("--event", "event", "--time", "time", "--follow-up", "follow_up", "--id", "patient")


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
    (reporting, "read_people"),
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
