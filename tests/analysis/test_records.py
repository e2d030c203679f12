"""The whole answer where people die first, are known to be negative, or come late."""

import numpy as np
import pandas as pd
import pytest

import whether as wh
from tests.advise.people import draw_late, draw_mortal
from whether.analysis.remaining import Remaining
from whether.survival import cumulative_incidence

QUICK = {"backtest": False, "sensitivity": False, "learner": "linear"}


@pytest.fixture(scope="module")
def mortal(global_random_seed):
    return draw_mortal(global_random_seed)


@pytest.fixture(scope="module")
def lifetime(mortal):
    return wh.analyze(mortal.X, mortal.y, time=mortal.time, competing=mortal.died, learner="linear", n_splits=2)


@pytest.fixture(scope="module")
def net(mortal):
    return wh.analyze(mortal.X, mortal.y, time=mortal.time, competing=mortal.died, question="net", **QUICK)


def words(fact):
    return " ".join(str(fact).split())


def test_the_lifetime_question_is_the_default_and_comes_first(mortal, lifetime):
    assert lifetime.question == "lifetime"
    told = words(lifetime)
    died = f"{mortal.died.sum():,} people died without the event; each counts as a person who will never have it."
    assert told.startswith(f"Question: Will the event come before death? {died}")
    assert "are expected to have it before they die." in told
    assert "(Aalen-Johansen)" in told
    assert "is asked with --question net" in told


def test_the_other_question_is_told_apart(mortal, lifetime, net):
    told = words(net)
    assert told.startswith("Question: Would the event come in a world without other deaths?")
    assert "in a world without other deaths" in told.partition("Method:")[0]
    assert "is asked with --question lifetime" in told
    assert net.risks.mean() > lifetime.risks.mean()
    assert net.model.model_.propensity.predictors != lifetime.model.model_.propensity.predictors


def test_the_lifetime_risk_and_the_number_to_come_are_right(mortal, lifetime):
    truth = int(np.count_nonzero(mortal.positive & (mortal.y == 0)))
    assert abs(lifetime.unseen.estimate - truth) < 5 * lifetime.unseen.standard_error
    assert abs(lifetime.mean_risk.estimate - mortal.positive.mean()) < 5 * np.sqrt(0.25 / mortal.y.size)


@pytest.mark.parametrize("question", ["lifetime", "net"])
def test_only_the_living_without_the_event_are_counted(mortal, lifetime, net, question):
    answer = {"lifetime": lifetime, "net": net}[question]
    alive = (mortal.y == 0) & ~mortal.died
    assert answer.n_open == alive.sum()
    assert f"the {alive.sum():,} people alive with no recorded event" in words(answer)
    if answer.kind == "estimate":
        assert answer.unseen.estimate == pytest.approx(answer.still[alive].sum())
    assert answer.unseen.upper <= alive.sum()


def test_the_dead_have_no_event_to_come_but_under_the_other_question_they_might_have_had(mortal, lifetime, net):
    assert np.all(lifetime.still[mortal.died] == 0)
    assert np.all(net.still[mortal.died] > 0)


def test_what_cannot_read_deaths_is_not_tried(lifetime):
    assert lifetime.sensitivity.unread == {"competing": ("DTMC", "AFTPT")}
    assert "Not tried: DTMC, AFTPT (cannot allow for deaths before the event)." in words(lifetime)
    assert "AFTPT" not in lifetime.backtest.scores
    assert not lifetime.backtest.failed


def test_data_for_programs_have_the_question(lifetime):
    data = lifetime.to_dict()
    assert data["answer"]["question"] == "lifetime"
    assert data["cohort"]["open"] == lifetime.n_open
    assert data["evidence"]["deaths"]["n_died"] == lifetime.evidence.counts.n_died


