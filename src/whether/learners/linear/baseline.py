"""The most likely baseline, given everybody's predictors: Newton's method whose Hessian is tridiagonal.

In the cumulative baseline every person's term reads one value, so that their second derivatives are diagonal; the
logarithms of the jumps read two neighbours. A step on thousands of jumps costs as much as a pass over the people. Steps
are taken in the logarithms of the jumps, which keeps them positive: that changes the weight of the neighbours' part and
nothing else.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError
from scipy.linalg.lapack import dptsv

from whether.arrays import Array
from whether.distributions import softplus_expit
from whether.learners.linear.event_times import EventTimes
from whether.propensity.proportional_hazards import exponential

# Steps of EM before Newton's method where no baseline is near; they come close from anywhere.
EM_STEPS = 4
MAX_STEPS = 100
LONGEST_STEP = 3.0  # of the logarithm of a jump
# A step that gains less than this, in about half log-likelihood units, is taken without another look: it squares an
# error that is small already.
TOLERANCE = 1e-5


class Slopes(NamedTuple):
    """Negative log-likelihood of a baseline, and its derivatives in the cumulative baseline, without the jumps."""

    value: float
    pull: Array  # first derivatives
    bend: Array  # second derivatives, which are diagonal
    posterior: Array  # probability that who has had no event is positive, by term


class BaselineProblem:
    """The negative log-likelihood as a function of the jumps, for given predictors of everybody."""

    def __init__(self, events: EventTimes, eta: Array, v: Array) -> None:
        self.events, self.hazard = events, exponential(v)
        self.eta_of, self.hazard_of = eta[events.who], self.hazard[events.who]
        labeled = slice(0, events.n_labeled)
        self._pull_of_events = events.to_jumps(events.weight_of[labeled] * self.hazard[labeled])

    def slopes(self, jumps: Array) -> Slopes:
        """Value and derivatives at some jumps."""
        events, cumulative = self.events, np.cumsum(jumps)
        softplus, q = softplus_expit(self.eta_of - cumulative[events.place - 1] * self.hazard_of)
        value = self._pull_of_events @ cumulative - events.weight @ softplus
        with np.errstate(divide="ignore"):
            value -= events.mass @ np.log(jumps)
        pull = events.weight * q * self.hazard_of
        bend = -events.to_places(pull * (1 - q) * self.hazard_of)
        return Slopes(float(value), self._pull_of_events + events.to_places(pull), bend, q)

    def imputed(self, jumps: Array, at: Slopes) -> Array:
        """Jumps by a step of EM: events over the people at risk, each counted as far as positive; where they allow."""
        risk = _sum_later(at.pull)
        return np.where(risk > 0, self.events.mass / np.where(risk > 0, risk, 1.0), jumps)

    def step(self, jumps: Array, at: Slopes) -> tuple[Array, float]:
        """Newton step in the logarithms of the jumps, and twice what it promises to gain."""
        mass, risk = self.events.mass, _sum_later(at.pull)
        gradient = at.pull - _differ(mass / jumps)
        weight = np.where(risk > 0, risk / jumps, mass / jumps**2)
        try:
            moved = solve_tridiagonal(weight, at.bend, -gradient)
        except LinAlgError:  # what EM would take for the curvature is always positive
            moved = solve_tridiagonal(weight, np.maximum(at.bend, 0.0), -gradient)
        return rises(moved) / jumps, -float(gradient @ moved)

    def start(self) -> Array:
        """Jumps to start from: a few steps of EM from almost none."""
        jumps = np.full(self.events.size, 1e-12)
        for _ in range(EM_STEPS):
            jumps = self.imputed(jumps, self.slopes(jumps))
        return jumps


class Baseline:
    """The most likely jumps for given predictors, and what the profile likelihood needs of the curvature there."""

    def __init__(self, problem: BaselineProblem, start: Array | None) -> None:
        self.problem = problem
        self.jumps = _minimize(problem, problem.start() if start is None else start)

    @cached_property
    def at(self) -> Slopes:
        """Derivatives at these jumps; a gradient in the coefficients does without."""
        return self.problem.slopes(self.jumps)

    @cached_property
    def crossed(self) -> tuple[Array, Array]:
        """Second derivatives between the cumulative baseline and each term's outcome logit and log hazard."""
        problem, weight, q = self.problem, self.problem.events.weight, self.at.posterior
        spread = weight * q * (1 - q) * problem.hazard_of
        passed = np.cumsum(self.jumps)[problem.events.place - 1] * problem.hazard_of
        return spread, weight * q * problem.hazard_of - spread * passed

    def solve(self, right: Array) -> Array:
        """Solve with the Hessian in the cumulative baseline."""
        weight = self.problem.events.mass / self.jumps**2
        try:
            return solve_tridiagonal(weight, self.at.bend, right)
        except LinAlgError:
            return solve_tridiagonal(weight, np.maximum(self.at.bend, 0.0), right)


def _minimize(problem: BaselineProblem, jumps: Array) -> Array:
    """Jumps at which nothing more is to be gained."""
    at = problem.slopes(jumps)
    for _ in range(MAX_STEPS):
        step, gain = problem.step(jumps, at)
        if gain < TOLERANCE:
            return jumps * np.exp(np.clip(step, -LONGEST_STEP, LONGEST_STEP))
        length = min(1.0, LONGEST_STEP / np.max(np.abs(step)))
        for _ in range(30):
            trial = jumps * np.exp(length * step)
            there = problem.slopes(trial)
            if there.value <= at.value - 1e-4 * length * gain:
                break
            length *= 0.5
        else:
            return jumps
        jumps, at = trial, there
    return jumps


def _sum_later(values: Array) -> Array:
    """Sums from each place to the last."""
    return np.asarray(np.cumsum(values[::-1])[::-1])


def rises(values: Array) -> Array:
    """Each value less the one before, the first less zero."""
    found: Array = values.copy()
    found[1:] -= values[:-1]
    return found


def _differ(values: Array) -> Array:
    """Each value less the next one."""
    found: Array = values.copy()
    found[:-1] -= values[1:]
    return found


def solve_tridiagonal(weight: Array, diagonal: Array, right: Array) -> Array:
    """Solve with the matrix of the quadratic form sum of weight * (x_k - x_(k-1))^2 + diagonal * x_k^2."""
    if not weight.size:
        return right
    if weight.size == 1:
        if weight[0] + diagonal[0] <= 0:
            raise LinAlgError("not positive definite")
        return np.asarray(right / (weight[0] + diagonal[0]))
    total = weight + diagonal
    total[:-1] += weight[1:]
    # LAPACK itself: on a thousand jumps what SciPy does around it takes longer than the solution.
    _, _, solution, is_indefinite = dptsv(total, -weight[1:], right, overwrite_d=1, overwrite_e=1)
    if is_indefinite:
        raise LinAlgError("not positive definite")
    return np.asarray(solution)
