"""Features of people: a data frame's columns, the numbers in them, and names that point at them."""

from __future__ import annotations

import difflib
import numbers
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whether.arrays import Features
from whether.cohort import Cohort
from whether.validate.error_types import ArgumentError, DataError
from whether.validate.per_person import unmasked
from whether.validate.sparse_features import find_outlying_sparse

Array = NDArray[np.float64]

# Standard deviation below which a column is constant, as a share of its mean: what summation leaves of it.
CONSTANT = 1e-9
MOST_LOOKED_AT = 5_000  # rows that say how far most people differ
NUMBERS_AT_A_TIME = 2**17  # that stay at hand while they are looked at
OUTLYING = 0.1  # of the standard deviation that is left without one row: a hundredth of the variance


def check_table(table: Any, *, allow_empty: bool = False) -> None:
    """Check a data frame's columns to be numeric, naming the one that is not, and that there are some."""
    unmasked(table, "X")
    if getattr(table, "shape", (1, 1))[1:] == (0,):
        if not allow_empty:
            raise DataError(
                f"X has 0 feature(s) (shape={table.shape}) while a minimum of 1 is required: "
                "name the columns to learn from."
            )
        if len(table) == 0:
            raise DataError("X has neither columns nor rows. For a model without features pass numpy.empty((n, 0)).")
    columns, dtypes = getattr(table, "columns", None), getattr(table, "dtypes", None)
    if columns is None or dtypes is None:
        return
    for name, dtype in zip(columns, dtypes, strict=True):
        numeric = dtype.is_numeric() if hasattr(dtype, "is_numeric") else getattr(dtype, "kind", "O") in "iufb"
        if not numeric and str(dtype) not in ("Boolean", "boolean"):
            first = next(iter(table[name]), None)
            raise DataError(
                f"Column {name!r} is not numeric ({dtype}; first value {first!r}). Encode it first, for example with "
                "sklearn.preprocessing.OneHotEncoder in a Pipeline, or drop it; learner='boosted' takes columns of a "
                "categorical type as they are."
            )


def check_features(features: Array, names: Sequence[str], *, allow_missing: bool = False) -> None:
    """Check that features are finite (or missing, where that is allowed), naming row and column of the first not."""
    # One pass without a temporary: a sum is finite only if all terms are (or it overflows: look closer then).
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(features.sum()):
            return
    bad = np.isinf(features) if allow_missing else ~np.isfinite(features)
    if bad.any():
        row, column = (int(position) for position in np.unravel_index(int(np.argmax(bad)), bad.shape))
        value = features[row, column]
        kind = "NaN (missing)" if np.isnan(value) else "infinity"
        raise DataError(
            f"X contains {kind}: {int(bad.sum())} values are not finite (first: row {row}, column "
            f"{names[column]!r}, value {value}). Impute or drop them, for example with sklearn.impute.SimpleImputer."
        )


def check_columns(features: Features, names: Sequence[str]) -> None:
    """Refuse columns that never vary and columns that repeat another.

    Of sparse ones neither is refused: of thousands of codes some are nobody's and some always come together, in every
    part of a cross-validation others. A penalty gives them no slope, and the same one.
    """
    if features.shape[0] < 2 or not isinstance(features, np.ndarray):
        return
    same = _columns_of_one_value(features)
    empty = same[np.isnan(features[0, same])]
    if empty.size:
        raise DataError(
            f"Column {names[int(empty[0])]!r} is missing for everybody{_and_more(empty.size - 1)}. Drop it."
        )
    if same.size:
        column = int(same[0])
        raise DataError(
            f"Column {names[column]!r} is constant (always {features[0, column]}){_and_more(same.size - 1)}: it "
            "cannot be told from the intercept. Drop it, for example with sklearn.feature_selection.VarianceThreshold."
        )
    twin = _first_duplicate(features)
    if twin is not None:
        raise DataError(
            f"Columns {names[twin[0]]!r} and {names[twin[1]]!r} are identical: their effects cannot be told apart. "
            "Drop one of them."
        )


