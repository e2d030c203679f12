"""The objective of people who come in blocks: from files, or on the workers of a cluster.

A Newton step needs sums over people and nothing else, so the fit is that of a cohort in memory, to the digits that the
order of summation leaves. Blocks are standardised where they are, and only sums of the size of the Hessian travel.
"""

from __future__ import annotations

import copy
from dataclasses import replace
from functools import partial

from whether.arrays import Array
from whether.blocks import Blocks
from whether.cohort import Cohort
from whether.learners.linear.design import order_columns
from whether.learners.linear.linear_fit import Standardization
from whether.learners.linear.objective import LinearObjective
from whether.learners.linear.penalized import Evaluation, PenalizedObjective
from whether.learners.population import Population
from whether.learners.task import Task
from whether.likelihood import Criterion


class StreamedObjective(PenalizedObjective):
    """Penalised negative log-likelihood of a linear model on a population."""

    def __init__(self, task: Task, population: Population, ridge: float) -> None:
        columns = order_columns(task)[0]
        scale = population.scale[columns]
        super().__init__(task, ridge, Standardization(columns, population.mean[columns], scale))
        self.population = population
        # What travels to the blocks holds nobody: each block puts its own people in.
        self._of_cohort = partial(_objective_of, task.without_people(), ridge, self.standardization)
        of_block = partial(self._of_cohort, in_place=population.blocks.are_fresh)
        self._blocks: Blocks[LinearObjective] = population.blocks.map(of_block).keep(_bytes_of)

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.population.n

    def part(self, n_rows: int) -> LinearObjective:
        """Objective of evenly spaced rows in memory, about this many and with enough labeled ones; or of all."""
        return self._of_cohort(self.population.parts[n_rows])

    def under(self, criterion: Criterion) -> StreamedObjective:
        """Objective of the same rows under a criterion that observes the same."""
        other = copy.copy(self)
        other.use(criterion)
        return other

    def sums(self, theta: Array, *, with_hessian: bool) -> Evaluation:
        """Negative log-likelihood with derivatives; the Hessian's upper triangle only."""
        return self._blocks.total(partial(_sums, self.criterion, theta, with_hessian))

    def risk_sums(self, theta: Array, *, with_bend: bool = True) -> tuple[float, float, Array, Array]:
        """Sums over people of one, of their risk, and of its first and second derivatives in the outcome part."""
        return self._blocks.total(partial(_risk_sums, self.criterion, theta, with_bend))

    def score_products(self, theta: Array, jacobian: Array) -> Array:
        """Sum over people of the outer products of their scores; a weight counts as repeated people."""
        return self._blocks.total(partial(_score_products, self.criterion, theta, jacobian))


# Functions of a block, at the top of the module, so that they can be sent to where the blocks are.


def _objective_of(
    task: Task, ridge: float, standardization: Standardization, block: Cohort, *, in_place: bool = False
) -> LinearObjective:
    return LinearObjective(replace(task, cohort=block), ridge, standardization, in_place=in_place)


def _bytes_of(block: LinearObjective) -> int:
    observed = (part.nbytes for part in vars(block.observed).values() if part is not None)
    weight = 0 if block.weight is None else block.weight.nbytes
    return int(8 * block.features.shape[0] * block.n + block.order.nbytes + weight + sum(observed))


def _sums(criterion: Criterion, theta: Array, with_hessian: bool, block: LinearObjective) -> Evaluation:
    return block.under(criterion).sums(theta, with_hessian=with_hessian)


def _risk_sums(
    criterion: Criterion, theta: Array, with_bend: bool, block: LinearObjective
) -> tuple[float, float, Array, Array]:
    return block.under(criterion).risk_sums(theta, with_bend=with_bend)


def _score_products(criterion: Criterion, theta: Array, jacobian: Array, block: LinearObjective) -> Array:
    return block.under(criterion).score_products(theta, jacobian)
