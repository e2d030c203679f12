"""Sparse features: what holds of every table is checked on what is stored, and the rest is zero."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from whether.arrays import Array
from whether.validate.error_types import DataError

# Standard deviation below which a column is constant, as a share of its mean: what summation leaves of it.
CONSTANT = 1e-9
OUTLYING = 0.1  # of the standard deviation that is left without one row: a hundredth of the variance


def refuse_sparse(table: Any, who: str) -> None:
    """Refuse a sparse matrix on behalf of somebody who would have to write it out."""
    if hasattr(table, "tocsr"):
        raise DataError(
            f"X is a sparse matrix of shape {table.shape}, which {who} cannot learn from. The linear classifiers take "
            "it in fit as it is; otherwise pass X.toarray(), if that fits into memory."
        )


def tidy_sparse(table: Any) -> csr_array:
    """Return a copy with one stored number per entry, in order, and nothing stored that is zero."""
    tidy = csr_array(table, dtype=np.float64, copy=True)
    tidy.sum_duplicates()
    tidy.eliminate_zeros()
    return tidy


def check_sparse(features: csr_array, names: Sequence[str]) -> None:
    """Check that what is stored is finite, naming row and column of the first number that is not."""
    bad = ~np.isfinite(features.data)
    if bad.any():
        place = int(np.argmax(bad))
        row, value = int(np.searchsorted(features.indptr, place, side="right")) - 1, features.data[place]
        kind = "NaN (missing)" if np.isnan(value) else "infinity"
        raise DataError(
            f"X contains {kind}: {int(bad.sum())} stored values are not finite (first: row {row}, column "
            f"{names[features.indices[place]]!r}, value {value}). Impute or drop them, for example with "
            "sklearn.impute.SimpleImputer."
        )


def sparse_moments(features: csr_array, weight: Array) -> tuple[Array, Array]:
    """Mean and standard deviation of each column, 0 where it never varies; what is not stored is zero."""
    total, per_entry = float(weight.sum()), np.repeat(weight, np.diff(features.indptr))

    def add_up(values: Array) -> Array:
        return np.asarray(np.bincount(features.indices, weights=values, minlength=features.shape[1]), dtype=float)

    mean = add_up(per_entry * features.data) / total
    away = add_up(per_entry * (features.data - mean[features.indices]) ** 2)
    # The zeros are all at the same distance from the mean.
    away += np.maximum(total - add_up(per_entry), 0.0) * mean**2
    scale = np.sqrt(away / total)
    return mean, np.where(scale <= CONSTANT * np.abs(mean), 0.0, scale)


def find_outlying_sparse(features: csr_array, names: Sequence[str]) -> list[str]:
    """Names of columns in which one value lies so far out that all others hardly differ beside it.

    Without that row less than a hundredth of the variance is left, but not nothing, as in a column of 0 and one 1.
    """
    n = features.shape[0]
    if n < 3 or features.shape[1] == 0:
        return []
    mean, scale = sparse_moments(features, np.ones(n))
    squares = np.zeros(features.shape[1])
    np.maximum.at(squares, features.indices, (features.data - mean[features.indices]) ** 2)
    # Of the squared distances from the mean what is left without the furthest, around a mean without it.
    left = n * scale**2 - squares - squares / (n - 1)
    share = left / (n - 1) / np.where(scale > 0, scale, 1.0) ** 2
    far = (scale > 0) & (share > 1e-9) & (share < OUTLYING**2)
    return [names[int(column)] for column in np.flatnonzero(far)]
