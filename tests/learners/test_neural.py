"""The neural learner: slopes of batches, what it can learn, and what it says when something is wrong."""

import importlib.util
import pickle
import sys
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import roc_auc_score

import whether as wh
from whether.cohort import Cohort
from whether.distributions import DISTRIBUTIONS
from whether.learners import LinearLearner, Task
from whether.learners.neural.batches import Batch, Split, batch_criterion
from whether.learners.neural.neural_learner import NeuralLearner
from whether.learners.neural.outputs import OutputLayout
from whether.learners.neural.screen import Screen
from whether.propensity import (
    Certain,
    DiscreteTimePropensity,
    EventTimePropensity,
    FollowUpPropensity,
    LogisticPropensity,
    equal_event_edges,
)
from whether.risk import PURisk
from whether.simulation import WORLDS

# PyTorch takes seconds to import, so it is looked for here and imported by the tests that name it.
pytestmark = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="the neural learner needs PyTorch")

QUICK = {"max_epochs": 4, "n_networks": 1, "hidden": (8,)}


@pytest.fixture
def torch():
    return pytest.importorskip("torch")


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
        "risk": PURisk(0.5),
        "clipped risk": PURisk(0.5, nonnegative=True),
    }


def task_of(cohort, propensity, columns=None, **given):
    """Task under a propensity, or under a risk, which brings its own."""
    risk = propensity if isinstance(propensity, PURisk) else None
    columns = np.arange(cohort.features.shape[1]) if columns is None else np.asarray(columns, dtype=np.intp)
    return Task(cohort, [risk.propensity if risk else propensity], columns, risk=risk, **given)


NAMES = ("event time", "exponential", "follow-up", "bins", "constant", "logistic", "certain", "risk", "clipped risk")


def fit(learner, cohort, candidates, *, columns=None, seed=0, **given):
    task = task_of(cohort, candidates[0], columns, rng=np.random.default_rng(seed), **given)
    return learner.fit(task if task.risk else replace(task, candidates=candidates))


@pytest.fixture(scope="module")
def small():
    return to_cohort(wh.simulate("partially-dependent", n=400, seed=0))


def batch_of(cohort, seed, n_networks=2, size=12):
    """People of several networks, labeled ones first, as many of them in each."""
    rng = np.random.default_rng(seed)
    labeled, rest = np.flatnonzero(cohort.labeled), np.flatnonzero(~cohort.labeled)
    rows = [
        np.concatenate([rng.permutation(labeled)[:4], rng.permutation(rest)[: size - 4]]) for _ in range(n_networks)
    ]
    return Batch(np.array(rows), 4)


@pytest.mark.parametrize(
    ("name", "has_outcome"),
    [("event time", True), ("event time", False), ("follow-up", True), ("bins", True), ("logistic", True)],
)
def test_slopes_of_a_batch_equal_finite_differences_of_its_mean_loss(small, name, has_outcome):
    weight = np.random.default_rng(1).uniform(0.5, 2.0, small.n)
    weighted = Cohort(small.features, small.labeled, small.names, weight, small.time, small.follow_up)
    propensity = propensities(small)[name]
    likelihood, batch = batch_criterion(task_of(weighted, propensity, has_outcome=has_outcome)), batch_of(small, 2)
    shape = (*batch.rows.shape, int(has_outcome) + len(propensity.predictors))
    at = np.random.default_rng(3).normal(0, 0.4, shape)

    def loss(outputs):
        return -likelihood.values(outputs, batch).sum(axis=1) / weight[batch.rows].sum(axis=1)

    step, numeric = 1e-6, np.empty(shape)
    for place in np.ndindex(*shape):
        above, below = at.copy(), at.copy()
        above[place] += step
        below[place] -= step
        numeric[place] = (loss(above) - loss(below))[place[0]] / (2 * step)
    np.testing.assert_allclose(likelihood.slopes(at, batch), numeric, rtol=1e-5, atol=1e-7)


