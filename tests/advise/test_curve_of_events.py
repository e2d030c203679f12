"""The curve of events: of what was recorded, up to where it is about more than a few people."""

import math

import numpy as np
import pytest
from scipy.special import expit

import whether as wh
from whether.advise.evidence.bounds import bound_by_curve
from whether.advise.evidence.dependence import Selection, expected_auc
from whether.advise.evidence.watched import event_curve
from whether.advise.situation import Situation
from whether.cohort import Cohort
from whether.evaluate import censored_calibration_curve, kaplan_meier
from whether.facts import FEWEST
from whether.survival import cumulative_incidence
from whether.telling.disclosure import Disclosure
from whether.telling.evidence_words import cost_text
from whether.telling.thin_curve import thin


def recorded(world, n=600, seed=0):
    drawn = wh.simulate(world, n=n, seed=seed)
    known = {name: drawn.records[name] for name in ("entry_time", "competing") if name in drawn.records}
    return Cohort(drawn.X, drawn.y == 1, tuple(drawn.feature_names), time=drawn.time, **known)


@pytest.fixture(scope="module")
def late_deaths():
    return recorded("late-entry-deaths")


def test_it_is_aalen_johansens_where_people_die_and_kaplan_meiers_else(late_deaths):
    one = late_deaths
    found = cumulative_incidence(one.labeled, one.competing, one.time, entry=one.entry_time)
    np.testing.assert_array_equal(event_curve(one).survival, 1 - found.incidence)
    np.testing.assert_allclose(event_curve(one).greenwood * event_curve(one).survival ** 2, found.variance)
    alive = recorded("late-entry")
    curve = kaplan_meier(alive.labeled, alive.time, entry=alive.entry_time)
    np.testing.assert_array_equal(event_curve(alive).survival, curve.survival)


def test_the_incidence_of_one_cause_is_that_of_kaplan_and_meier(late_deaths):
    one = late_deaths
    found = cumulative_incidence(one.labeled, np.zeros(one.n, dtype=bool), one.time, entry=one.entry_time).event_free()
    curve = kaplan_meier(one.labeled, one.time, entry=one.entry_time)
    np.testing.assert_allclose(found.survival, curve.survival, atol=1e-12)
    np.testing.assert_array_equal(found.events, curve.events)


def test_an_event_among_the_last_few_is_no_bound():
    time = np.r_[np.arange(1.0, 41.0), 50.0, 51.0]
    seen = np.zeros(42, dtype=bool)
    seen[[3, 5, 40]] = True  # the last one of two people lifts the curve to more than a half
    found = bound_by_curve(Cohort(np.zeros((42, 0)), seen, (), time=time))
    assert found.time <= time[-FEWEST]
    assert found.share < 0.1
    assert found.n_events == 2


def test_labels_do_not_rank_people_who_enter_late():
    drawn = wh.simulate("late-entry", n=300, seed=0)
    found = wh.examine(drawn.X, drawn.y, time=drawn.time, entry_time=drawn.records["entry_time"])
    assert found.material.enters_late
    assert not Situation(found).ranking_is_easy


def test_nothing_is_ranked_where_nearly_everybody_is_positive():
    risk = np.full(400, 0.99)
    assert math.isnan(expected_auc(risk, risk))
    assert expected_auc(np.linspace(0, 1, 400), np.linspace(0, 1, 400)) > 0.5


def test_calibration_holds_what_the_model_says_against_the_curve_of_the_same_question(late_deaths):
    one = late_deaths
    beside = {"competing": one.competing, "entry_time": one.entry_time}
    found = censored_calibration_curve(one.labeled, np.full(one.n, 0.3), time=one.time, n_groups=1, **beside)
    assert found.observed[0] == pytest.approx(1 - event_curve(one).survival[-1])
    with pytest.raises(wh.DataError, match="competing"):
        censored_calibration_curve(one.labeled, np.full(one.n, 0.3), time=one.time, competing=[2.0] * one.n)


def test_a_curve_begins_where_enough_people_are_under_observation():
    rng = np.random.default_rng(0)
    entry = rng.uniform(60, 80, 300)
    time = entry + rng.uniform(1, 20, 300)
    curve = kaplan_meier(rng.random(300) < 0.5, time, entry=entry)
    shown = thin(curve, Disclosure(FEWEST, {"people": (300, math.inf), "events": (150, 300)}))
    assert shown.begins_late
    assert shown.times[0] >= curve.times[curve.at_risk >= FEWEST][0] > 60
    assert not thin(kaplan_meier(rng.random(300) < 0.5, time), Disclosure(0, {})).begins_late


def test_what_ranking_by_labels_costs_is_told_only_where_risks_clearly_differ(global_random_seed):
    rng = np.random.default_rng([global_random_seed, 4])
    x, follow_up = rng.normal(size=(800, 1)), rng.uniform(0.5, 3.0, size=800)
    event = np.where(rng.random(800) < expit(2 * x[:, 0]), rng.exponential(size=800), np.inf)
    y, time = (event <= follow_up).astype(int), np.minimum(event, follow_up)
    clear = wh.examine(x, y, time=time).dependence
    assert clear.auc_by_risk > 0.7
    assert clear.auc_by_labels > 0.5
    alike = wh.examine(rng.permutation(x), y, time=time).dependence
    assert math.isnan(alike.auc_by_labels) or alike.auc_by_risk < 0.7


def test_a_ranking_that_recorded_events_turn_round_is_not_called_a_cost():
    found = Selection(auc_by_risk=0.81, auc_by_labels=0.19)
    assert cost_text(found) == "would put more pairs of people in the wrong order than in the right one"
    assert cost_text(found._replace(auc_by_labels=0.70)) == "lowers the AUC from 0.81 to 0.70"
    assert cost_text(Selection(auc_by_risk=0.664, auc_by_labels=0.656)) == "lowers the AUC by less than 0.01"