def test_a_few_deaths_are_not_told(mortal):
    few = mortal.died & (np.cumsum(mortal.died) <= 5)
    kept = ~mortal.died | few
    known = {"time": mortal.time[kept], "competing": few[kept]}
    answer = wh.analyze(mortal.X[kept], mortal.y[kept], **known, **QUICK)
    told, n_open = words(answer), answer.n_open
    assert "Fewer than 11 people died" in told
    assert f"{n_open:,}" not in told
    assert "Aalen-Johansen" not in told
    data = answer.to_dict()
    assert data["cohort"]["open"] is None
    assert data["evidence"]["deaths"]["incidence"] is None
    assert data["evidence"]["counts"]["n_died"] is None
    assert data["evidence"]["bounds"]["highest"] == 1.0


def test_known_negatives_are_not_counted(mortal):
    never = mortal.died
    answer = wh.analyze(mortal.X, mortal.y, time=mortal.time, known_negative=never, **QUICK)
    assert answer.question == ""
    assert np.all(answer.still[never] == 0)
    assert answer.n_open == np.count_nonzero((mortal.y == 0) & ~never)
    assert "people with no recorded event who may still have it" in words(answer)


def test_with_late_entry_risks_are_from_time_zero_and_the_number_is_of_those_in_the_table(global_random_seed):
    late = draw_late(global_random_seed)
    answer = wh.analyze(late.X, late.y, time=late.time, entry_time=late.entry, n_splits=2, sensitivity=False)
    truth = int(np.count_nonzero(late.positive & (late.y == 0)))
    assert answer.kind == "estimate"
    assert abs(answer.unseen.estimate - truth) < 5 * answer.unseen.standard_error
    assert abs(answer.mean_risk.estimate - late.chance.mean()) < 5 * np.sqrt(0.25 / late.y.size)
    assert "The risk is that from time zero on" in words(answer)
    assert set(answer.backtest.scores) == {"FUMC-F", "AFTMC-F", "AFTPT", "FUPT", "known now"}
    # What a share of everybody means for people in the table: those with an early event are not among them.
    left = Remaining.of(answer.evidence, answer.still)
    everybody = np.arange(late.y.size)
    assert left.expect(0.5, everybody) < 0.5 * late.y.size - late.y.sum()


def test_where_everybody_would_have_it_so_would_all_who_are_alive(net):
    left, everybody = Remaining.of(net.evidence, net.still), np.arange(net.n_people)
    numbers = [left.expect(share, everybody) for share in (net.n_events / net.n_people, 0.6, 0.9, 1.0)]
    assert numbers[0] == 0
    assert numbers == sorted(numbers)
    assert numbers[-1] == net.n_open


def test_records_may_be_columns_of_a_table(mortal, net):
    status = np.where(mortal.y == 1, "event", np.where(mortal.died, "died", "alive"))
    table = pd.DataFrame(mortal.X, columns=["a", "b"]).assign(status=status, years=mortal.time)
    named = {"event": "status", "event_value": "event", "competing": "died", "time": "years", "question": "net"}
    answer = wh.analyze(table, **named, **QUICK)
    assert answer.question == "net"
    np.testing.assert_allclose(answer.risks, net.risks, atol=1e-6)
    with pytest.raises(wh.ArgumentError, match="`never_after`"):
        wh.analyze(table, **named, known_negative=mortal.died, **QUICK)


def test_the_lifetime_risk_of_a_real_cohort_follows_its_incidence(shared_data):
    table = pd.read_parquet(shared_data / "records" / "mgus2.parquet").dropna()
    X = table[["age", "hgb", "creat", "mspike"]].astype(float).assign(male=(table["sex"] == "M") * 1.0)
    status, time = table["status"].to_numpy(), table["time"].to_numpy()
    y, died = (status == "progressed").astype(int), status == "died"
    answer = wh.analyze(X, y, time=time, competing=died, **QUICK)
    by_model = 1 - answer.model.predict_survival(X, [10.0, 20.0]).mean(axis=0)
    curve = cumulative_incidence(y, died, time)
    error = np.sqrt(curve.variance[np.searchsorted(curve.times, [10.0, 20.0])])
    assert np.all(np.abs(by_model - curve.at([10.0, 20.0])) < 2 * error)
