"""The share of positives from elsewhere: what it is worth, and what it leaves as it is."""

from dataclasses import replace

import numpy as np
import pytest

from whether import METHODS, DataError, MixtureCureClassifier, SARPUClassifier
from whether.family import MIXTURE, PROMOTION_TIME
from whether.learners import KnownShare, Task
from whether.learners.linear.objective import LinearObjective
from whether.learners.rows import RowProblem
from whether.likelihood import LIKELIHOODS
from whether.validate import ArgumentError

READING = ["SARPU-F", "SARPU-R", "FUMC-F", "FUMC-R", "AFTMC-F", "AFTMC-R", "DTMC", "AFTPT", "FUPT"]


@pytest.fixture(scope="module")
def people(draw_times):
    return draw_times(41, 600)


@pytest.mark.parametrize("family", [MIXTURE, PROMOTION_TIME], ids=lambda family: family.name)
@pytest.mark.parametrize("weighted", [False, True])
def test_the_penalty_has_the_derivatives_it_says(family, weighted, people, any_propensity, finite_difference):
    weight = np.random.default_rng(1).uniform(0.5, 2, 600) if weighted else None
    columns = np.arange(2) if any_propensity.sloped[0] else np.arange(0)
    task = Task(people.checked(weight), [any_propensity], columns, family=family, share=KnownShare(0.3, 0.02))
    objective = LinearObjective(task, 0.5)
    theta = 0.3 * np.random.default_rng(2).normal(size=objective.layout.size)
    at = objective.penalty(theta)
    gradient = finite_difference(lambda x: objective.penalty(x).value, theta)
    hessian = finite_difference(lambda x: objective.penalty(x).gradient, theta)
    np.testing.assert_allclose(at.gradient, gradient, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(at.hessian, hessian, rtol=1e-5, atol=1e-4)


def test_row_by_row_it_has_the_same_slope(people, any_propensity, finite_difference):
    weight = np.random.default_rng(1).uniform(0.5, 2, 600)
    cohort, share = people.checked(weight), KnownShare(0.3, 0.05)
    criterion = LIKELIHOODS[MIXTURE](any_propensity)
    rng = np.random.default_rng(3)
    eta, v = rng.normal(size=600), 0.3 * rng.normal(size=(len(any_propensity.predictors), 600))
    plain, known = (RowProblem(cohort, criterion, one).evaluate(eta, v) for one in (None, share))
    added = weight * (plain.gradient[0] - known.gradient[0])

    def penalty(shift):
        return 0.5 * ((np.average(MIXTURE.probability(eta + shift)[0], weights=weight) - 0.3) / 0.05) ** 2

    slope = (penalty(1e-5) - penalty(-1e-5)) / 2e-5
    assert added.sum() == pytest.approx(slope, rel=1e-6)
    assert np.array_equal(plain.gradient[1:], known.gradient[1:])


@pytest.mark.parametrize("name", READING)
def test_a_share_that_is_known_exactly_is_the_mean_risk(name, people, build, quiet_fit):
    model = quiet_fit(build(METHODS[name], shrinkage=10.0, prevalence=0.7), people)
    assert model.predict_proba(people.X)[:, 1].mean() == pytest.approx(0.7, abs=2e-3)


@pytest.mark.parametrize("name", READING)
def test_a_share_that_may_be_anything_changes_nothing(name, people, build, quiet_fit):
    plain = quiet_fit(build(METHODS[name], shrinkage=10.0), people)
    vague = quiet_fit(build(METHODS[name], shrinkage=10.0, prevalence=0.7, prevalence_error=1e6), people)
    np.testing.assert_allclose(vague.predict_proba(people.X), plain.predict_proba(people.X), atol=1e-4)


def test_the_answer_lies_between_both_and_is_surer(people, quiet_fit):
    plain = quiet_fit(MixtureCureClassifier("lognormal", shrinkage=10.0), people)
    own = plain.predict_proba(people.X)[:, 1].mean()
    given = min(own + 0.1, 0.95)
    told = MixtureCureClassifier("lognormal", shrinkage=10.0, prevalence=given, prevalence_error=0.03)
    told = quiet_fit(told, people)
    assert own < told.predict_proba(people.X)[:, 1].mean() < given
    errors = [model.summary().coefficients[0].standard_error for model in (plain, told)]
    assert errors[1] < errors[0]


def test_what_cannot_be_is_refused(people):
    known = {"time": people.time}
    with pytest.raises(DataError, match="must lie between the share labeled"):
        MixtureCureClassifier(prevalence=0.01).fit(people.X, people.y, **known)
    with pytest.raises(ArgumentError, match="is the standard error of `prevalence`"):
        SARPUClassifier(prevalence_error=0.1).fit(people.X, people.y)
    with pytest.raises(ArgumentError, match="prevalence_error must be a number > 0"):
        MixtureCureClassifier(prevalence=0.5, prevalence_error=0).fit(people.X, people.y, **known)
    never = (people.y == 0) & (np.arange(600) % 2 == 0)
    with pytest.raises(DataError, match="not known to be negative"):
        MixtureCureClassifier(prevalence=0.99).fit(people.X, people.y, **known, known_negative=never)


def test_learners_that_cannot_read_it_say_so(people):
    from sklearn.tree import DecisionTreeClassifier

    model = MixtureCureClassifier(prevalence=0.5, prevalence_error=0.1, learner=DecisionTreeClassifier())
    with pytest.raises(ArgumentError, match="cannot learn from prevalence"):
        model.fit(people.X, people.y, time=people.time)


def test_half_of_the_people_with_twice_the_weight_are_the_same(people, quiet_fit):
    settings = {"distribution": "lognormal", "shrinkage": 10.0, "prevalence": 0.6, "prevalence_error": 0.02}
    rows = np.arange(300)
    doubled = quiet_fit(MixtureCureClassifier(**settings), people.take(np.repeat(rows, 2)))
    weighted = quiet_fit(MixtureCureClassifier(**settings), people.take(rows), sample_weight=np.full(300, 2.0))
    np.testing.assert_allclose(doubled.model_.coefficients, weighted.model_.coefficients, atol=1e-6)


def test_tasks_keep_it_when_people_are_taken(people, any_propensity):
    task = Task(people.checked(), [any_propensity], share=KnownShare(0.3, 0.1))
    assert replace(task).take(np.arange(50)).share == KnownShare(0.3, 0.1)
