"""What is minimised: minus the likelihood of a linear model, a sum over people wherever they are, and its penalties."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from whether.arrays import Array, Flags, Rows
from whether.distributions import softplus_expit
from whether.learners.linear.design import order_columns
from whether.learners.linear.layout import Layout
from whether.learners.linear.linear_fit import LinearPredictor, Standardization
from whether.learners.task import Task
from whether.likelihood import Criterion
from whether.propensity import Propensity


class Evaluation(NamedTuple):
    """Value, gradient and Hessian of an objective to be minimised."""

    value: float
    gradient: Array
    hessian: Array


class PenalizedObjective(ABC):
    """Penalised negative log-likelihood of a linear model as a function of its coefficients."""

    def __init__(self, task: Task, ridge: float, standardization: Standardization) -> None:
        self.ridge, self.share, self.standardization = ridge, task.share, standardization
        self.has_outcome, self.n_columns = task.has_outcome, task.columns.size
        self.skips = order_columns(task)[1]
        self.use(task.criterion())

    def use(self, criterion: Criterion) -> None:
        """Maximise another criterion, which observes the same of people."""
        self.criterion = criterion
        n_features = self.standardization.columns.size
        self.layout = Layout.of(criterion.propensity, self.n_columns, n_features, self.has_outcome, self.skips)

    @property
    def propensity(self) -> Propensity:
        """The restriction."""
        return self.criterion.propensity

    @property
    def outcome_places(self) -> Rows:
        """Positions of the outcome's coefficients, its intercept first."""
        return np.append(0, np.arange(self.layout.size)[self.layout.outcome])

    @property
    @abstractmethod
    def n(self) -> int:
        """Number of rows."""

    @abstractmethod
    def sums(self, theta: Array, *, with_hessian: bool) -> Evaluation:
        """Negative log-likelihood with derivatives; the Hessian's upper triangle only."""

    @abstractmethod
    def risk_sums(self, theta: Array, *, with_bend: bool = True) -> tuple[float, float, Array, Array]:
        """Sums over people of one, of their risk, and of its first and second derivatives in the outcome part."""

    @abstractmethod
    def score_products(self, theta: Array, jacobian: Array) -> Array:
        """Sum over people, or groups, of the outer products of their scores, in variables with this Jacobian."""

    @abstractmethod
    def under(self, criterion: Criterion) -> PenalizedObjective:
        """Objective of the same rows under a criterion that observes the same."""

    def fitted_propensity(self, theta: Array) -> Propensity:
        """Return the restriction with all that was found of it along with the coefficients, for predictions."""
        return self.propensity

    def predictor(self, theta: Array) -> LinearPredictor:
        """Coefficients with what they need to predict: nothing of the people."""
        return LinearPredictor(self.layout, self.standardization, theta)

    def value_and_gradient(self, theta: Array) -> tuple[float, Array]:
        """Objective and gradient, without the cost of the Hessian."""
        at = self.sums(theta, with_hessian=False)
        penalty = self.penalty(theta, with_hessian=False)
        return at.value + penalty.value, at.gradient + penalty.gradient

    def evaluate(self, theta: Array) -> Evaluation:
        """Objective, gradient and exact Hessian."""
        at = self.sums(theta, with_hessian=True)
        penalty = self.penalty(theta)
        hessian = mirror(at.hessian) + penalty.hessian
        return Evaluation(at.value + penalty.value, at.gradient + penalty.gradient, hessian)

    def rough_sums(self, theta: Array) -> Evaluation:
        """Negative log-likelihood with its gradient, and about its Hessian."""
        at = self.sums(theta, with_hessian=True)
        return at._replace(hessian=mirror(at.hessian))

    def penalty(self, theta: Array, *, with_hessian: bool = True) -> Evaluation:
        """Ridge on the slopes and the propensity's own weak penalty on its levels."""
        layout = self.layout
        strength = np.zeros(layout.size)
        strength[layout.n_predictors :] = self.ridge
        strength[layout.other] += self.propensity.other_ridge
        gradient = strength * theta
        levels = slice(layout.first, layout.n_predictors)
        value, by_level, by_levels = self.propensity.penalty(theta[levels])
        gradient[levels] += by_level
        value += 0.5 * float(strength @ theta**2)
        bend_of_level = 0.0
        if self.has_outcome and self.propensity.pseudo_people:
            softplus, p = softplus_expit(theta[:1])
            value += self.propensity.pseudo_people * float(softplus[0] - 0.5 * theta[0])
            gradient[0] += self.propensity.pseudo_people * (p[0] - 0.5)
            bend_of_level = self.propensity.pseudo_people * float(p[0] * (1 - p[0]))
        hessian = np.diag(strength) if with_hessian else np.empty((0, 0))
        if with_hessian:
            hessian[levels, levels] += by_levels
            hessian[0, 0] += bend_of_level
        if self.share is not None and self.has_outcome:
            value += self._add_share(theta, gradient, hessian)
        return Evaluation(value, gradient, hessian)

    def _add_share(self, theta: Array, gradient: Array, hessian: Array) -> float:
        """Penalty on a mean risk that is not the share known from elsewhere; derivatives are added in place."""
        assert self.share is not None
        people, risk, by_mean, bend = self.risk_sums(theta, with_bend=hessian.size > 0)
        by_mean, bend = by_mean / people, bend / people
        miss, places = risk / people - self.share.share, self.outcome_places
        gradient[places] += miss / self.share.error**2 * by_mean
        if hessian.size:
            hessian[np.ix_(places, places)] += (np.outer(by_mean, by_mean) + miss * bend) / self.share.error**2
        return 0.5 * (miss / self.share.error) ** 2


def diagonal(matrix: Array, row: int = 0, column: int = 0) -> Array:
    """Return the elements of a square matrix from one of them downwards to the right; they can be written to."""
    size = matrix.shape[0]
    return matrix.reshape(-1)[row * size + column : (size - column + row) * size : size + 1]


def mirror(upper: Array) -> Array:
    """Symmetric matrix with this upper triangle; what is below it is not read."""
    return np.where(_is_below(upper.shape[0]), upper.T, upper)


@lru_cache(maxsize=16)
def _is_below(size: int) -> Flags:
    return np.tri(size, k=-1, dtype=bool)
