"""The likelihood of a linear model as a function of its coefficients, in blocks of rows.

A `LinearObjective` holds a working copy of the features, standardised, one row per feature and with the labeled people
first, and turns the per-person derivatives of the likelihood into the gradient and exact Hessian of the coefficients.
It is the only place that multiplies features with derivatives. Used by the linear learner.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from whether.cohort import Cohort
from whether.learners.parallel import share_out
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
        source, weight, order = cohort.features, cohort.weight, self.column_order
        total = cohort.n if weight is None else weight.sum()
        every_column = np.array_equal(order, np.arange(source.shape[1]))
        starts = list(range(0, cohort.n, BLOCK_ROWS))

        def moments(starts: list[int], center: Array, power: int) -> Array:
            result = np.zeros(source.shape[1])
            for start in starts:
                rows = slice(start, start + BLOCK_ROWS)
                # Rows in one piece, whatever the table's layout: sums in another order would differ in the last digit.
                block = np.ascontiguousarray(source[rows], dtype=float) - center
                weights = np.ones(block.shape[0]) if weight is None else weight[rows]
                result += weights @ block**power
            return result

        def moment(center: Array, power: int) -> Array:
            parts = share_out(lambda part: moments(part, center, power), starts)
            return np.asarray(np.sum(parts, axis=0) / total)

        mean = moment(np.zeros(source.shape[1]), 1)
        variance = moment(mean, 2)
        self.mean, self.scale = mean[order], np.sqrt(variance)[order]
        self.scale[self.scale == 0] = 1.0  # no weight on the rows where it varies: its slope stays zero by the ridge
        self.features = np.empty((order.size, cohort.n))

        def standardize(starts: list[int]) -> None:
            for start in starts:
                rows = self.row_order[start : start + BLOCK_ROWS]
                block = self.features[:, start : start + BLOCK_ROWS]
                taken = source[rows] if every_column else source[np.ix_(rows, order)]
                np.subtract(taken.T, self.mean[:, None], out=block)
                block /= self.scale[:, None]

        share_out(standardize, starts)

    def subset(self, rows: NDArray[np.intp]) -> LinearObjective:
        """Objective of some rows (ascending positions in the working order), with the same standardisation."""
        part = copy.copy(self)
        part.features = self.features[:, rows]
        part.observed = self.observed[..., rows]
        part.weight = None if self.weight is None else self.weight[rows]
        part.n_labeled = int(np.searchsorted(rows, self.n_labeled))
        return part

    def part(self, n_rows: int, n_labeled: int) -> LinearObjective:
        """Objective of evenly spaced rows, about this many and with at least so many labeled ones; or of all."""
        share = max(n_rows / self.n, n_labeled / max(self.n_labeled, 1))
        step = int(1 / share) if share < 1 else 1
        if step == 1:
            return self
        labeled, unlabeled = np.arange(0, self.n_labeled, step), np.arange(self.n_labeled, self.n, step)
        return self.subset(np.concatenate([labeled, unlabeled]))

    def with_propensity(self, propensity: Propensity) -> LinearObjective:
        """Objective of the same rows under a propensity that observes the same; shares the features."""
        other = copy.copy(self)
        other.propensity = propensity
        other.sloped = np.flatnonzero(propensity.sloped) + int(self.has_outcome)
        other.layout = other._lay_out()
        return other

    def drop_rows(self) -> None:
        """Forget the people and keep the standardisation and the layout, for predictions."""
        self.features = np.empty((self.column_order.size, 0))
        self.observed = self.observed[..., :0]
        self.weight, self.row_order, self.n_labeled = None, self.row_order[:0], 0

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.features.shape[1]

    def _block_slices(self) -> Iterator[slice]:
        for first, last in ((0, self.n_labeled), (self.n_labeled, self.n)):
            for start in range(first, last, BLOCK_ROWS):
                yield slice(start, min(start + BLOCK_ROWS, last))

    def predictors(self, theta: Array, rows: slice) -> tuple[Array | None, Array]:
        """Outcome logit (None without an outcome part) and propensity predictors of some rows."""
        layout, block = self.layout, self.features[:, rows]
        v = np.repeat(theta[int(self.has_outcome) : layout.n_predictors, None], block.shape[1], axis=1)
        if layout.n_shared:
            v[self.sloped - int(self.has_outcome)] += theta[layout.shared] @ block[: layout.n_shared]
        eta = theta[0] + theta[layout.outcome] @ block if self.has_outcome else None
        return eta, v

    def block(self, theta: Array, rows: slice) -> Block:
        """Per-person derivatives of the log-likelihood of rows that share a label."""
        eta, v = self.predictors(theta, rows)
        labeled = rows.start < self.n_labeled
        of_rows = self.propensity.labeled_rows if labeled else self.propensity.unlabeled_rows
        terms = of_rows(eta, v, self.observed[..., rows])
        if self.weight is not None:
            weight = self.weight[rows]
            terms = Terms(terms.value * weight, terms.gradient * weight, terms.curvature * weight)
        return Block(rows, terms)

    def blocks(self, theta: Array) -> Iterator[Block]:
        """Per-person derivatives, block by block in the working order of rows."""
        return (self.block(theta, rows) for rows in self._block_slices())

    def row_values(self, theta: Array) -> Array:
        """Log-likelihood of each person, in the working order of rows, times its weight."""
        return np.concatenate([block.terms.value for block in self.blocks(theta)])

    def value_and_gradient(self, theta: Array) -> tuple[float, Array]:
        """Objective and gradient, without the cost of the Hessian."""
        at = self._sum_blocks(theta, with_hessian=False)
        penalty = self.penalty(theta)
        return at.value + penalty.value, at.gradient + penalty.gradient

    def evaluate(self, theta: Array) -> Evaluation:
        """Objective, gradient and exact Hessian."""
        at = self._sum_blocks(theta, with_hessian=True)
        penalty = self.penalty(theta)
        hessian = np.triu(at.hessian) + np.triu(at.hessian, 1).T
        return Evaluation(at.value + penalty.value, at.gradient + penalty.gradient, hessian + penalty.hessian)

    def _sum_blocks(self, theta: Array, *, with_hessian: bool) -> Evaluation:
        """Negative log-likelihood with derivatives; the Hessian's upper triangle only."""

        def add_up(slices: list[slice]) -> Evaluation:
            value, gradient = 0.0, np.zeros(self.layout.size)
            hessian = np.zeros((self.layout.size, self.layout.size) if with_hessian else (0, 0))
            for rows in slices:
                block = self.block(theta, rows)
                value -= float(block.terms.value.sum())
                self._add_gradient(gradient, block)
                if with_hessian:
                    self._add_hessian(hessian, block)
            return Evaluation(value, gradient, hessian)

        parts = share_out(add_up, list(self._block_slices()))
        return Evaluation(*(sum(part[1:], part[0]) for part in zip(*parts, strict=True)))

    def _add_gradient(self, gradient: Array, block: Block) -> None:
        layout, features, terms = self.layout, self.features[:, block.rows], block.terms
        gradient[: layout.n_predictors] -= terms.gradient.sum(axis=1)
        if self.has_outcome:
            gradient[layout.outcome] -= features @ terms.gradient[0]
        if layout.n_shared:
            gradient[layout.shared] -= features[: layout.n_shared] @ self._over_sloped(terms.gradient)

    def _over_sloped(self, terms: Array) -> Array:
        """Sum over the predictors that share slopes."""
        return terms[self.sloped[0]] if self.sloped.size == 1 else np.asarray(terms[self.sloped].sum(axis=0))

    def _add_hessian(self, hessian: Array, block: Block) -> None:
        """Add the upper triangle of a block's share of the Hessian."""
        layout, features, curvature = self.layout, self.features[:, block.rows], block.terms.curvature
        outcome, shared, n_predictors = layout.outcome, layout.shared, layout.n_predictors
        hessian[:n_predictors, :n_predictors] -= curvature.sum(axis=2)
        if self.has_outcome:
            hessian[:n_predictors, outcome] -= curvature[0] @ features.T
            hessian[outcome, outcome] -= (features * curvature[0, 0]) @ features.T
        if layout.n_shared:
            leading, by_shared = features[: layout.n_shared], self._over_sloped(curvature)
            hessian[:n_predictors, shared] -= by_shared @ leading.T
            hessian[shared, shared] -= (leading * self._over_sloped(by_shared)) @ leading.T
            if self.has_outcome and block.rows.start >= self.n_labeled:
                # For labeled people log p and log seen add up, so this part of the curvature is zero.
                hessian[outcome, shared] -= (features * by_shared[0]) @ leading.T

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
            features, gradient = self.features[:, block.rows].T, block.terms.gradient
            scores = np.empty((features.shape[0], layout.size))
            scores[:, : layout.n_predictors] = gradient.T
            if self.has_outcome:
                scores[:, layout.outcome] = gradient[0][:, None] * features
            if layout.n_shared:
                shared = self._over_sloped(gradient)
                scores[:, layout.shared] = shared[:, None] * features[:, : layout.n_shared]
            yield scores
