"""What methods of other names are here: equal rankings, equal optima, equal likelihoods."""

import math

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import rankdata
from sklearn.linear_model import LogisticRegression

import whether as wh
from whether.family import Proportional


@pytest.fixture(scope="module")
def labels(draw_labels):
    return draw_labels(3, 800)


@pytest.fixture(scope="module")
def of_labels(labels, quiet_fit):
    """Probability of a label by logistic regression."""
    return quiet_fit(wh.LabelClassifier(), labels).predict_proba(labels.X)[:, 1]


# ---------------------------------------------------------------- methods that are monotone in Pr(label)


@pytest.mark.parametrize("settings", [{}, {"highest_propensity": 0.3}, {"prevalence": 0.8}])
def test_pglin_ranks_exactly_as_logistic_regression_on_the_labels(settings, labels, of_labels, quiet_fit):
    model = quiet_fit(wh.ProportionalPUClassifier(**settings), labels)
    np.testing.assert_array_equal(rankdata(model.decision_function(labels.X)), rankdata(of_labels))
    np.testing.assert_allclose(model.predict_label_proba(labels.X), of_labels, rtol=1e-12)


def test_pglin_is_the_root_of_the_probability_of_a_label(labels, of_labels, quiet_fit):
    model = quiet_fit(wh.ProportionalPUClassifier(), labels)
    root = np.minimum(np.sqrt(of_labels / model.highest_propensity_), 1.0)
    np.testing.assert_allclose(model.predict_proba(labels.X)[:, 1], root, atol=2e-6)
    unsure = root < 1
    propensity = model.predict_propensity(labels.X)[unsure]
    np.testing.assert_allclose(propensity, model.highest_propensity_ * root[unsure], rtol=1e-5)


def test_pglin_has_the_mean_risk_that_is_known(labels, quiet_fit):
    model = quiet_fit(wh.ProportionalPUClassifier(prevalence=0.8), labels)
    assert model.predict_proba(labels.X)[:, 1].mean() == pytest.approx(0.8, abs=1e-9)


def test_of_those_not_labeled_pglin_says_what_is_left_of_their_risk(labels, of_labels, quiet_fit):
    model = quiet_fit(wh.ProportionalPUClassifier(), labels)
    risk = model.predict_proba(labels.X)[:, 1]
    left = (risk - of_labels) / (1 - of_labels)
    np.testing.assert_allclose(model.predict_proba_event_free(labels.X), left, atol=1e-9)


@pytest.mark.parametrize("k", [0.05, 0.5, 1.0])
def test_slopes_of_the_proportional_family_are_those_of_its_probabilities(k, finite_difference):
    family, eta = Proportional(k), np.linspace(-6, 4, 41)
    eta = eta[np.abs(expit(eta) - k) > 1e-3]  # there the slope jumps

    def still(x):
        return family.posterior(x, family.log_missed(x, x))

    for function, slope in ((lambda x: family.probability(x)[0], family.probability(eta)[1]),
                            (still, family.posterior_slope(eta, eta))):  # fmt: skip
        difference = np.diagonal(finite_difference(function, eta))
        np.testing.assert_allclose(slope, difference, atol=1e-8)
    unsure = expit(eta) < k
    np.testing.assert_allclose(family.from_log_odds(family.log_odds(eta))[unsure], eta[unsure], atol=1e-5)


@pytest.mark.parametrize("share", [0.1, 0.45, 0.9])
def test_pusb_counts_those_as_positive_who_are_likeliest_to_be_labeled(share, labels, of_labels, quiet_fit):
    """Its score is the density ratio of labeled people to all, and the threshold is the quantile of the class prior."""
    rate = labels.y.mean()
    by_ratio, by_risk = of_labels / rate, quiet_fit(wh.ProportionalPUClassifier(), labels).predict_proba(labels.X)[:, 1]
    counted = [score >= np.quantile(score, 1 - share, method="higher") for score in (by_ratio, by_risk, of_labels)]
    np.testing.assert_array_equal(counted[0], counted[2])
    np.testing.assert_array_equal(counted[1], counted[2])


def test_one_index_is_the_invariance_of_order(draw_times, quiet_fit):
    """With one follow-up for all, the propensity of such a model is a monotone function of the risk."""
    people = draw_times(5, 400)
    model = quiet_fit(wh.FollowUpCureClassifier("lognormal", shrinkage=math.inf), people)
    risk, seen = model.decision_function(people.X), model.predict_propensity(people.X, follow_up=np.ones(400))
    order = np.argsort(risk)
    steps = np.diff(seen[order])
    assert (steps >= -1e-12).all() or (steps <= 1e-12).all()


# ---------------------------------------------------------------- EM


