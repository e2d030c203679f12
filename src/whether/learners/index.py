"""The shared index: how the propensity's slopes are tied to the outcome's.

On real cohorts what raises the risk usually also brings the event forward, and with half of the events hidden the data
can hardly tell "more likely" from "sooner". So the propensity's slopes are written as

    slopes = sign * kappa * (outcome slopes on the same features) + delta,      penalty  shrinkage / 2 * |delta|^2

One index drives both whether and when; ``delta`` lets the time part go its own way as far as the data insist. This
module is the change of variables and its derivatives; which penalty to use is decided in `whether.learners.shrinkage`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from whether.learners.objective import Evaluation, Layout, LinearObjective

Array = NDArray[np.float64]


class IndexedObjective:
    """A `LinearObjective` in the variables (intercepts, outcome slopes, kappa, delta).

    With ``shrinkage = 0`` there is no index: the propensity's slopes are free and kappa and delta are replaced by them.
    With ``shrinkage = inf`` there is no delta. Intercepts in ``fixed`` are held at their starting values.

    Parameters
    ----------
    objective : LinearObjective
    shrinkage : float
        Penalty on squared departures from the index, in units of one person's log-likelihood.
    fixed : tuple of int
        Intercepts that are known and not estimated.
    """

    def __init__(self, objective: LinearObjective, shrinkage: float = 0.0, fixed: tuple[int, ...] = ()) -> None:
        self.objective = objective
        self.shrinkage = shrinkage
        layout = objective.layout
        self.indexed = shrinkage > 0 and layout.n_shared > 0 and layout.n_outcome > 0
        self.sign = objective.propensity.index_sign
        self.has_delta = self.indexed and math.isfinite(shrinkage)
        self.n_head = layout.n_predictors + layout.n_outcome
        size = self.n_head + 1 + layout.n_shared * self.has_delta if self.indexed else layout.size
        self.free = np.setdiff1d(np.arange(size), np.asarray(fixed, dtype=int))
        self.size = size

    @property
    def _kappa(self) -> int:
        return self.n_head

    def _tied(self, theta: Array) -> Array:
        layout = self.objective.layout
        return theta[layout.n_predictors : layout.n_predictors + layout.n_shared]

    def to_coefficients(self, variables: Array) -> Array:
        """Coefficients of the linear model from the variables."""
        if not self.indexed:
            return variables
        slopes = self.sign * variables[self._kappa] * self._tied(variables)
        if self.has_delta:
            slopes = slopes + variables[self._kappa + 1 :]
        return np.concatenate([variables[: self.n_head], slopes])

    def from_coefficients(self, coefficients: Array) -> Array:
        """Variables that give these coefficients, or the nearest ones where there is no delta."""
        if not self.indexed:
            return coefficients
        layout = self.objective.layout
        slopes, tied = coefficients[layout.shared], self.sign * self._tied(coefficients)
        kappa = float(slopes @ tied) / max(float(tied @ tied), 1e-12)
        tail = slopes - kappa * tied if self.has_delta else np.zeros(0)
        return np.concatenate([coefficients[: self.n_head], [kappa], tail])

    def jacobian(self, variables: Array) -> Array:
        """Derivatives of the coefficients in the variables."""
        if not self.indexed:
            return np.eye(self.size)
        layout, shared = self.objective.layout, self.objective.layout.n_shared
        jacobian = np.zeros((layout.size, self.size))
        head = np.arange(self.n_head)
        jacobian[head, head] = 1.0
        rows, tied = np.arange(self.n_head, layout.size), layout.n_predictors + np.arange(shared)
        jacobian[rows, tied] = self.sign * variables[self._kappa]
        jacobian[rows, self._kappa] = self.sign * self._tied(variables)
        if self.has_delta:
            jacobian[rows, self._kappa + 1 + np.arange(shared)] = 1.0
        return jacobian

    def evaluate(self, variables: Array) -> Evaluation:
        """Objective with the penalty on delta, gradient and Hessian in the variables."""
        at = self.objective.evaluate(self.to_coefficients(variables))
        if not self.indexed:
            return at
        jacobian, shared = self.jacobian(variables), self.objective.layout.n_shared
        hessian = jacobian.T @ at.hessian @ jacobian
        # slopes = sign * kappa * tied + delta is bilinear in (kappa, tied): its second derivative meets the gradient.
        tied = self.objective.layout.n_predictors + np.arange(shared)
        bend = self.sign * at.gradient[self.objective.layout.shared]
        hessian[self._kappa, tied] += bend
        hessian[tied, self._kappa] += bend
        gradient = jacobian.T @ at.gradient
        return self._penalize(variables, Evaluation(at.value, gradient, hessian))

    def _penalize(self, variables: Array, at: Evaluation) -> Evaluation:
        if not self.has_delta:
            return at
        tail = slice(self._kappa + 1, self.size)
        delta, diagonal = variables[tail], np.arange(self._kappa + 1, self.size)
        at.gradient[tail] += self.shrinkage * delta
        at.hessian[diagonal, diagonal] += self.shrinkage
        return at._replace(value=at.value + 0.5 * self.shrinkage * float(delta @ delta))
