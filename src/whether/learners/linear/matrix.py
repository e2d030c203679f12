"""Standardised features of people as a matrix, one row per feature: held as they are, or sparse with implicit centres.

A linear model needs of them a handful of products and nothing else. A sparse matrix stays one: its columns are scaled,
and what their means would subtract everywhere is subtracted from the products.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array, issparse

from whether.arrays import Array, Features, Rows

# Bytes of a block's features: with hundreds of them more than the second-level cache holds, but each block has a price.
BLOCK_BYTES = 2**23
MOST_ROWS, FEWEST_ROWS = 4096, 512
MANY_FEATURES = 64


class FeatureMatrix(ABC):
    """Features of people, of shape (features, people), in the products that a linear model is made of."""

    shape: tuple[int, int]
    bytes_per_number: int = 8

    @property
    def block_rows(self) -> int:
        """People worked through at a time."""
        fitting = BLOCK_BYTES // (self.bytes_per_number * max(self.shape[0], 1))
        return min(max(1 << (max(fitting, 1).bit_length() - 1), FEWEST_ROWS), MOST_ROWS)

    @abstractmethod
    def take(self, rows: Rows) -> FeatureMatrix:
        """Return some people."""

    def single(self) -> FeatureMatrix:
        """Return the same with less precision, where that is faster."""
        return self

    @abstractmethod
    def times(self, slopes: Array, part: slice, rows: slice) -> Array:
        """Sum over a part of the features, the last axis of slopes, of slopes times features of each of some people."""

    @abstractmethod
    def sums(self, values: Array, part: slice, rows: slice) -> Array:
        """Sum over some people of values, which run along the last axis, times each of a part of the features."""

    @abstractmethod
    def dense(self, rows: slice) -> Array:
        """Features of some people, which fit into memory."""

    @abstractmethod
    def each(self, part: slice) -> list[Array] | Array:
        """Everybody's values of each of a part of the features."""

    @abstractmethod
    def totals(self) -> Array:
        """Sum of each person's features."""

    def squares(self, weight: Array | None, rows: slice) -> Array:
        """Sum over some people of products of all features, about, with weights if given."""
        features = self.dense(rows)
        return np.asarray((features if weight is None else features * weight) @ features.T)

    def products(self, weight: Array, first: slice, second: slice, rows: slice) -> Array:
        """Sum over some people of weights times products of features of two parts."""
        features = self.dense(rows)
        return np.asarray((features[first] * weight) @ features[second].T)


class DenseMatrix(FeatureMatrix):
    """Features as they are, in double or single precision; all that comes out is in double.

    Where they are many, a few vectors are multiplied with them one by one: for a product of matrices BLAS would copy
    the features first, which takes longer than the product.
    """

    def __init__(self, values: Array) -> None:
        self.values, self.shape = values, (int(values.shape[0]), int(values.shape[1]))
        self.bytes_per_number = values.itemsize

    def take(self, rows: Rows) -> DenseMatrix:
        """Return some people."""
        return DenseMatrix(self.values.take(rows, axis=1))  # an index would put them in the other order of memory

    def single(self) -> DenseMatrix:
        """Return the same in single precision."""
        return DenseMatrix(self.values.astype(np.float32, copy=False))

    def times(self, slopes: Array, part: slice, rows: slice) -> Array:
        """Sum of slopes times features."""
        features = self.values[part, rows]
        slopes = slopes.astype(features.dtype, copy=False)
        if slopes.ndim == 1 or features.shape[0] < MANY_FEATURES:
            return np.asarray(slopes @ features, dtype=float)
        found = np.empty((slopes.shape[0], features.shape[1]))
        for place, row in enumerate(slopes):
            found[place] = row @ features
        return found

    def sums(self, values: Array, part: slice, rows: slice) -> Array:
        """Sum of values times features."""
        features = self.values[part, rows]
        values = values.astype(features.dtype, copy=False)
        if values.ndim == 1:
            return np.asarray(features @ values, dtype=float)
        if features.shape[0] < MANY_FEATURES:
            return np.asarray(values @ features.T, dtype=float)
        found = np.empty((values.shape[0], features.shape[0]))
        for place, row in enumerate(values):
            found[place] = features @ row
        return found

    def squares(self, weight: Array | None, rows: slice) -> Array:
        """Sum of products, as precise as the features are."""
        features = np.ascontiguousarray(self.values[:, rows])
        weighted = features if weight is None else features * weight.astype(features.dtype, copy=False)
        return np.asarray(weighted @ features.T, dtype=float)

    def dense(self, rows: slice) -> Array:
        """Features of some people."""
        return self.values[:, rows].astype(float, copy=False)

    def each(self, part: slice) -> Array:
        """Everybody's values of a part of the features."""
        return self.values[part].astype(float, copy=False)

    def totals(self) -> Array:
        """Sum of each person's features."""
        return np.asarray(self.values.sum(axis=0, dtype=float))


class SparseMatrix(FeatureMatrix):
    """Features of which most are zero: a matrix of shape (people, features), and what is subtracted from each column.

    Only blocks of people are ever written out, and only where products of features are asked for.
    """

    def __init__(self, scaled: csr_array, center: Array) -> None:
        self.scaled, self.center = scaled, center
        self.shape = (int(scaled.shape[1]), int(scaled.shape[0]))

    def take(self, rows: Rows) -> SparseMatrix:
        """Return some people."""
        return SparseMatrix(self.scaled[rows], self.center)

    def _rows(self, rows: slice) -> csr_array:
        """Consecutive people, sharing the memory of all."""
        start, stop, step = rows.indices(self.shape[1])
        if step != 1:
            return self.scaled[rows]
        ends, whole = self.scaled.indptr[start : stop + 1], self.scaled
        inside = slice(int(ends[0]), int(ends[-1]))
        values = (whole.data[inside], whole.indices[inside], ends - ends[0])
        return csr_array(values, shape=(stop - start, self.shape[0]), copy=False)

    def times(self, slopes: Array, part: slice, rows: slice) -> Array:
        """Sum of slopes times features."""
        wide = np.zeros((*slopes.shape[:-1], self.shape[0]))
        wide[..., part] = slopes
        return np.asarray((self._rows(rows) @ wide.T - slopes @ self.center[part]).T)

    def sums(self, values: Array, part: slice, rows: slice) -> Array:
        """Sum of values times features."""
        found = (self._rows(rows).T @ values.T).T[..., part]
        return np.asarray(found - np.multiply.outer(values.sum(axis=-1), self.center[part]))

    def dense(self, rows: slice) -> Array:
        """Features of some people."""
        return np.asarray(self._rows(rows).toarray().T - self.center[:, None])

    @cached_property
    def _columns(self) -> csr_array:
        return self.scaled.T.tocsr()

    def each(self, part: slice) -> list[Array]:
        """Everybody's values of each of a part of the features; one after the other is written out."""
        places = range(self.shape[0])[part]
        return [np.asarray(self._columns[[place]].toarray()[0] - self.center[place]) for place in places]

    def totals(self) -> Array:
        """Sum of each person's features."""
        return np.asarray(self.scaled.sum(axis=1) - self.center.sum())


def plain_matrix(features: Features) -> FeatureMatrix:
    """Features of new people as they are, which are given one row per person."""
    if issparse(features):
        return SparseMatrix(csr_array(features), np.zeros(features.shape[1]))
    # Rows in one piece, whatever the table's layout: sums in another order would differ in the last digit.
    return DenseMatrix(np.ascontiguousarray(features).T)
