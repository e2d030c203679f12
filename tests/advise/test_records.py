"""Deaths, known negatives, late entry and intervals in the evidence and the advice."""

import numpy as np
import pandas as pd
import pytest

import whether as wh
from tests.advise.people import draw_late, draw_mortal, draw_visited
from whether.advise.evidence.dependence import cox_score
from whether.advise.evidence.material import gather
from whether.advise.evidence.watched import take_apart, watch_on
from whether.methods import METHODS
from whether.survival import cumulative_incidence, kaplan_meier

# A level at which a test that keeps the usual ones rejects in no seed.
SURE = 1e-5


@pytest.fixture(scope="module")
def mortal(global_random_seed):
    return draw_mortal(global_random_seed)


@pytest.fixture(scope="module")
def late(global_random_seed):
    return draw_late(global_random_seed)


@pytest.fixture(scope="module")
def of_lifetime(mortal):
    return wh.examine(mortal.X, mortal.y, time=mortal.time, competing=mortal.died)


@pytest.fixture(scope="module")
def of_late(late):
    return wh.examine(late.X, late.y, time=late.time, entry_time=late.entry)


def test_whoever_died_is_watched_on_so_that_the_curve_is_one_minus_aalen_johansens(mortal):
    material = gather(mortal.X, mortal.y, time=mortal.time, competing=mortal.died)
    view = watch_on(material, np.random.default_rng(0)).cohort
    assert view.competing is None
    assert np.all(view.time[mortal.died] >= mortal.time[mortal.died])
    assert np.array_equal(view.time[~mortal.died], mortal.time[~mortal.died])
    curve = cumulative_incidence(mortal.y, mortal.died, mortal.time)
    grid = np.array([1.0, 2.0, 4.0, 6.0])
    difference = 1 - kaplan_meier(view.labeled, view.time).at(grid) - curve.at(grid)
    error = np.sqrt(curve.variance[np.searchsorted(curve.times, grid)])
    assert np.all(np.abs(difference) < 2 * error)  # what drawing adds is a small part of the error
    alone = 1 - kaplan_meier(mortal.y, mortal.time).at(6.0) - curve.at(6.0)
    assert alone > 4 * error[-1]


def test_they_are_watched_to_their_planned_end_where_that_is_known(mortal):
    known = {"time": mortal.time, "follow_up": mortal.planned, "competing": mortal.died}
    material = gather(mortal.X, mortal.y, **known)
    assert np.array_equal(material.cohort.follow_up[mortal.died], mortal.time[mortal.died])
    view = watch_on(material, np.random.default_rng(0)).cohort
    assert np.array_equal(view.time[mortal.died], mortal.planned[mortal.died])
    assert np.array_equal(view.follow_up[mortal.died], mortal.planned[mortal.died])


def test_a_plan_that_ends_at_death_is_none(mortal):
    follow_up = np.where(mortal.died, mortal.time, mortal.planned)
    material = gather(mortal.X, mortal.y, time=mortal.time, follow_up=follow_up, competing=mortal.died)
    view = watch_on(material, np.random.default_rng(0)).cohort
    assert np.mean(view.time[mortal.died] > mortal.time[mortal.died]) > 0.9


def test_the_lifetime_risk_is_found_where_people_die_first(mortal, of_lifetime):
    found = of_lifetime.follow_up.events.receus
    error = 5 * np.sqrt(0.25 / mortal.y.size) + 0.02  # of the share, and of what is after the end of follow-up
    assert abs(1 - found.cured - mortal.positive.mean()) < error
    assert of_lifetime.plateau == "levels off"
    assert of_lifetime.bounds.highest == pytest.approx(1 - mortal.died.mean())
    assert of_lifetime.deaths.n_died == mortal.died.sum()
    interval = of_lifetime.deaths.incidence
    assert interval.lower < interval.estimate < interval.upper < of_lifetime.deaths.without_deaths + 0.05


def test_under_the_other_question_a_death_is_an_end_of_follow_up(mortal):
    known = {"time": mortal.time, "competing": mortal.died}
    net = wh.examine(mortal.X, mortal.y, **known, question="net")
    plain = wh.examine(mortal.X, mortal.y, time=mortal.time)
    assert net.material.cohort.competing is None
    assert net.bounds == plain.bounds
    assert net.follow_up.events.receus == plain.follow_up.events.receus
    assert (net.deaths.question, plain.deaths) == ("net", None)
    assert net.counts.n_open == mortal.y.size - mortal.y.sum() - mortal.died.sum()


