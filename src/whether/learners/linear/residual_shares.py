"""Shares of the kernels of an open residual distribution: EM under a penalty on roughness, which is chosen as well.

The penalty is on third differences of the logarithms of neighbouring shares. Whatever its strength it leaves shares
alone that lie on a normal curve, so that the smoothest distribution is the log-normal model's. Roughness and data say
how strong it is to be (Schall 1991): log shares that depart from a normal curve by no more than chance go back to it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from whether.arrays import Array, Rows
from whether.distributions import DISTRIBUTIONS
from whether.learners.linear.objective import LinearObjective
from whether.open_residuals import OpenResiduals
from whether.propensity import Observed, SurvivalTimePropensity, TwoSidedPropensity

_NORMAL = DISTRIBUTIONS["lognormal"]
# Odds at which nobody can be told from a certain positive.
_LARGEST_LOG_ODDS = 300.0
# EM goes on until no share changes by more than this, and no longer than so many steps.
SMALLEST_CHANGE, MOST_STEPS = 1e-6, 50
# Strength of the penalty to start with, and its limits.
FIRST_STRENGTH, STRENGTHS = 1.0, (1e-2, 1e6)
# A weak pull of all log shares to their mean: where all residuals are one number, it keeps them from minus infinity.
_WEAK = 1e-3


def events_of(propensity: object) -> SurvivalTimePropensity:
    """The part of a propensity that says when events come."""
    part = propensity.events if isinstance(propensity, TwoSidedPropensity) else propensity
    assert isinstance(part, SurvivalTimePropensity)
    return part


def residuals_of(objective: LinearObjective, theta: Array) -> Array:
    """Everybody's residual, in units of log time, at the recorded end; in the working order of rows."""
    v = objective.predictors(theta, slice(None))[1]
    return np.asarray((objective.observed.end - v[0]) * events_of(objective.propensity).spread)


@dataclass(frozen=True)
class KernelPeople:
    """What each person says of each kernel, one column per kernel.

    Attributes
    ----------
    seen : ndarray
        Of labeled people: how likely what was seen is under each kernel, up to a factor of the person.
    left : ndarray
        Of people who may still have the event: how much of each kernel lies after the end of their follow-up.
    odds : ndarray
        Their odds of being positive before that is asked; zero where the event never comes.
    late_left, late_odds : ndarray
        The same of those who came under observation late, at that time.
    weight, late_weight : ndarray
        Of labeled people, then of the others, and of the late ones.
    """

    seen: Array
    left: Array
    odds: Array
    late_left: Array
    late_odds: Array
    weight: Array
    late_weight: Array
    late: Rows

    @classmethod
    def of(cls, objective: LinearObjective, theta: Array, grid: OpenResiduals) -> KernelPeople:
        """At the predictors that the coefficients give."""
        eta, v = objective.predictors(theta, slice(None))
        assert eta is not None
        first, observed, n = objective.n_labeled, objective.observed, objective.n
        weight = np.ones(n) if objective.weight is None else objective.weight
        spread = events_of(objective.propensity).spread
        unlabeled, labeled = slice(first, n), slice(0, first)
        seen = _log_seen(grid, observed.take(labeled), v[0, labeled], spread)
        left = _left(grid, observed.end[unlabeled], v[0, unlabeled], spread)
        odds = _odds(objective, eta[unlabeled], v[:, unlabeled], observed.take(unlabeled))
        late = np.zeros(0, dtype=int) if observed.entry is None else np.flatnonzero(~np.isnan(observed.entry))
        places = np.zeros(0) if observed.entry is None else observed.entry[late]
        late_left = _left(grid, places, v[0, late], spread)
        late_odds = _odds(objective, eta[late], v[:, late], Observed(places))
        seen = np.exp(seen - seen.max(axis=1, keepdims=True, initial=-np.inf))
        return cls(seen, left, odds, late_left, late_odds, weight, weight[late], late)

    def parts(self, shares: Array) -> tuple[Array, Array, Array]:
        """Expected membership of labeled, unlabeled and never enrolled positives in each kernel."""
        seen = self.seen * shares
        seen /= seen.sum(axis=1, keepdims=True)
        left = self.odds[:, None] * self.left * shares
        left /= 1 + left.sum(axis=1, keepdims=True)
        odds = self.late_odds[:, None] * shares
        missing = odds * (1 - self.late_left) / (1 + (odds * self.late_left).sum(axis=1, keepdims=True))
        return seen, left, missing

    def counts(self, shares: Array) -> Array:
        """Expected number of positives of each kernel."""
        seen, left, missing = self.parts(shares)
        n_labeled = seen.shape[0]
        of_seen, of_left = self.weight[:n_labeled] @ seen, self.weight[n_labeled:] @ left
        return np.asarray(of_seen + of_left + self.late_weight @ missing)

    def free_scores(self, shares: Array) -> Array:
        """Slope of everybody's log-likelihood in the logarithm of each share, which are then made to add up."""
        seen, left, _ = self.parts(shares)
        scores = np.concatenate([seen, left])
        if self.late.size:
            ever = self.late_odds[:, None] * self.late_left * shares
            scores[self.late] -= ever / (1 + ever.sum(axis=1, keepdims=True))
        return np.asarray(scores - shares * scores.sum(axis=1, keepdims=True))


