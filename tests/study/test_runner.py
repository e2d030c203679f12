"""Runs that are killed, repeated, or spread over workers end in the same table."""

import contextlib
import os
import signal
import sqlite3
import sys
import time

import pytest
from typer.testing import CliRunner

from whether.cli.app import app
from whether.study.cell import execute
from whether.study.errors import RunError
from whether.study.runner import run_cells
from whether.study.store import open_existing

CELLS = (
    "simulation", "--quick", "--replicates", "3", "--worlds", "baseline",
    "--methods", "oracle/linear,LR/linear,SARPU-R/linear,FUMC-F/linear,AFTMC-F/linear",
)  # fmt: skip
N_CELLS = 15


def count_rows(path):
    try:
        with contextlib.closing(sqlite3.connect(path, timeout=5)) as connection:
            return connection.execute("SELECT count(*) FROM cells").fetchone()[0]
    except sqlite3.OperationalError:  # not made yet
        return 0


@pytest.fixture
def study(tmp_path, monkeypatch):
    """Run ``whether study`` in this process, in the folder of the test."""
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: CliRunner().invoke(app, ["study", *arguments])


def test_a_run_that_is_killed_goes_on_and_ends_in_the_same_table(study_program, study, tmp_path):
    process = study_program("run", *CELLS, "--jobs", "2", "--results", "killed.sqlite")
    deadline = time.monotonic() + 90
    while count_rows(tmp_path / "killed.sqlite") < 3 and time.monotonic() < deadline:
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=30)  # the workers share its output, so this waits until they are gone too
    stored = count_rows(tmp_path / "killed.sqlite")
    assert 3 <= stored < N_CELLS

    resumed = study("run", *CELLS, "--jobs", "1", "--results", "killed.sqlite")
    assert f"{N_CELLS - stored} cells done, 0 failed, {stored} stored before" in resumed.stderr
    assert study("run", *CELLS, "--jobs", "1", "--results", "whole.sqlite").exit_code == 0
    for form in ("text", "csv"):
        killed, whole = (
            study("table", "simulation", "--results", f"{name}.sqlite", "--format", form)
            for name in ("killed", "whole")
        )
        assert killed.stdout == whole.stdout
        assert "Baseline" in whole.stdout


def without_clock(row):
    """What a cell came to, apart from the processor's time."""
    scores = {name: value for name, value in row.scores.items() if name != "fit.seconds"}
    assert row.details["scores"].pop("fit")["seconds"] > 0
    return scores, row.details


@pytest.mark.parametrize(("backend", "package"), [("dask", "distributed"), ("ray", "ray")])
def test_two_workers_of_a_cluster_end_in_the_same_table(make_cell, tmp_path, backend, package):
    pytest.importorskip(package)
    cells = [make_cell(method, seed=seed) for method in ("LR", "SARPU-R", "FUMC-F") for seed in range(2)]
    here, there = tmp_path / "here.sqlite", tmp_path / "there.sqlite"
    run_cells(cells, here, jobs=1)
    assert run_cells(cells, there, jobs=2, backend=backend).done == len(cells)
    with open_existing(here) as first, open_existing(there) as second:
        assert [without_clock(row) for row in first.rows()] == [without_clock(row) for row in second.rows()]


def test_a_dask_scheduler_that_does_not_answer_is_one_sentence(make_cell, tmp_path, monkeypatch):
    distributed = pytest.importorskip("distributed")

    def refuse(*arguments, **settings):
        raise OSError("timed out")

    monkeypatch.setattr(distributed, "Client", refuse)
    with pytest.raises(RunError, match=r"No Dask scheduler answers at tcp://nowhere:1: timed out\."):
        run_cells([make_cell()], tmp_path / "results.sqlite", backend="dask", address="tcp://nowhere:1")


@pytest.mark.parametrize("package", ["ray", "distributed"])
def test_a_backend_that_is_not_installed_names_its_extra(make_cell, tmp_path, monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    backend = {"distributed": "dask"}.get(package, package)
    with pytest.raises(RunError, match=rf"pip install 'whether\[{backend}\]'"):
        run_cells([make_cell()], tmp_path / "results.sqlite", backend=backend)


def test_processes_and_this_process_agree(make_cell, tmp_path):
    cells = [make_cell(method, seed=seed) for method in ("LR", "AFTMC-F") for seed in range(2)]
    run_cells(cells, tmp_path / "results.sqlite", jobs=2)
    with open_existing(tmp_path / "results.sqlite") as results:
        stored = {(row.method, row.seed): row.scores["auc"] for row in results.rows()}
    for cell in cells:
        assert execute(cell).scores["auc"] == stored[cell.entry.name, cell.seed]


def test_progress_goes_to_stderr_in_plain_lines(make_cell, failing, tmp_path, capsys):
    run_cells([make_cell(), failing], tmp_path / "results.sqlite", jobs=1)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "2 cells, 0 of them stored already" in captured.err
    assert "failed: ArgumentError: ridge must be" in captured.err
    assert "2 of 2 cells, 1 failed" in captured.err
