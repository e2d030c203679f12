"""What `whether fit` says of the coefficients of a linear model."""

import numpy as np
import pytest

from tests.cli.conftest import make_cohort, to_csv
from whether.files.model import load_model

OPTIONS = ("--event", "event", "--time", "time", "--drop", "follow_up", "--id", "patient", "--method", "AFTMC-F")


def test_coefficients_are_those_of_the_model(run, table, tmp_path):
    done = run("fit", table, *OPTIONS, "-o", tmp_path / "m.whether", "--json")
    assert done.code == 0, done.err
    wanted = load_model(tmp_path / "m.whether").model.summary().coefficients
    told = done.json["coefficients"]
    assert [(row["part"], row["term"]) for row in told] == [(row.part, row.term) for row in wanted]
    np.testing.assert_allclose([row["estimate"] for row in told], [row.estimate for row in wanted])
    text = run("fit", table, *OPTIONS, "-o", tmp_path / "n.whether").out
    slope = next(row for row in wanted if (row.part, row.term) == ("outcome", "age"))
    assert f"odds ratio {slope.ratio:.3f}" in text
    assert "time ratio" in text


def test_a_feature_that_marks_a_few_is_left_out(run, tmp_path):
    (tmp_path / "t.csv").write_text(to_csv({**make_cohort(), "rare": [int(i % 20 == 3) for i in range(120)]}))
    done = run("fit", tmp_path / "t.csv", *OPTIONS, "-o", tmp_path / "m.whether", "--json")
    assert "rare" in done.json["features"]
    assert "rare" not in {row["term"] for row in done.json["coefficients"]}


def test_where_events_are_few_no_coefficient_gives_their_number_away(run, tmp_path):
    event = np.array(make_cohort()["event"])
    event[np.flatnonzero(event)[8:]] = 0
    (tmp_path / "t.csv").write_text(to_csv({**make_cohort(), "event": event.tolist()}))
    options = ("--event", "event", "--features", "none", "--method", "LR", "--id", "patient")
    done = run("fit", tmp_path / "t.csv", *options, "-o", tmp_path / "m.whether")
    assert done.code == 0, done.err
    assert "Coefficients are not shown" in done.out
    assert "intercept" not in done.out


@pytest.mark.parametrize("learner", ["boosted"])
def test_a_model_without_coefficients_has_none(run, table, tmp_path, learner):
    done = run("fit", table, *OPTIONS, "--learner", learner, "-o", tmp_path / "m.whether", "--json")
    assert done.code == 0, done.err
    assert done.json["coefficients"] is None