@pytest.mark.parametrize(
    ("known", "message"),
    [
        ({"question": "net"}, r"question='net' is about deaths: say in competing="),
        ({"competing": True, "question": "ever"}, r"question='ever' is none of 'lifetime' .* and 'net'"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused(mortal, known, message):
    known = {**known, **({"competing": mortal.died} if "competing" in known else {})}
    with pytest.raises(wh.ArgumentError, match=message):
        wh.examine(mortal.X, mortal.y, time=mortal.time, **known)


def test_known_negatives_cannot_be_positive_and_stay_event_free(mortal):
    never = mortal.died & (np.arange(mortal.y.size) % 2 == 0)
    found = wh.examine(mortal.X, mortal.y, time=mortal.time, known_negative=never)
    assert found.bounds.highest == pytest.approx(1 - never.mean())
    assert found.counts.n_known_negative == never.sum()
    assert found.view.cohort.known_negative is None
    assert found.follow_up.events.receus.cured >= never.mean() - 0.05
    assert "known never to have the event" in str(found)


def test_with_late_entry_the_curve_and_the_cured_share_are_of_everybody(late, of_late):
    curve = kaplan_meier(late.y, late.time, entry=late.entry)
    assert np.array_equal(of_late.follow_up.events.curve.survival, curve.survival)
    # Who is in the table has the event less often than people of time zero: those who had it early are not there.
    found, share = of_late.follow_up.events.receus, 0.5
    assert abs(1 - found.cured - share) < 5 * np.sqrt(0.25 / late.y.size) + 0.03
    assert late.positive.mean() < share
    assert of_late.follow_up.events.last_events is None


def test_tests_that_read_labels_alone_are_left_out_with_late_entry(of_late):
    assert not of_late.scar.likelihood_ratio.was_run
    assert not of_late.scar.follow_up.was_run
    assert of_late.exchange is None
    assert np.isnan(of_late.bounds.highest_if_constant)
    told = str(of_late)
    assert "tests and methods that read recorded events alone cannot, and are left out" in " ".join(told.split())
    assert "nan" not in told


def test_shape_and_linearity_allow_for_late_entry(of_late):
    assert of_late.shape.test.was_run
    assert not of_late.shape.test.rejects(SURE)
    assert of_late.linearity.outcome.was_run
    assert not of_late.linearity.outcome.rejects(SURE)
    assert not of_late.linearity.propensity.rejects(SURE)


def test_without_entry_times_the_same_people_have_a_higher_curve(late, of_late):
    blind = wh.examine(late.X, late.y, time=late.time)
    # With fewer people at risk every event counts for more: the curve is lower at any time.
    assert np.all(blind.follow_up.events.curve.survival >= of_late.follow_up.events.curve.survival)
    assert blind.follow_up.events.plateau.estimate > of_late.follow_up.events.plateau.estimate


def test_coxs_score_has_those_at_risk_who_have_entered(global_random_seed):
    rng = np.random.default_rng([global_random_seed, 9])
    x, entry = rng.normal(size=(60, 2)), np.round(rng.uniform(0, 2, 60), 1)
    time, ended = entry + np.round(rng.uniform(0.1, 3, 60), 1), rng.random(60) < 0.6
    score, variance = np.zeros(2), np.zeros((2, 2))
    for t in time[ended]:
        at_risk, n_tied = x[(entry < t) & (time >= t)], np.count_nonzero(ended & (time == t))
        score -= at_risk.mean(axis=0)
        variance += np.cov(at_risk.T, bias=True) * (len(at_risk) - n_tied) / max(len(at_risk) - 1, 1)
    score += x[ended].sum(axis=0)
    found = cox_score(x, time, ended, entry)
    np.testing.assert_allclose(found[0], score, atol=1e-9)
    np.testing.assert_allclose(found[1], variance, atol=1e-9)


def test_late_entry_needs_a_method_with_a_clock(late, of_late):
    advice = wh.recommend(of_late)
    assert advice.method == "AFTMC-F"
    assert not METHODS[advice.method].unread(of_late.material.cohort)
    assert np.array_equal(advice.fit_parameters["entry_time"], late.entry)
    alike = wh.recommend(late.X, late.y, follow_up=late.entry + 20.0, entry_time=late.entry)
    assert alike.method == "FUMC-F"


def test_late_entry_without_an_end_is_refused(late):
    with pytest.raises(wh.DataError, match="pass time= or follow_up=, its end, too"):
        wh.examine(late.X, late.y, entry_time=late.entry)


def test_visits_are_no_reason_to_reject(global_random_seed):
    people = draw_visited(global_random_seed)
    found = wh.examine(people.X, people.y, time=people.time, time_lower=people.lower)
    assert found.trust.heaping is None
    assert not found.shape.test.was_run
    assert not found.trust.labels.was_run
    assert found.counts.n_between == people.y.sum()
    assert abs(1 - found.follow_up.events.receus.cured - people.positive.mean()) < 0.06
    assert "tests that need exact times are left out" in " ".join(str(found).split())


def test_methods_say_what_they_cannot_read(mortal, late):
    dead = gather(mortal.X, mortal.y, time=mortal.time, competing=mortal.died).cohort
    entered = gather(late.X, late.y, time=late.time, entry_time=late.entry).cohort
    unread = {name: (method.unread(dead), method.unread(entered)) for name, method in METHODS.items()}
    assert unread["AFTMC-F"] == unread["FUMC-F"] == ((), ())
    assert unread["LR"] == ((), ("entry_time",))
    assert unread["AFTPT"] == (("competing",), ())


def test_sensitivity_leaves_out_what_cannot_be_read_and_says_so_once(late, of_late):
    moved = wh.sensitivity(of_late)
    tried = {variant.value for variant in moved.variants if variant.kind == "restriction"}
    assert tried == {"AFTMC-F", "DTMC", "AFTPT"}
    assert moved.unread == {"entry_time": ("LR", "ENPU", "uPU", "SARPU-F")}
    assert not any(variant.failed for variant in moved.variants)
    assert " ".join(str(moved).split()).count("cannot allow for late entry") == 1


def test_the_recommendation_tells_the_question(of_lifetime):
    told = str(wh.recommend(of_lifetime))
    assert "Whether the event comes before death." in told


def test_incidence_of_a_real_cohort_agrees_with_its_view(shared_data):
    table = pd.read_parquet(shared_data / "records" / "mgus2.parquet").dropna()
    X, status = table[["age", "hgb", "creat", "mspike"]].astype(float), table["status"].to_numpy()
    y, died, time = (status == "progressed").astype(int), status == "died", table["time"].to_numpy()
    view = watch_on(gather(X, y, time=time, competing=died), np.random.default_rng(0)).cohort
    ours = 1 - kaplan_meier(view.labeled, view.time).at([10.0, 20.0])
    np.testing.assert_allclose(ours, cumulative_incidence(y, died, time).at([10.0, 20.0]), atol=0.005)


def p_values(evidence):
    tests = (evidence.trust.labels, evidence.dependence.event_times, evidence.dependence.follow_up, evidence.shape.test)
    more = (evidence.agreement.test, evidence.scar.likelihood_ratio, evidence.linearity.outcome)
    return [test.p_value for test in (*tests, *more)]


def test_of_rows_that_belong_together_tests_take_one():
    cohort = wh.simulate("partially-dependent", n=600, seed=0)
    known = {"time": cohort.time, "follow_up": cohort.follow_up}
    alone = wh.examine(cohort.X, cohort.y, **known)
    # A group of one row is no group, and a person who is in the table three times is one person.
    single = wh.examine(cohort.X, cohort.y, **known, groups=np.arange(600))
    thrice = np.repeat(np.arange(600), 3)
    repeated = {name: values[thrice] for name, values in known.items()}
    triple = wh.examine(cohort.X[thrice], cohort.y[thrice], **repeated, groups=thrice)
    assert p_values(single) == p_values(alone)
    np.testing.assert_allclose(p_values(triple), p_values(alone))
    assert triple.counts.n == 1800


def test_groups_that_are_centres_leave_all_rows_to_the_tests():
    cohort = wh.simulate("partially-dependent", n=600, seed=0)
    material = gather(cohort.X, cohort.y, time=cohort.time, groups=np.arange(600) % 20)
    assert take_apart(material, np.random.default_rng(0)) is material


def test_nobody_who_died_is_counted_as_followed_on(mortal, of_lifetime):
    found = of_lifetime.follow_up.events
    last = mortal.time[mortal.y == 1].max()
    assert found.last_event == last
    assert found.n_after_last_event == np.count_nonzero(mortal.time > last)
    end = np.quantile(mortal.time, 0.99)
    exposure = np.maximum(mortal.time - end / 2, 0.0).sum()
    assert found.late_rate.estimate == pytest.approx(found.n_late / exposure)
    assert found.n_late == np.count_nonzero((mortal.y == 1) & (mortal.time > end / 2))
