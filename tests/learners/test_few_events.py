"""Cohorts at the edge: one event, two events, classes that are separated, and fits in a forked child."""

import os
import subprocess
import sys

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import whether as wh
from whether.learners import EMLearner
from whether.learners.choice import AutoLearner
from whether.learners.linear import LinearLearner

QUICK = wh.BoostedLearner(max_rounds=3, linear=LinearLearner())
quiet = pytest.mark.filterwarnings("ignore")  # so few events do not converge, and say so


@quiet
@pytest.mark.parametrize("events", [1, 2])
@pytest.mark.parametrize("learner", [QUICK, AutoLearner({"linear": LinearLearner(), "boosted": QUICK})])
def test_few_events_are_enough_to_hold_people_out(events, learner, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    X, time = rng.normal(size=(80, 2)), rng.exponential(size=80) + 0.1
    model = wh.MixtureCureClassifier("lognormal", learner=learner, shrinkage=100.0, random_state=0)
    risk = model.fit(X, np.arange(80) < events, time=time).predict_proba(X)[:, 1]
    assert np.all((risk >= 0) & (risk <= 1))


@quiet
def test_separated_classes_keep_both_for_the_classifier():
    X = np.c_[np.r_[np.linspace(-3, -1, 40), np.linspace(1, 3, 40)], np.tile([0.0, 1.0], 40)]
    learner = EMLearner(LogisticRegression(), propensity_classifier=LogisticRegression(), max_iter=5)
    model = wh.SARPUClassifier([1], learner=learner).fit(X, X[:, 0] > 0)
    risk = model.predict_proba(X)[:, 1]
    assert risk[:40].max() < 0.5 < risk[40:].min()


@quiet
def test_boosted_risks_do_not_depend_on_the_order_of_rows():
    people = wh.simulate("partially-dependent", n=300, seed=0)
    order = np.random.default_rng(1).permutation(300)

    def risks(method, rows):
        model = wh.METHODS[method].build([], learner=wh.BoostedLearner(max_rounds=30), random_state=0)
        known = {"time": people.time[rows]} if method == "AFTMC-F" else {}
        return model.fit(people.X[rows], people.y[rows], **known).predict_proba(people.X)[:, 1]

    for method in ("AFTMC-F", "ENPU"):
        np.testing.assert_allclose(risks(method, order), risks(method, np.arange(300)), atol=1e-6)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is nothing to fork")
def test_a_forked_child_can_fit_and_predict():
    text = (
        "import os, faulthandler, numpy as np, whether as wh\n"
        "from whether.learners.boosted import boosted_fit\n"
        "boosted_fit.MANY_ROWS = 100\n"  # threads, on a table that is quick
        "rng = np.random.default_rng(0); X = rng.normal(size=(300, 2)); y = (X[:, 0] + rng.normal(size=300) > 1)\n"
        "fit = lambda: wh.LabelClassifier(learner=wh.BoostedLearner(max_rounds=4)).fit(X, y).predict_proba(X)\n"
        "fit()\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    faulthandler.dump_traceback_later(20, exit=True)\n"
        "    fit(), fit()\n"
        "    os._exit(0)\n"
        "raise SystemExit(os.waitpid(child, 0)[1])\n"
    )
    allowed = {**os.environ, "OMP_NUM_THREADS": "2"}
    assert subprocess.run([sys.executable, "-W", "ignore", "-c", text], env=allowed, timeout=60).returncode == 0