def test_the_clipped_risk_goes_up_along_the_negatives_share_where_that_is_below_zero(small):
    batch, c = batch_of(small, 0), 0.35
    clipped, unbiased = (batch_criterion(task_of(small, PURisk(c, nonnegative=flag))) for flag in (True, False))
    labeled = small.labeled[batch.rows][..., None]
    # Network 0 is sure that labeled people are positive, which drives the negatives' share far below zero.
    at = np.where(labeled, 6.0, -6.0) * np.array([1.0, 0.0])[:, None, None]
    slope_of_negatives = np.where(labeled, 1 - 1 / c, 1.0) / (1 + np.exp(-at)) / batch.rows.shape[1]
    np.testing.assert_allclose(clipped.slopes(at, batch)[0], -slope_of_negatives[0])
    np.testing.assert_allclose(clipped.slopes(at, batch)[1], unbiased.slopes(at, batch)[1])
    assert clipped.values(at, batch)[0].sum() > -1


def test_every_batch_has_its_share_of_labeled_people_and_nobody_is_in_two(small):
    fold = np.arange(small.n) % 4
    split = Split(small.labeled, fold, np.array([0, 3]))
    batches = list(split.batches(np.array([1]), 5, np.random.default_rng(0)))
    rows = np.concatenate([batch.rows[0] for batch in batches])
    assert len(set(rows)) == rows.size == split.n_training
    assert not np.any(fold[rows] == 3)
    assert np.all(fold[split.held_out.rows] == [[0], [3]])
    counts = [batch.n_labeled for batch in batches]
    assert max(counts) - min(counts) <= 1
    for batch in batches:
        assert np.array_equal(small.labeled[batch.rows[0]], np.arange(batch.rows.shape[1]) < batch.n_labeled)


@pytest.mark.parametrize("name", NAMES)
def test_every_propensity_can_be_learned(small, name):
    propensity = propensities(small)[name]
    model = fit(NeuralLearner(**QUICK), small, [propensity])
    eta, v = model.predict(small.features[:7])
    assert eta.shape == (7,)
    assert v.shape == (len(model.propensity.predictors), 7)
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


def test_the_same_seed_gives_the_same_fit_and_leaves_the_random_state_of_torch_alone(torch, small):
    learner, candidates = NeuralLearner(**{**QUICK, "n_networks": 2}), event_time(small, "lognormal", "weibull")
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
    neural = roc_auc_score(fresh.positive, fit(NeuralLearner(), cohort, candidates).predict(fresh.X)[0])
    linear = roc_auc_score(fresh.positive, fit(LinearLearner(), cohort, candidates).predict(fresh.X)[0])
    assert neural > 0.86
    assert neural > linear + 0.08


@pytest.mark.parametrize("world", ["dependent-censoring", "high-censorship"])
def test_started_from_a_linear_model_it_keeps_what_the_linear_model_knows(world, global_random_seed):
    cohort = to_cohort(wh.simulate(world, n=2000, seed=global_random_seed))
    fresh = wh.simulate(world, n=10_000, seed=1000 + global_random_seed)
    candidates = event_time(cohort, "lognormal")
    linear = LinearLearner(shrinkage="cv")
    neural = roc_auc_score(fresh.positive, fit(NeuralLearner(linear=linear), cohort, candidates).predict(fresh.X)[0])
    assert neural > roc_auc_score(fresh.positive, fit(linear, cohort, candidates).predict(fresh.X)[0]) - 0.02


def test_two_hundred_columns_of_noise_do_no_harm(global_random_seed):
    world = replace(WORLDS["nonlinear-risk"], n_features=204)
    cohort = to_cohort(wh.simulate(world, n=2500, seed=global_random_seed))
    fresh = wh.simulate(world, n=10_000, seed=1000 + global_random_seed)
    model = fit(NeuralLearner(), cohort, event_time(cohort, "lognormal"))
    assert model.result.starts[0].name.endswith("screened")
    assert roc_auc_score(fresh.positive, model.predict(fresh.X)[0]) > 0.85


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_clipped_risk_keeps_the_negatives_share_from_falling_below_zero(global_random_seed):
    people = wh.simulate("high-susceptibility", n=2000, seed=global_random_seed)
    c = 1.1 * people.y.mean()  # far too small: nearly everybody would be positive
    unbiased, clipped = (
        wh.UnbiasedPUClassifier(nonnegative=flag, label_frequency=c, learner="neural", random_state=0)
        .fit(people.X, people.y)
        .negative_risk_
        for flag in (False, True)
    )
    assert unbiased < -0.05
    assert clipped > -0.02


