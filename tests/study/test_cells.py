"""A cell is a pure function: data, fit, scores."""

import os
from dataclasses import replace

import numpy as np
import pytest

from whether.evaluate import evaluate_risks
from whether.simulation import simulate, simulate_autism
from whether.simulation.autism_children import EARLY_END
from whether.study.cell import execute, one_thread, run_cell
from whether.study.lineup import Entry
from whether.study.plan import STUDIES, Cell, Options
from whether.study.samples import draw_sample
from whether.study.store import SCORES


def test_the_same_cell_has_the_same_scores_and_another_replicate_has_others(make_cell):
    cell = make_cell("FUMC-F")
    first = run_cell(cell)
    draw_sample.cache_clear()
    again = run_cell(cell)
    assert first.scores == again.scores
    for result in (first, again):
        assert result.details["scores"].pop("fit")["seconds"] > 0  # a clock
    assert first.details == again.details
    assert run_cell(replace(cell, seed=1)).scores != first.scores


def test_scores_are_those_of_a_fit_by_hand(make_cell):
    found = run_cell(make_cell("oracle"))
    cohort, fresh = simulate("baseline", n=240, seed=0), simulate("baseline", n=400, seed=10_000)
    model = Entry("oracle").build(None, 0).fit(cohort.X, cohort.positive)
    expected = evaluate_risks(fresh.positive, model.predict_proba(fresh.X)[:, 1])
    assert {name: found.scores[name] for name in expected} == expected
    assert set(found.scores) == set(SCORES)
    assert found.details["counts"]["people"] == 240
    assert found.parameters["learner"] == "'linear'"


def test_named_features_reach_the_method_that_needs_them(make_cell):
    parameters = run_cell(make_cell("SARPU-R")).parameters
    assert parameters["propensity_features"] == "[2, 3]"


def test_an_error_comes_back_as_an_outcome_with_its_traceback(failing):
    outcome = execute(failing)
    assert outcome.failed
    assert outcome.error.startswith("ArgumentError: ridge must be")
    assert "Traceback" in outcome.traceback
    assert not outcome.scores


def test_one_thread_is_a_matter_of_the_block_only(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "5")
    monkeypatch.delenv("MKL_NUM_THREADS", raising=False)
    with one_thread():
        assert os.environ["OMP_NUM_THREADS"] == os.environ["MKL_NUM_THREADS"] == "1"
    assert os.environ["OMP_NUM_THREADS"] == "5"
    assert "MKL_NUM_THREADS" not in os.environ


def test_autism_cells_learn_what_was_known_at_the_early_endpoint():
    sample = draw_sample("autism", "autism-split", 3, Options(n=3000))
    cohort = simulate_autism(n=3000, seed=3)
    rows = (cohort.split == "train") & cohort.is_seen_after_24_months(EARLY_END)
    y, time, follow_up = (values[rows] for values in cohort.observe(EARLY_END))
    np.testing.assert_array_equal(sample.y, y)
    np.testing.assert_allclose(sample.time, time)
    np.testing.assert_allclose(sample.follow_up, follow_up)
    assert [target.name for target in sample.targets] == ["evaluable", "truth"]
    np.testing.assert_array_equal(sample.targets[1].positive, cohort.positive[cohort.split == "test"])


def test_autism_cells_can_keep_children_not_yet_seen():
    usual, all_rows = (
        draw_sample("autism", "autism-split", 3, Options(n=3000, all_rows=keep)) for keep in (False, True)
    )
    assert all_rows.y.size == 1800
    assert usual.y.size < 1300
    assert all_rows.time.min() > 0
    np.testing.assert_array_equal(usual.targets[1].X, all_rows.targets[1].X)


@pytest.mark.usefixtures("shared_data")
@pytest.mark.parametrize(
    ("study", "world"),
    [("diabetes", "diabetes-baseline"), ("cohorts", "hodgkin-staggered"), ("cohorts", "rotterdam-calendar")],
)
def test_cells_over_real_tables_run(study, world):
    options = Options(n=600) if study == "diabetes" else Options()
    scores = run_cell(Cell(study, world, Entry("LR"), 0, options))
    assert 0.5 < scores.scores["auc"] < 1
    assert ("population" in scores.details["scores"]) == (study == "cohorts")


@pytest.mark.usefixtures("shared_data")
@pytest.mark.parametrize("world", STUDIES["cohorts"].worlds)
def test_every_real_cohort_can_be_put_back_in_time(world):
    sample = draw_sample("cohorts", world, 0, Options())
    assert np.isfinite(sample.X).all()
    assert 0 < sample.y.sum() < sample.y.size
    assert all(0 < target.positive.sum() < target.positive.size for target in sample.targets)


@pytest.mark.usefixtures("shared_data")
def test_intervals_of_one_woman_stay_together():
    from whether.simulation.real_tables import load_table
    from whether.study.real_cohorts import COHORT_WORLDS, split_cohort

    training = split_cohort(COHORT_WORLDS["fertility-staggered"], 0).training
    by_woman = load_table("fertility").assign(training=training).groupby("group")["training"]
    assert (by_woman.nunique() == 1).all()
    assert 0.6 < training.mean() < 0.8
