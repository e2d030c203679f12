"""People row by row: dealt to folds, and their likelihood as a function of everybody's predictors.

Trees, and whoever judges models on held-out people, ask for the gradient and a safe curvature per person.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import TypeAlias, TypeVar

import numpy as np

from whether.arrays import Array, Flags, Rows
from whether.cohort import Cohort
from whether.learners.parallel import share_out
from whether.learners.task import KnownShare
from whether.likelihood import Criterion, Surrogate, labeled_first

Selected: TypeAlias = Rows | slice
# People who are all labeled, or all unlabeled, and whether they are.
Block: TypeAlias = tuple[Selected, bool]
Result = TypeVar("Result")

# Rows that are worked through at a time: with twice as many, memory is asked for anew at every step, at twice the time.
BLOCK = 5000
# Curvature below which a step would be too long to trust.
SMALLEST_CURVATURE = 1e-3


class RowProblem:
    """What is maximised over the people of a cohort, in their predictors."""

    def __init__(self, cohort: Cohort, criterion: Criterion, share: KnownShare | None = None) -> None:
        self.share = share
        self.criterion, self.propensity = criterion, criterion.propensity
        self.weight, self.labeled = cohort.weights, cohort.labeled
        self.observed = criterion.propensity.observe(cohort)
        self._divide()

    def _divide(self) -> None:
        self._order, self._n_labeled = labeled_first(self.labeled)
        self.unlabeled = self._order[self._n_labeled :]
        self.blocks = self._cut(self._order[: self._n_labeled], self.unlabeled)

    def _cut(self, labeled: Rows, unlabeled: Rows) -> list[Block]:
        return [
            (_as_slice(rows[start : start + BLOCK]), is_labeled)
            for rows, is_labeled in ((labeled, True), (unlabeled, False))
            for start in range(0, rows.size, BLOCK)
        ]

    def draw(self, share: float, rng: np.random.Generator) -> list[Block]:
        """Blocks of people of whom each is drawn with a probability; of everybody where nobody was."""
        places = np.flatnonzero(rng.random(self._order.size, dtype=np.float32) < share)
        if share == 1 or not places.size:
            return self.blocks
        rows, n_labeled = self._order.take(places), int(np.searchsorted(places, self._n_labeled))
        return self._cut(rows[:n_labeled], rows[n_labeled:])

    def part(self, rows: Rows) -> RowProblem:
        """Return the problem of some of the people."""
        part = copy.copy(self)
        part.weight, part.labeled = self.weight[rows], self.labeled[rows]
        part.observed = self.observed.take(rows)
        part._divide()
        return part

    def surrogate(self, block: Block, eta: Array | None, v: Array) -> Surrogate:
        """Value, gradient and safe curvature of a block of people; weights and known shares are not in it."""
        rows, labeled = block
        found = self.criterion.surrogate(eta, v, self.observed.take(rows), labeled=labeled)
        np.maximum(found.curvature, SMALLEST_CURVATURE, out=found.curvature)
        return found

    def pull(self, block: Block, eta: Array | None, v: Array) -> tuple[Array, Array]:
        """Gradient and safe curvature of a block of people alone."""
        rows, labeled = block
        gradient, curvature = self.criterion.pull(eta, v, self.observed.take(rows), labeled=labeled)
        return gradient, np.maximum(curvature, SMALLEST_CURVATURE, out=curvature)

    def evaluate(self, eta: Array | None, v: Array) -> Surrogate:
        """Value, gradient and safe curvature of each person; weights are not applied."""
        shape = (int(eta is not None) + v.shape[0], v.shape[1])
        terms = Surrogate(np.empty(v.shape[1]), np.empty(shape), np.empty(shape))

        def fill_in(block: Block) -> None:
            rows, _ = block
            part = self.surrogate(block, None if eta is None else eta[rows], v[:, rows])
            terms.value[rows], terms.gradient[:, rows], terms.curvature[:, rows] = part

        work_through(self.blocks, fill_in)
        pull = None if eta is None else self.pull_of_share(eta)
        if pull is not None:
            # Weights are applied later, to all rows alike.
            used = np.maximum(self.weight, 1e-300)
            terms.gradient[0] -= pull[0] / used
            terms.curvature[0] += pull[1] / used
        return terms

    def pull_of_share(self, eta: Array) -> tuple[Array, Array] | None:
        """Slope and curvature in everybody's outcome, weights applied, of the penalty of a known share; else None."""
        if self.share is None:
            return None
        return self.share.slopes(*self.criterion.family.probability(eta), self.weight)


