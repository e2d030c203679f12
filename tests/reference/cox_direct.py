"""Second programs for Cox mixture cure models, with nothing of the package in them.

`search_directly` maximises the likelihood over coefficients and all jumps of the baseline at once, by SciPy, and has
standard errors from the whole information matrix. `step_of_package` is one step of EM as the R package curephEM takes
it, which explains where it ends. The step for the hazard ratios has Efron's rule for ties, the baseline has Breslow's.
With late entry, the probability of an event before entry is a sum of jumps times survival *after* each of them, where
the likelihood that it prints has one minus the survival at entry.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit


@dataclass(frozen=True)
class People:
    """What is read: features, whether and when, who is known to be cured, and when each entered."""

    features: np.ndarray
    event: np.ndarray
    time: np.ndarray
    cured: np.ndarray
    entry: np.ndarray

    @property
    def times(self):
        return np.unique(self.time[self.event])


def search_directly(people):
    """Log-likelihood, and estimates and standard errors of (intercept, outcome slopes, hazard slopes)."""
    size = 1 + 2 * people.features.shape[1]
    tied = (people.time == people.times[:, None]) & people.event
    at_risk = (people.time >= people.times[:, None]) & (people.entry < people.times[:, None])
    start = np.concatenate([np.zeros(size), np.log(tied.sum(axis=1) / at_risk.sum(axis=1))])
    options = {"maxiter": 20_000, "maxfun": 50_000, "gtol": 1e-6, "ftol": 1e-14}
    found = minimize(lambda x: _likelihood(people, x), start, jac=True, method="L-BFGS-B", options=options).x
    for _ in range(2):  # the last digits by Newton's method
        hessian = _differentiate(people, found)
        found = found - np.linalg.solve(hessian, _likelihood(people, found)[1])
    errors = np.sqrt(np.diag(np.linalg.inv(_differentiate(people, found))))
    return -_likelihood(people, found)[0], found[:size], errors[:size]


def _likelihood(people, x):
    """Negative log-likelihood and its gradient in coefficients and logarithms of jumps."""
    features, times = people.features, people.times
    d, n = features.shape[1], features.shape[0]
    eta, hazard = x[0] + features @ x[1 : d + 1], np.exp(features @ x[d + 1 : 2 * d + 1])
    passed = np.concatenate([[0.0], np.cumsum(np.exp(x[2 * d + 1 :]))])
    place, entry = (np.searchsorted(times, values, "right") for values in (people.time, people.entry))
    event, waits, late = people.event, ~people.event & ~people.cured, people.entry > 0
    at_end, at_entry = eta - passed[place] * hazard, eta - passed[entry] * hazard
    value = -np.logaddexp(0, eta) + event * at_end + waits * np.logaddexp(0, at_end)
    value += late * (np.logaddexp(0, eta) - np.logaddexp(0, at_entry))
    value[event] += np.log(hazard[event]) + x[2 * d + 1 :][place[event] - 1]
    q, q_entry = event + waits * expit(at_end), late * expit(at_entry)
    by_eta = q - q_entry - (1 - late) * expit(eta)
    by_hazard = event - (q * passed[place] - q_entry * passed[entry]) * hazard
    by_passed = np.bincount(place, -q * hazard, times.size + 1) + np.bincount(entry, q_entry * hazard, times.size + 1)
    by_jump = np.cumsum(by_passed[:0:-1])[::-1] * np.exp(x[2 * d + 1 :])
    by_jump += np.bincount(place[event] - 1, minlength=times.size)
    gradient = np.concatenate([[by_eta.sum()], by_eta @ features, by_hazard @ features, by_jump])
    assert value.shape == (n,)
    return -value.sum(), -gradient


def _differentiate(people, x, step=1e-5):
    moves = step * np.eye(x.size)
    rows = [(_likelihood(people, x + move)[1] - _likelihood(people, x - move)[1]) / (2 * step) for move in moves]
    return 0.5 * (np.array(rows) + np.array(rows).T)


def step_of_package(people, estimates):
    """Coefficients after a step of curephEM's EM from given ones, with the baseline that belongs to them."""
    features, times = people.features, people.times
    d, design = features.shape[1], np.column_stack([np.ones(len(features)), features])
    gamma, beta = estimates[: d + 1], estimates[d + 1 :]
    p, hazard = expit(design @ gamma), np.exp(features @ beta)
    at_risk, tied = people.time >= times[:, None], people.event & (people.time == times[:, None])
    place, everybody, jumps = np.searchsorted(times, people.time, "right"), range(p.size), tied.sum(axis=1) / p.size
    for _ in range(3000):
        survival = np.exp(-np.cumsum(jumps)[:, None] * hazard)
        early = np.where(people.entry > times[:, None], jumps[:, None] * hazard * survival, 0.0)
        ghosts = early * p / (1 - p * early.sum(axis=0))  # expected people like each, by the time of their event
        left = np.vstack([np.ones(p.size), survival])[place, everybody]
        q = np.where(people.event, 1.0, np.where(people.cured, 0.0, p * left / (1 - p + p * left)))
        events, risk = tied + ghosts, q * at_risk + np.cumsum(ghosts[::-1], axis=0)[::-1]
        before, jumps = jumps, events.sum(axis=1) / (risk @ hazard)
        if np.abs(jumps - before).max() < 1e-13:
            break
    more = ghosts.sum(axis=0)
    return np.concatenate([_logistic_step(design, q + more, 1 + more, gamma), _cox_step(features, events, risk, beta)])


def _logistic_step(design, positives, people, gamma):
    p = expit(design @ gamma)
    information = (design * (people * p * (1 - p))[:, None]).T @ design
    return gamma + np.linalg.solve(information, design.T @ (positives - people * p))


def _cox_step(features, events, risk, beta):
    """A Newton step on the weighted partial likelihood, with Efron's rule for the rows of an event time."""
    hazard, score, information = np.exp(features @ beta), events.sum(axis=0) @ features, 0.0
    for own, there in zip(events, risk, strict=True):
        n_tied = int(np.count_nonzero(own))
        each = (there - np.arange(n_tied)[:, None] / n_tied * own) * hazard
        each /= each.sum(axis=1, keepdims=True)
        mean, mass = each @ features, own.sum() / n_tied
        score = score - mass * mean.sum(axis=0)
        information = information + mass * ((features * each.sum(axis=0)[:, None]).T @ features - mean.T @ mean)
    return beta + np.linalg.solve(information, score)
