"""The Cox mixture cure model: what is true of it and of no other."""

import warnings

import numpy as np
import pytest
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

import whether as wh
from whether.cohort import Cohort
from whether.learners import LinearLearner, Task
from whether.learners.linear.profiled import ProfiledObjective
from whether.propensity import CoxPropensity, FreeBaseline

pytestmark = pytest.mark.filterwarnings("ignore::whether.FollowUpWarning")


def draw(seed, n, d=2):
    """People whose hazard rises and falls; the first feature drives the outcome, the last the times."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    positive = rng.random(n) < expit(0.3 + X[:, 0])
    event = (rng.exponential(size=n) * np.exp(-0.7 * X[:, -1])) ** 0.7
    follow_up = rng.uniform(0.1, 3.0, n)
    y = positive & (event <= follow_up)
    return X, y.astype(int), np.where(y, event, follow_up)


@pytest.fixture(scope="module")
def people():
    return draw(0, 300)


def fit(people, **given):
    known = {
        name: given.pop(name) for name in ("sample_weight", "known_negative", "entry_time", "groups") if name in given
    }
    X, y, time = people
    return wh.CoxCureClassifier(**{"penalty": None, **given}).fit(X, y, time=time, **known)


def estimates(model):
    return np.array([(row.estimate, row.standard_error) for row in model.summary().coefficients])


def in_months(people):
    X, y, time = people
    return X, y, np.ceil(6 * time)


# ---------------------------------------------------------------- only the order of times matters


@pytest.mark.parametrize("change", [np.log1p, np.sqrt, lambda time: time**3 * 365.25])
def test_coefficients_know_the_order_of_times_and_nothing_else(people, change):
    X, y, time = people
    ours, theirs = fit(people), fit((X, y, change(time)))
    np.testing.assert_allclose(estimates(theirs), estimates(ours), rtol=1e-9)
    assert theirs.loglik_ == pytest.approx(ours.loglik_, abs=1e-8)


def test_a_penalty_chosen_by_cross_validation_knows_no_more(people):
    X, y, time = people
    ours, theirs = fit(people, penalty="auto"), fit((X, y, 1e-9 * np.sqrt(time)), penalty="auto")
    assert theirs.shrinkage_ == ours.shrinkage_
    np.testing.assert_allclose(estimates(theirs), estimates(ours), rtol=1e-7)


def test_a_fold_without_events_is_no_obstacle(people):
    X, y, time = people
    few = np.zeros_like(y)
    few[np.flatnonzero(y)[:3]] = 1
    with pytest.warns(wh.IdentifiabilityWarning, match="There are only 3 events"):
        model = fit((X, few, time), penalty="auto")
    assert model.converged_
    assert model.baseline_[0].size == 1


def test_entry_at_time_zero_is_no_entry(people):
    np.testing.assert_allclose(estimates(fit(people, entry_time=np.zeros(300))), estimates(fit(people)), rtol=1e-9)


def test_entry_before_the_first_event_is_no_entry(people):
    _X, y, time = people
    early = 0.9 * time[y == 1].min()
    entry = np.where(time > early, early, 0.0)
    np.testing.assert_allclose(estimates(fit(people, entry_time=entry)), estimates(fit(people)), rtol=1e-7)


def test_with_a_closed_tail_people_followed_beyond_the_last_event_are_known_negatives(people):
    _X, y, time = people
    beyond = (y == 0) & (time > time[y == 1].max())
    assert beyond.any()
    known = fit(people, tail="open", known_negative=beyond)
    np.testing.assert_allclose(estimates(known), estimates(fit(people)), rtol=1e-9)
    assert known.loglik_ == pytest.approx(fit(people).loglik_, abs=1e-8)


def test_without_ties_the_rules_for_ties_agree(people):
    np.testing.assert_allclose(estimates(fit(people, ties="efron")), estimates(fit(people)), rtol=1e-9)


def test_scaled_and_shifted_features_give_the_same_hazard_ratios(people):
    X, y, time = people
    moved = estimates(fit((X * [10.0, 0.1] + [3.0, -2.0], y, time)))
    ours = estimates(fit(people))
    np.testing.assert_allclose(moved[3:] * [[10.0], [0.1]], ours[3:], rtol=1e-7)


# ---------------------------------------------------------------- the profile likelihood


def profiled(people, is_efron, **known):
    X, y, time = people
    cohort = Cohort(X, y == 1, ("x0", "x1"), time=time, **known)
    return ProfiledObjective(Task(cohort, [FreeBaseline(True, is_efron)], np.arange(2)), 0.0)


@pytest.mark.parametrize("is_efron", [False, True])
@pytest.mark.parametrize("entered", [False, True])
def test_the_profile_has_the_derivatives_it_says(people, is_efron, entered):
    people = in_months(people)
    known = {"entry_time": np.where(np.arange(300) % 2, 0.4 * people[2], 0.0)} if entered else {}
    objective = profiled(people, is_efron, known_negative=(people[1] == 0) & (people[0][:, 0] < -1), **known)
    theta = np.random.default_rng(1).normal(scale=0.4, size=objective.layout.size)
    at, step = objective.evaluate(theta), 1e-4
    moves = step * np.eye(theta.size)
    up, down = ([objective.evaluate(theta + sign * move) for move in moves] for sign in (1, -1))
    gradient = [(above.value - below.value) / (2 * step) for above, below in zip(up, down, strict=True)]
    hessian = [(above.gradient - below.gradient) / (2 * step) for above, below in zip(up, down, strict=True)]
    np.testing.assert_allclose(at.gradient, gradient, atol=1e-4)
    np.testing.assert_allclose(at.hessian, hessian, atol=1e-3, rtol=1e-4)
    assert at.gradient[1] == pytest.approx(0, abs=1e-5)  # the baseline has the level of the hazard


@pytest.mark.parametrize("is_efron", [False, True])
def test_scores_less_what_the_baseline_takes_up_add_up_to_the_gradient(people, is_efron):
    objective = profiled(in_months(people), is_efron)
    theta = np.random.default_rng(2).normal(scale=0.4, size=objective.layout.size)
    scores = np.concatenate(list(objective.row_scores(theta)))
    np.testing.assert_allclose(scores.sum(axis=0), -objective.evaluate(theta).gradient, atol=1e-4)


def test_no_other_baseline_is_more_likely(people):
    """The likelihood of the house under jumps that were moved is lower, whichever way."""
    objective = profiled(people, False)
    theta = np.array([0.3, 0.0, 0.9, -0.1, 0.0, 0.6])
    jumps, rng = objective.baseline(theta).jumps, np.random.default_rng(3)
    best = objective.row_values(theta).sum()
    for scale in (1e-3, 0.1):
        objective._placed = objective.events.observe(jumps * np.exp(scale * rng.normal(size=jumps.size)))
        moved = np.concatenate([block.terms.value for block in objective.blocks(theta)]).sum()
        assert moved < best


def test_standard_errors_cover_what_people_were_drawn_with(global_random_seed):
    """Five standard errors hold for every seed."""
    table = fit(draw(global_random_seed, 2000)).summary().to_frame()
    truth = np.array([0.3, 1.0, 0.0, 0.0, 0.7])
    assert (np.abs(table.estimate - truth) < 5 * table.standard_error).all()


def test_the_sandwich_is_near_the_information_where_the_model_is_right():
    people = draw(5, 3000)
    information, sandwich = (estimates(fit(people, covariance=kind))[:, 1] for kind in ("observed", "sandwich"))
    np.testing.assert_allclose(sandwich, information, rtol=0.15)
    alone = estimates(fit(people, groups=np.arange(3000)))[:, 1]
    np.testing.assert_allclose(alone, sandwich * np.sqrt(3000 / 2999), rtol=1e-9)


# ---------------------------------------------------------------- what is kept, told and refused


def test_nobodys_own_event_time_is_kept(people):
    _X, y, time = people
    times, cumulative = fit(people).baseline_
    assert not np.isin(times, time).any()
    assert times.size <= y.sum() / 11
    assert np.diff(cumulative).min() > 0


def test_the_kept_baseline_is_close_to_the_exact_one():
    X, y, time = draw(1, 2000)
    model = fit((X, y, time))
    given = LinearLearner(ridge=0.0).fit(
        Task(Cohort(X, y == 1, ("x0", "x1"), time=time), [model.model_.propensity], np.arange(2))
    )
    assert isinstance(model.model_.propensity, CoxPropensity)
    slopes = given.shared_slopes, model.model_.shared_slopes
    np.testing.assert_allclose(*slopes, atol=0.05)


def test_survival_falls_to_the_risk_at_the_last_event_and_predictions_agree(people):
    X, _y, _time = people
    model = fit(people)
    survival = model.predict_survival(X[:5], [0.5, 1.0, 99.0])
    assert (np.diff(survival, axis=1) < 0).all()
    np.testing.assert_allclose(survival[:, -1], model.predict_proba(X[:5])[:, 0])
    np.testing.assert_allclose(model.predict_propensity(X[:5], follow_up=99.0), 1.0)
    np.testing.assert_allclose(model.predict_proba_event_free(X[:5], 99.0), 0.0)


def test_the_summary_has_hazard_ratios_no_level_and_says_what_is_assumed(people):
    summary = fit(people).summary()
    rows = [(row.part, row.term, row.ratio_kind) for row in summary.coefficients]
    hazards = [("hazard", "x0", "hazard ratio"), ("hazard", "x1", "hazard ratio")]
    assert rows == [
        ("outcome", "intercept", ""),
        ("outcome", "x0", "odds ratio"),
        ("outcome", "x1", "odds ratio"),
        *hazards,
    ]
    assert summary.facts["parameters"] == 5
    assert any("by the last one that was seen" in note for note in summary.notes)
    assert any("Ties: Breslow" in note for note in summary.notes)


def test_likelihoods_are_compared_only_where_ties_and_tail_are_the_same(people):
    large, small = fit(people), fit(people, time_features=[1])
    assert wh.likelihood_ratio_test(small, large).df == 1
    with pytest.raises(wh.ArgumentError, match="same tail, got 'open' and 'zero'"):
        wh.likelihood_ratio_test(fit(people, time_features=[1], tail="open"), large)
    X, y, time = people
    other = wh.MixtureCureClassifier("weibull", penalty=None).fit(X, y, time=time)
    with pytest.raises(wh.ArgumentError, match=r"one class.*people held out"):
        wh.likelihood_ratio_test(other, large)


def test_a_classifier_takes_the_place_of_the_outcome_part(people):
    X, _y, _ = people
    model = fit(people, learner=LogisticRegression(), penalty="auto")
    linear = fit(people, penalty="auto")
    assert np.corrcoef(model.decision_function(X), linear.decision_function(X))[0, 1] > 0.95


def test_saved_and_opened_it_predicts_the_same(people, tmp_path):
    X = people[0]
    model = fit(people)
    wh.save_model(model, tmp_path / "cox.whether")
    opened = wh.load_model(tmp_path / "cox.whether").model
    np.testing.assert_array_equal(opened.predict_survival(X, [0.3, 1.0]), model.predict_survival(X, [0.3, 1.0]))
    assert str(opened.summary()) == str(model.summary())


@pytest.mark.parametrize("what", ["time_lower", "competing"])
def test_what_a_free_baseline_cannot_read_is_refused_with_a_class_that_can(people, what):
    X, y, time = people
    given = {"time_lower": 0.5 * time, "competing": (y == 0) & (X[:, 0] > 1)}[what]
    with pytest.raises(wh.ArgumentError, match=f"cannot read {what}.*MixtureCureClassifier"):
        wh.CoxCureClassifier().fit(X, y, time=time, **{what: given})


@pytest.mark.parametrize(("name", "value"), [("ties", "exact"), ("tail", None)])
def test_other_ties_and_tails_are_refused(people, name, value):
    with pytest.raises(wh.ArgumentError, match=f"{name} must be"):
        fit(people, **{name: value})


# ---------------------------------------------------------------- where the data say little


def test_a_tail_that_the_assumption_has_and_not_the_data_is_warned_of(people):
    X, y, time = people
    with pytest.warns(wh.FollowUpWarning, match=r"leave \d\d % of the expected positives"):
        model = fit((X, y, np.where(y == 1, 1.0, time)))
    assert model.tail_share_ > 0.1


def test_few_events_are_warned_of(people):
    X, y, time = people
    few = np.zeros_like(y)
    few[np.flatnonzero(y)[:5]] = 1
    with pytest.warns(wh.IdentifiabilityWarning, match="There are only 5 events"):
        fit((X, few, time), penalty="auto", shrinkage=100.0)


def test_where_nobody_seems_to_be_cured_risks_stay_below_one_and_it_is_said(people):
    X, _, time = people
    y = (np.arange(300) % 30 > 0).astype(int)
    with pytest.warns(wh.IdentifiabilityWarning, match="Nobody seems to be cured"):
        model = fit((X, y, time), penalty="auto", shrinkage=100.0)
    assert model.is_everybody_positive_
    assert model.predict_proba(X)[:, 1].max() < 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wh.IdentifiabilityWarning)
        assert fit((X, y, time)).at_boundary_
