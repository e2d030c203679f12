"""People who come in blocks: what is counted of them in one pass, and the parts of them that are held in memory.

The linear learner settles starts, distribution and penalties on evenly spaced rows, and then goes over all rows a few
times. The same rows are drawn here as are taken of a cohort in memory, so that both ways end in the same place.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial, reduce

import numpy as np

from whether.arrays import Array, Flags, Rows
from whether.blocks import Blocks
from whether.cohort import Cohort, join
from whether.learners.rows import step_of_part
from whether.validate import refuse_nobody

# On larger cohorts starts, distribution and penalty are settled on a part of the rows; a few full passes follow, after
# those over a larger part: of so many rows, or of this share of all with so many numbers at most.
DRAFT_ROWS = 10_000
LARGER_ROWS = 5 * DRAFT_ROWS
LARGER_SHARE, LARGER_NUMBERS = 1 / 40, 10**7
DRAFT_LABELED = 2_000
# Rows at a time whose moments are taken: they stay at hand.
MOMENT_ROWS = 2_048
# Rows of a population from which units and quantiles are taken, and that stand for it where people are looked at.
MOST_SAMPLED = 50_000
# Rows that are held in memory at most: where labels are rare, a part has fewer of them than it would have.
MOST_HELD = 2_000_000


@dataclass(frozen=True)
class Population:
    """All people of a task, in blocks.

    Attributes
    ----------
    blocks : Blocks of Cohort
    n, n_labeled : int
        Number of rows.
    people, events, known_negatives, deaths : float
        Number of people, by their weights.
    longest : float
        The longest time or follow-up; NaN without.
    mean, scale : ndarray
        Mean and standard deviation of each feature; weights count as repeated rows.
    sample : Cohort
        Evenly spaced rows, in their order.
    parts : dict of int to Cohort
        Rows that are evenly spaced among the labeled and among the unlabeled ones, by about how many they are at least.
    """

    blocks: Blocks[Cohort]
    n: int
    n_labeled: int
    people: float
    events: float
    known_negatives: float
    deaths: float
    longest: float
    mean: Array
    scale: Array
    sample: Cohort
    parts: dict[int, Cohort]


class RowSource(ABC):
    """Rows that come in blocks: features, labels and times of people, checked row by row.

    Attributes
    ----------
    names : tuple of str
        Of the features.
    is_named : bool
        Whether they were given, and not made up.
    """

    names: tuple[str, ...]
    is_named: bool = True

    @abstractmethod
    def blocks(self) -> Blocks[Cohort]:
        """Return the people, in blocks."""

    def counts(self) -> list[tuple[int, int]]:
        """Number of rows and of labeled ones in each block."""
        return list(self.blocks().each(count_rows))

    def survey(self) -> Population:
        """Count the people, and draw the parts of them that are held in memory."""
        return survey(self.blocks(), self.counts())


@dataclass
class _Tally:
    """What is counted of some blocks."""

    counts: Array  # people, events, known negatives and deaths, by their weights
    moments: Array  # of the features around a center: first and second
    longest: float
    drawn: dict[int, list[Cohort]] = field(default_factory=dict)

    def __add__(self, other: _Tally) -> _Tally:
        drawn = {name: self.drawn[name] + other.drawn[name] for name in self.drawn}
        longest = float(np.fmax(self.longest, other.longest))
        return _Tally(self.counts + other.counts, self.moments + other.moments, longest, drawn)


def count_rows(block: Cohort) -> tuple[int, int]:
    """Number of rows of a block, and of those that are labeled."""
    return block.n, int(np.count_nonzero(block.labeled))


def larger_rows(n: int, n_features: int) -> int:
    """Rows of the part that is fitted to before all are."""
    return max(LARGER_ROWS, min(int(n * LARGER_SHARE), LARGER_NUMBERS // max(n_features, 1)))


def survey(blocks: Blocks[Cohort], counts: Sequence[tuple[int, int]]) -> Population:
    """Count people and draw the parts that are held in memory, in one pass.

    Parameters
    ----------
    blocks : Blocks of Cohort
        As `whether.validate.check_rows` has checked them.
    counts : sequence of (int, int)
        What `count_rows` says of each block.
    """
    offsets = np.cumsum([(0, 0), *counts], axis=0)
    n, n_labeled = (int(count) for count in offsets[-1])
    refuse_nobody(n)
    fewest = -(-n // MOST_HELD)
    center = _center_of_first(blocks)
    sizes = {DRAFT_ROWS: DRAFT_ROWS, LARGER_ROWS: larger_rows(n, center.size)}
    steps = {name: max(step_of_part(n, n_labeled, rows, DRAFT_LABELED), fewest) for name, rows in sizes.items()}
    work = partial(_tally, center=center, thin=-(-n // MOST_SAMPLED), steps=steps)
    tally = blocks.total(work, beside=[(int(rows), int(labeled)) for rows, labeled in offsets[:-1]])
    people, events, negatives, deaths = tally.counts.tolist()
    first, second = tally.moments / people
    scale = np.sqrt(np.maximum(second - first**2, 0.0))
    drawn = {size: join(parts) for size, parts in tally.drawn.items()}
    counted = (n, n_labeled, people, events, negatives, deaths, tally.longest)
    return Population(blocks, *counted, center + first, scale, drawn.pop(0), drawn)


def _center_of_first(blocks: Blocks[Cohort]) -> Array:
    """Mean features of the first block: squares of what is far from zero would be lost in rounding."""
    return np.asarray(next(blocks.each(_mean_features)))


def _mean_features(block: Cohort) -> Array:
    if not block.n:  # of rows that all stand for nobody, or cannot be
        return np.zeros(block.features.shape[1])
    return np.asarray(block.features.mean(axis=0, dtype=float))


def _tally(block: Cohort, first: tuple[int, int], *, center: Array, thin: int, steps: dict[int, int]) -> _Tally:
    weight, flags = block.weights, (block.labeled, block.known_negative, block.competing)
    counts = [float(weight.sum()), *(0.0 if flag is None else float(weight[flag].sum()) for flag in flags)]
    moments = np.zeros((2, center.size))
    for start in range(0, block.n, MOMENT_ROWS):
        rows = slice(start, start + MOMENT_ROWS)
        away = np.asarray(block.features[rows], dtype=float) - center
        moments[0] += weight[rows] @ away
        away *= away
        moments[1] += weight[rows] @ away
    times = [values.max() for values in (block.time, block.follow_up) if values is not None and values.size]
    drawn = {size: [block.take(_evenly_spaced(block.labeled, first, step))] for size, step in steps.items()}
    drawn[0] = [block.take(np.arange(-first[0] % thin, block.n, thin))]
    return _Tally(np.array(counts), moments, float(reduce(np.fmax, times, np.nan)), drawn)


def _evenly_spaced(labeled: Flags, first: tuple[int, int], step: int) -> Rows:
    """Rows of a block that are every so many labeled, or unlabeled, ones of all; some rows came before them."""
    rows, n_labeled = first
    before = np.where(labeled, n_labeled + np.cumsum(labeled) - 1, rows - n_labeled + np.cumsum(~labeled) - 1)
    return np.flatnonzero(before % step == 0)
