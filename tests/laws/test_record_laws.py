"""What is known of people besides label and time: late entry, intervals between visits, deaths of something else."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from scipy.integrate import quad

from whether import (
    METHODS,
    DataError,
    FollowUpCureClassifier,
    LabelClassifier,
    MixtureCureClassifier,
)
from whether.distributions import DISTRIBUTIONS
from whether.learners import LinearLearner, Task
from whether.learners.linear.objective import LinearObjective
from whether.likelihood import LIKELIHOODS, Likelihood, PromotionLikelihood
from whether.propensity import CoxPropensity, EventTimePropensity, FollowUpPropensity, Observed, TwoSidedPropensity
from whether.validate import ArgumentError

KINDS = {"event times": EventTimePropensity, "follow-up": FollowUpPropensity}


@pytest.fixture(scope="module")
def people(draw_times):
    return draw_times(31, 500)


@pytest.fixture(scope="module")
def entered(people):
    """Four of five people enter late, before anything happens to them."""
    share = np.random.default_rng(5).uniform(0.1, 0.9, 500)
    return np.where(np.arange(500) % 5 == 0, 0.0, share * np.minimum(people.time, people.follow_up))


@pytest.fixture(scope="module")
def died(people):
    return (people.y == 0) & (np.arange(500) % 3 == 0)


@pytest.fixture(scope="module")
def mortal(people, died):
    """The same people, of whom some died before the end of their follow-up."""
    return replace(people, time=np.where(died, 0.9 * people.time, people.time))


@pytest.fixture(params=LIKELIHOODS.values(), ids=lambda kind: kind.family.name)
def likelihood_of(request):
    return request.param


def two_sided(kind, distribution="weibull", deaths="lognormal"):
    one = kind(DISTRIBUTIONS[distribution], center=0.3, spread=1.4)
    return TwoSidedPropensity(one, kind(DISTRIBUTIONS[deaths], center=0.6, spread=1.1))


@pytest.fixture(params=[(kind, d) for kind in KINDS for d in ("lognormal", "weibull", "gengamma")], ids=str)
def sides(request):
    kind, distribution = request.param
    return two_sided(KINDS[kind], distribution)


def records_of(propensity, place, rng):
    """Every kind of record at some of the places, before which people entered."""
    n = place.shape[-1]
    before = (lambda by: place - by) if place.ndim == 1 else (lambda by: np.stack([place[0], place[1] / (1 + by)]))
    if isinstance(propensity, CoxPropensity):
        before = lambda by: np.stack([place[0] / (1 + by), place[1], place[2]])  # noqa: E731
    entry = np.where(np.arange(n) % 3 == 0, np.nan, before(rng.uniform(1.0, 2.0, n)))
    lower = np.where(np.arange(n) % 2 == 0, np.nan, before(rng.uniform(0.1, 0.9, n)))
    if propensity.needs_follow_up:
        lower = entry
    return Observed(place, lower, entry)


def check_derivatives(at, x, finite_difference):
    """Gradient and curvature are those of the value."""
    terms = at(x[0], x[1:])
    assert all(np.isfinite(part).all() for part in terms)
    lost = 1e-10 * np.maximum(np.abs(terms.value), 1.0)
    gradient = finite_difference(lambda x: at(x[0], x[1:]).value, x)
    np.testing.assert_array_less(np.abs(terms.gradient - gradient), 1e-5 * np.abs(gradient) + 1e-5 + lost)
    curvature = finite_difference(lambda x: at(x[0], x[1:]).gradient, x)
    scale = 1 + np.abs(curvature).max(axis=(0, 1))
    np.testing.assert_array_less(np.abs(terms.curvature - curvature), 1e-5 * scale + lost * np.ones_like(curvature))


# ---------------------------------------------------------------- derivatives


@pytest.mark.parametrize("labeled", [True, False])
def test_late_entry_and_intervals_have_the_derivatives_they_say(
    uncertain_propensity, likelihood_of, labeled, draw_points, finite_difference
):
    if not uncertain_propensity.has_clock:
        pytest.skip("nothing is entered without a clock")
    rng = np.random.default_rng(7)
    eta, v, place = draw_points(uncertain_propensity, rng)
    observed = records_of(uncertain_propensity, place, rng)
    criterion = likelihood_of(uncertain_propensity)
    at = partial(criterion.terms, observed=observed, labeled=labeled)
    check_derivatives(at, np.vstack([np.clip(eta, -6, 3), v]), finite_difference)
    for alone, together in zip(criterion.slopes(eta, v, observed, labeled=labeled), at(eta, v), strict=False):
        np.testing.assert_allclose(alone, together, rtol=1e-12)


@pytest.mark.parametrize("labeled", [True, False])
def test_both_sides_have_the_derivatives_they_say(sides, labeled, draw_points, finite_difference):
    rng = np.random.default_rng(8)
    eta, v, place = draw_points(sides, rng)
    observed = records_of(sides, place, rng)
    if not labeled:
        never, dead = np.arange(place.size) % 4 < 2, np.arange(place.size) % 4 == 0
        observed = replace(observed, never=never, died=dead)
    criterion = Likelihood(sides)
    check_derivatives(
        partial(criterion.terms, observed=observed, labeled=labeled), np.vstack([eta, v]), finite_difference
    )
    for alone, together in zip(
        criterion.slopes(eta, v, replace(observed, entry=None), labeled=labeled),
        criterion.terms(eta, v, replace(observed, entry=None), labeled=labeled),
        strict=False,
    ):
        np.testing.assert_allclose(alone, together, rtol=1e-12)


@pytest.mark.parametrize("columns", [(0, 1, 2), (1,), ()])
@pytest.mark.parametrize("outcome", [None, (0, 2)])
def test_the_objective_of_both_sides_has_the_derivatives_it_says(
    columns, outcome, people, entered, died, finite_difference
):
    cohort = replace(people.checked(), entry_time=entered, competing=died).take(np.arange(80))
    propensity = two_sided(EventTimePropensity)
    outcome = None if outcome is None else np.array(outcome)
    task = Task(cohort, [propensity], np.array(columns, dtype=int), outcome_columns=outcome)
    objective = LinearObjective(task, 0.7)
    theta = 0.3 * np.random.default_rng(1).normal(size=objective.layout.size)
    at = objective.evaluate(theta)
    np.testing.assert_allclose(
        at.gradient, finite_difference(lambda x: objective.evaluate(x).value, theta), rtol=1e-6, atol=1e-5
    )
    np.testing.assert_allclose(
        at.hessian, finite_difference(lambda x: objective.evaluate(x).gradient, theta), rtol=1e-6, atol=1e-4
    )
    scores = np.concatenate(list(objective.row_scores(theta)))
    np.testing.assert_allclose(-scores.sum(axis=0), objective.sums(theta, with_hessian=False).gradient, rtol=1e-9)


@pytest.mark.parametrize("labeled", [True, False])
def test_rows_are_finite_at_extreme_predictors(labeled):
    grid = np.array(np.meshgrid([-700.0, 0.0, 700.0], [-1e3, 0.0, 1e3], [-8.0, 3.0], [-1e3, 1e3], [-8.0, 3.0]))
    eta, *v = grid.reshape(5, -1)
    n = eta.size
    observed = Observed(np.full(n, 0.5), np.full(n, 0.1), np.full(n, -0.4))
    if not labeled:
        observed = replace(observed, never=np.arange(n) % 2 == 0, died=np.arange(n) % 4 == 0)
    with np.errstate(over="ignore", invalid="ignore"):
        terms = Likelihood(two_sided(EventTimePropensity)).terms(eta, np.array(v), observed, labeled=labeled)
    assert not np.isnan(terms.value).any()


# ---------------------------------------------------------------- special cases


def test_with_no_late_entry_and_no_interval_the_fit_is_the_plain_one_to_the_last_digit(
    method, people, build, quiet_fit
):
    plain = quiet_fit(build(method, shrinkage=10.0), people)
    with_nothing = {"entry_time": np.zeros(500), "time_lower": people.time, "competing": np.zeros(500, dtype=bool)}
    same = quiet_fit(build(method, shrinkage=10.0), people, **with_nothing)
    assert np.array_equal(plain.model_.coefficients, same.model_.coefficients)


@pytest.mark.parametrize("name", ["AFTMC-F", "DTMC", "AFTPT", "AFT"])
def test_an_interval_that_shrinks_to_a_point_tends_to_the_density(name, people, build, quiet_fit):
    exact = quiet_fit(build(METHODS[name], penalty=None, shrinkage=0.0), people)
    model = build(METHODS[name], penalty=None, shrinkage=0.0)
    narrow = quiet_fit(model, people, time_lower=people.time * (1 - 1e-6))
    if (
        name == "DTMC"
    ):  # its exact event fell anywhere in a bin, and a narrow one within it: the same but for a constant
        assert narrow.converged_
    np.testing.assert_allclose(narrow.model_.coefficients, exact.model_.coefficients, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("distribution", ["lognormal", "weibull", "gengamma"])
def test_between_two_places_lies_the_difference_of_two_distribution_functions(distribution):
    clock = EventTimePropensity(DISTRIBUTIONS[distribution])
    v = np.tile(np.array([[0.2], [-0.3], [0.4]])[: len(clock.predictors)], 6)
    lower = np.array([-np.inf, -3.0, -0.2, 0.2 - 1e-5, 0.5, 2.0])
    upper = np.array([-1.0, -0.5, 0.4, 0.2, 3.0, 2.5])
    for k in range(6):
        one = v[:, k : k + 1]
        density = lambda z, one=one: float(np.exp(clock.log_seen(one, np.array([z])).value[0] + z))  # noqa: E731
        expected, _ = quad(density, max(lower[k], -30.0), upper[k], epsabs=0, epsrel=1e-11, limit=200)
        found = clock.log_between(one, lower[k : k + 1], upper[k : k + 1]).value[0]
        assert found == pytest.approx(np.log(expected), abs=1e-8)


@pytest.mark.parametrize("late", [False, True])
def test_events_at_any_time_since_entry_are_the_follow_up_model(late, likelihood_of, distribution, draw_points):
    clocks = [kind(distribution, center=0.3, spread=1.4) for kind in (EventTimePropensity, FollowUpPropensity)]
    eta, v, place = draw_points(clocks[0], np.random.default_rng(9))
    entry = np.where(np.arange(place.size) % 2 == 0, place - 1.0, np.nan) if late else None
    since = np.full(place.size, -np.inf) if entry is None else np.where(np.isnan(entry), -np.inf, entry)
    for labeled in (True, False):
        by_interval = likelihood_of(clocks[0]).terms(eta, v, Observed(place, since, entry), labeled=labeled)
        by_follow_up = likelihood_of(clocks[1]).terms(eta, v, Observed(place, entry, entry), labeled=labeled)
        for one, other in zip(by_interval, by_follow_up, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-7, atol=1e-7)


def test_late_entry_divides_by_the_probability_of_being_there(likelihood_of):
    clock = EventTimePropensity(DISTRIBUTIONS["lognormal"])
    eta, v, end, entry = np.array([0.4]), np.array([[0.1], [-0.2]]), np.array([0.8]), np.array([0.3])
    terms = likelihood_of(clock).terms
    there = terms(eta, v, Observed(entry), labeled=False).value
    for labeled in (True, False):
        late, from_start = (
            terms(eta, v, seen, labeled=labeled).value for seen in (Observed(end, entry=entry), Observed(end))
        )
        np.testing.assert_allclose(late, from_start - there, rtol=1e-12)


@pytest.mark.parametrize("kind", [Likelihood, PromotionLikelihood], ids=lambda kind: kind.family.name)
def test_from_follow_up_alone_late_entry_leaves_seen_and_not_seen_that_add_up_to_one(kind):
    clock = FollowUpPropensity(DISTRIBUTIONS["loglogistic"])
    rng = np.random.default_rng(3)
    eta, v, end = rng.normal(size=50), rng.normal(size=(2, 50)), rng.normal(size=50)
    entry = end - rng.uniform(0.1, 2, 50)
    observed = Observed(end, entry, entry)
    seen, missed = (np.exp(kind(clock).terms(eta, v, observed, labeled=flag).value) for flag in (True, False))
    np.testing.assert_allclose(seen + missed, 1.0, rtol=1e-10)


def test_the_two_sides_exchanged_give_one_minus_p(people, died, quiet_fit):
    cohort = replace(people.checked(), competing=died)
    kinds = [
        EventTimePropensity(DISTRIBUTIONS[name], 0.1, 1.2, penalty_weight=0.0) for name in ("weibull", "lognormal")
    ]
    exchanged = replace(cohort, labeled=died, competing=cohort.labeled)
    learner = LinearLearner(ridge=0.0, n_starts=1, is_exact=True)
    fits = [
        learner.fit(Task(one, [TwoSidedPropensity(*order)], np.arange(3)))
        for one, order in ((cohort, kinds), (exchanged, kinds[::-1]))
    ]
    assert fits[0].result.log_likelihood == pytest.approx(fits[1].result.log_likelihood, abs=1e-5)
    (eta, v), (opposite, exchanged_v) = (fit.predict(people.X) for fit in fits)
    np.testing.assert_allclose(eta, -opposite, atol=2e-3)
    np.testing.assert_allclose(v, np.concatenate([exchanged_v[2:], exchanged_v[:2]]), atol=2e-3)


def test_records_with_weight_zero_are_not_there(people, entered, died, quiet_fit):
    kept = ~died
    weight = kept.astype(float)
    model = partial(MixtureCureClassifier, "lognormal", shrinkage=10.0)
    weighted = quiet_fit(model(), people, competing=died, entry_time=entered, sample_weight=weight)
    alone = quiet_fit(model(), people.take(kept), entry_time=entered[kept])
    np.testing.assert_allclose(weighted.model_.coefficients, alone.model_.coefficients, rtol=1e-9)


def test_a_late_entry_before_anything_can_happen_is_none(people, quiet_fit):
    plain = quiet_fit(MixtureCureClassifier("lognormal", shrinkage=10.0), people)
    early = quiet_fit(MixtureCureClassifier("lognormal", shrinkage=10.0), people, entry_time=np.full(500, 1e-12))
    np.testing.assert_allclose(early.model_.coefficients, plain.model_.coefficients, atol=1e-6)


def test_negatives_who_die_in_time_leave_more_positives_among_the_living(people, quiet_fit):
    never = (people.y == 0) & (np.arange(500) % 4 == 0)
    model = MixtureCureClassifier("lognormal", shrinkage=10.0)
    known = quiet_fit(model, people, known_negative=never).predict_proba(people.X)[:, 1]
    dead = quiet_fit(MixtureCureClassifier("lognormal", shrinkage=10.0), people, competing=never)
    # Negatives die: whoever is still alive is more likely positive than if deaths were no time's matter.
    assert dead.predict_proba(people.X)[:, 1].mean() > known.mean()
    labels = quiet_fit(LabelClassifier(), people)
    same = quiet_fit(LabelClassifier(), people, competing=never)
    assert np.array_equal(labels.model_.coefficients, same.model_.coefficients)


def test_whoever_is_alive_after_everybody_else_died_is_positive(people, died, quiet_fit):
    model = quiet_fit(MixtureCureClassifier("weibull", shrinkage=0.0), people, competing=died)
    at_start = model.predict_proba(people.X)[:, 1]
    np.testing.assert_allclose(model.predict_proba_event_free(people.X, 1e-9), at_start, atol=1e-6)
    # Up to a time the event came, or not yet, or death did: the first is p F(t).
    survival = model.predict_survival(people.X, [1e-9, 1e9])
    np.testing.assert_allclose(survival, np.column_stack([np.ones(500), 1 - at_start]), atol=1e-3)


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("records", "said"),
    [
        ({"entry_time": np.full(500, 1e6)}, "entry_time must be before time"),
        ({"entry_time": np.full(500, -1.0)}, "entry_time must be >= 0"),
        ({"entry_time": np.zeros(3)}, r"shape \(500,\) was expected"),
        ({"time_lower": np.full(500, 1e6)}, "time_lower must be <= time"),
        ({"time_lower": np.full(500, -1.0)}, "time_lower must be >= 0"),
        ({"competing": np.ones(500, dtype=bool)}, "whoever had the event had it before dying"),
        ({"competing": np.full(500, 0.5)}, "must be True or False"),
    ],
    ids=lambda value: value if isinstance(value, str) else ", ".join(value),
)
def test_records_that_cannot_be_are_refused(records, said, people):
    with pytest.raises(DataError, match=said):
        MixtureCureClassifier().fit(people.X, people.y, time=people.time, **records)


@pytest.mark.parametrize("name", METHODS)
def test_every_method_reads_a_record_or_names_one_that_does(name, people, mortal, entered, died, build, quiet_fit):
    for record in (
        {"entry_time": entered},
        {"competing": died},
        {"known_negative": died},
        {"time_lower": 0.9 * mortal.time},
    ):
        model = build(METHODS[name], shrinkage=10.0)
        (what,) = record
        if what in type(model)._unread:
            with pytest.raises(ArgumentError, match=f"cannot read {what}.*Classifier"):
                quiet_fit(model, mortal, **record)
        else:
            assert np.isfinite(quiet_fit(model, mortal, **record).predict_proba(people.X)).all()


def test_follow_up_that_ends_at_death_is_refused_by_methods_that_read_it(people, died):
    ends = np.where(died, people.time, people.follow_up)
    known = {"time": people.time, "follow_up": ends, "competing": died}
    with pytest.raises(DataError, match="follow_up ends at death for all"):
        FollowUpCureClassifier().fit(people.X, people.y, **known)
    assert MixtureCureClassifier("lognormal", shrinkage=10.0).fit(people.X, people.y, **known).converged_
