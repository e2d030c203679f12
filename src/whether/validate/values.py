"""Values besides features, labels and times: dates of entry, scores, and settings of a call."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from whether.validate.error_types import ArgumentError, DataError
from whether.validate.per_person import check_times, refuse_rows

Array = NDArray[np.float64]


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
    advice = "Drop these rows or fill in their dates of entry."
    refuse_rows(~np.isfinite(dates), dates, "entry", "must be known", "is missing or infinite", advice)
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
    if not _is_real(value) or not np.isfinite(float(value)):
        raise DataError(f"{name} must be a finite number, got {value!r}.")
    if not float(value) > above:
        raise DataError(f"{name} must be > {above:g}, got {value!r}.")
    return float(value)


def check_places(values: ArrayLike, n_features: int | None, is_text: bool | None, n: int | None = None) -> NDArray[Any]:
    """Check values of one or a few features, finite numbers or text, and return them with one row per place."""
    array = np.asarray(values)
    places = array[:, None] if array.ndim == 1 else array
    if places.ndim != 2 or places.size == 0 or (n is not None and places.shape[0] != n):
        wanted = "at least one value" if n is None else f"{n} values, one per person"
        raise DataError(f"Features must be {wanted} of each, got the shape {array.shape}.")
    if n_features is not None and places.shape[1] != n_features:
        raise DataError(f"`at` must have {n_features} column(s), as x has, got the shape {array.shape}.")
    has_text = places.dtype.kind not in "iufb"
    if is_text is not None and has_text != is_text:
        raise DataError(f"`at` and x must both be numbers or both be text, got {places.dtype} for `at`.")
    if not has_text:
        bad = ~np.isfinite(places.astype(float)).all(axis=1)
        refuse_rows(bad, places[:, 0], "x", "must be finite", "is missing or infinite", "Drop or impute these rows.")
    return places


def check_bandwidth(value: Any, n_features: int) -> Array:
    """Check a bandwidth to be one number >= 0, or one for each feature."""
    widths = np.asarray(value)
    is_number = widths.dtype.kind in "iuf" and widths.shape in ((), (n_features,))
    if not is_number or not bool(np.all(np.isfinite(widths) & (widths >= 0))):
        raise ArgumentError(f"`bandwidth` must be 'bootstrap' or {n_features} number(s) >= 0, got {value!r}.")
    return np.array(np.broadcast_to(widths.astype(float), (n_features,)))


def check_share(value: Any, name: str) -> float:
    """Check a share that the user knows to be a number in (0, 1]."""
    if not _is_real(value) or not 0 < float(value) <= 1:
        is_percent = _is_real(value) and 1 < float(value) <= 100
        hint = f" A share of {value:g} % is {float(value) / 100:g}." if is_percent else ""
        raise ArgumentError(f"`{name}` must be a share above 0 and at most 1, got {value!r}.{hint}")
    return float(value)


def check_between(value: Any, name: str) -> None:
    """Refuse what does not lie between 0 and 1."""
    if not _is_real(value) or not 0 < float(value) < 1:
        raise ArgumentError(f"`{name}` must lie between 0 and 1, got {value!r}.")


def check_whole_number(value: Any, name: str, lowest: int) -> None:
    """Refuse what is not a whole number of at least ``lowest``."""
    if not _is_real(value) or not isinstance(value, numbers.Integral) or value < lowest:
        raise ArgumentError(f"`{name}` must be a whole number >= {lowest}, got {value!r}.")


def _is_real(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool)
