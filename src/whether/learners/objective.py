"""The likelihood of a linear model as a function of its coefficients, in blocks of rows.

A `LinearObjective` holds a working copy of the features, standardised and with the labeled people first, and turns the
per-person derivatives of the likelihood into the gradient and exact Hessian of the coefficients. It is the only place
that multiplies features with derivatives. Used by the linear learner.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from whether.cohort import Cohort
from whether.likelihood import Terms
from whether.propensity import Propensity

Array = NDArray[np.float64]

# Rows per block: a block's features and weighted copies (some 4,096 x 80 doubles) stay in the second-level cache.
BLOCK_ROWS = 4096


class Evaluation(NamedTuple):
    """Value, gradient and Hessian of an objective to be minimised."""

    value: float
    gradient: Array
    hessian: Array


class Block(NamedTuple):
    """Derivatives of the log-likelihood of consecutive rows that share a label."""

    rows: slice
    terms: Terms


class Layout(NamedTuple):
    """Where each coefficient sits: intercepts of all predictors, outcome slopes, propensity slopes."""

    n_predictors: int
    n_outcome: int
    n_shared: int

    @property
    def size(self) -> int:
        """Number of coefficients."""
        return self.n_predictors + self.n_outcome + self.n_shared

    @property
    def outcome(self) -> slice:
        """The outcome slopes."""
        return slice(self.n_predictors, self.n_predictors + self.n_outcome)

    @property
    def shared(self) -> slice:
        """The slopes shared by the sloped predictors of the propensity."""
        return slice(self.n_predictors + self.n_outcome, self.size)


class LinearObjective:
    """Penalised negative log-likelihood of a linear model on one cohort.

    Coefficients are on standardised features: first one intercept per predictor (outcome logit, then the propensity's),
    then the outcome slopes, then the slopes that the propensity's sloped predictors share. The features that the
    propensity may use come first among the columns.

    Parameters
    ----------
    cohort : Cohort
    propensity : Propensity
    columns : ndarray of int
        Features that the propensity may depend on.
    has_outcome : bool
        Whether there is an outcome part; without it everybody is positive.
    ridge : float
        Penalty on squared standardised slopes, in units of one person's log-likelihood.
    """

    def __init__(
        self, cohort: Cohort, propensity: Propensity, *, columns: NDArray[np.intp], has_outcome: bool, ridge: float
    ) -> None:
        self.propensity = propensity
        self.has_outcome = has_outcome
        self.ridge = ridge
        self.row_order = np.argsort(~cohort.labeled, kind="stable")
        self.n_labeled = int(np.count_nonzero(cohort.labeled))
        self.sloped = np.flatnonzero(propensity.sloped) + int(has_outcome)
        others = np.setdiff1d(np.arange(cohort.features.shape[1]), columns)
        self.column_order = np.concatenate([columns, others]) if has_outcome else columns
        self._copy_features(cohort)
        self.observed = propensity.observe(cohort)[..., self.row_order]
        self.weight = None if cohort.weight is None else cohort.weight[self.row_order]
        self.n_columns = columns.size
        self.layout = self._lay_out()

    def _lay_out(self) -> Layout:
        return Layout(
            n_predictors=int(self.has_outcome) + len(self.propensity.predictors),
            n_outcome=self.column_order.size if self.has_outcome else 0,
            n_shared=self.n_columns if self.sloped.size else 0,
        )

    def _copy_features(self, cohort: Cohort) -> None:
        """Standardise into a working copy, labeled rows first; weights count as repeated rows."""
        features, weight = cohort.features, cohort.weight
        total = cohort.n if weight is None else weight.sum()
        self.mean = np.average(features, axis=0, weights=weight)[self.column_order]
        self.features = np.empty((cohort.n, self.column_order.size))
        square = np.zeros(self.column_order.size)
        for start in range(0, cohort.n, BLOCK_ROWS):
            rows = self.row_order[start : start + BLOCK_ROWS]
            block = self.features[start : start + BLOCK_ROWS]
            np.subtract(features[rows][:, self.column_order], self.mean, out=block)
            square += np.einsum("ij,ij->j", block, block if weight is None else block * weight[rows, None])
        self.scale = np.sqrt(square / total)
        self.scale[self.scale == 0] = 1.0  # constant within a subsample: its slope stays zero by the ridge
        for start in range(0, cohort.n, BLOCK_ROWS):
            self.features[start : start + BLOCK_ROWS] /= self.scale

    def subset(self, rows: NDArray[np.intp]) -> LinearObjective:
        """Objective of some rows (ascending positions in the working order), with the same standardisation."""
        part = copy.copy(self)
        part.features = self.features[rows]
        part.observed = self.observed[..., rows]
        part.weight = None if self.weight is None else self.weight[rows]
        part.n_labeled = int(np.searchsorted(rows, self.n_labeled))
        return part

    def with_propensity(self, propensity: Propensity) -> LinearObjective:
        """Objective of the same rows under a propensity that observes the same; shares the features."""
        other = copy.copy(self)
        other.propensity = propensity
        other.sloped = np.flatnonzero(propensity.sloped) + int(self.has_outcome)
        other.layout = other._lay_out()
        return other

    def drop_rows(self) -> None:
        """Forget the people and keep the standardisation and the layout, for predictions."""
        self.features = np.empty((0, self.column_order.size))
        self.observed = self.observed[..., :0]
        self.weight, self.row_order, self.n_labeled = None, self.row_order[:0], 0

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.features.shape[0]

    def _block_slices(self) -> Iterator[tuple[slice, bool]]:
        for first, last, labeled in ((0, self.n_labeled, True), (self.n_labeled, self.n, False)):
            for start in range(first, last, BLOCK_ROWS):
                yield slice(start, min(start + BLOCK_ROWS, last)), labeled

    def predictors(self, theta: Array, rows: slice) -> tuple[Array | None, Array]:
        """Outcome logit (None without an outcome part) and propensity predictors of some rows."""
        layout, block = self.layout, self.features[rows]
        v = np.repeat(theta[int(self.has_outcome) : layout.n_predictors, None], block.shape[0], axis=1)
        if layout.n_shared:
            v[self.sloped - int(self.has_outcome)] += block[:, : layout.n_shared] @ theta[layout.shared]
        eta = theta[0] + block @ theta[layout.outcome] if self.has_outcome else None
        return eta, v

    def blocks(self, theta: Array) -> Iterator[Block]:
        """Per-person derivatives of the log-likelihood, block by block."""
        for rows, labeled in self._block_slices():
            eta, v = self.predictors(theta, rows)
            observed = self.observed[..., rows]
            of_rows = self.propensity.labeled_rows if labeled else self.propensity.unlabeled_rows
            terms = of_rows(eta, v, observed)
            if self.weight is not None:
                weight = self.weight[rows]
                terms = Terms(terms.value * weight, terms.gradient * weight, terms.curvature * weight)
            yield Block(rows, terms)

    def row_values(self, theta: Array) -> Array:
        """Log-likelihood of each person, in the working order of rows, times its weight."""
        return np.concatenate([block.terms.value for block in self.blocks(theta)])

    def log_likelihood(self, theta: Array) -> float:
        """Log-likelihood of the cohort, without penalties."""
        return float(sum(block.terms.value.sum() for block in self.blocks(theta)))

    def value_and_gradient(self, theta: Array) -> tuple[float, Array]:
        """Objective and gradient, without the cost of the Hessian."""
        value, gradient = 0.0, np.zeros(self.layout.size)
        for block in self.blocks(theta):
            value -= float(block.terms.value.sum())
            self._add_gradient(gradient, block)
        penalty = self.penalty(theta)
        return value + penalty.value, gradient + penalty.gradient

    def evaluate(self, theta: Array) -> Evaluation:
        """Objective, gradient and exact Hessian."""
        value, gradient = 0.0, np.zeros(self.layout.size)
        hessian = np.zeros((self.layout.size, self.layout.size))
        for block in self.blocks(theta):
            value -= float(block.terms.value.sum())
            self._add_gradient(gradient, block)
            self._add_hessian(hessian, block)
        hessian = np.triu(hessian) + np.triu(hessian, 1).T
        penalty = self.penalty(theta)
        return Evaluation(value + penalty.value, gradient + penalty.gradient, hessian + penalty.hessian)

    def _add_gradient(self, gradient: Array, block: Block) -> None:
        layout, features, terms = self.layout, self.features[block.rows], block.terms
        gradient[: layout.n_predictors] -= terms.gradient.sum(axis=1)
        if self.has_outcome:
            gradient[layout.outcome] -= terms.gradient[0] @ features
        if layout.n_shared:
            gradient[layout.shared] -= terms.gradient[self.sloped].sum(axis=0) @ features[:, : layout.n_shared]

    def _add_hessian(self, hessian: Array, block: Block) -> None:
        """Add the upper triangle of a block's share of the Hessian."""
        layout, features, curvature = self.layout, self.features[block.rows], block.terms.curvature
        outcome, shared, n_predictors = layout.outcome, layout.shared, layout.n_predictors
        hessian[:n_predictors, :n_predictors] -= curvature.sum(axis=2)
        if self.has_outcome:
            hessian[:n_predictors, outcome] -= curvature[0] @ features
            hessian[outcome, outcome] -= features.T @ (features * curvature[0, 0, :, None])
        if layout.n_shared:
            leading = features[:, : layout.n_shared]
            by_shared = curvature[self.sloped].sum(axis=0) if self.sloped.size > 1 else curvature[self.sloped[0]]
            hessian[:n_predictors, shared] -= by_shared @ leading
            both = by_shared[self.sloped].sum(axis=0) if self.sloped.size > 1 else by_shared[self.sloped[0]]
            hessian[shared, shared] -= leading.T @ (leading * both[:, None])
            if self.has_outcome and block.rows.start >= self.n_labeled:
                # For labeled people log p and log seen add up, so this part of the curvature is zero.
                hessian[outcome, shared] -= features.T @ (leading * by_shared[0][:, None])

    def penalty(self, theta: Array) -> Evaluation:
        """Ridge on the slopes and the propensity's own weak penalty on its levels."""
        layout, first = self.layout, int(self.has_outcome)
        gradient, hessian = np.zeros(layout.size), np.zeros((layout.size, layout.size))
        slopes = theta[layout.n_predictors :]
        gradient[layout.n_predictors :] = self.ridge * slopes
        diagonal = np.arange(layout.n_predictors, layout.size)
        hessian[diagonal, diagonal] = self.ridge
        levels = slice(first, layout.n_predictors)
        value, by_level, by_levels = self.propensity.penalty(theta[levels])
        gradient[levels] += by_level
        hessian[levels, levels] += by_levels
        return Evaluation(value + 0.5 * self.ridge * float(slopes @ slopes), gradient, hessian)

    def row_scores(self, theta: Array) -> Iterator[Array]:
        """Gradient of each person's log-likelihood in the coefficients, block by block, shape (rows, size)."""
        layout = self.layout
        for block in self.blocks(theta):
            features, gradient = self.features[block.rows], block.terms.gradient
            scores = np.empty((features.shape[0], layout.size))
            scores[:, : layout.n_predictors] = gradient.T
            if self.has_outcome:
                scores[:, layout.outcome] = gradient[0][:, None] * features
            if layout.n_shared:
                shared = gradient[self.sloped].sum(axis=0)
                scores[:, layout.shared] = shared[:, None] * features[:, : layout.n_shared]
            yield scores
