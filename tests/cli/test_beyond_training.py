"""People unlike any whom a model learned from: said, with the column, and without anybody's value in the model file."""

import numpy as np
import pandas as pd
import pytest

from tests.cli.conftest import make_cohort, to_csv
from whether.coarsen import coarse_limits
from whether.facts import FEWEST


@pytest.mark.parametrize(("age", "beyond"), [(240, True), (-300, True), (0.06, False), (99, False)])
def test_somebody_far_from_all_others_is_said(run, model, tmp_path, age, beyond):
    columns = make_cohort()
    (tmp_path / "t.csv").write_text(to_csv({**columns, "age": [age, *columns["age"][1:]]}))
    done = run("predict", model, tmp_path / "t.csv", "-o", tmp_path / "r.csv", "--json")
    assert done.code == 0, done.err
    assert done.json["beyond_training"] == ["age"] * beyond
    notes = [note for note in done.json["notes"] if "unlike" in note["text"]]
    assert len(notes) == beyond
    assert all(note["warning"] and "'age': fewer than 11 people" in note["text"] for note in notes)


def test_nobody_who_was_learned_from_is_unlike_them(run, tmp_path):
    columns = make_cohort()
    skewed = np.exp(3 * np.random.default_rng(0).normal(size=120))
    (tmp_path / "t.csv").write_text(to_csv({**columns, "marker": skewed.tolist()}))
    options = ("--event", "event", "--time", "time", "--drop", "follow_up", "--method", "AFTMC-F", "--id", "patient")
    assert run("fit", tmp_path / "t.csv", *options, "-o", tmp_path / "m").code == 0
    done = run("predict", tmp_path / "m", tmp_path / "t.csv", "-o", tmp_path / "r.csv", "--json")
    assert done.json["beyond_training"] == []


def test_limits_hold_everybody_and_nobody_s_value(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    for values in (
        rng.normal(60, 10, 200),
        np.exp(3 * rng.normal(size=300)),
        rng.standard_cauchy(100),
        rng.uniform(size=25),
    ):
        lowest, highest = coarse_limits(values)
        assert lowest <= values.min() < values.max() <= highest
        assert not np.isin([lowest, highest], values).any()
        # The most extreme people could be others: the limits stay as they are.
        moved = np.sort(values)
        moved[0], moved[-1] = np.nextafter(moved[[0, -1]], [moved[1], moved[-2]])
        assert coarse_limits(moved) == pytest.approx((lowest, highest))


@pytest.mark.parametrize(
    "values", [np.zeros(100), np.arange(2.0 * FEWEST - 1), np.repeat([0.0, 1.0], [100, FEWEST - 1])]
)
def test_few_people_have_no_limits(values):
    assert np.isnan(coarse_limits(values)).all()


def test_a_unit_does_not_matter():
    values = pd.Series(np.linspace(20, 90, 200))
    lowest, highest = coarse_limits(values.to_numpy())
    assert coarse_limits(1000 * values.to_numpy()) == pytest.approx((1000 * lowest, 1000 * highest))