def test_the_screen_keeps_features_that_matter_in_either_part_and_few_others():
    world = replace(WORLDS["nonlinear-risk"], n_features=200)
    cohort = to_cohort(wh.simulate(world, n=4000, seed=0))
    propensity = event_time(cohort, "lognormal")[0]
    chosen = Screen(cohort.features).choose(
        np.zeros((cohort.n, 3)),
        Batch(np.argsort(~cohort.labeled, kind="stable")[None], int(cohort.labeled.sum())),
        batch_criterion(task_of(cohort, propensity)),
        OutputLayout(propensity, True, 200, np.arange(200)),
    )
    assert {0, 1, 2, 3} <= set(chosen.tolist())
    assert chosen.size < 12


def test_a_predictor_of_a_named_feature_sees_only_that_one_among_many(small):
    wide = np.column_stack([small.features, np.random.default_rng(0).normal(size=(small.n, 40))])
    cohort = Cohort(wide, small.labeled, tuple(f"x{i}" for i in range(44)), None, small.time, small.follow_up)
    learner = NeuralLearner(**QUICK, linear=LinearLearner())
    model = fit(learner, cohort, [LogisticPropensity(sloped=True)], columns=[30])
    changed = wide.copy()
    changed[:, np.arange(44) != 30] += 1.0
    assert np.array_equal(model.predict(wide)[1], model.predict(changed)[1])
    assert not np.array_equal(model.predict(wide)[0], model.predict(changed)[0])


def test_kinds_of_networks_and_distributions_are_reported(small):
    learner = NeuralLearner(**{**QUICK, "n_networks": 2})
    result = fit(learner, small, event_time(small, "lognormal", "weibull")).result
    assert sorted(start.name for start in result.starts) == ["free", "index"]
    assert result.starts[0].agreement == pytest.approx(1)
    assert set(result.distributions) == {"lognormal", "weibull"}
    assert not result.converged


def test_the_linear_model_is_one_of_the_starts(small):
    learner = NeuralLearner(**QUICK, linear=LinearLearner(shrinkage=100.0))
    result = fit(learner, small, event_time(small, "lognormal", "weibull")).result
    assert sorted(start.name for start in result.starts) == ["free-linear", "index", "index-linear"]
    assert set(result.distributions) == {"lognormal", "weibull"}


def test_a_classifier_tells_the_shrinkage_of_the_linear_model_below_the_networks():
    people = wh.simulate("partially-dependent", n=400, seed=0)
    learner = NeuralLearner(**{**QUICK, "learning_rate": 1e-6, "max_epochs": 1})
    model = wh.MixtureCureClassifier(shrinkage=50.0, learner=learner, random_state=0)
    with pytest.warns(ConvergenceWarning):
        model.fit(people.X, people.y, time=people.time)
    assert model.model_.linear_part is not None
    assert model.shrinkage_ == 50.0
    assert model.kappa_ == model.model_.linear_part.kappa


def test_training_that_stops_early_has_converged(small):
    learner = NeuralLearner(**{**QUICK, "max_epochs": 200, "patience": 2, "learning_rate": 0.03})
    assert fit(learner, small, event_time(small, "lognormal")).result.converged


def test_the_order_of_rows_does_not_matter(small):
    learner, candidates = NeuralLearner(**QUICK, linear=LinearLearner(shrinkage=100.0)), event_time(small, "lognormal")
    shuffled = small.take(np.random.default_rng(0).permutation(small.n))
    one, other = (fit(learner, cohort, candidates).predict(small.features)[0] for cohort in (small, shuffled))
    np.testing.assert_allclose(one, other, atol=1e-4)


