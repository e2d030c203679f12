"""The promotion-time model: what hidden causes do, and that fits find the truth."""

import numpy as np
import pytest
from scipy.stats import chisquare, kstest
from sklearn.metrics import roc_auc_score
from sklearn.tree import DecisionTreeClassifier

import whether as wh
from whether.analysis.uncertainty import spread_of_sums
from whether.cohort import Cohort
from whether.distributions import DISTRIBUTIONS
from whether.learners import BoostedLearner, NeuralLearner
from whether.likelihood import PromotionLikelihood
from whether.propensity import FollowUpPropensity, Observed
from whether.simulation import PROMOTION_WORLDS

# A test statistic beyond this comes once in a million runs.
RARE = 1e-6
LINEAR_WORLDS = PROMOTION_WORLDS[:2]


def draw_first_causes(theta, rng, n):
    """Times of the first of Poisson many causes with log-normal times; infinite where there is none."""
    counts = rng.poisson(theta, n)
    times = np.full(n, np.inf)
    for cause in range(counts.max()):
        drawn = np.exp(rng.normal(size=n))
        times = np.where(counts > cause, np.minimum(times, drawn), times)
    return times


@pytest.mark.parametrize("theta", [0.3, 2.5])
def test_first_causes_fall_between_times_as_the_likelihood_says(theta, global_random_seed):
    n, ends = 20_000, np.array([0.2, 0.5, 1.0, 2.0, 4.0])
    times = draw_first_causes(theta, np.random.default_rng([1, global_random_seed]), n)
    clock = FollowUpPropensity(DISTRIBUTIONS["lognormal"])
    eta, v = np.full(ends.size, np.log(theta)), np.zeros((2, ends.size))
    seen = np.exp(PromotionLikelihood(clock).terms(eta, v, Observed(clock.locate(ends)), labeled=True).value)
    later = np.exp(-theta)
    shares = np.concatenate([np.diff(seen, prepend=0.0), [1 - seen[-1] - later, later]])
    counts = np.histogram(times[np.isfinite(times)], np.concatenate([[0], ends, [np.inf]]))[0]
    assert chisquare([*counts, n - counts.sum()], n * shares).pvalue > RARE


def test_a_world_draws_the_first_of_the_causes(global_random_seed):
    world = wh.simulate("promotion", n=20_000, seed=global_random_seed)
    log_rate = np.log(-np.log1p(-world.outcome_proba))
    near = (np.abs(log_rate) < 0.05) & (world.positive == 1)  # about one cause on average
    times = draw_first_causes(1.0, np.random.default_rng([2, global_random_seed]), 50_000)
    assert near.sum() > 200
    assert kstest(world.event_time[near], times[np.isfinite(times)]).pvalue > RARE


@pytest.mark.parametrize("clock", ["time", "follow_up"])
@pytest.mark.parametrize("world", LINEAR_WORLDS)
def test_a_fit_finds_the_truth_and_the_level(world, clock, global_random_seed):
    people = wh.simulate(world, n=4000, seed=global_random_seed)
    model = wh.PromotionTimeClassifier(clock, "lognormal", ridge=0.0)
    model.fit(people.X, people.y, time=people.time, follow_up=people.follow_up)
    truth = {"intercept": -0.4777, "x0": 1.0, "x1": -1.0, "x2": 0.0, "x3": 0.0}
    for row in model.summary().coefficients:
        expected = truth[row.term] if row.part == "outcome" else 0.0  # log-normal causes around one, of scale one
        assert abs(row.estimate - expected) < 4.5 * row.standard_error
    cohort = Cohort(people.X, people.y == 1, tuple(truth)[1:], None, people.time, people.follow_up)
    error = spread_of_sums(model, cohort, ~cohort.labeled).mean_risk
    assert abs(model.predict_proba(people.X)[:, 1].mean() - people.outcome_proba.mean()) < 4.5 * error
    # Calibration among those without the event, in halves by risk: sums of independent outcomes.
    still, missed = model.predict_proba_event_free(people.X, people.time), people.y == 0
    for half in np.array_split(np.flatnonzero(missed)[np.argsort(still[missed])], 2):
        spread = np.sqrt(np.sum(still[half] * (1 - still[half])) + (half.size * 4 * error) ** 2)
        assert abs(people.positive[half].sum() - still[half].sum()) < 4.5 * spread


def test_hazards_are_proportional_and_the_summary_says_by_how_much():
    people = wh.simulate("promotion", n=1000, seed=0)
    model = wh.PromotionTimeClassifier().fit(people.X, people.y, time=people.time)
    pair = np.zeros((2, 4))
    pair[1, 0] = 1.0  # one unit of the first feature apart
    cumulative = -np.log(model.predict_survival(pair, [0.1, 1.0, 10.0, 1e6]))
    row = next(row for row in model.summary().coefficients if row.term == "x0")
    assert row.ratio_kind == "rate ratio"
    np.testing.assert_allclose(cumulative[1] / cumulative[0], row.ratio, rtol=1e-8)


@pytest.mark.parametrize("clock", ["time", "follow_up"])
@pytest.mark.parametrize("learner", ["boosted", "neural"])
def test_flexible_learners_find_a_curved_rate(learner, clock):
    people, fresh = (wh.simulate("promotion-nonlinear", n=n, seed=n) for n in (1500, 5000))
    if learner == "neural":
        pytest.importorskip("torch")
    learners = {"boosted": BoostedLearner(max_rounds=300), "neural": NeuralLearner(n_networks=2)}
    aucs, errors = [], []
    for one in (learners[learner], "linear"):
        model = wh.PromotionTimeClassifier(clock, "lognormal", learner=one, random_state=0)
        model.fit(people.X, people.y, time=people.time, follow_up=people.follow_up)
        aucs.append(roc_auc_score(fresh.positive, model.decision_function(fresh.X)))
        errors.append(np.mean((model.predict_proba(fresh.X)[:, 1] - fresh.outcome_proba) ** 2))
    assert aucs[0] > aucs[1] + 0.08
    assert errors[0] < errors[1] / 3


def test_a_classifier_as_learner_is_refused_with_those_that_can():
    people = wh.simulate("promotion", n=200, seed=0)
    with pytest.raises(wh.ArgumentError, match="Use learner='linear', 'boosted', 'neural' or 'auto'"):
        wh.PromotionTimeClassifier(learner=DecisionTreeClassifier()).fit(people.X, people.y, time=people.time)
