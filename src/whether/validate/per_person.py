"""Numbers and flags, one per person: what every check of them starts from."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from whether.validate.error_types import DataError

Array = NDArray[np.float64]


def unmasked(values: Any, name: str) -> Any:
    """Return values as they are; those of a masked array would come back where others read them, and are refused."""
    if np.ma.is_masked(values):
        hidden = int(np.sum(np.ma.getmaskarray(values)))
        raise DataError(
            f"{name} is a masked array, {hidden} of whose {np.size(values)} values are masked. Drop these rows, or "
            f"fill the values in: {name}.filled(...)."
        )
    return values


def check_times(values: ArrayLike, n: int, name: str) -> Array:
    """Check that times are one finite positive number per person."""
    times = to_numbers(values, name)
    if times.ndim != 1 or times.size != n:
        raise DataError(f"{name} must be one number per person: shape ({n},) was expected, got {times.shape}.")
    for bad, what, advice in (
        (np.isnan(times), "is missing (NaN)", "Drop these rows or fill in when they were last seen."),
        (np.isinf(times), "is infinite", "Give the length of the observation, even for people who never had it."),
        (times <= 0, "is not > 0", "Drop or repair these rows; a time of zero has no logarithm."),
    ):
        refuse_rows(bad, times, name, "must be > 0 and finite", what, advice)
    return times


def check_lengths(values: ArrayLike, n: int, name: str, *, finite: bool = True) -> Array:
    """Check that lengths of time are one number for everybody, or one per person, that is not below zero."""
    given = to_numbers(values, name)
    lengths = np.full(n, given) if given.ndim == 0 else given
    if lengths.shape != (n,):
        raise DataError(f"{name} must be one number, or one per person: shape ({n},), got {lengths.shape}.")
    bad = ~(lengths >= 0) | (finite & np.isinf(lengths))
    refuse_rows(bad, lengths, name, "must be >= 0" + " and finite" * finite, "is not", "Drop or repair these rows.")
    return lengths


def refuse_rows(bad: NDArray[np.bool_], values: Array, name: str, rule: str, what: str, advice: str) -> None:
    """Refuse values of people that break a rule, and say where the first one is and what is wrong with it."""
    if bad.any():
        row = int(np.argmax(bad))
        raise DataError(
            f"{name} {rule} for every person; for {int(bad.sum())} of {bad.size} it {what} (first: row {row}, "
            f"{name}={values[row]}). {advice}"
        )


def check_weight(values: ArrayLike, n: int, *, may_be_zero: bool = False) -> Array:
    """Check that weights are one finite non-negative number per person, not all zero unless they may."""
    weight = np.full(n, float(values)) if isinstance(values, numbers.Real) else to_numbers(values, "sample_weight")
    if weight.shape != (n,):
        raise DataError(f"sample_weight must be one number per person: shape ({n},) was expected, got {weight.shape}.")
    bad = ~(np.isfinite(weight) & (weight >= 0))
    refuse_rows(bad, weight, "sample_weight", "must be >= 0 and finite", "is not", "Drop or repair these rows.")
    if not may_be_zero:
        refuse_nobody(int(np.count_nonzero(weight)))
    return weight


def refuse_nobody(rows: int) -> None:
    """Refuse a cohort of whose rows none stands for anybody."""
    if not rows:
        raise DataError("sample_weight is zero for everybody: no row is left to learn from.")


def is_missing(value: Any) -> bool:
    """Whether a value stands for none."""
    # pandas' NA and NaT are known by their names: pandas may not be installed.
    return value is None or type(value).__name__ in ("NAType", "NaTType") or bool(value != value)


def to_numbers(values: ArrayLike, name: str) -> Array:
    """Numbers of any array-like, NaN where one is missing; dates and text are refused."""
    array = np.asarray(unmasked(values, name))
    if array.dtype.kind in "mM":
        raise DataError(
            f"{name} holds dates or time differences ({array.dtype}); pass a duration as a number, in any unit."
        )
    if array.dtype == object:
        present = [np.nan if is_missing(value) else value for value in array.ravel()]
        array = np.array(present, dtype=object).reshape(array.shape)
    try:
        return np.asarray(array, dtype=float)
    except (TypeError, ValueError):
        flat = array.ravel()
        row = next(i for i, value in enumerate(flat) if not _is_number(value))
        raise DataError(f"{name} must be numbers; row {row} holds {flat[row]!r}.") from None


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True