def estimate_shares(people: KernelPeople, grid: OpenResiduals, strength: float) -> OpenResiduals:
    """Return the grid with the most likely shares under a penalty on roughness of this strength."""
    penalty, logs = penalty_matrix(grid, strength), np.log(grid.shares)
    for _ in range(MOST_STEPS):
        shares = _add_up(logs)
        counts = people.counts(shares)
        slope = counts - counts.sum() * shares - penalty @ logs
        information = counts.sum() * (np.diag(shares) - np.outer(shares, shares)) + penalty
        step = np.linalg.solve(information, slope)
        logs = logs + step * min(1.0, 2.0 / max(float(np.max(np.abs(step))), 1e-300))
        logs -= logs.mean()
        if np.max(np.abs(_add_up(logs) - shares)) < SMALLEST_CHANGE:
            break
    return OpenResiduals(grid.knots, _add_up(logs), grid.width)


def choose_strength(people: KernelPeople, grid: OpenResiduals, strength: float) -> float:
    """Return the penalty at which log shares are as rough as the parameters that it leaves them would make them."""
    rough = _third_differences(grid.knots.size)
    logs, scores = np.log(grid.shares), people.free_scores(grid.shares)
    information = scores.T @ (people.weight[:, None] * scores)
    spent = np.linalg.solve(information + penalty_matrix(grid, strength), strength * rough.T @ rough)
    used = rough.shape[0] - float(np.trace(spent))
    roughness = float(np.sum((rough @ logs) ** 2))
    return float(np.clip(max(used, 1e-6) / max(roughness, 1e-12), *STRENGTHS))


def penalty_matrix(grid: OpenResiduals, strength: float) -> Array:
    """Curvature of the penalty on log shares."""
    rough = _third_differences(grid.knots.size)
    return np.asarray(strength * rough.T @ rough + _WEAK * np.eye(grid.knots.size))


def _third_differences(size: int) -> Array:
    return np.diff(np.eye(size), 3, axis=0) if size > 3 else np.zeros((0, size))


def _add_up(logs: Array) -> Array:
    shares = np.exp(logs - logs.max())
    shares = np.maximum(shares / shares.sum(), 1e-12)
    return np.asarray(shares / shares.sum())


def _log_seen(grid: OpenResiduals, observed: Observed, location: Array, spread: float) -> Array:
    """Log likelihood of what was seen of labeled people, kernel by kernel: a time, or two that it lies between."""
    upper = (observed.end - location) * spread
    exact = grid.kernels(_NORMAL.log_density, upper).value
    if observed.lower is None:
        return exact
    within = ~np.isnan(observed.lower)
    lower = np.maximum((observed.lower[within] - location[within]) * spread, grid.knots[0] - 40 * grid.width)
    first, last = (np.exp(grid.kernels(_NORMAL.log_cdf, z).value) for z in (lower, upper[within]))
    between = np.log(np.maximum(last - first, 1e-300))
    # Intervals between which no kernel changes are points.
    exact[within] = np.where(between.max(axis=1, keepdims=True) > -20, between, exact[within])
    return exact


def _left(grid: OpenResiduals, place: Array, location: Array, spread: float) -> Array:
    return np.exp(grid.kernels(_NORMAL.log_survival, (place - location) * spread).value)


def _odds(objective: LinearObjective, eta: Array, v: Array, observed: Observed) -> Array:
    """Odds of being positive, over the survival of negatives where they may die."""
    _, negative = objective.propensity.unlabeled_terms(v, observed)
    log_odds = eta if negative is None else eta - negative.value
    odds = np.exp(np.minimum(log_odds, _LARGEST_LOG_ODDS))
    return odds if observed.never is None else np.where(observed.never, 0.0, odds)
