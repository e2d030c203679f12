"""What is known of people besides label, time and follow-up: intervals, late entry, known negatives, other deaths."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from whether.validate.error_types import DataError
from whether.validate.per_person import Array, is_missing, refuse_rows, to_numbers, unmasked

Flags = NDArray[np.bool_]


def check_records(
    labeled: Flags,
    time: Array | None,
    follow_up: Array | None,
    *,
    time_lower: ArrayLike | None = None,
    entry_time: ArrayLike | None = None,
    known_negative: ArrayLike | None = None,
    competing: ArrayLike | None = None,
) -> dict[str, Any]:
    """Check each of them; None where it says nothing of anybody."""
    lower = None if time_lower is None else check_time_lower(time_lower, labeled, time)
    entered = None if entry_time is None else check_entry_time(entry_time, labeled.size)
    if entered is not None:
        _check_entry(entered, time, follow_up)
        if lower is not None:  # whoever came later was seen without the event then
            known = np.isnan(lower) | (lower >= entered)
            lower = np.where(known, lower, entered)
    negative = None if known_negative is None else check_negative(known_negative, labeled, "known_negative")
    died = None if competing is None else _check_competing(competing, labeled, negative, time, follow_up)
    return {"time_lower": lower, "entry_time": entered, "known_negative": negative, "competing": died}


def check_time_lower(values: ArrayLike, labeled: Flags, time: Array | None) -> Array | None:
    """Check the times up to which labeled people had no event; NaN where the time of the event is exact."""
    if time is None:
        raise DataError("time_lower says after which time an event came; pass time=, by which it had come, as well.")
    lower = _check_shape(to_numbers(values, "time_lower"), labeled.size, "time_lower")
    lower = np.where(labeled, lower, np.nan)  # of the others only the end of follow-up is read
    advice = "Pass 0 where nothing is known before, and NaN where the time of the event is exact."
    refuse_rows(labeled & (lower < 0), lower, "time_lower", "must be >= 0", "is negative", advice)
    advice = "The event comes between time_lower and time: repair either."
    refuse_rows(labeled & (lower > time), lower, "time_lower", "must be <= time", "is later", advice)
    lower = np.where(lower == time, np.nan, lower)
    return None if np.isnan(lower).all() else lower


def check_entry_time(values: ArrayLike, n: int) -> Array | None:
    """Check when people came under observation, on the scale of time; None where all did at time zero."""
    entered = _check_shape(to_numbers(values, "entry_time"), n, "entry_time")
    bad = ~(np.isfinite(entered) & (entered >= 0))
    advice = "Pass 0 for people who were observed from the start."
    refuse_rows(bad, entered, "entry_time", "must be >= 0 and finite", "is not", advice)
    return entered if entered.any() else None


def _check_entry(entered: Array, time: Array | None, follow_up: Array | None) -> None:
    for name, ends in (("time", time), ("follow_up", follow_up)):
        late = np.zeros(entered.size, dtype=bool) if ends is None else entered >= ends
        if ends is not None and late.any():
            row = int(np.argmax(late))
            raise DataError(
                f"entry_time must be before {name} for every person; for {int(late.sum())} of {late.size} it is not "
                f"(first: row {row}, entry_time={entered[row]:g}, {name}={ends[row]:g}). Whoever was never under "
                "observation tells nothing: drop these rows or repair them."
            )


def check_one_row_each(groups: NDArray[np.intp], entered: Array, ends: Array) -> None:
    """Refuse rows that are stretches of one person's time, each beginning where another ends.

    An earlier stretch without the event is no person without it. Of rows of a centre or a family some may meet by
    chance, but not most.
    """
    order = np.lexsort((entered, groups))
    before, after = order[:-1], order[1:]
    same = groups[before] == groups[after]
    meets = same & np.isclose(entered[after], ends[before], rtol=1e-9, atol=0.0)
    if meets.sum() <= 0.5 * same.sum():
        return
    first = int(np.argmax(meets))
    raise DataError(
        f"{int(meets.sum())} rows continue another row of the same group (first: row {after[first]} begins at "
        f"entry_time={entered[after[first]]:g}, where row {before[first]} ends): they look like stretches of one "
        "person's time. A person is one row here, with the features known at the beginning: keep the first row of "
        "each, with the time and the event of the last one."
    )


# Why nobody who is labeled can be flagged.
_POSITIVE = {
    "known_negative": "whoever was seen to have the event is positive",
    "competing": "whoever had the event had it before dying",
}


def check_negative(values: ArrayLike, labeled: Flags, name: str) -> Flags | None:
    """Check flags of people who never have the event, one boolean per person; None where nobody is flagged."""
    negative = _check_flags(values, labeled.size, name)
    both = negative & labeled
    if both.any():
        raise DataError(
            f"{name} is True for {int(both.sum())} labeled people (first: row {int(np.argmax(both))}, y=1): "
            f"{_POSITIVE[name]}. Repair either."
        )
    return negative if negative.any() else None


def _check_competing(
    values: ArrayLike, labeled: Flags, negative: Flags | None, time: Array | None, follow_up: Array | None
) -> Flags | None:
    """Check flags of people who died of something else without the event; None where nobody did."""
    died = check_negative(values, labeled, "competing")
    if died is None:
        return None
    if time is None and follow_up is None:
        raise DataError("competing says who died of something else; pass time= as well: when that was.")
    both = np.zeros(died.size, dtype=bool) if negative is None else died & negative
    if both.any():
        raise DataError(
            f"competing and known_negative are both True for {int(both.sum())} people (first: row "
            f"{int(np.argmax(both))}): whoever died without the event is a negative by that alone. Repair either."
        )
    return died


def _check_flags(values: ArrayLike, n: int, name: str) -> Flags:
    flags = np.asarray(unmasked(values, name))
    if flags.shape != (n,):
        raise DataError(f"{name} must be one boolean per person: shape ({n},) was expected, got {flags.shape}.")
    listed = [] if flags.dtype == bool else flags.tolist()
    bad = [row for row, flag in enumerate(listed) if is_missing(flag) or flag not in (0, 1)]
    if bad:
        raise DataError(
            f"{name} must be True or False for every person; for {len(bad)} of {n} it is not (first: row {bad[0]}, "
            f"{name}={listed[bad[0]]!r}). Pass False for people of whom it is not known."
        )
    return np.asarray(flags == 1)


def _check_shape(values: Array, n: int, name: str) -> Array:
    if values.shape != (n,):
        raise DataError(f"{name} must be one number per person: shape ({n},) was expected, got {values.shape}.")
    return values
