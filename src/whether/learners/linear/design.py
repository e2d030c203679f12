"""The working copy of the features: which columns in which order, standardised, one row per feature."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from whether.arrays import Array, Rows
from whether.cohort import Cohort
from whether.learners.linear.linear_fit import Standardization
from whether.learners.linear.matrix import DenseMatrix, FeatureMatrix, SparseMatrix
from whether.learners.parallel import share_out
from whether.learners.task import Task
from whether.validate import sparse_moments

# Rows per block: a block's features and weighted copies (some 4,096 x 80 doubles) stay in the second-level cache.
BLOCK_ROWS = 4096
MANY_FEATURES, FEW_ROWS = 64, 128
MOST_LOST = 1 + 1e-6  # mean square over squared mean, both around the first people's, below which digits are lost
SMALLEST = 1e-290  # a slope per unit of anything smaller would be no number


def order_columns(task: Task) -> tuple[Rows, tuple[int, int]]:
    """Features in the order of a `Layout`, and how many of them the outcome part skips at the start and at the end."""
    outcome = task.columns_of_outcome
    in_both = np.isin(task.columns, outcome)
    parts = task.columns[~in_both], task.columns[in_both], np.setdiff1d(outcome, task.columns)
    used = np.concatenate(parts)
    beyond = np.setdiff1d(task.every_column, used) if task.propensity.other_sloped else used[:0]
    n_skipped = int(np.count_nonzero(~in_both)) if task.has_outcome else 0
    return np.concatenate([used, beyond]), (n_skipped, beyond.size)


def learn_standardization(cohort: Cohort, columns: Rows) -> Standardization:
    """Means and standard deviations of some columns, in this order; weights count as repeated rows."""
    if not isinstance(cohort.features, np.ndarray):
        mean, scale = sparse_moments(cohort.features, cohort.weights)
        return _standardization(columns, mean, scale)
    source, total = cohort.features, cohort.n if cohort.weight is None else cohort.weight.sum()
    block_rows = _rows_of_block(source.shape[1])
    starts = list(range(0, cohort.n, block_rows))
    with np.errstate(over="ignore"):  # near everybody's means: one pass then finds these, and what is around them
        center = np.ascontiguousarray(source[:block_rows], dtype=float).mean(axis=0)

    def moments(starts: list[int]) -> Array:
        result = np.zeros((2, source.shape[1]))
        for start in starts:
            rows = slice(start, start + block_rows)
            weight = np.ones(len(source[rows])) if cohort.weight is None else cohort.weight[rows]
            # Rows in one piece, whatever the table's layout: sums in another order would differ in the last digit.
            away = np.subtract(source[rows], center, order="C")
            result[0] += np.dot(weight, away)
            away *= away
            result[1] += np.dot(weight, away)
        return result

    with np.errstate(over="ignore", invalid="ignore"):
        first, second = np.sum(share_out(moments, starts), axis=0) / total
        mean, scale = center + first, np.sqrt(second - first * first)
        scale[second < MOST_LOST * first * first] = 0.0
    lost = np.flatnonzero(~(np.isfinite(scale) & (scale > 0)))
    if lost.size:
        mean[lost], scale[lost] = _moments_of_extremes(source[:, lost], cohort.weights)
    return _standardization(columns, mean, scale)


def _moments_of_extremes(values: Array, weight: Array) -> tuple[Array, Array]:
    """Means and standard deviations of numbers whose squares, or sum, are too large or too small to be numbers."""
    size = np.abs(values).max(axis=0)
    size[size < SMALLEST] = 1.0
    shares = np.asarray(values / size, dtype=float)
    mean = weight @ shares / weight.sum()
    return mean * size, np.sqrt(weight @ (shares - mean) ** 2 / weight.sum()) * size


def _standardization(columns: Rows, mean: Array, scale: Array) -> Standardization:
    scale = scale[columns]
    scale[scale == 0] = 1.0  # no weight on the rows where it varies: its slope stays zero by the ridge
    return Standardization(columns, mean[columns], scale)


def standardize(
    cohort: Cohort, order: Rows, standardization: Standardization, *, rounded: bool = False, in_place: bool = False
) -> FeatureMatrix:
    """Copy the features of people in this order; rounded to single precision if that is enough.

    Or put them into this order where they are, if nobody needs them any more and they lie as they shall.
    """
    columns, mean, scale = standardization
    if not isinstance(cohort.features, np.ndarray):
        scaled = csr_array(cohort.features[order][:, columns])
        scaled.data = scaled.data / scale[scaled.indices]
        return SparseMatrix(scaled, mean / scale)
    source = cohort.features
    every_column = np.array_equal(columns, np.arange(source.shape[1]))
    by_column = source.flags.f_contiguous and not source.flags.c_contiguous
    if in_place and by_column and every_column and source.dtype == float:
        for place, values in enumerate(source.T):
            np.divide(values.take(order) - mean[place], scale[place], out=values)
        return DenseMatrix(source.T)
    features = np.empty((columns.size, cohort.n), dtype=np.float32 if rounded else float)
    block_rows = _rows_of_block(columns.size)

    def fill_in(starts: list[int]) -> None:
        for start in starts:
            rows, block = order[start : start + block_rows], features[:, start : start + block_rows]
            if by_column:  # as tables are: nothing needs to be turned round
                for place, column in enumerate(columns):  # rounded, if at all, when the mean is gone
                    values = source[:, column].take(rows)
                    values -= mean[place]
                    np.divide(values, scale[place], out=block[place], casting="same_kind")
                continue
            taken = source.take(rows, axis=0) if every_column else source[np.ix_(rows, columns)]
            if block_rows == BLOCK_ROWS:
                np.subtract(taken.T, mean[:, None], out=block)
                block /= scale[:, None]
            else:  # computed where it was taken to, and turned round last, it stays closer at hand
                away = np.subtract(taken, mean, out=taken if taken.dtype == float else None)
                away /= scale
                block[:] = away.T

    share_out(fill_in, list(range(0, cohort.n, block_rows)))
    return DenseMatrix(features)


def _rows_of_block(n_features: int) -> int:
    """Rows that are taken at a time: few, where features are many."""
    return BLOCK_ROWS if n_features < MANY_FEATURES else FEW_ROWS