@pytest.mark.parametrize("named", [None, [2]], ids=["LBE", "SAR-EM"])
def test_em_with_two_logistic_regressions_stays_where_newton_ends(named, labels, quiet_fit):
    X = (labels.X - labels.X.mean(axis=0)) / labels.X.std(axis=0)
    people = type(labels)(X, labels.y, labels.time, labels.follow_up)
    model = quiet_fit(wh.SARPUClassifier(named, ridge=1.0), people)
    p, e = model.predict_proba(X)[:, 1], model.predict_propensity(X)
    q = np.where(people.y == 1, 1.0, p * (1 - e) / (1 - p * e))

    twice, columns = np.vstack([X, X]), slice(None) if named is None else named
    outcome = LogisticRegression(C=1.0, tol=1e-10, max_iter=1000)
    outcome.fit(twice, np.repeat([1, 0], people.y.size), sample_weight=np.concatenate([q, 1 - q]))
    propensity = LogisticRegression(C=1.0, tol=1e-10, max_iter=1000).fit(X[:, columns], people.y, sample_weight=q)
    np.testing.assert_allclose(outcome.predict_proba(X)[:, 1], p, atol=1e-4)
    np.testing.assert_allclose(propensity.predict_proba(X[:, columns])[:, 1], e, atol=1e-4)


def test_logistic_regression_with_a_cure_fraction_has_the_likelihood_of_sarpu(labels, quiet_fit):
    """Diop, Diop and Dupuy write it as that of a label whose probability is a product."""
    model = quiet_fit(wh.SARPUClassifier([2], penalty=None), labels)
    product = model.predict_proba(labels.X)[:, 1] * model.predict_propensity(labels.X)
    assert model.loglik_ == pytest.approx(np.log(np.where(labels.y == 1, product, 1 - product)).sum(), abs=1e-6)


# ---------------------------------------------------------------- times


def test_the_delayed_feedback_model_is_the_exponential_mixture_cure_model(draw_times, quiet_fit):
    """Its log-likelihood, as written for conversions: log p + log h - h t, and log(1 - p + p exp(-h t))."""
    people = draw_times(2, 500, "exponential")
    model = quiet_fit(wh.MixtureCureClassifier("exponential", penalty=None), people)
    table = {(row.part, row.term): row.estimate for row in model.summary().coefficients}
    location = table["location", "intercept"] + people.X @ [table["location", f"x{j}"] for j in range(3)]
    p, hazard = model.predict_proba(people.X)[:, 1], np.exp(-location)
    converted = np.log(p) + np.log(hazard) - hazard * people.time
    waiting = np.log(1 - p + p * np.exp(-hazard * people.time))
    assert model.loglik_ == pytest.approx(np.where(people.y == 1, converted, waiting).sum(), abs=1e-6)


def test_farewells_weibull_model_has_the_exponential_one_within(draw_times, quiet_fit):
    people = draw_times(2, 500, "exponential")
    small, large = (
        quiet_fit(wh.MixtureCureClassifier(name, penalty=None), people) for name in ("exponential", "weibull")
    )
    assert large.loglik_ >= small.loglik_ - 1e-6
    assert large.n_parameters_ == small.n_parameters_ + 1


def test_the_last_bin_of_a_discrete_time_network_is_who_is_cured_or_late(draw_times, quiet_fit):
    """Its bins have the probabilities p h_k prod(1 - h_j), and the last one what is left: 1 - p + p prod(1 - h_j)."""
    people = draw_times(4, 400)
    model = quiet_fit(wh.DiscreteTimeCureClassifier(n_bins=4, shrinkage=10.0), people)
    eta, hazard_logits = model.model_.predict(people.X)
    hazard, p = expit(hazard_logits), expit(eta)
    alive = np.cumprod(np.vstack([np.ones(p.size), 1 - hazard]), axis=0)
    in_bins = p * hazard * alive[:-1]
    last = 1 - p + p * alive[-1]
    np.testing.assert_allclose(in_bins.sum(axis=0) + last, 1.0, rtol=1e-12)
    np.testing.assert_allclose(logit(model.predict_proba(people.X)[:, 1]), eta, atol=1e-8)


# ---------------------------------------------------------------- class priors


@pytest.mark.parametrize("method", ["bbe", "tice", "dedpul", "elkan-noto", "likelihood"])
def test_a_class_prior_is_one_constant(method, labels, quiet_fit):
    by_name = quiet_fit(wh.ElkanNotoClassifier(label_frequency=method, random_state=0), labels)
    by_number = quiet_fit(wh.ElkanNotoClassifier(label_frequency=by_name.label_frequency_), labels)
    np.testing.assert_allclose(by_name.predict_proba(labels.X), by_number.predict_proba(labels.X), atol=1e-9)


def test_an_nnpu_risk_that_is_not_clipped_is_the_unbiased_one(draw_labels, quiet_fit):
    people = draw_labels(6, 600, {"intercept": 1.0})
    plain, clipped = (
        quiet_fit(wh.UnbiasedPUClassifier(label_frequency=0.75, nonnegative=way), people) for way in (False, True)
    )
    assert plain.negative_risk_ > 0
    np.testing.assert_allclose(plain.predict_proba(people.X), clipped.predict_proba(people.X), atol=1e-5)
