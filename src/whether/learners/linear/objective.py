"""The likelihood of a linear model as a function of its coefficients, in blocks of rows.

A `LinearObjective` holds a working copy of the features and turns the per-person derivatives of the likelihood into the
gradient and exact Hessian of the coefficients. It is the only place that multiplies features with derivatives. It lives
as long as a fit; what stays is a `LinearFit`.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from whether.arrays import Array, Rows
from whether.learners.linear.design import BLOCK_ROWS, learn_standardization, order_columns, standardize
from whether.learners.linear.linear_fit import Layout, LinearPredictor
from whether.learners.parallel import share_out
from whether.learners.task import Task
from whether.likelihood import Criterion, blocks_by_label, labeled_first
from whether.propensity import Propensity, Terms


class Evaluation(NamedTuple):
    """Value, gradient and Hessian of an objective to be minimised."""

    value: float
    gradient: Array
    hessian: Array


class Block(NamedTuple):
    """Derivatives of the log-likelihood of consecutive rows that share a label."""

    rows: slice
    labeled: bool
    terms: Terms


class LinearObjective:
    """Penalised negative log-likelihood of a linear model on one cohort, labeled people first."""

    def __init__(self, task: Task, ridge: float) -> None:
        cohort, self.ridge, self.share = task.cohort, ridge, task.share
        self.has_outcome, self.n_columns = task.has_outcome, task.columns.size
        self.order, self.n_labeled = labeled_first(cohort.labeled)
        columns, self.skips = order_columns(task)
        self.standardization = learn_standardization(cohort, columns)
        self.features = standardize(cohort, self.order, self.standardization)
        self.observed = task.propensity.observe(cohort).take(self.order)
        self.weight = None if cohort.weight is None else cohort.weight[self.order]
        self.groups = None if cohort.groups is None else cohort.groups[self.order]
        self._set_criterion(task.criterion())

    def _set_criterion(self, criterion: Criterion) -> None:
        self.criterion = criterion
        n_features = self.features.shape[0]
        self.layout = Layout.of(criterion.propensity, self.n_columns, n_features, self.has_outcome, self.skips)

    @property
    def propensity(self) -> Propensity:
        """The restriction."""
        return self.criterion.propensity

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.features.shape[1])

    def subset(self, rows: Rows) -> LinearObjective:
        """Objective of some rows (ascending positions in the working order), with the same standardisation."""
        part = copy.copy(self)
        part.features = self.features[:, rows]
        part.observed = self.observed.take(rows)
        part.weight = None if self.weight is None else self.weight[rows]
        part.groups = None if self.groups is None else self.groups[rows]
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

    def under(self, criterion: Criterion) -> LinearObjective:
        """Objective of the same rows under a criterion that observes the same; shares the features."""
        other = copy.copy(self)
        other._set_criterion(criterion)
        return other

    @property
    def _splits_labeled(self) -> bool:
        """Whether nothing is between outcome and propensity in the curvature of labeled people."""
        return self.criterion.splits_labeled and self.observed.entry is None

    def predictor(self, theta: Array) -> LinearPredictor:
        """Coefficients with what they need to predict: nothing of the people."""
        return LinearPredictor(self.layout, self.standardization, theta)

    def predictors(self, theta: Array, rows: slice) -> tuple[Array | None, Array]:
        """Outcome logit (None without an outcome part) and propensity predictors of some rows."""
        return self.layout.predict(theta, self.features[:, rows])

    def block(self, theta: Array, rows: slice, labeled: bool) -> Block:
        """Per-person derivatives of the log-likelihood of rows that share a label."""
        terms = self.criterion.terms(*self.predictors(theta, rows), self.observed.take(rows), labeled=labeled)
        if self.weight is not None:
            weight = self.weight[rows]
            terms = Terms(terms.value * weight, terms.gradient * weight, terms.curvature * weight)
        return Block(rows, labeled, terms)

    def blocks(self, theta: Array) -> Iterator[Block]:
        """Per-person derivatives, block by block in the working order of rows."""
        return (self.block(theta, *part) for part in blocks_by_label(self.n_labeled, self.n, BLOCK_ROWS))

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

        def add_up(parts: list[tuple[slice, bool]]) -> Evaluation:
            value, gradient = 0.0, np.zeros(self.layout.size)
            hessian = np.zeros((self.layout.size, self.layout.size) if with_hessian else (0, 0))
            for part in parts:
                block = self.block(theta, *part)
                value -= float(block.terms.value.sum())
                self._add_gradient(gradient, block)
                if with_hessian:
                    self._add_hessian(hessian, block)
            return Evaluation(value, gradient, hessian)

        sums = share_out(add_up, list(blocks_by_label(self.n_labeled, self.n, BLOCK_ROWS)))
        return Evaluation(*(sum(part[1:], part[0]) for part in zip(*sums, strict=True)))

    def _add_gradient(self, gradient: Array, block: Block) -> None:
        layout, features, terms = self.layout, self.features[:, block.rows], block.terms
        gradient[: layout.n_predictors] -= terms.gradient.sum(axis=1)
        if self.has_outcome:
            gradient[layout.outcome] -= features[layout.of_outcome] @ terms.gradient[0]
        if layout.n_shared:
            gradient[layout.shared] -= features[layout.of_shared] @ _over(layout.sloped, terms.gradient)
        if layout.n_other:
            gradient[layout.other] -= features[layout.of_other] @ _over(layout.other_sloped, terms.gradient)

    def _add_hessian(self, hessian: Array, block: Block) -> None:
        """Add the upper triangle of a block's share of the Hessian."""
        layout, curvature = self.layout, block.terms.curvature
        features, leading = (self.features[part, block.rows] for part in (layout.of_outcome, layout.of_shared))
        outcome, shared, n_predictors = layout.outcome, layout.shared, layout.n_predictors
        hessian[:n_predictors, :n_predictors] -= curvature.sum(axis=2)
        if self.has_outcome:
            hessian[:n_predictors, outcome] -= curvature[0] @ features.T
            hessian[outcome, outcome] -= (features * curvature[0, 0]) @ features.T
        if layout.n_shared:
            by_shared = _over(layout.sloped, curvature)
            hessian[:n_predictors, shared] -= by_shared @ leading.T
            hessian[shared, shared] -= (leading * _over(layout.sloped, by_shared)) @ leading.T
            if self.has_outcome and not (block.labeled and self._splits_labeled):
                hessian[outcome, shared] -= (features * by_shared[0]) @ leading.T
        if layout.n_other:
            self._add_other(hessian, block)

    def _add_other(self, hessian: Array, block: Block) -> None:
        """Add what concerns the slopes of what becomes of negatives."""
        layout, features = self.layout, self.features[:, block.rows]
        by_other, all_features = _over(layout.other_sloped, block.terms.curvature), features[layout.of_other]
        hessian[: layout.n_predictors, layout.other] -= by_other @ all_features.T
        hessian[layout.other, layout.other] -= (all_features * _over(layout.other_sloped, by_other)) @ all_features.T
        if self.has_outcome:
            hessian[layout.other, layout.outcome] -= (all_features * by_other[0]) @ features[layout.of_outcome].T
        if layout.n_shared:
            between = _over(layout.sloped, by_other)
            hessian[layout.other, layout.shared] -= (all_features * between) @ features[layout.of_shared].T

    def information(self, outer: Array) -> Array:
        """Sum over people of the outer product of their scores, from that of their gradients in the predictors."""
        sums = np.zeros((self.layout.size, self.layout.size))
        for rows, _ in blocks_by_label(self.n_labeled, self.n, BLOCK_ROWS):
            part = -outer[:, :, rows]
            # Unlabeled: products of outcome and propensity are in it, whatever the label.
            self._add_hessian(sums, Block(rows, False, Terms(part[0, 0], part[0], part)))
        return np.asarray(np.triu(sums) + np.triu(sums, 1).T)

    def penalty(self, theta: Array) -> Evaluation:
        """Ridge on the slopes and the propensity's own weak penalty on its levels."""
        layout = self.layout
        gradient, hessian = np.zeros(layout.size), np.zeros((layout.size, layout.size))
        slopes = theta[layout.n_predictors :]
        gradient[layout.n_predictors :] = self.ridge * slopes
        diagonal = np.arange(layout.n_predictors, layout.size)
        hessian[diagonal, diagonal] = self.ridge
        levels = slice(layout.first, layout.n_predictors)
        value, by_level, by_levels = self.propensity.penalty(theta[levels])
        gradient[levels] += by_level
        hessian[levels, levels] += by_levels
        value += 0.5 * self.ridge * float(slopes @ slopes)
        if layout.n_other and self.propensity.other_ridge:
            more, places = self.propensity.other_ridge, np.arange(layout.size)[layout.other]
            gradient[places] += more * theta[places]
            hessian[places, places] += more
            value += 0.5 * more * float(theta[places] @ theta[places])
        if self.share is not None and self.has_outcome:
            value += self._add_share(theta, gradient, hessian)
        return Evaluation(value, gradient, hessian)

    def _add_share(self, theta: Array, gradient: Array, hessian: Array) -> float:
        """Penalty on a mean risk that is not the share known from elsewhere; derivatives are added in place."""
        assert self.share is not None
        layout, each = self.layout, np.full(self.n, 1 / self.n) if self.weight is None else self.weight
        each = each / each.sum()
        features = np.vstack([np.ones(self.n), self.features[layout.of_outcome]])
        places = np.r_[0, np.arange(layout.size)[layout.outcome]]
        never = self.criterion.family.log_never(theta[places] @ features)
        left = np.exp(never.value)
        miss = float(each @ -np.expm1(never.value)) - self.share.share
        by_mean = -features @ (each * left * never.first)
        bend = -(features * (each * left * (never.second + never.first**2))) @ features.T
        gradient[places] += miss / self.share.error**2 * by_mean
        hessian[np.ix_(places, places)] += (np.outer(by_mean, by_mean) + miss * bend) / self.share.error**2
        return 0.5 * (miss / self.share.error) ** 2

    def row_scores(self, theta: Array) -> Iterator[Array]:
        """Gradient of each person's log-likelihood in the coefficients, block by block, shape (rows, size)."""
        layout = self.layout
        for block in self.blocks(theta):
            features, gradient = self.features[:, block.rows].T, block.terms.gradient
            scores = np.empty((features.shape[0], layout.size))
            scores[:, : layout.n_predictors] = gradient.T
            if self.has_outcome:
                scores[:, layout.outcome] = gradient[0][:, None] * features[:, layout.of_outcome]
            if layout.n_shared:
                shared = _over(layout.sloped, gradient)
                scores[:, layout.shared] = shared[:, None] * features[:, layout.of_shared]
            if layout.n_other:
                other = _over(layout.other_sloped, gradient)
                scores[:, layout.other] = other[:, None] * features[:, layout.of_other]
            yield scores


def _over(predictors: tuple[int, ...], terms: Array) -> Array:
    """Sum over the predictors that share slopes."""
    return terms[predictors[0]] if len(predictors) == 1 else np.asarray(terms[list(predictors)].sum(axis=0))
