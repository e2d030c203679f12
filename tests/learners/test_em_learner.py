"""Any scikit-learn classifier under any propensity, by EM."""

import pickle

import numpy as np
import pytest
from scipy.special import expit
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import whether as wh
from whether.cohort import Cohort
from whether.distributions import AUTO_DISTRIBUTIONS, DISTRIBUTIONS
from whether.learners import EMLearner, LinearLearner, Task
from whether.learners.em.em_fit import logit_of
from whether.propensity import (
    Certain,
    DiscreteTimePropensity,
    EventTimePropensity,
    FollowUpPropensity,
    LogisticPropensity,
    equal_event_edges,
)
from whether.risk import PURisk

N = 2000
LOGISTIC = LogisticRegression(C=1)
KINDS = ["constant", "features", "event time", "follow-up", "discrete time"]


def world(name, seed, n=N, weight=None):
    """Cohort of the first n people of a world, and the truth of as many others."""
    drawn = wh.simulate(name, n=2 * n, seed=seed)
    observed = drawn.y[:n].astype(bool), drawn.feature_names, weight, drawn.time[:n], drawn.follow_up[:n]
    return Cohort(drawn.X[:n], *observed), drawn.X[n:], drawn.positive[n:]


def candidates(kind, cohort):
    """Propensities of a kind and the columns they use, as the estimators make them."""
    every = np.arange(cohort.features.shape[1])
    if kind == "constant":
        return [LogisticPropensity(sloped=False)], every[:0]
    if kind == "features":
        return [LogisticPropensity(sloped=True)], every[2:4]
    if kind == "discrete time":
        return [DiscreteTimePropensity(equal_event_edges(cohort.time[cohort.labeled], 10))], every
    propensity, time = {
        "event time": (EventTimePropensity, cohort.time),
        "follow-up": (FollowUpPropensity, cohort.follow_up),
    }[kind]
    log_time = np.log(time)
    return [propensity(DISTRIBUTIONS[name], log_time.mean(), log_time.std()) for name in AUTO_DISTRIBUTIONS], every


def fit_em(classifier, cohort, kind, seed=0, known=None, **settings):
    propensities, columns = candidates(kind, cohort)
    task = Task(cohort, propensities, columns, known or {}, rng=np.random.default_rng(seed))
    return EMLearner(classifier, **settings).fit(task)


def fit_linear(cohort, kind, known=None):
    propensities, columns = candidates(kind, cohort)
    learner = LinearLearner(shrinkage="cv" if kind in KINDS[2:] else 0.0)
    return learner.fit(Task(cohort, propensities, columns, known or {}))


@pytest.fixture(scope="module")
def linear_world(global_random_seed):
    return world("baseline", global_random_seed)


@pytest.fixture(scope="module")
def curved_world(global_random_seed):
    return world("nonlinear-risk", global_random_seed)


@pytest.mark.parametrize("kind", KINDS)
def test_em_with_logistic_regression_ends_where_the_linear_learner_does(kind, linear_world):
    cohort, fresh, positive = linear_world
    linear, em = fit_linear(cohort, kind), fit_em(LOGISTIC, cohort, kind)
    (eta, v), (eta_em, v_em) = linear.predict(fresh), em.predict(fresh)
    assert v_em.shape == v.shape
    assert em.result.converged
    assert em.propensity.name == linear.propensity.name
    assert np.abs(expit(eta_em) - expit(eta)).mean() < 0.02
    assert roc_auc_score(positive, eta_em) == pytest.approx(roc_auc_score(positive, eta), abs=0.01)


@pytest.mark.parametrize(
    ("classifier", "kind"),
    [
        (RandomForestClassifier(n_estimators=100, min_samples_leaf=20), "event time"),
        (HistGradientBoostingClassifier(), "follow-up"),
    ],
    ids=["forest", "boosting"],
)
def test_trees_find_a_risk_that_is_not_linear(classifier, kind, curved_world):
    cohort, fresh, positive = curved_world
    linear = roc_auc_score(positive, fit_linear(cohort, kind).predict(fresh)[0])
    em = fit_em(classifier, cohort, kind, max_iter=4)
    assert roc_auc_score(positive, em.predict(fresh)[0]) > linear + 0.08
    assert em.history.max() > em.history[0]
    assert em.result.log_likelihood == pytest.approx(em.history.max() * cohort.n)


def test_without_folds_the_likelihood_of_logistic_regression_never_falls(linear_world):
    em = fit_em(LogisticRegression(C=1e6), linear_world[0], "features", cross_fit=0, tolerance=1e-9, max_iter=20)
    assert em.history.size > 5
    assert np.diff(em.history).min() > -1e-5


def test_folds_keep_a_forest_from_believing_its_own_guesses(global_random_seed):
    cohort, fresh, positive = world("feature-independent", global_random_seed)
    forest = RandomForestClassifier(n_estimators=30, min_samples_leaf=5)
    with_folds, without = (
        expit(fit_em(forest, cohort, "constant", cross_fit=folds, max_iter=6).predict(fresh)[0]).mean()
        for folds in (3, 0)
    )
    assert abs(with_folds - positive.mean()) < abs(without - positive.mean()) - 0.03


def test_a_known_label_frequency_is_kept(linear_world):
    cohort, fresh, _ = linear_world
    em, linear = fit_em(LOGISTIC, cohort, "constant", known={0: 0.4}), fit_linear(cohort, "constant", known={0: 0.4})
    np.testing.assert_allclose(em.predict(fresh)[1], 0.4)
    assert np.abs(expit(em.predict(fresh)[0]) - expit(linear.predict(fresh)[0])).mean() < 0.02


