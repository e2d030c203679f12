"""The neural learner: gradients carried to PyTorch, what it can learn, and what it says when something is wrong."""

import pickle
import sys

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import roc_auc_score

import whether as wh
from whether.cohort import Cohort
from whether.distributions import DISTRIBUTIONS
from whether.learners import LinearLearner
from whether.learners.network import BatchLikelihood, carried_loss
from whether.learners.neural import NeuralLearner
from whether.propensity import (
    Certain,
    DiscreteTimePropensity,
    EventTimePropensity,
    FollowUpPropensity,
    LogisticPropensity,
    equal_event_edges,
)
from whether.risk import UnbiasedRisk

torch = pytest.importorskip("torch")

QUICK = {"max_epochs": 4, "n_starts": 1, "hidden": (8,)}


def to_cohort(simulated):
    names = tuple(f"x{i}" for i in range(simulated.X.shape[1]))
    return Cohort(simulated.X, simulated.y.astype(bool), names, None, simulated.time, simulated.follow_up)


def event_time(cohort, *names):
    recorded = np.log(cohort.time)
    return [EventTimePropensity(DISTRIBUTIONS[name], recorded.mean(), recorded.std()) for name in names]


def propensities(cohort):
    recorded = np.log(cohort.follow_up)
    edges = equal_event_edges(cohort.time[cohort.labeled], 5)
    return {
        "event time": event_time(cohort, "lognormal")[0],
        "exponential": event_time(cohort, "exponential")[0],
        "follow-up": FollowUpPropensity(DISTRIBUTIONS["weibull"], recorded.mean(), recorded.std()),
        "bins": DiscreteTimePropensity(edges),
        "constant": LogisticPropensity(sloped=False),
        "logistic": LogisticPropensity(sloped=True),
        "certain": Certain(),
        "risk": UnbiasedRisk(0.5),
    }


NAMES = ("event time", "exponential", "follow-up", "bins", "constant", "logistic", "certain", "risk")


def fit(learner, cohort, candidates, *, columns=None, seed=0, **given):
    columns = np.arange(cohort.features.shape[1]) if columns is None else np.asarray(columns, dtype=np.intp)
    return learner.fit(cohort, candidates, columns=columns, rng=np.random.default_rng(seed), **given)


@pytest.fixture(scope="module")
def small():
    return to_cohort(wh.simulate("partially-dependent", n=400, seed=0))


