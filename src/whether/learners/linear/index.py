"""The shared index: how the propensity's slopes are tied to the outcome's.

On real cohorts what raises the risk usually also brings the event forward, and with half of the events hidden the data
can hardly tell "more likely" from "sooner". So the propensity's slopes are written as

    slopes = sign * kappa * (outcome slopes on the same features) + delta,      penalty  shrinkage / 2 * |delta|^2

with the features standardised and the log time in units of its spread. One index drives both whether and when;
``delta`` lets the time part go its own way as far as the data insist. This module is the penalty and its derivatives;
how strong it is to be is decided in `shrinkage`.
"""

import math

import numpy as np

from whether.arrays import Array
from whether.learners.linear.penalized import Evaluation, PenalizedObjective, diagonal

# One person's worth of penalty on kappa, in spreads of log time (or logits) per logit of risk. Without it a model in
# which everybody is positive runs away: the outcome slopes go to zero and kappa to infinity at the same product.
LARGEST_KAPPA = 0.5
# A negative kappa (a higher risk seen later) is held close to zero. It is seldom meant, and it lets a group's slope in
# the time part escape the penalty: its risk runs to certainty, so that a tiny negative kappa times a huge slope fits
# its times. Where higher risks are seen later, delta says so feature by feature.
LOWEST_KAPPA = 0.03