def test_a_second_classifier_may_predict_the_propensity(linear_world):
    cohort, fresh, positive = linear_world
    em = fit_em(LOGISTIC, cohort, "features", propensity_classifier=LOGISTIC)
    linear = fit_linear(cohort, "features")
    assert roc_auc_score(positive, em.predict(fresh)[0]) > roc_auc_score(positive, linear.predict(fresh)[0]) - 0.02
    assert np.corrcoef(em.predict(fresh)[1][0], linear.predict(fresh)[1][0])[0, 1] > 0.95


def test_where_every_positive_is_seen_the_classifier_is_fitted_once(linear_world):
    cohort, fresh, _ = linear_world
    em = EMLearner(LOGISTIC).fit(Task(cohort, [Certain()]))
    plain = LogisticRegression(C=1).fit(cohort.features, cohort.labeled)
    eta, v = em.predict(fresh)
    np.testing.assert_allclose(eta, plain.decision_function(fresh), atol=1e-2)
    assert v.shape == (0, fresh.shape[0])
    assert em.history.size == em.result.n_steps == 1


def test_a_single_tree_with_hard_zeros_gives_finite_logits(linear_world):
    cohort, fresh, _ = linear_world
    eta, v = fit_em(DecisionTreeClassifier(), cohort, "event time", max_iter=3).predict(fresh)
    assert np.isfinite(eta).all()
    assert np.isfinite(v).all()


@pytest.mark.parametrize("classifier", [HistGradientBoostingClassifier(max_iter=2), DecisionTreeClassifier()])
def test_a_classifier_that_saw_one_class_is_sure_of_it(classifier):
    features = np.arange(20.0)[:, None]
    for label, sign in ((1, 1), (0, -1)):
        fitted = clone(classifier).fit(features, np.full(20, label))
        np.testing.assert_array_equal(np.sign(logit_of(fitted, features)), sign)


def test_a_weight_counts_as_repeated_people():
    cohort, fresh, _ = world("baseline", 0, n=600)
    weight = np.repeat([1.0, 2.0], 300)
    weighted = Cohort(cohort.features, cohort.labeled, cohort.names, weight, cohort.time, cohort.follow_up)
    repeated = cohort.take(np.repeat(np.arange(600), weight.astype(int)))
    settings = {"cross_fit": 0, "max_iter": 5, "tolerance": 0.0}
    one, other = (fit_em(LOGISTIC, part, "constant", **settings).predict(fresh)[0] for part in (weighted, repeated))
    np.testing.assert_allclose(one, other, atol=0.02)


def test_a_pipeline_passes_the_weights_to_its_last_step(linear_world):
    cohort, fresh, _ = linear_world
    em = fit_em(make_pipeline(StandardScaler(), LogisticRegression()), cohort, "event time")
    assert np.corrcoef(em.predict(fresh)[0], fit_em(LOGISTIC, cohort, "event time").predict(fresh)[0])[0, 1] > 0.99


def test_the_same_seed_gives_the_same_predictions_and_leaves_the_classifier_alone(curved_world):
    cohort, fresh, _ = curved_world
    forest = RandomForestClassifier(n_estimators=10, min_samples_leaf=20)
    one, again, other = (fit_em(forest, cohort, "follow-up", seed=s, max_iter=2).predict(fresh)[0] for s in (1, 1, 2))
    np.testing.assert_array_equal(one, again)
    assert not np.array_equal(one, other)
    assert forest.random_state is None
    assert not hasattr(forest, "classes_")


@pytest.mark.parametrize("kind", ["features", "event time"])
def test_a_pickled_fit_predicts_the_same(kind, linear_world):
    cohort, fresh, _ = linear_world
    em = fit_em(LOGISTIC, cohort, kind)
    for part, restored in zip(em.predict(fresh), pickle.loads(pickle.dumps(em)).predict(fresh), strict=True):
        np.testing.assert_array_equal(part, restored)
    assert len(pickle.dumps(em)) < 20_000  # no rows in it


def test_few_rounds_are_reported_as_not_converged(linear_world):
    em = fit_em(LOGISTIC, linear_world[0], "features", max_iter=1)
    assert not em.result.converged
    assert len(em.result.starts) == 1


@pytest.mark.parametrize(
    ("classifier", "words"),
    [(KNeighborsClassifier(), "sample_weight.*KNeighborsClassifier"), (LinearRegression(), "predict_proba.*LinearReg")],
)
def test_a_classifier_without_weights_or_probabilities_is_refused(classifier, words, linear_world):
    with pytest.raises(TypeError, match=words):
        fit_em(classifier, linear_world[0], "constant")


def test_a_risk_is_refused_and_another_method_named(linear_world):
    with pytest.raises(ValueError, match=r"negative weights.*ElkanNotoClassifier"):
        EMLearner(LOGISTIC).fit(Task(linear_world[0], [Certain()], risk=PURisk(0.5)))


def test_a_model_in_which_everybody_is_positive_is_refused(linear_world):
    propensities, columns = candidates("event time", linear_world[0])
    with pytest.raises(ValueError, match="everybody is positive"):
        EMLearner(LOGISTIC).fit(Task(linear_world[0], propensities, columns, has_outcome=False))


@pytest.mark.parametrize(
    "settings", [{"max_iter": 0}, {"cross_fit": 1}, {"cross_fit": -1}, {"propensity_classifier": LOGISTIC}]
)
def test_settings_that_make_no_sense_are_refused(settings, linear_world):
    with pytest.raises(ValueError, match=next(iter(settings))):
        fit_em(LOGISTIC, linear_world[0], "event time", **settings)
