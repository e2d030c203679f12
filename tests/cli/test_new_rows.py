"""A person's risk depends on the person, and not on who else is in the table or how the file stores it."""

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from tests.cli.conftest import make_cohort, to_csv

BESIDE = ("--event", "event", "--time", "time", "--drop", "follow_up,age", "--id", "patient", "--method", "AFTMC-F")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("rows")


@pytest.fixture
def fitted(run, folder):
    """Function that fits a model to a column of the cohort's 120 people."""

    def fit(cells, *options, name="t.csv"):
        columns = {**make_cohort(), "stage": cells}
        (folder / name).write_text(to_csv(columns))
        done = run("fit", folder / name, *BESIDE, *options, "-o", folder / "m.whether")
        assert done.code == 0, done.err
        return folder / "m.whether", pd.DataFrame(columns)

    return fit


def risks(run, model, table):
    done = run("predict", model, table, "-o", table.with_name("risks.csv"), "--force")
    assert done.code == 0, done.err
    return pd.read_csv(table.with_name("risks.csv"))["risk"].to_numpy(), done.err


def test_text_is_read_as_text_where_only_numbers_are_left(run, fitted, folder):
    rng = np.random.default_rng(0)
    postal = rng.choice(["01067", "80331", "10115"], 120).tolist()
    model, frame = fitted(["abroad" if i % 5 == 0 else postal[i] for i in range(120)])
    frame.to_csv(folder / "all.csv", index=False)
    some = frame[frame["stage"] != "abroad"]
    some.to_csv(folder / "some.csv", index=False)
    everybody, _ = risks(run, model, folder / "all.csv")
    fewer, said = risks(run, model, folder / "some.csv")
    assert np.array_equal(fewer, everybody[some.index])
    assert "without a feature" not in said


def test_each_row_alone_has_the_risk_that_it_has_among_others(run, fitted, folder):
    codes = [str(2**53 + i % 3) for i in range(120)]
    model, frame = fitted(codes, "--categorical", "stage")
    frame.to_csv(folder / "all.csv", index=False)
    everybody, _ = risks(run, model, folder / "all.csv")
    assert np.unique(everybody).size == 3  # codes beyond 2^53 are told apart
    for row in range(3):
        frame.iloc[[row]].to_parquet(folder / "one.parquet")
        assert risks(run, model, folder / "one.parquet")[0] == everybody[row]


def test_gaps_and_empty_columns_are_said(run, fitted, folder):
    model, frame = fitted(make_cohort()["stage"])
    frame.assign(stage=["", *frame["stage"][1:]]).to_csv(folder / "gap.csv", index=False)
    assert "Column 'stage': fewer than 11 missing values count as" in risks(run, model, folder / "gap.csv")[1]
    frame.assign(stage="").to_csv(folder / "empty.csv", index=False)
    assert "Column 'stage' is empty in this table" in risks(run, model, folder / "empty.csv")[1]


@pytest.mark.parametrize("option", ["--features", "--drop", "--categorical", "--id", "--propensity-features"])
def test_a_list_without_a_name_is_an_error(run, tmp_path, table, option):
    for given in ("", " , "):
        done = run("fit", table, "--event", "event", "--time", "time", option, given, "-o", tmp_path / "m.whether")
        assert (done.code, f"{option} is empty" in done.err) == (2, True)


def test_names_of_columns_are_suggested_whatever_their_case(run, tmp_path, table):
    done = run("fit", table, "--event", "EVENT", "--time", "time", "-o", tmp_path / "m.whether")
    assert "Did you mean 'event'?" in done.err


def test_a_huge_cell_is_not_echoed(run, tmp_path, cohort):
    cohort["age"][5] = "x" * 6_000_000
    (tmp_path / "t.csv").write_text(to_csv(cohort))
    done = run("fit", tmp_path / "t.csv", "--event", "event", "--time", "time", "-o", tmp_path / "m.whether")
    assert done.code == 1
    assert len(done.err) < 5000


def test_nobody_reads_on_and_nothing_is_said(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-c", "from whether.cli import main; main()", "study", "list"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ,
    )  # fmt: skip
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 1
