"""Values besides features, labels and times: groups, dates of entry, scores and single numbers."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from whether.validate.error_types import DataError
from whether.validate.people import check_times

Array = NDArray[np.float64]


def number_groups(groups: ArrayLike, n: int) -> NDArray[np.intp]:
    """Number the groups that people belong to, one label per person, from 0 on."""
    labels = np.asarray(groups)
    if labels.shape != (n,):
        raise DataError(f"groups must be one label per person: shape ({n},) was expected, got {labels.shape}.")
    return np.asarray(np.unique(labels, return_inverse=True)[1], dtype=np.intp)


def check_entry_dates(entry: ArrayLike, n: int) -> Array:
    """Check that dates of entry are one finite number per person, in the unit of time."""
    dates = np.asarray(entry)
    if dates.dtype.kind == "M":
        raise DataError(
            f"entry holds dates ({dates.dtype}), and they do not say whether time is in days or years. Pass numbers in "
            "the unit of time: (entry - entry.min()) / np.timedelta64(1, 'D') where it is days, that over 365.25 where "
            "it is years."
        )
    if dates.dtype.kind not in "iuf" or dates.shape != (n,):
        raise DataError(
            f"entry must be {n} numbers, dates in the unit of time such as decimal years; got {dates.dtype} of the "
            f"shape {dates.shape}."
        )
    if not (known := np.isfinite(dates)).all():
        row = int(np.argmin(known))
        raise DataError(
            f"entry must be known for every person; for {np.count_nonzero(~known)} of {n} it is missing or infinite "
            f"(first: row {row}, entry={dates[row]}). Drop these rows or fill in their dates of entry."
        )
    return np.asarray(dates, dtype=float)


def check_known_follow_up(follow_up: ArrayLike, time: Array) -> Array:
    """Check that follow-up reaches as far as what was seen."""
    known = check_times(follow_up, time.size, "follow_up")
    early = known < time
    if early.any():
        row = int(np.argmax(early))
        raise DataError(
            f"follow_up ends before time for {int(early.sum())} of {time.size} people (first: row {row}, "
            f"time={time[row]:g}, follow_up={known[row]:g}). What was seen lies within follow-up: repair either."
        )
    return known


def check_scores(values: ArrayLike, name: str) -> Array:
    """Check that scores are one finite number per person."""
    scores = np.asarray(values, dtype=float)
    if scores.ndim != 1 or scores.size == 0 or not np.isfinite(scores).all():
        raise DataError(f"{name} must be one finite number per person, at least one; got the shape {scores.shape}.")
    return scores


def check_probabilities(values: ArrayLike, n: int, name: str) -> Array:
    """Check that probabilities are one number between 0 and 1 per person."""
    array = np.asarray(values, dtype=float)
    if array.shape != (n,) or not bool(np.all((array >= 0) & (array <= 1))):
        raise DataError(f"{name} must be {n} probabilities, one per person.")
    return array


def check_flags(values: ArrayLike, n: int, name: str) -> NDArray[np.bool_]:
    """Check that flags are one boolean per person."""
    flags = np.asarray(values)
    if flags.dtype != bool or flags.shape != (n,):
        raise DataError(f"{name} must be {n} booleans, got {flags.dtype} of the shape {flags.shape}.")
    return flags


def check_number(value: Any, name: str, *, above: float = -np.inf) -> float:
    """Check a setting to be a finite number, and above another one."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real) or not np.isfinite(float(value)):
        raise DataError(f"{name} must be a finite number, got {value!r}.")
    if not float(value) > above:
        raise DataError(f"{name} must be > {above:g}, got {value!r}.")
    return float(value)