def _columns_of_one_value(features: Array) -> NDArray[np.intp]:
    """Columns that hold the same in every row, or nothing: those that still do are looked at further and further."""
    same, size, start = np.arange(features.shape[1]), 64, 1
    while start < features.shape[0] and same.size:
        first, block = features[0, same], features[start : start + size]
        block = block if same.size == features.shape[1] else block[:, same]
        same = same[((block == first) | (np.isnan(block) & np.isnan(first))).all(axis=0)]
        start, size = start + size, min(2 * size, max(NUMBERS_AT_A_TIME // features.shape[1], 64))
    return same


def check_moments(mean: Array, scale: Array, sample: Cohort) -> None:
    """Refuse columns that never vary or repeat another, by their moments and a sample of the rows."""
    constant = np.flatnonzero(scale <= CONSTANT * np.abs(mean))
    varies = np.flatnonzero(scale > CONSTANT * np.abs(mean))
    if constant.size:
        column = int(constant[0])
        raise DataError(
            f"Column {sample.names[column]!r} is constant (always {mean[column]:g}){_and_more(constant.size - 1)}: it "
            "cannot be told from the intercept. Leave it out."
        )
    twin = _first_duplicate(sample.features[:, varies])
    pair = varies[[] if twin is None else list(twin)]
    if pair.size and np.allclose(np.diff([mean[pair], scale[pair]]), 0.0, atol=1e-12 * float(scale[pair[0]])):
        names = [sample.names[i] for i in pair]
        raise DataError(
            f"Columns {names[0]!r} and {names[1]!r} are identical: their effects cannot be told apart. Leave one out."
        )


def find_outlying(features: Features, names: Sequence[str]) -> list[str]:
    """Names of columns in which one value lies so far out that all others hardly differ beside it.

    Without that row less than a hundredth of the variance is left, but not nothing, as in a column of 0 and one 1.
    """
    if not isinstance(features, np.ndarray):
        return find_outlying_sparse(features, names)
    n = features.shape[0]
    if n < 3 or features.shape[1] == 0:
        return []
    looked_at = min(MOST_LOOKED_AT, max(2 * NUMBERS_AT_A_TIME // features.shape[1], 1_000))
    some = np.asarray(features[:: -(-n // looked_at)], dtype=float)
    with np.errstate(over="ignore", invalid="ignore"):
        center = some.mean(axis=0)
        total, most = np.zeros(center.size), np.zeros(center.size)
        highest, lowest = features[0].astype(float), features[0].astype(float)
        size = max(NUMBERS_AT_A_TIME // features.shape[1], 1)
        for start in range(0, n, size):
            away = some[start : start + size] - center
            if away.size:
                away *= away
                total += away.sum(axis=0)
                np.maximum(most, away.max(axis=0), out=most)
            block = features[start : start + size]
            np.maximum(highest, block.max(axis=0), out=highest)
            np.minimum(lowest, block.min(axis=0), out=lowest)
        # What the others differ by, were the furthest of them not there.
        rest = np.maximum(total - most, 0.0) / some.shape[0]
        far = np.maximum(highest - center, center - lowest)
        hopeful = ~(far**2 < 0.5 * n * rest / OUTLYING**2)
    return [names[int(column)] for column in np.flatnonzero(hopeful) if _is_outlying(features[:, column])]


def _is_outlying(column: Array) -> bool:
    known = column[~np.isnan(column)]
    if known.size < 3:
        return False
    with np.errstate(over="ignore", invalid="ignore"):
        row = int(np.argmax(np.abs(known - known.mean())))
        return bool(0 < np.delete(known, row).std() < OUTLYING * known.std())


def _and_more(count: int) -> str:
    return f", and so are {count} more" if count else ""


def _first_duplicate(features: Array) -> tuple[int, int] | None:
    """Find two equal columns; candidates share their sum and some entries."""
    rows = np.linspace(0, features.shape[0] - 1, 50).astype(int)
    seen: dict[bytes, list[int]] = {}
    for column in range(features.shape[1]):
        key = (features[rows, column] + 0.0).tobytes()  # adding zero turns -0.0 into 0.0, which has other bytes
        for other in seen.setdefault(key, []):
            if np.array_equal(features[:, column], features[:, other]):
                return other, column
        seen[key].append(column)
    return None


def resolve_columns(
    columns: Sequence[str | int] | None, names: Sequence[str] | int, parameter: str
) -> NDArray[np.intp]:
    """Positions of features given by name or position; all of them for None."""
    count = names if isinstance(names, int) else len(names)
    if columns is None:
        return np.arange(count)
    if isinstance(columns, (str, numbers.Number)):
        kind = "string" if isinstance(columns, str) else "number"
        raise DataError(
            f"{parameter} must be a list of names or positions, got the {kind} {columns!r}: write [{columns!r}]."
        )
    positions = [_find_position(column, names, count, parameter) for column in columns]
    if len(set(positions)) < len(positions):
        raise DataError(f"{parameter} names a feature twice: {list(columns)!r}.")
    return np.array(positions, dtype=np.intp)


def _find_position(column: str | int, names: Sequence[str] | int, count: int, parameter: str) -> int:
    if not isinstance(column, str):
        if not isinstance(column, numbers.Integral) or not -count <= column < count:
            raise DataError(f"{parameter} has {column!r}; positions run from 0 to {count - 1}.")
        return int(column) % count
    if isinstance(names, int):
        raise DataError(
            f"{parameter} has the name {column!r}, but X has no column names. Pass a data frame, or positions."
        )
    if column not in names:
        by_letters = {name.casefold(): name for name in names}
        close = difflib.get_close_matches(column.casefold(), list(by_letters), n=1)
        hint = f" Did you mean {by_letters[close[0]]!r}?" if close else ""
        listed = ", ".join(names[:10]) + (", ..." if len(names) > 10 else "")
        raise DataError(f"{parameter} has {column!r}, which is no feature of X (features: {listed}).{hint}")
    return list(names).index(column)


def resolve_directions(
    directions: Mapping[str | int, int] | None, names: Sequence[str], parameter: str, categorical: Sequence[int] = ()
) -> dict[int, int]:
    """Positions of features with the direction, 1 or -1, in which each may move the outcome; 0 says nothing."""
    if directions is None:
        return {}
    if not isinstance(directions, Mapping):
        raise ArgumentError(
            f"{parameter} must be a dictionary from names or positions to 1 (rising) or -1 (falling), "
            f"got {directions!r}: write {{{names[0]!r}: 1}}."
        )
    for column, direction in directions.items():
        if not isinstance(direction, numbers.Integral) or direction not in (-1, 0, 1):
            raise ArgumentError(
                f"{parameter} must be 1 (rising), -1 (falling) or 0 (either) of each feature, got {direction!r} of "
                f"{column!r}."
            )
    positions = resolve_columns(list(directions), names, parameter).tolist()
    found = {column: int(sign) for column, sign in zip(positions, directions.values(), strict=True) if sign}
    for column in found:
        if column in categorical:
            raise ArgumentError(f"{parameter} has {names[column]!r}, which holds categories: they have no order.")
    return found