def test_a_single_event_leaves_nobody_to_hold_out_and_nothing_is_trained(small):
    alone = np.concatenate([np.flatnonzero(small.labeled)[:1], np.flatnonzero(~small.labeled)])
    model = fit(NeuralLearner(**QUICK), small.take(alone), [LogisticPropensity(sloped=False)], columns=[])
    assert np.ptp(model.predict(small.features)[0]) == 0
    assert np.isfinite(model.result.log_likelihood)


def test_a_fitted_perceptron_predicts_without_torch(small, monkeypatch):
    model = fit(NeuralLearner(**QUICK, linear=LinearLearner()), small, event_time(small, "lognormal"))
    before = model.predict(small.features)[0]
    monkeypatch.setitem(sys.modules, "torch", None)
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(small.features)[0], before)


@pytest.mark.parametrize("as_factory", [True, False])
def test_a_module_of_ones_own_is_trained(torch, small, as_factory):
    def make():
        return torch.nn.Linear(small.features.shape[1], 2)

    module = make if as_factory else make()
    model = fit(NeuralLearner(**{**QUICK, "module": module}), small, event_time(small, "lognormal"))
    eta, v = model.predict(small.features)
    assert np.ptp(eta) > 0
    assert v.shape == (2, small.n)


def test_a_module_with_a_wrong_number_of_outputs_is_told_what_is_needed(torch, small):
    module = torch.nn.Linear(small.features.shape[1], 3)
    with pytest.raises(ValueError, match=r"must return 2 outputs per person \(outcome logit, location\)"):
        fit(NeuralLearner(**QUICK, module=module), small, event_time(small, "lognormal"))


def test_a_module_cannot_be_restricted_to_some_features(torch, small):
    module = torch.nn.Linear(small.features.shape[1], 2)
    with pytest.raises(ValueError, match="sees all features"):
        fit(NeuralLearner(**QUICK, module=module), small, [LogisticPropensity(sloped=True)], columns=[0])


def test_parameters_of_a_module_that_are_frozen_stay_as_they_are(torch, small):
    module = torch.nn.Sequential(torch.nn.Linear(small.features.shape[1], 6), torch.nn.Dropout(), torch.nn.Linear(6, 2))
    module[0].weight.requires_grad_(False)
    model = fit(NeuralLearner(**{**QUICK, "module": module}), small, event_time(small, "lognormal"))
    kept = model.architecture.modules[0]
    assert torch.equal(kept[0].weight, module[0].weight)
    assert not torch.equal(kept[2].weight, module[2].weight)
    assert not kept.training


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"hidden": 32}, r"hidden must be widths of hidden layers, such as \(32, 32\): .* got 32"),
        ({"hidden": (32, 0)}, r"hidden must be .* got \(32, 0\)"),
        ({"hidden": "32"}, "hidden must be .* got '32'"),
        ({"learning_rate": 0}, "learning_rate of the NeuralLearner must be a finite number > 0, got 0"),
        ({"learning_rate": float("nan")}, "learning_rate .* got nan"),
        ({"weight_decay": -1.0}, r"weight_decay of the NeuralLearner must be a finite number >= 0, got -1\.0"),
        ({"max_epochs": 0}, "`NeuralLearner.max_epochs` must be a whole number >= 1, got 0"),
        ({"patience": 1.5}, r"patience` .* got 1\.5"),
        ({"batch_size": True}, "batch_size` .* got True"),
        ({"n_networks": "3"}, "n_networks` .* got '3'"),
        ({"device": "abacus"}, "device must be 'auto', or one that PyTorch can use here, such as 'cpu', got 'abacus'"),
        ({"device": None}, "device must be .* got None"),
        ({"module": 3}, "module must be a torch.nn.Module, or a function that makes one, got 3"),
        ({"linear": "ridge"}, "linear must be a LinearLearner, or None to start from constants, got 'ridge'"),
    ],
    ids=str,
)
def test_settings_that_make_no_sense_are_refused(small, settings, words):
    with pytest.raises(ValueError, match=words):
        fit(NeuralLearner(**settings), small, [Certain()])


def test_without_torch_the_error_says_what_to_install(small, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError, match=r'needs PyTorch: pip install "whether\[neural\]"'):
        fit(NeuralLearner(), small, [Certain()])
