import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from typer.testing import CliRunner

import whether as wh
from whether.cli import reporting
from whether.cli.app import app
from whether.estimators import refits


class Done:
    """What a run of the program left behind."""

    def __init__(self, result):
        self.code, self.out, self.err, self.error = result.exit_code, result.stdout, result.stderr, result.exception

    @property
    def json(self):
        return json.loads(self.out)


@pytest.fixture(autouse=True)
def few_refits(monkeypatch):
    """Three refits behind an interval: commands do with them what they do with twenty."""
    monkeypatch.setattr(refits, "N_REFITS", 3)


@pytest.fixture
def run():
    """Function that runs the program in this process."""

    def call(*arguments):
        return Done(CliRunner().invoke(app, [str(argument) for argument in arguments]))

    return call


def make_cohort(n=120, seed=0):
    """Columns of a small cohort with every kind of column."""
    rng = np.random.default_rng(seed)
    age, stage = np.round(rng.normal(60, 10, n), 1), rng.choice(["I", "II", "III"], n)
    positive = rng.random(n) < 1 / (1 + np.exp(-(age - 60) / 10 - (stage == "III")))
    event_time, follow_up = np.exp(rng.normal(0, 1, n)), np.exp(rng.normal(0.5, 1, n))
    seen = positive & (event_time <= follow_up)
    return {
        "patient": [f"P{i:04d}" for i in range(n)],
        "age": age.tolist(),
        "stage": stage.tolist(),
        "event": seen.astype(int).tolist(),
        "time": np.where(seen, event_time, follow_up).tolist(),
        "follow_up": follow_up.tolist(),
    }


def to_csv(columns, separator=","):
    """Text of a CSV file; cells are written as they are."""
    rows = [list(columns), *zip(*columns.values(), strict=True)]
    return "".join(separator.join(str(cell) for cell in row) + "\n" for row in rows)


@pytest.fixture
def cohort():
    return make_cohort()


@pytest.fixture
def table(tmp_path, cohort):
    """Path of a CSV file."""
    path = tmp_path / "cohort.csv"
    path.write_text(to_csv(cohort))
    return path


@pytest.fixture(scope="session")
def model(tmp_path_factory):
    """Path of a model file that was fitted to the table."""
    folder = tmp_path_factory.mktemp("model")
    (folder / "cohort.csv").write_text(to_csv(make_cohort()))
    arguments = ["fit", folder / "cohort.csv", "--event", "event", "--time", "time", "--drop", "follow_up", "--id"]
    arguments += ["patient", "-o", folder / "model.whether"]
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.stderr
    return folder / "model.whether"


@pytest.fixture
def parquet(tmp_path):
    """Function that writes columns as Parquet."""
    import pyarrow.parquet

    def write(columns, name="cohort.parquet"):
        pyarrow.parquet.write_table(pa.table(columns), tmp_path / name)
        return tmp_path / name

    return write


@pytest.fixture(scope="session")
def answer():
    """An analysis of the small cohort, for tests of what is written."""
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

    def analyze(people, **settings):
        calls.append({"people": people, **settings})
        return answer

    monkeypatch.setattr(reporting, "analyze", analyze)
    monkeypatch.setattr(reporting, "write_report", lambda _, path, **__: path.write_text("a report"))
    return calls
