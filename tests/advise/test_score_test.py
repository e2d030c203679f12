"""The score test of added terms: the information it expects is that of labels and times drawn from the model."""

import numpy as np
import pytest

import whether as wh
from whether.advise.evidence.material import gather
from whether.advise.evidence.probes import (
    all_columns,
    event_time_candidates,
    fit_probe,
    follow_up_candidates,
    logistic_candidates,
)
from whether.advise.evidence.score_test import expected_squares, score_statistic
from whether.likelihood import Likelihood
from whether.propensity import Observed

N_DRAWS = 400
CANDIDATES = {
    "event times": event_time_candidates,
    "follow-up": follow_up_candidates,
    "labels": lambda cohort: logistic_candidates(True),
}


def fitted(candidates):
    cohort = wh.simulate("partially-dependent", n=500, seed=0)
    part = gather(cohort.X, cohort.y, time=cohort.time, follow_up=cohort.follow_up).cohort
    return part, fit_probe(part, candidates(part), all_columns(part))


def drawn_squares(fit, follow_up, rng):
    """Outer products of the gradients of people whose labels and times were drawn from the model."""
    propensity, (eta, v) = fit.fit.propensity, fit.predictors
    positive, observed = rng.random(eta.size) < fit.risks, fit.people.observed
    if propensity.needs_time:
        end, event = propensity.locate(follow_up[fit.people.order]), propensity.quantile(v, rng.random(eta.size))
        labeled = positive & (event <= end)
        observed = Observed(np.where(labeled, event, end))
    else:
        labeled = positive & (rng.random(eta.size) < np.exp(propensity.log_seen(v, observed.end).value))
    likelihood = Likelihood(propensity)
    gradient = np.where(labeled, *(likelihood.slopes(eta, v, observed, labeled=label)[1] for label in (True, False)))
    return (gradient[:, None] * gradient[None]).sum(axis=2)


@pytest.mark.parametrize("kind", CANDIDATES)
def test_the_expected_information_is_the_mean_over_draws_from_the_model(kind, global_random_seed):
    cohort, fit = fitted(CANDIDATES[kind])
    rng = np.random.default_rng(global_random_seed)
    drawn = np.array([drawn_squares(fit, cohort.follow_up, rng) for _ in range(N_DRAWS)])
    error = drawn.std(axis=0) / np.sqrt(N_DRAWS)
    difference = expected_squares(fit.fit, fit.people, cohort).sum(axis=2) - drawn.mean(axis=0)
    assert np.all(np.abs(difference) < 5 * error + 1e-9)


def test_the_sum_of_outer_products_is_that_of_the_scores():
    _, fit = fitted(event_time_candidates)
    likelihood, (eta, v), n = Likelihood(fit.fit.propensity), fit.predictors, fit.people.n_labeled
    parts = [(slice(0, n), True), (slice(n, None), False)]
    gradient = np.hstack(
        [
            likelihood.slopes(eta[rows], v[:, rows], fit.people.observed.take(rows), labeled=labeled)[1]
            for rows, labeled in parts
        ]
    )
    found = fit.people.information(gradient[:, None] * gradient[None])
    assert np.allclose(found, fit.people.scores.T @ fit.people.scores)


@pytest.mark.parametrize("has_follow_up", [True, False])
def test_at_the_optimum_the_terms_of_the_model_have_no_score(has_follow_up):
    cohort, fit = fitted(event_time_candidates)
    if not has_follow_up:
        cohort = cohort.__class__(cohort.features, cohort.labeled, cohort.names, None, cohort.time, None)
    terms = np.arange(fit.people.scores.shape[1])[-2:]
    assert score_statistic(fit.fit, fit.people, terms, cohort) < 0.01
