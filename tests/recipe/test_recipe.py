"""CONTRIBUTING's recipe for a restriction, carried out: fitted, saved, opened, told, and counted."""

import importlib
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest

import whether as wh
from whether.files.model import load_model, save_model

RECIPE = Path(__file__).with_name("probit_restriction.py")
CONTRIBUTING = Path(__file__).parents[2] / "CONTRIBUTING.md"
MOST_LINES = 60


@pytest.fixture
def probit(tmp_path, monkeypatch):
    """The new method, from a package that is not ours and in the catalogue for one test."""
    package = tmp_path / "scratch_restrictions"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / RECIPE.name).write_text(RECIPE.read_text())
    monkeypatch.syspath_prepend(str(tmp_path))
    module = importlib.import_module("scratch_restrictions.probit_restriction")
    monkeypatch.setitem(wh.METHODS, module.PROBIT_R.name, module.PROBIT_R)
    yield module.PROBIT_R
    for name in ("scratch_restrictions", module.__name__):
        del sys.modules[name]


def test_a_new_restriction_is_fitted_saved_opened_and_told(probit, tmp_path):
    cohort = wh.simulate("baseline", n=1000, seed=0)
    model = probit.build([2, 3]).fit(cohort.X, cohort.y)
    assert model.converged_
    assert 0 < model.score(cohort.X, cohort.y) + 1 < 1
    slopes = [row for row in model.summary().coefficients if row.part == "probit" and row.term != "intercept"]
    assert [row.term for row in slopes] == ["x2", "x3"]
    assert all(np.isnan(row.ratio) and row.standard_error > 0 for row in slopes)
    save_model(model, tmp_path / "model", method=probit.name)
    opened = load_model(tmp_path / "model").model
    for call in ("predict_proba", "predict_propensity", "predict_proba_event_free"):
        np.testing.assert_array_equal(getattr(opened, call)(cohort.X), getattr(model, call)(cohort.X))


def test_a_new_restriction_is_set_against_others_drawn_and_told(probit):
    cohort = wh.simulate("partially-dependent", n=600, seed=0)
    known = {"time": cohort.time, "propensity_features": [1, 2]}
    moved = wh.sensitivity(cohort.X, cohort.y, **known)
    assert probit.name in [variant.value for variant in moved.variants if not variant.failed]
    assert probit.name in str(moved)
    record = wh.backtest(cohort.X, cohort.y, **known, methods=["LR", probit.name], advice=False, n_splits=2)
    assert probit.name in str(record)
    assert probit.name in [label.get_text() for label in record.plot().axes[0].get_yticklabels()]
    plt.close("all")


@pytest.mark.parametrize("learner", [wh.BoostedLearner(max_rounds=5), "linear"])
def test_a_new_restriction_works_with_every_learner(probit, learner, recwarn):
    cohort = wh.simulate("baseline", n=500, seed=0)
    risk = probit.build([2, 3], learner=learner, random_state=0).fit(cohort.X, cohort.y).predict_proba(cohort.X)
    assert np.isfinite(risk).all()


def test_the_recipe_is_one_short_file_and_contributing_shows_it(capsys):
    lines = RECIPE.read_text().splitlines()
    with capsys.disabled():
        print(f"\na new restriction: 1 file, {len(lines)} lines, catalogue row included")
    assert len(lines) < MOST_LINES
    assert RECIPE.read_text() in CONTRIBUTING.read_text()
