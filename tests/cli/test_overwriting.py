"""What `-o` may write to: regular files, through links, and nothing of somebody else's."""

import os
import subprocess
import sys

import pytest

from tests.cli.test_folder import COLUMNS, FILES, contents
from whether.cli import reporting
from whether.files.whole_files import atomic_path, clear_remains

FIT = ("--event", "event", "--time", "time", "--drop", "follow_up", "--id", "patient", "--method", "AFTMC-F")


@pytest.fixture
def pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    return tmp_path / "pipe"


def test_a_pipe_and_a_device_are_refused_and_stay_what_they_are(run, tmp_path, table, model, pipe):
    for place in (pipe, "/dev/null"):
        for line in (("fit", table, *FIT), ("recommend", table, "--event", "event"), ("predict", model, table)):
            done = run(*line, "-o", place)
            assert done.code == 2
            assert "not a regular file; -o takes the name of a file" in done.err
    assert not pipe.is_file()
    with pytest.raises(ValueError, match="not a regular file"), atomic_path(pipe):
        pass


def test_a_link_is_followed(run, tmp_path, table, model):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "risks.csv").symlink_to(tmp_path / "elsewhere" / "risks.csv")
    for _ in range(2):  # made, then replaced
        assert run("predict", model, table, "-o", tmp_path / "risks.csv").code == 0
    assert (tmp_path / "risks.csv").is_symlink()
    assert [file.name for file in (tmp_path / "elsewhere").iterdir()] == ["risks.csv"]


@pytest.mark.parametrize("name", ["thesis.csv", "thesis.parquet"])
def test_files_that_are_not_ours_are_replaced_only_by_force(run, tmp_path, table, model, name):
    mine = tmp_path / name
    mine.write_text("chapter,risk\n1,high\n")
    done = run("predict", model, table, "-o", mine)
    assert done.code == 2
    assert "does not look like a file that whether wrote" in done.err
    assert mine.read_text() == "chapter,risk\n1,high\n"
    assert run("predict", model, table, "-o", mine, "--force").code == 0
    assert run("predict", model, table, "-o", mine).code == 0  # it is ours now


@pytest.mark.parametrize("name", ["a.json", "a.png", "a.svg", "a.pdf"])
def test_our_own_answers_are_replaced(run, tmp_path, name):
    line = ("simulate", "baseline", "--n", 60, "-o", tmp_path / "t.csv")
    assert run(*line).code == 0
    assert "--force" in run(*line).err  # it might be anybody's table
    assert run(*line, "--force").code == 0
    line = ("sensitivity", tmp_path / "t.csv", "--event", "event", "--follow-up", "follow_up", "--drop", "time", "-o")
    for _ in range(2):
        done = run(*line, tmp_path / name)
        assert done.code == 0, done.err


def test_files_put_into_the_folder_while_it_is_made_stay_there(run, tmp_path, table, quick, monkeypatch):
    assert run("analyze", table, *COLUMNS, "-o", tmp_path / "r").code == 0
    write = reporting.write_report

    def put(*given, **settings):
        (tmp_path / "r" / "notes.txt").write_text("mine")
        return write(*given, **settings)

    monkeypatch.setattr(reporting, "write_report", put)
    assert run("analyze", table, *COLUMNS, "-o", tmp_path / "r").code == 0
    assert (tmp_path / "r" / "notes.txt").read_text() == "mine"
    assert sorted(contents(tmp_path / "r")) == sorted([*FILES, "notes.txt"])
    assert sorted(file.name for file in tmp_path.iterdir()) == ["cohort.csv", "r"]


def test_a_folder_that_somebody_made_meanwhile_is_left_alone(run, tmp_path, table, quick, monkeypatch):
    def put(answer, path, **_):
        (tmp_path / "r").mkdir()
        (tmp_path / "r" / "report.html").write_text("mine")
        path.write_text("ours")

    monkeypatch.setattr(reporting, "write_report", put)
    done = run("analyze", table, *COLUMNS, "-o", tmp_path / "r")
    assert (done.code, "was not written by an analysis" in done.err) == (2, True)
    assert (tmp_path / "r" / "report.html").read_text() == "mine"


def test_what_a_killed_run_left_is_removed_and_what_a_running_one_writes_is_not(run, tmp_path, table, quick):
    slow = (
        "import sys, time\n"
        "from pathlib import Path\n"
        "from whether.files.whole_files import whole_folder\n"
        "with whole_folder(Path(sys.argv[1]), (), '') as folder:\n"
        "    (folder / 'predictions.csv').write_text('risk')\n"
        "    print(folder.name, flush=True)\n"
        "    time.sleep(60)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", slow, tmp_path / "r"], stdout=subprocess.PIPE, text=True)
    name = process.stdout.readline().strip()
    assert clear_remains(tmp_path / "r") == []
    process.kill()
    process.communicate()
    assert (tmp_path / name).is_dir()
    done = run("analyze", table, *COLUMNS, "-o", tmp_path / "r")
    assert f"An earlier run was killed while it wrote {tmp_path / 'r'}: its {name!r} was removed." in done.err
    assert not (tmp_path / name).exists()


def test_a_folder_on_its_way_out_gets_its_name_back(tmp_path):
    (tmp_path / ".r.0123456789ab.old").mkdir()
    (tmp_path / ".r.0123456789ab.old" / "summary.json").write_text("{}")
    assert clear_remains(tmp_path / "r", FILES) == []
    assert (tmp_path / "r" / "summary.json").exists()