@pytest.mark.parametrize(
    ("name", "has_outcome"),
    [("event time", True), ("event time", False), ("follow-up", True), ("bins", True), ("logistic", True)],
)
def test_carried_gradients_equal_finite_differences(small, name, has_outcome):
    weight = np.random.default_rng(1).uniform(0.5, 2.0, small.n)
    weighted = Cohort(small.features, small.labeled, small.names, weight, small.time, small.follow_up)
    propensity = propensities(small)[name]
    likelihood = BatchLikelihood(weighted, propensity, has_outcome)
    rows = np.random.default_rng(2).permutation(small.n)[:12]
    shape = (rows.size, int(has_outcome) + len(propensity.predictors))
    at = torch.tensor(np.random.default_rng(3).normal(0, 0.4, shape), requires_grad=True)
    (3 * carried_loss(at, likelihood, rows)).backward()
    step, numeric = 1e-6, np.empty(shape)
    for place in np.ndindex(*shape):
        moved = [at.detach().numpy().copy() for _ in range(2)]
        moved[0][place] += step
        moved[1][place] -= step
        above, below = (likelihood.loss(values, rows)[0] for values in moved)
        numeric[place] = 3 * (above - below) / (2 * step)
    np.testing.assert_allclose(at.grad.numpy(), numeric, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("name", NAMES)
def test_every_propensity_can_be_learned(small, name):
    propensity = propensities(small)[name]
    model = fit(NeuralLearner(**QUICK), small, [propensity])
    eta, v = model.predict(small.features[:7])
    assert eta.shape == (7,)
    assert v.shape == (len(propensity.predictors), 7)
    assert eta.dtype == v.dtype == np.float64
    assert np.isfinite(eta).all()
    assert np.isfinite(v).all()
    assert np.isfinite(model.result.log_likelihood)


def test_a_model_in_which_everybody_is_positive_has_no_logit(small):
    eta, v = fit(NeuralLearner(**QUICK), small, event_time(small, "weibull"), has_outcome=False).predict(small.features)
    assert eta is None
    assert v.shape == (2, small.n)


def test_only_sloped_predictors_follow_the_features(small):
    _, v = fit(NeuralLearner(**QUICK), small, event_time(small, "lognormal")).predict(small.features)
    assert np.ptp(v[0]) > 0
    assert np.ptp(v[1]) == 0


def test_the_propensity_follows_no_features_but_its_own(small):
    model = fit(NeuralLearner(**QUICK), small, [LogisticPropensity(sloped=True)], columns=[1])
    changed = small.features.copy()
    changed[:, 0] += 1.0
    before, after = model.predict(small.features), model.predict(changed)
    assert np.array_equal(before[1], after[1])
    assert not np.array_equal(before[0], after[0])
    assert model.kappa is None


def test_without_features_of_its_own_the_propensity_is_constant(small):
    _, v = fit(NeuralLearner(**QUICK), small, [LogisticPropensity(sloped=True)], columns=[]).predict(small.features)
    assert np.ptp(v) == 0


def test_a_known_level_stays_as_it_is(small):
    known = {0: 0.25}
    _, v = fit(NeuralLearner(**QUICK), small, [LogisticPropensity(sloped=False)], columns=[], known=known).predict(
        small.features
    )
    assert np.all(v == 0.25)


def test_the_same_seed_gives_the_same_fit_and_leaves_the_random_state_of_torch_alone(small):
    learner, candidates = NeuralLearner(**{**QUICK, "n_starts": 2}), event_time(small, "lognormal", "weibull")
    state = torch.random.get_rng_state()
    first, second, other = (fit(clone(learner), small, candidates, seed=seed) for seed in (5, 5, 6))
    assert torch.equal(state, torch.random.get_rng_state())
    assert np.array_equal(first.predict(small.features)[0], second.predict(small.features)[0])
    assert first.result == second.result
    assert not np.array_equal(first.predict(small.features)[0], other.predict(small.features)[0])


def test_rows_of_weight_zero_are_left_out(small):
    weight = np.where(np.arange(small.n) % 4 == 0, 0.0, 1.0)
    weighted = Cohort(small.features, small.labeled, small.names, weight, small.time, small.follow_up)
    candidates = event_time(small, "lognormal")
    first = fit(NeuralLearner(**QUICK), weighted, candidates)
    second = fit(NeuralLearner(**QUICK), small.take(np.flatnonzero(weight)), candidates)
    np.testing.assert_allclose(first.predict(small.features)[0], second.predict(small.features)[0], atol=1e-4)


def test_a_pickled_fit_predicts_the_same(small):
    model = fit(NeuralLearner(**QUICK, linear=LinearLearner()), small, event_time(small, "lognormal"))
    again = pickle.loads(pickle.dumps(model))
    for before, after in zip(model.predict(small.features), again.predict(small.features), strict=True):
        assert np.array_equal(before, after)


def test_a_prediction_does_not_depend_on_who_else_is_predicted(small):
    model = fit(NeuralLearner(**QUICK), small, event_time(small, "lognormal"))
    alone = [model.predict(small.features[i : i + 1])[0][0] for i in range(5)]
    np.testing.assert_allclose(alone, model.predict(small.features)[0][:5], rtol=1e-12)


def test_it_beats_the_linear_learner_where_the_risk_is_not_linear(global_random_seed):
    simulated = wh.simulate("nonlinear-risk", n=3000, seed=global_random_seed)
    fresh = wh.simulate("nonlinear-risk", n=10_000, seed=1000 + global_random_seed)
    cohort = to_cohort(simulated)
    candidates = event_time(cohort, "lognormal")
    learner = NeuralLearner(n_starts=1, max_epochs=80, patience=8)
    neural = roc_auc_score(fresh.positive, fit(learner, cohort, candidates).predict(fresh.X)[0])
    linear = roc_auc_score(fresh.positive, fit(LinearLearner(), cohort, candidates).predict(fresh.X)[0])
    assert neural > 0.86
    assert neural > linear + 0.08


def test_started_from_a_linear_model_it_keeps_what_the_linear_model_knows():
    cohort = to_cohort(wh.simulate("dependent-censoring", n=2000, seed=0))
    fresh = wh.simulate("dependent-censoring", n=10_000, seed=1000)
    candidates = event_time(cohort, "lognormal")
    linear = LinearLearner(shrinkage="cv")
    learner = NeuralLearner(linear=linear, n_starts=1, max_epochs=30, patience=5)
    neural = roc_auc_score(fresh.positive, fit(learner, cohort, candidates).predict(fresh.X)[0])
    assert neural > roc_auc_score(fresh.positive, fit(linear, cohort, candidates).predict(fresh.X)[0]) - 0.01


def test_starts_and_distributions_are_reported(small):
    result = fit(NeuralLearner(**{**QUICK, "n_starts": 3}), small, event_time(small, "lognormal", "weibull")).result
    assert sorted(start.name for start in result.starts) == ["free-1", "index-1", "index-2"]
    assert result.starts[0].agreement == pytest.approx(1)
    assert set(result.distributions) == {"lognormal", "weibull"}
    assert not result.converged


def test_training_that_stops_early_has_converged(small):
    learner = NeuralLearner(**{**QUICK, "max_epochs": 200, "patience": 2, "learning_rate": 0.03})
    assert fit(learner, small, event_time(small, "lognormal")).result.converged


@pytest.mark.parametrize("as_factory", [True, False])
def test_a_module_of_ones_own_is_trained(small, as_factory):
    def make():
        return torch.nn.Linear(small.features.shape[1], 2)

    module = make if as_factory else make()
    model = fit(NeuralLearner(**{**QUICK, "module": module}), small, event_time(small, "lognormal"))
    eta, v = model.predict(small.features)
    assert np.ptp(eta) > 0
    assert v.shape == (2, small.n)


def test_a_module_with_a_wrong_number_of_outputs_is_told_what_is_needed(small):
    module = torch.nn.Linear(small.features.shape[1], 3)
    with pytest.raises(ValueError, match=r"must return 2 outputs per person \(outcome logit, location\)"):
        fit(NeuralLearner(**QUICK, module=module), small, event_time(small, "lognormal"))


def test_a_module_cannot_be_restricted_to_some_features(small):
    module = torch.nn.Linear(small.features.shape[1], 2)
    with pytest.raises(ValueError, match="sees all features"):
        fit(NeuralLearner(**QUICK, module=module), small, [LogisticPropensity(sloped=True)], columns=[0])


def test_without_torch_the_error_says_what_to_install(small, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError, match=r'needs PyTorch: pip install "whether\[neural\]"'):
        fit(NeuralLearner(), small, [Certain()])
