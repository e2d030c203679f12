"""The likelihood of a linear model as a function of its coefficients, in blocks of rows.

A `LinearObjective` holds a working copy of the features and turns the per-person derivatives of the likelihood into the
gradient and exact Hessian of the coefficients. It is the only place that multiplies features with derivatives. It lives
as long as a fit; what stays is a `LinearFit`.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import ClassVar, NamedTuple

import numpy as np

from whether.arrays import Array, Rows
from whether.learners.linear.design import learn_standardization, order_columns, standardize
from whether.learners.linear.linear_fit import Standardization
from whether.learners.linear.optimize import MANY_PARAMETERS, SEVERAL_PARAMETERS
from whether.learners.linear.penalized import Evaluation, PenalizedObjective, mirror
from whether.learners.linear.rough_curvature import SecondMoments, average_curvature
from whether.learners.parallel import share_out
from whether.learners.rows import step_of_part, sum_by_group
from whether.learners.task import Task
from whether.likelihood import Criterion, blocks_by_label, labeled_first
from whether.propensity import Observed, Terms


class Block(NamedTuple):
    """Derivatives of the log-likelihood of consecutive rows that share a label."""

    rows: slice
    labeled: bool
    terms: Terms


class LinearObjective(PenalizedObjective):
    """Penalised negative log-likelihood of a linear model on one cohort, labeled people first.

    Features are standardised as is given or, where it is not, by their own means and standard deviations. Where they
    are many they may be held in single precision, in which they are gone through in less than half the time: values are
    then off by about 1e-5, far below what comparisons look at and large cohorts are fitted to, and too much for a last
    digit. The memory of a cohort that nobody needs any more may become that of its working copy (``in_place``).
    """

    # What a look at some rows costs: so many times fewer of them settle starts, candidates and penalties.
    cost_of_rows: ClassVar[int] = 1

    def __init__(
        self,
        task: Task,
        ridge: float,
        standardization: Standardization | None = None,
        *,
        may_round: bool = False,
        in_place: bool = False,
    ) -> None:
        cohort = task.cohort
        self.order, self.n_labeled = labeled_first(
            cohort.labeled, cohort.seen_negative if task.propensity.has_negatives else None
        )
        super().__init__(task, ridge, standardization or learn_standardization(cohort, order_columns(task)[0]))
        rounded = may_round and self.may_be_rounded
        self.features = standardize(cohort, self.order, self.standardization, rounded=rounded, in_place=in_place)
        self.moments = SecondMoments()  # shared with the objectives of parts of these rows
        self.observed = task.propensity.observe(cohort).take(self.order)
        self.weight = None if cohort.weight is None else cohort.weight[self.order]
        self.groups = None if cohort.groups is None else cohort.groups[self.order]

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.features.shape[1]

    def subset(self, rows: Rows) -> LinearObjective:
        """Objective of some rows (ascending positions in the working order), with the same standardisation."""
        part = copy.copy(self)
        part.features, part.order = self.features.take(rows), self.order[rows]
        part.observed = self.observed.take(rows)
        part.weight = None if self.weight is None else self.weight[rows]
        part.groups = None if self.groups is None else self.groups[rows]
        part.n_labeled = int(np.searchsorted(rows, self.n_labeled))
        return part

    def part(self, n_rows: int, n_labeled: int) -> LinearObjective:
        """Objective of evenly spaced rows, about this many and with at least so many labeled ones; or of all."""
        step = step_of_part(self.n, self.n_labeled, n_rows, n_labeled)
        if step == 1:
            return self
        # Spaced in the order of the table, as where rows come in blocks.
        unlabeled = self.n_labeled + np.argsort(self.order[self.n_labeled :], kind="stable")[::step]
        return self.subset(np.concatenate([np.arange(0, self.n_labeled, step), np.sort(unlabeled)]))

    @property
    def may_be_rounded(self) -> bool:
        """Whether parameters are so many that L-BFGS minimises, which needs no last digit."""
        return type(self) is LinearObjective and SEVERAL_PARAMETERS < self.layout.size <= MANY_PARAMETERS

    def rounded(self) -> LinearObjective:
        """Objective of the same rows with features in single precision where they may be."""
        other = copy.copy(self)
        other.features = self.features.single() if self.may_be_rounded else self.features
        return other

    def under(self, criterion: Criterion) -> LinearObjective:
        """Objective of the same rows under a criterion that observes the same; shares the features."""
        other = copy.copy(self)
        other.use(criterion)
        return other

    @property
    def placed(self) -> Observed:
        """What the likelihood reads of people besides their predictors."""
        return self.observed

    @property
    def _splits_labeled(self) -> bool:
        """Whether nothing is between outcome and propensity in the curvature of labeled people."""
        return self.criterion.splits_labeled and self.observed.entry is None

    def predictors(self, theta: Array, rows: slice) -> tuple[Array | None, Array]:
        """Outcome logit (None without an outcome part) and propensity predictors of some rows."""
        return self.layout.predict(theta, self.features, rows)

    def block(self, theta: Array, rows: slice, labeled: bool, *, with_curvature: bool = True) -> Block:
        """Per-person derivatives of the log-likelihood of rows that share a label."""
        people = (*self.predictors(theta, rows), self.placed.take(rows))
        if with_curvature:
            terms = self.criterion.terms(*people, labeled=labeled)
        else:
            terms = Terms(*self.criterion.slopes(*people, labeled=labeled), np.empty((0, 0, 1)))
        if self.weight is not None:
            weight = self.weight[rows]
            terms = Terms(terms.value * weight, terms.gradient * weight, terms.curvature * weight)
        return Block(rows, labeled, terms)

    def blocks(self, theta: Array) -> Iterator[Block]:
        """First derivatives per person, block by block in the working order of rows."""
        return (self.block(theta, *part, with_curvature=False) for part in self._parts())

    def _parts(self) -> list[tuple[slice, bool]]:
        """Blocks of rows that share a label, and whether they are labeled."""
        return list(blocks_by_label(self.n_labeled, self.n, self.features.block_rows))

    def row_values(self, theta: Array) -> Array:
        """Log-likelihood of each person, in the working order of rows, times its weight."""
        return np.concatenate([block.terms.value for block in self.blocks(theta)])

    def sums(self, theta: Array, *, with_hessian: bool) -> Evaluation:
        """Negative log-likelihood with derivatives; the Hessian's upper triangle only."""
        return self._add_up(theta, self._add_hessian if with_hessian else None, self.layout.size)

    def rough_sums(self, theta: Array) -> Evaluation:
        """Negative log-likelihood with its gradient, and about its Hessian."""
        at = self._add_up(theta, _add_curvature, self.layout.n_predictors)
        moments = self.moments.of(self.features, self.weight)
        return at._replace(hessian=average_curvature(self.layout, at.hessian, moments))

    def _add_up(self, theta: Array, add_bend: Callable[[Array, Block], None] | None, size: int) -> Evaluation:
        """Negative log-likelihood with its gradient, and what is added of second derivatives to a matrix of a size."""

        def add_up(parts: list[tuple[slice, bool]]) -> Evaluation:
            value, gradient = 0.0, np.zeros(self.layout.size)
            bend = np.zeros((size, size) if add_bend is not None else (0, 0))
            for part in parts:
                block = self.block(theta, *part, with_curvature=add_bend is not None)
                value -= float(block.terms.value.sum())
                self._add_gradient(gradient, block)
                if add_bend is not None:
                    add_bend(bend, block)
            return Evaluation(value, gradient, bend)

        sums = share_out(add_up, self._parts())
        return sums[0] if len(sums) == 1 else Evaluation(*(sum(part[1:], part[0]) for part in zip(*sums, strict=True)))

    def _add_gradient(self, gradient: Array, block: Block) -> None:
        layout, by_predictor = self.layout, block.terms.gradient
        gradient[: layout.n_predictors] -= by_predictor.sum(axis=1)
        for slopes, of, predictors in layout.joined():
            values = np.stack([_over(several, by_predictor) for several in predictors])
            gradient[slopes] -= self.features.sums(values, of, block.rows).reshape(-1)

    def _add_hessian(self, hessian: Array, block: Block) -> None:
        """Add the upper triangle of a block's share of the Hessian."""
        # `numpy.dot` lets other threads go on, as `@` does not where the result is small; it wants rows in one piece.
        layout, curvature = self.layout, block.terms.curvature
        every_feature = np.ascontiguousarray(self.features.dense(block.rows))
        features, leading = every_feature[layout.of_outcome], every_feature[layout.of_shared]
        outcome, shared, n_predictors = layout.outcome, layout.shared, layout.n_predictors
        hessian[:n_predictors, :n_predictors] -= curvature.sum(axis=2)
        if self.has_outcome:
            hessian[:n_predictors, outcome] -= np.dot(curvature[0], features.T)
            hessian[outcome, outcome] -= np.dot(features * curvature[0, 0], features.T)
        if layout.n_shared:
            by_shared = _over(layout.sloped, curvature)
            hessian[:n_predictors, shared] -= np.dot(by_shared, leading.T)
            hessian[shared, shared] -= np.dot(leading * _over(layout.sloped, by_shared), leading.T)
            if self.has_outcome and not (block.labeled and self._splits_labeled):
                hessian[outcome, shared] -= np.dot(features * by_shared[0], leading.T)
        if layout.n_other:
            self._add_other(hessian, block, every_feature)

    def _add_other(self, hessian: Array, block: Block, features: Array) -> None:
        """Add what concerns the slopes of what becomes of negatives."""
        layout = self.layout
        by_other, all_features = _over(layout.other_sloped, block.terms.curvature), features[layout.of_other]
        hessian[: layout.n_predictors, layout.other] -= np.dot(by_other, all_features.T)
        hessian[layout.other, layout.other] -= np.dot(
            all_features * _over(layout.other_sloped, by_other), all_features.T
        )
        if self.has_outcome:
            hessian[layout.other, layout.outcome] -= np.dot(all_features * by_other[0], features[layout.of_outcome].T)
        if layout.n_shared:
            between = _over(layout.sloped, by_other)
            hessian[layout.other, layout.shared] -= np.dot(all_features * between, features[layout.of_shared].T)

    def information(self, outer: Array) -> Array:
        """Sum over people of the outer product of their scores, from that of their gradients in the predictors."""
        sums = np.zeros((self.layout.size, self.layout.size))
        for rows, _ in self._parts():
            part = -outer[:, :, rows]
            # Unlabeled: products of outcome and propensity are in it, whatever the label.
            self._add_hessian(sums, Block(rows, False, Terms(part[0, 0], part[0], part)))
        return mirror(sums)

    def risk_sums(self, theta: Array, *, with_bend: bool = True) -> tuple[float, float, Array, Array]:
        """Sums over people of one, of their risk, and of its first and second derivatives in the outcome part."""
        part, weight = self.layout.of_outcome, np.ones(self.n) if self.weight is None else self.weight
        size = 1 + self.layout.n_outcome
        risk, by_mean, bend = 0.0, np.zeros(size), np.zeros((size, size) if with_bend else (0, 0))
        for start in range(0, self.n, self.features.block_rows):
            rows = slice(start, start + self.features.block_rows)
            eta = theta[0] + self.features.times(theta[self.layout.outcome], part, rows)
            never = self.criterion.family.log_never(eta)
            left = weight[rows] * np.exp(never.value)
            risk -= float(weight[rows] @ np.expm1(never.value))
            slope, second = left * never.first, left * (never.second + never.first**2)
            by_mean -= np.append(slope.sum(), self.features.sums(slope, part, rows))
            if with_bend:
                crossed = self.features.sums(second, part, rows)
                bend[0, 0] -= second.sum()
                bend[0, 1:] -= crossed
                bend[1:, 0] -= crossed
                bend[1:, 1:] -= self.features.products(second, part, part, rows)
        return float(weight.sum()), risk, by_mean, bend

    def score_products(self, theta: Array, jacobian: Array) -> Array:
        """Sum over people, or groups, of the outer products of their scores; a weight counts as repeated people.

        Repeated people of a group belong to it. Sums over G groups are taken G / (G - 1) times, as is usual.
        """
        blocks = (scores @ jacobian for scores in self.row_scores(theta))
        if self.groups is not None:
            by_group = sum_by_group(np.concatenate(list(blocks)), self.groups)
            n_groups = by_group.shape[0]
            return np.asarray(n_groups / (n_groups - 1) * (by_group.T @ by_group))
        total, start = np.zeros((jacobian.shape[1], jacobian.shape[1])), 0
        for moved in blocks:
            rows = slice(start, start + moved.shape[0])
            per_person = moved if self.weight is None else moved / np.maximum(self.weight[rows, None], 1e-300)
            total += moved.T @ per_person
            start = rows.stop
        return total

    def row_scores(self, theta: Array) -> Iterator[Array]:
        """Gradient of each person's log-likelihood in the coefficients, block by block, shape (rows, size)."""
        layout = self.layout
        for block in self.blocks(theta):
            features, gradient = self.features.dense(block.rows).T, block.terms.gradient
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


def _add_curvature(by_predictors: Array, block: Block) -> None:
    """Add the second derivatives of a block's people in their predictors."""
    by_predictors -= block.terms.curvature.sum(axis=2)


def _over(predictors: tuple[int, ...], terms: Array) -> Array:
    """Sum over the predictors that share slopes."""
    return terms[predictors[0]] if len(predictors) == 1 else np.asarray(terms[list(predictors)].sum(axis=0))