def work_through(blocks: list[Block], use: Callable[[Block], Result]) -> list[Result]:
    """Do something with one block after the other, in threads where they are many; results are in their order."""
    return [result for results in share_out(lambda part: [use(block) for block in part], blocks) for result in results]


def _as_slice(rows: Rows) -> Selected:
    """Rows that follow each other are faster as a slice."""
    return slice(int(rows[0]), int(rows[-1]) + 1) if rows[-1] - rows[0] == rows.size - 1 else rows


def step_of_part(n: int, n_labeled: int, n_rows: int, fewest_labeled: int) -> int:
    """Distance of evenly spaced rows that are about so many, with at least so many labeled ones."""
    share = max(n_rows / n, fewest_labeled / max(n_labeled, 1))
    return int(1 / share) if share < 1 else 1


def deal_folds(
    labeled: Flags,
    ranks: Array,
    features: Array,
    n_folds: int,
    weight: Array | None = None,
    groups: Rows | None = None,
) -> Rows:
    """Deal people to folds in the order of label and ranks of time, so that every fold has its share of both.

    Nothing is drawn at random: folds are the same in every run and for every order of the rows. Rows that are alike go
    together, as a row that stands for several people does, and a row of no weight takes nobody's place. Groups go
    together, too, in the place of their first row; where too few of them have labeled people, rows are dealt alone.
    """
    # Rounded, because the order of columns changes the last digits.
    tie_break = np.round(np.nansum(features, axis=1, dtype=float), 9)
    keys = np.stack([tie_break, np.round(ranks, 9), ~labeled])
    order = np.lexsort(keys)
    ordered = keys[:, order]
    counts = np.ones(labeled.size, dtype=bool) if weight is None else weight[order] > 0
    is_new = np.concatenate([[True], (ordered[:, 1:] != ordered[:, :-1]).any(axis=0)]) & counts
    number = np.cumsum(is_new)
    if number[-1] < n_folds:  # too few people differ to be dealt otherwise than row by row
        number = np.arange(labeled.size)
    place = np.empty(labeled.size, dtype=np.intp)
    place[order] = number
    if groups is not None and np.unique(groups[labeled]).size >= n_folds:
        whole = _place_of_group(place, groups)
        place = whole if np.ptp(whole) + 1 >= n_folds else place
    return place % n_folds


def usable_folds(folds: Rows, labeled: Flags) -> list[int]:
    """Folds without which there are still labeled and unlabeled people; where events are few, not all of them."""
    numbers = range(int(folds.max()) + 1)
    return [number for number in numbers if labeled[folds != number].any() and not labeled[folds != number].all()]


def order_by_content(cohort: Cohort) -> Rows:
    """Order of the rows by what is known of people: labeled ones first, the same for every order of the table.

    It does not change with units, and with the order of columns only where rows are otherwise alike.
    """
    gaps = np.isnan(cohort.features)
    scaled = in_spreads(np.where(gaps, 0.0, cohort.features)) - gaps
    size = np.round((scaled**2).sum(axis=1), 6)
    mix = np.round((scaled * np.sqrt(np.arange(2, 2 + scaled.shape[1]))).sum(axis=1), 6)
    beside = (cohort.weight, cohort.entry_time, cohort.time_lower, cohort.follow_up, cohort.time)
    keys = [mix, size, *(values for values in beside if values is not None), ~cohort.labeled]
    return np.lexsort(keys)


def _place_of_group(place: Rows, groups: Rows) -> Rows:
    """Move all rows of a group to the first of their places, and close the gaps."""
    first = np.full(int(groups.max()) + 1, place.max())
    np.minimum.at(first, groups, place)
    return np.asarray(place.min() + np.unique(first[groups], return_inverse=True)[1])


def sum_by_group(values: Array, groups: Rows | None) -> Array:
    """Sums over the rows of each group of values that run along the first axis; the values, where there are none."""
    if groups is None:
        return values
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    return np.asarray(np.add.reduceat(values[order], starts, axis=0))


def in_spreads(features: Array) -> Array:
    """Features in spreads around their means, so that dealing by them does not depend on their units."""
    spread = features.std(axis=0)
    return np.asarray((features - features.mean(axis=0)) / np.where(spread > 0, spread, 1.0))
