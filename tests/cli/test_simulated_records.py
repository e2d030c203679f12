"""`whether simulate` writes what else is known of people, under the names that `fit` takes in Python."""

import numpy as np
import pandas as pd
import pytest

from whether import simulate
from whether.simulation import RECORD_WORLDS


@pytest.mark.parametrize("world", RECORD_WORLDS)
def test_records_are_columns_of_the_table(run, tmp_path, world):
    assert run("simulate", world, "--n", "60", "--seed", "1", "-o", tmp_path / "table.csv").code == 0
    drawn, table = simulate(world, n=60, seed=1), pd.read_csv(tmp_path / "table.csv")
    assert list(table) == [*drawn.feature_names, "event", "time", "follow_up", *drawn.records]
    for name, values in drawn.records.items():
        np.testing.assert_allclose(table[name].to_numpy(float), values.astype(float), rtol=1e-12)


def test_the_lower_end_of_people_without_an_event_is_an_empty_cell(run, tmp_path):
    run("simulate", "visits", "--n", "60", "-o", tmp_path / "table.csv")
    lines = (tmp_path / "table.csv").read_text().splitlines()[1:]
    assert {line.endswith(",") for line in lines} == {True, False}
    assert "nan" not in "".join(lines).lower()


def test_both_truths_are_written_where_they_are_asked_for(run, tmp_path):
    done = run("simulate", "late-entry-deaths", "--n", "60", "--truth", "-o", tmp_path / "table.parquet", "--json")
    assert done.json["columns"][-5:] == [
        "positive", "true_risk", "lifetime_positive", "true_lifetime_risk", "true_risk_at_entry"
    ]  # fmt: skip


def test_the_dead_are_not_said_to_have_the_event(run, tmp_path):
    done = run("simulate", "deaths", "--n", "500", "-o", tmp_path / "table.csv", "--json")
    assert done.json["positive"] == simulate("deaths", n=500).lifetime_positive.sum()