class IndexedObjective:
    """An objective with the penalty that ties the propensity's slopes to the outcome's.

    The variables are the coefficients of the linear model followed by kappa. With ``shrinkage = inf`` the propensity's
    slopes are left out, being given by kappa and the outcome's; with ``shrinkage = 0`` kappa is left out. Keeping the
    slopes themselves (and not delta) as variables leaves the likelihood as well-behaved as the free model's: event
    times without noise would otherwise turn it into a narrow curved valley. Intercepts that are ``fixed`` are held at
    their starting values.
    """

    def __init__(self, objective: PenalizedObjective, shrinkage: float = 0.0, fixed: tuple[int, ...] = ()) -> None:
        layout, self.objective, self.shrinkage = objective.layout, objective, shrinkage
        self.sign = objective.propensity.index_sign
        self.indexed = shrinkage > 0 and layout.n_shared > 0 and layout.n_outcome > 0 and layout.n_skipped == 0
        self.tied_fully = self.indexed and math.isinf(shrinkage)
        self.size = layout.size + self.indexed - self.tied_fully * layout.n_shared
        self.fixed = np.asarray(fixed, dtype=int)
        # Outcome slopes of the features that the propensity may use, which come first.
        self._tied = slice(layout.outcome.start, layout.outcome.start + layout.n_shared)

    def to_coefficients(self, variables: Array) -> Array:
        """Coefficients of the linear model from the variables."""
        if self.tied_fully:
            return np.concatenate([variables[:-1], self.sign * variables[-1] * variables[self._tied]])
        return variables[:-1] if self.indexed else variables

    def from_coefficients(self, coefficients: Array) -> Array:
        """Variables that give these coefficients, or the nearest ones where the slopes are tied fully."""
        if not self.indexed:
            return coefficients
        tied, shared = self.sign * coefficients[self._tied], self.objective.layout.shared
        kappa = float(coefficients[shared] @ tied) / max(float(tied @ tied), 1e-12)
        kept = coefficients[: shared.start] if self.tied_fully else coefficients
        return np.append(kept, np.clip(kappa, -LOWEST_KAPPA, LARGEST_KAPPA))

    def jacobian(self, variables: Array) -> Array:
        """Derivatives of the coefficients in the variables."""
        layout = self.objective.layout
        jacobian = np.eye(layout.size, self.size)
        if self.tied_fully:
            shared, tied = np.arange(layout.size)[layout.shared], np.arange(layout.size)[self._tied]
            jacobian[shared] = 0.0
            jacobian[shared, tied] = self.sign * variables[-1]
            jacobian[shared, -1] = self.sign * variables[self._tied]
        return jacobian

    def evaluate_roughly(self, variables: Array) -> Evaluation:
        """Objective and gradient; and about the Hessian of the likelihood alone, in the coefficients."""
        theta = self.to_coefficients(variables)
        at, penalty = self.objective.rough_sums(theta), self.objective.penalty(theta, with_hessian=False)
        return Evaluation(
            *self._by_variables(variables, at.value + penalty.value, at.gradient + penalty.gradient), at.hessian
        )

    def curved(self, variables: Array, curvature: Array) -> Array:
        """Hessian in the variables with that of the likelihood as given."""
        theta = self.to_coefficients(variables)
        penalty = self.objective.penalty(theta)
        at = Evaluation(0.0, penalty.gradient, curvature + penalty.hessian)
        return self._in_variables(variables, at).hessian

    def evaluate(self, variables: Array) -> Evaluation:
        """Objective with the penalties, gradient and Hessian in the variables."""
        return self._in_variables(variables, self.objective.evaluate(self.to_coefficients(variables)))

    def _in_variables(self, variables: Array, at: Evaluation) -> Evaluation:
        if self.tied_fully:
            at = self._pull_back(variables, at)
        elif self.indexed:
            gradient, hessian = np.zeros(self.size), np.zeros((self.size, self.size))
            gradient[:-1], hessian[:-1, :-1] = at.gradient, at.hessian
            at = Evaluation(at.value, gradient, hessian)
        at = self._add_penalties(variables, at)
        # Known intercepts get a zero gradient and a unit curvature, so that no step moves them.
        if self.fixed.size:
            at.gradient[self.fixed] = 0.0
            at.hessian[self.fixed, :] = 0.0
            at.hessian[:, self.fixed] = 0.0
            at.hessian[self.fixed, self.fixed] = 1.0
        return at

    def value_and_gradient(self, variables: Array) -> tuple[float, Array]:
        """Objective and gradient, without the cost of the likelihood's Hessian."""
        return self._by_variables(variables, *self.objective.value_and_gradient(self.to_coefficients(variables)))

    def _by_variables(self, variables: Array, value: float, by_coefficients: Array) -> tuple[float, Array]:
        if self.tied_fully:
            gradient = self.jacobian(variables).T @ by_coefficients
        else:
            gradient = np.append(by_coefficients, 0.0) if self.indexed else by_coefficients
        at = self._add_penalties(variables, Evaluation(value, gradient, np.empty((0, 0))))
        at.gradient[self.fixed] = 0.0
        return at.value, at.gradient

    def penalty(self, variables: Array) -> float:
        """Everything in the objective that is not the likelihood."""
        value = self.objective.penalty(self.to_coefficients(variables), with_hessian=False).value
        nothing = Evaluation(value, np.zeros(self.size), np.empty((0, 0)))
        return float(self._add_penalties(variables, nothing).value)

    def squared_departure(self, variables: Array) -> float:
        """Sum of squares of the departures from the index, in standard deviations that the penalty allows them."""
        tied = self.sign * float(variables[-1]) * variables[self._tied]
        return float(self.shrinkage * np.sum((variables[self.objective.layout.shared] - tied) ** 2))

    def _pull_back(self, variables: Array, at: Evaluation) -> Evaluation:
        """Chain rule through slopes = sign * kappa * tied, which is bilinear and so has a curvature of its own."""
        jacobian = self.jacobian(variables)
        hessian = jacobian.T @ at.hessian @ jacobian
        bend = self.sign * at.gradient[self.objective.layout.shared]
        hessian[-1, self._tied] += bend
        hessian[self._tied, -1] += bend
        return Evaluation(at.value, jacobian.T @ at.gradient, hessian)

    def _add_penalties(self, variables: Array, at: Evaluation) -> Evaluation:
        """Add the penalties on departures from the index and on kappa, in place."""
        if not self.indexed:
            return at
        if not self.tied_fully:
            at = self._add_departure(variables, at)
        kappa = float(variables[-1])
        strength = (LARGEST_KAPPA if kappa >= 0 else LOWEST_KAPPA) ** -2
        at.gradient[-1] += strength * kappa
        if at.hessian.size:
            at.hessian[-1, -1] += strength
        return at._replace(value=at.value + 0.5 * strength * kappa**2)

    def _add_departure(self, variables: Array, at: Evaluation) -> Evaluation:
        """Add shrinkage / 2 * |delta|^2 with delta = slopes - sign * kappa * tied, in place."""
        shared, strength, kappa = self.objective.layout.shared, self.shrinkage, self.sign * variables[-1]
        tied = variables[self._tied]
        delta = variables[shared] - kappa * tied
        at.gradient[shared] += strength * delta
        at.gradient[self._tied] -= strength * kappa * delta
        at.gradient[-1] -= strength * self.sign * float(tied @ delta)
        at = at._replace(value=at.value + 0.5 * strength * float(delta @ delta))
        if at.hessian.size == 0:
            return at
        hessian, row, top, n = at.hessian, shared.start, self._tied.start, tied.size
        for first, second, value in (
            (row, row, strength),
            (top, top, strength * kappa**2),
            (row, top, -strength * kappa),
            (top, row, -strength * kappa),
        ):
            diagonal(hessian, first, second)[:n] += value
        hessian[-1, -1] += strength * float(tied @ tied)
        by_kappa = strength * self.sign * (kappa * tied - delta)
        for places, values in ((shared, -strength * self.sign * tied), (self._tied, by_kappa)):
            hessian[places, -1] += values
            hessian[-1, places] += values
        return at
