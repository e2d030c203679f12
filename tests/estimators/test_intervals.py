"""Intervals of single risks: of linear models from their covariance, of all others from refits."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

import whether as wh
from whether.estimators import refits

ROWS = 150


@pytest.fixture(autouse=True)
def few(monkeypatch):
    monkeypatch.setattr(refits, "N_REFITS", 3)


@pytest.fixture(scope="module")
def people():
    return wh.simulate("partially-dependent", n=ROWS, seed=0)


def known_of(people):
    return {"time": people.time, "follow_up": people.follow_up}


@pytest.mark.parametrize(
    "model",
    [
        wh.MixtureCureClassifier("lognormal", learner="boosted", shrinkage=100.0),
        wh.AFTClassifier("lognormal"),
        wh.SARPUClassifier([2, 3], learner=DecisionTreeClassifier(max_depth=2)),
    ],
    ids=["trees", "no outcome part", "EM"],
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_every_learner_gives_intervals_that_hold_its_risks_and_widen_with_the_level(model, people):
    model.set_params(random_state=0).fit(people.X, people.y, **known_of(people))
    with pytest.raises(wh.ArgumentError, match="fit_intervals"):
        model.predict_interval(people.X)
    model.fit_intervals(people.X, people.y, **known_of(people))
    risk = model.predict_proba(people.X)[:, 1]
    (low, high), (lower, higher) = (model.predict_interval(people.X, level).T for level in (0.5, 0.99))
    assert (lower <= low).all()
    assert (low <= risk + 1e-6).all()
    assert (risk - 1e-6 <= high).all()
    assert (high <= higher).all()
    assert (higher - lower > high - low).mean() > 0.9
    model.fit(people.X, people.y, **known_of(people))  # refits are of the fit before
    assert not hasattr(model, "refits_")


def test_a_linear_model_is_not_refitted(people):
    model = wh.LabelClassifier().fit(people.X, people.y)
    before = model.predict_interval(people.X)
    assert np.array_equal(model.fit_intervals(people.X, people.y).predict_interval(people.X), before)
    assert not hasattr(model, "refits_")


def test_groups_are_drawn_whole(people, monkeypatch):
    seen = []
    monkeypatch.setattr(refits, "_refit_once", lambda fresh, X, y, known, draw: seen.append(draw[0]))
    model = wh.AFTClassifier("lognormal").fit(people.X, people.y, time=people.time)
    groups = np.arange(ROWS) // 3
    model.fit_intervals(people.X, people.y, time=people.time, groups=groups)
    assert len(seen) == 3
    for weight in seen:
        assert np.array_equal(weight, weight[3 * groups])
        assert weight.sum() == pytest.approx(ROWS)
