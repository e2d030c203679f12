"""The file of results: nothing is lost, nothing is mixed up."""

import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace

import pytest

from whether.study.cell import execute
from whether.study.errors import RunError, StudyError
from whether.study.plan import Options
from whether.study.runner import run_cells
from whether.study.store import ResultStore, open_existing, sole_writer


@pytest.fixture
def path(tmp_path):
    return tmp_path / "results.sqlite"


def test_a_row_comes_back_as_it_was_stored(path, make_cell):
    outcome = execute(make_cell("FUMC-F"))
    with ResultStore(path) as results:
        results.add(outcome)
        (row,) = results.rows("simulation")
        assert results.rows("diabetes") == []
    assert (row.study, row.world, row.method, row.learner, row.seed) == outcome.cell.key
    assert {name: row.scores[name] for name in outcome.scores} == outcome.scores
    assert row.scores["fresh.auc"] == outcome.scores["auc"]
    assert row.details == outcome.details
    assert row.fit_seconds == outcome.fit_seconds


def test_stored_cells_are_not_run_again(path, make_cell):
    cells = [make_cell(seed=seed) for seed in range(3)]
    first = run_cells(cells[:2], path, jobs=1)
    second = run_cells(cells, path, jobs=1)
    assert (first.done, first.stored) == (2, 0)
    assert (second.done, second.stored) == (1, 2)


def test_a_failed_cell_is_recorded_and_stops_nobody(path, make_cell, failing):
    summary = run_cells([failing, make_cell()], path, jobs=1)
    assert (summary.done, summary.failed) == (1, 1)
    with open_existing(path) as results:
        rows = {row.status: row for row in results.rows()}
    assert "ridge must be" in rows["failed"].error
    assert "Traceback" in rows["failed"].traceback
    assert rows["done"].scores["auc"] > 0.5


def test_a_failed_cell_is_tried_again_only_if_asked(path, failing):
    run_cells([failing], path, jobs=1)
    assert run_cells([failing], path, jobs=1).stored == 1
    assert run_cells([failing], path, jobs=1, retry_failed=True).failed == 1
    with open_existing(path) as results:
        assert len(results.rows()) == 1


def test_cells_of_another_size_are_not_mixed_in(path, make_cell):
    run_cells([make_cell()], path, jobs=1)
    other = replace(make_cell(), options=Options(n=500, n_fresh=400))
    with pytest.raises(RunError, match=r"simulation/baseline/LR/linear with n=300, and this run has n=500.*--results"):
        run_cells([other], path, jobs=1)


def test_a_second_run_on_the_file_is_refused_while_the_first_is_alive(path, make_cell):
    with sole_writer(path), pytest.raises(RunError, match=r"Another run is writing to .*results\.sqlite"):
        run_cells([make_cell()], path, jobs=1)
    assert run_cells([make_cell()], path, jobs=1).done == 1


def test_a_table_can_be_read_while_a_run_goes_on(path, make_cell):
    run_cells([make_cell()], path, jobs=1)
    with sole_writer(path), ResultStore(path), open_existing(path) as reader:
        assert len(reader.rows()) == 1


def test_a_file_that_is_no_file_of_results_is_refused(path):
    path.write_text("method,auc\n" * 1000)
    with pytest.raises(RunError, match="cannot be used as a file of results"):
        open_existing(path)


def test_a_file_with_other_columns_is_refused(path):
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE cells (study TEXT, accuracy REAL)")
    connection.close()
    with pytest.raises(RunError, match=r"another version of the program .*column accuracy.*--results"):
        ResultStore(path)


def test_a_database_of_somebody_else_is_refused_and_left_as_it_was(path, make_cell):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE patients (name TEXT)")
    before = path.read_bytes()
    with pytest.raises(RunError, match=r"^\S+ is a database, but not a file of results of a study"):
        open_existing(path)
    with pytest.raises(RunError, match=r"^\S+ is a database, but not a file of results of a study"):
        run_cells([make_cell()], path, jobs=1)
    assert path.read_bytes() == before


def test_reading_changes_nothing(path, make_cell):
    with ResultStore(path) as store:
        store._connection.execute("PRAGMA journal_mode = DELETE")
    before = path.read_bytes()
    with open_existing(path) as results:
        assert results.rows() == []
        with pytest.raises(RunError, match="cannot be read or written: attempt to write a readonly database"):
            results.add(execute(make_cell()))
    assert path.read_bytes() == before


def test_a_damaged_file_and_a_full_disk_are_a_sentence(path, make_cell):
    run_cells([make_cell()], path, jobs=1)
    result = execute(replace(make_cell(), seed=7))
    with ResultStore(path) as store:
        store._connection.execute(f"PRAGMA max_page_count = {path.stat().st_size // 4096}")
        with pytest.raises(RunError, match="cannot be read or written: database or disk is full"):
            store.add(replace(result, traceback="x" * 1_000_000))
    content = bytearray(path.read_bytes())
    content[4096:] = bytes(len(content) - 4096)
    path.write_bytes(content)
    with pytest.raises(RunError, match="is damaged, or none"), open_existing(path) as results:
        results.rows()


@pytest.mark.parametrize("room", [0, 1_000, 5_000, 20_000])  # none, for no page, for no table and for no row
def test_a_disk_that_is_full_before_the_first_result_leaves_nothing(tmp_path, room):
    limited = (
        f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({room}, {room}))\n"
        "from whether.cli import main; main()"
    )
    words = ["run", "simulation", "--quick", "--jobs", "1", "--replicates", "1", "--methods", "FUMC-F"]
    done = subprocess.run(
        [sys.executable, "-c", limited, "study", *words, "--results", tmp_path / "r.sqlite"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert re.search(r"r\.sqlite cannot be (read or )?written: ", done.stderr.splitlines()[-1])
    assert list(tmp_path.iterdir()) == []


def test_a_run_leaves_its_results_and_nothing_else(path, make_cell):
    run_cells([make_cell()], path, jobs=1)
    with pytest.raises(RunError, match="and this run has n=500"):  # an error leaves what was there before
        run_cells([replace(make_cell(), options=Options(n=500, n_fresh=400))], path, jobs=1)
    assert list(path.parent.iterdir()) == [path]


def test_a_file_that_is_not_there_is_refused(path):
    with pytest.raises(RunError, match="no file of results"):
        open_existing(path)


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"jobs": 0}, StudyError, "jobs must be at least 1, got 0"),
        ({"backend": "slurm"}, StudyError, "No backend is called 'slurm'; there are local, dask, ray"),
        ({"address": "tcp://1.2.3.4:8786", "jobs": 1}, StudyError, "--backend dask or ray only"),
    ],
)
def test_a_run_that_cannot_be_is_refused(path, make_cell, changes, error, message):
    with pytest.raises(error, match=message):
        run_cells([make_cell()], path, **changes)


def test_a_folder_that_is_not_there_is_refused(tmp_path, make_cell):
    with pytest.raises(RunError, match="There is no folder"):
        run_cells([make_cell()], tmp_path / "nowhere" / "results.sqlite", jobs=1)
