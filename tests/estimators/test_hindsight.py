"""Labels corrected by looking back, and the exponential cure model under its name in advertising."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

import whether as wh
from whether.cohort import Cohort
from whether.estimators.hindsight import unseen_range
from whether.learners.hindsight import Chain, StepDesign, Steps
from whether.learners.hindsight.steps import person_steps
from whether.propensity import DiscreteTimePropensity

QUIET = pytest.mark.filterwarnings("ignore::whether.FollowUpWarning")


@pytest.fixture(scope="module")
def people(global_random_seed):
    return wh.simulate("partially-dependent", n=600, seed=global_random_seed)


@pytest.fixture(scope="module")
def fit(people):
    """Function that fits with few steps, and may be told something else of the people."""

    def fit(X=None, y=None, **told):
        settings = {name: told.pop(name) for name in ("learner", "n_folds", "ridge") if name in told}
        times = {"time": people.time, "follow_up": people.follow_up, **told}
        model = wh.HindsightClassifier(4, random_state=0, **settings)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", wh.FollowUpWarning)
            return model.fit(people.X if X is None else X, people.y if y is None else y, **times)

    return fit


@pytest.fixture
def two_dates():
    """Function that makes people with events on two dates, half of them followed past the first only."""

    def make(unit=1.0):
        follow_up = unit * np.repeat([2.0, 4.0], 200)
        y, time = np.zeros(400, dtype=int), follow_up.copy()
        y[:40], y[200:280] = 1, 1
        time[:40], time[200:240], time[240:280] = unit, unit, 3 * unit
        return np.empty((400, 0)), y, {"time": time, "follow_up": follow_up}

    return make


@QUIET
@pytest.mark.parametrize("unit", [1.0, 365.25])
def test_without_features_the_steps_multiply_out_to_kaplan_meier(two_dates, unit):
    X, y, times = two_dates(unit)
    model = wh.HindsightClassifier(n_folds=0, ridge=0.0).fit(X, y, **times)
    # A fifth turns up on the first date, a quarter of the others on the second.
    assert model.predict_proba(X)[0, 1] == pytest.approx(1 - 0.8 * 0.75, abs=1e-4)
    assert model.predict_propensity(X, 2 * unit)[0] == pytest.approx(0.5, abs=1e-4)
    assert model.predict_proba_event_free(X, 2 * unit)[0] == pytest.approx(0.25, abs=1e-4)
    assert model.predict_label_proba(X, 2 * unit)[0] == pytest.approx(0.2, abs=1e-4)


class Stated:
    """A classifier of steps that is told what to say."""

    def __init__(self, hazard):
        self.logit = np.log(hazard / (1 - hazard))

    def predict(self, columns):
        return self.logit[np.round(columns[:, -1]).astype(int)], np.empty((0, columns.shape[0]))


def test_a_chain_telescopes_exactly():
    hazard = np.array([0.1, 0.4, 0.2, 0.3])
    edges = np.array([1.0, 2.0, 3.0, 4.0])
    chain = Chain(Stated(hazard), StepDesign(np.arange(4.0)), Steps(edges, np.arange(4), np.zeros(4)))
    bins = DiscreteTimePropensity(edges)
    v = chain.predict(np.zeros((4, 0)))
    turned_up = 1 - np.cumprod(1 - hazard)
    left = np.exp(bins.log_left(v, bins.locate(edges)))
    np.testing.assert_allclose(1 - left, turned_up / turned_up[-1], rtol=1e-12, atol=1e-15)


def test_a_person_stands_in_every_step_that_was_reached_without_a_label():
    cohort = Cohort(
        np.zeros((4, 1)), np.array([True, False, True, False]), ("x",), time=np.array([1.5, 2.5, 0.5, 9.0]),
        follow_up=np.array([9.0, 2.5, 0.7, 9.0]),
    )  # fmt: skip
    edges = np.array([1.0, 2.0, 3.0])
    rows = person_steps(cohort, edges, StepDesign.of(cohort, edges, None))
    # The third person's event came within a step to whose end nobody followed that person.
    assert rows.groups.tolist() == [0, 0, 1, 1, 2, 2, 2]
    assert rows.labeled.tolist() == [False, True, False, False, False, False, False]


@QUIET
def test_where_everybody_was_followed_alike_nothing_is_corrected(people):
    known = {"time": np.where(people.event_time < 1, people.event_time, 1.0), "follow_up": np.ones(people.y.size)}
    y = ((people.positive == 1) & (people.event_time < 1)).astype(int)
    known["time"] = np.where(y == 1, known["time"], 1.0)
    with pytest.warns(wh.FollowUpWarning, match="no label is corrected"):
        model = wh.HindsightClassifier(4).fit(people.X, y, **known)
    assert not model.is_corrected_
    np.testing.assert_allclose(
        model.predict_proba(people.X), wh.LabelClassifier().fit(people.X, y).predict_proba(people.X), atol=1e-6
    )


def test_what_is_predicted_goes_together(fit, people):
    model, X, follow_up = fit(), people.X, people.follow_up
    p, e = model.predict_proba(X)[:, 1], model.predict_propensity(X, follow_up)
    np.testing.assert_allclose(model.predict_label_proba(X, follow_up), p * e)
    np.testing.assert_allclose(model.predict_proba_event_free(X, follow_up), p * (1 - e) / (1 - p * e), atol=1e-12)
    end = model.step_edges_[-1]
    np.testing.assert_array_equal(model.predict_propensity(X, end), 1.0)
    np.testing.assert_array_equal(model.predict_proba_event_free(X, end), 0.0)
    np.testing.assert_allclose(model.predict_survival(X, [end])[:, 0], 1 - p)


@pytest.mark.parametrize("record", ["entry_time", "competing", "time_lower"])
def test_what_it_cannot_read_is_refused_by_name(fit, people, record):
    given = {
        "entry_time": np.full(people.y.size, people.time.min() / 2),
        "competing": (people.y == 0) & (np.arange(people.y.size) % 2 == 0),
        "time_lower": np.where(people.y == 1, people.time / 2, np.nan),
    }
    with pytest.raises(wh.ArgumentError, match=f"HindsightClassifier cannot read {record}"):
        fit(**{record: given[record]})


def test_follow_up_that_ends_at_the_event_is_refused(fit, people):
    with pytest.raises(wh.DataError, match="follow_up seems to end at the event"):
        fit(follow_up=people.time)


@pytest.mark.parametrize(
    "learner",
    [
        LogisticRegression(),
        RandomForestClassifier(4, min_samples_leaf=20),
        wh.BoostedLearner(max_rounds=5),
    ],
    ids=lambda learner: type(learner).__name__,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_any_learner_learns_both_parts(fit, people, learner):
    model = fit(learner=learner)
    p = model.predict_proba(people.X)[:, 1]
    assert np.all((p >= 0) & (p <= 1))
    assert p.mean() > people.y.mean()
    with pytest.raises(wh.ArgumentError, match="has none"):
        model.summary()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_trees_take_categories_and_gaps_and_are_saved(fit, people, tmp_path):
    frame = pd.DataFrame(people.X, columns=["a", "b", "c", "d"])
    frame.loc[::7, "a"] = np.nan
    frame["kind"] = pd.Categorical(np.where(np.arange(len(frame)) % 11 == 0, None, np.arange(len(frame)) % 3))
    model = fit(frame, learner=wh.BoostedLearner(max_rounds=5))
    wh.save_model(model, tmp_path / "m")
    opened = wh.load_model(tmp_path / "m").model
    np.testing.assert_array_equal(opened.predict_proba(frame), model.predict_proba(frame))
    np.testing.assert_array_equal(opened.predict_propensity(frame), model.predict_propensity(frame))


def test_a_model_with_a_classifier_in_it_is_not_saved(fit, tmp_path):
    with pytest.raises(ValueError, match="cannot be saved"):
        wh.save_model(fit(learner=LogisticRegression()), tmp_path / "m")


def test_known_negatives_lower_the_risk_and_their_times_are_not_read(fit, people):
    negative = (people.positive == 0) & (np.arange(people.y.size) % 2 == 0)
    told, moved = fit(known_negative=negative), people.time * np.where(negative, 3.0, 1.0)
    assert told.predict_proba(people.X)[:, 1].mean() < fit().predict_proba(people.X)[:, 1].mean()
    again = fit(known_negative=negative, time=moved, follow_up=np.where(negative, 3.0, 1.0) * people.follow_up)
    np.testing.assert_allclose(again.predict_proba(people.X), told.predict_proba(people.X), atol=1e-12)


@QUIET
@pytest.mark.filterwarnings("ignore::whether.IdentifiabilityWarning")
def test_ten_events_and_times_in_whole_days_are_enough_for_an_answer(people):
    y, time = people.y.copy(), np.ceil(people.time)
    y[np.flatnonzero(y)[10:]] = 0
    follow_up = np.ceil(people.follow_up)
    model = wh.HindsightClassifier().fit(people.X, y, time=np.where(y == 1, time, follow_up), follow_up=follow_up)
    assert np.isfinite(model.predict_proba(people.X)).all()
    assert np.isfinite(model.predict_propensity(people.X)).all()


def unseen_of(time, end):
    seen = time <= end
    known = {"time": np.minimum(time, end), "follow_up": np.full(time.size, end)}
    return unseen_range(Cohort(np.empty((time.size, 0)), seen, (), **known))


LEVELS = (np.arange(20_000) + 0.5) / 20_000


@pytest.mark.parametrize("end", [0.5, 1.0, 2.0, 6.0])
def test_the_light_tail_is_that_of_exponential_times(end):
    assert unseen_of(-np.log1p(-LEVELS), end)[0] == pytest.approx(np.exp(-end), abs=0.01)


@pytest.mark.parametrize("end", [5.0, 20.0])
def test_the_heavy_tail_is_that_of_a_power_law(end):
    assert unseen_of(1 / np.sqrt(1 - LEVELS), end)[1] == pytest.approx(end**-2.0, rel=0.2)


def test_past_the_last_event_nothing_is_unseen():
    assert unseen_of(np.where(LEVELS < 0.3, 1 + LEVELS, 99.0), 50.0) == (0.0, 0.0)


def test_short_follow_up_is_warned_of(people):
    follow_up = np.minimum(people.follow_up, np.quantile(people.time[people.y == 1], 0.4))
    y = (people.y == 1) & (people.time <= follow_up)
    with pytest.warns(wh.FollowUpWarning, match="would turn up after the longest"):
        model = wh.HindsightClassifier(4).fit(
            people.X, y, time=np.where(y, people.time, follow_up), follow_up=follow_up
        )
    assert model.unseen_share_ > 0.1


def delayed_feedback(theta, X, y, time):
    """Minus the log-likelihood of the delayed feedback model: conversion, and exponential delays."""
    d = X.shape[1] + 1
    design = np.column_stack([np.ones(len(X)), X])
    p, log_rate = expit(design @ theta[:d]), design @ theta[d:]
    rate = np.exp(log_rate)
    converted = np.log(p) + log_rate - rate * time
    return -np.where(y == 1, converted, np.log(1 - p + p * np.exp(-rate * time))).sum()


@QUIET
def test_the_delayed_feedback_model_is_the_exponential_cure_model(people):
    X = people.X[:, :2]
    model = wh.METHODS["DFM"].build(penalty=None).fit(X, people.y, time=people.time)
    frame = model.summary().to_frame()
    outcome = frame.estimate[frame.part == "outcome"].to_numpy()
    location = frame.estimate[frame.part == "location"].to_numpy()
    ours = np.concatenate([outcome, -location])
    assert -delayed_feedback(ours, X, people.y, people.time) == pytest.approx(model.loglik_, abs=1e-6)
    theirs = minimize(delayed_feedback, ours + 0.1, args=(X, people.y, people.time), options={"maxiter": 500})
    assert theirs.fun >= -model.loglik_ - 1e-6
    np.testing.assert_allclose(theirs.x, ours, atol=2e-3)
