"""``whether study`` from the outside."""

import pytest
from typer.testing import CliRunner

from whether.cli.app import app
from whether.simulation.real_tables import DATA_VARIABLE
from whether.study.plan import STUDIES

SMOKE = (
    "run", "simulation", "--quick", "--replicates", "1", "--worlds", "baseline",
    "--methods", "oracle/linear,LR,SARPU-R/linear",
    "--jobs", "1",
)  # fmt: skip


@pytest.fixture
def study(tmp_path, monkeypatch):
    """Run a subcommand in this process, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: CliRunner().invoke(app, ["study", *arguments])


def test_list_names_every_study_with_its_worlds_and_methods(study):
    out = study("list").stdout
    for name, record in STUDIES.items():
        assert f"{name}: {record.title}" in out
        assert all(world in out for world in record.worlds)


def test_run_table_status_and_figures_follow_each_other(study, tmp_path):
    assert study(*SMOKE).exit_code == 0
    table = study("table", "simulation", "--quick", "--format", "markdown")
    assert table.exit_code == 0
    assert "| Baseline | ours |" in table.stdout
    assert study("table", "simulation", "--quick", "--output", "table.txt").exit_code == 0
    assert "Baseline" in (tmp_path / "table.txt").read_text()
    assert "simulation: 3 cells of 1 replicates, 0 failed" in study("status", "--quick").stdout
    assert study("figures", "--quick").exit_code == 0
    assert (tmp_path / "figures" / "restrictions-page.png").stat().st_size > 10_000


def test_a_failed_cell_makes_the_run_fail_and_status_says_why(study, monkeypatch):
    monkeypatch.setattr("whether.study.cell.evaluate_risks", lambda *arrays, **weights: 1 / 0)
    run = study(*SMOKE)
    assert run.exit_code == 1
    assert "0 cells done, 3 failed" in run.stderr
    assert "ZeroDivisionError" in study("status", "--quick").stdout


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (("run", "simulaton"), 2, "No study is called 'simulaton'; did you mean simulation?"),
        (("run", "simulation", "--worlds", "basline"), 2, "no world 'basline'; did you mean baseline?"),
        (("run", "simulation", "--methods", "LRX"), 2, "no method 'LRX'"),
        (("run", "simulation", "--jobs", "0"), 2, "number of jobs must be at least 1, got 0"),
        (("run", "simulation", "--backend", "slurm"), 2, "No backend is called 'slurm'"),
        (("run", "simulation", "--results", "nowhere/results.sqlite"), 1, "There is no folder"),
        (("run", "diabetes", "--data", "nowhere"), 1, f"set {DATA_VARIABLE} to the folder that has them."),
        (("table", "simulation"), 1, "There is no file of results at study.sqlite"),
        (("table", "simulation", "--format", "html"), 2, "No format is called 'html'"),
        (("status",), 1, "There is no file of results"),
        (("figures",), 1, "There is no file of results"),
    ],
)
def test_an_error_is_one_sentence_on_stderr(study, arguments, code, sentence):
    result = study(*arguments)
    assert result.exit_code == code
    assert result.stdout == ""
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1
    assert ".." not in result.stderr.replace("...", "")
