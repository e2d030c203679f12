"""Labels, times, weights and groups of people."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from whether.cohort import Cohort
from whether.validate.error_types import ArgumentError, DataError, MissingTimeError
from whether.validate.features import check_columns

Array = NDArray[np.float64]

MOST_RANKED = 50_000


def check_cohort(
    features: Array,
    labels: ArrayLike,
    *,
    names: Sequence[str],
    time: ArrayLike | None = None,
    follow_up: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    known_negative: ArrayLike | None = None,
) -> Cohort:
    """Check everything that was passed to ``fit`` and return it as a `Cohort`."""
    n = features.shape[0]
    labeled = check_labels(labels, n)
    weight = None if sample_weight is None else check_weight(sample_weight, n)
    checked_time = None if time is None else check_times(time, n, "time")
    checked_follow_up = None if follow_up is None else check_times(follow_up, n, "follow_up")
    negative = None if known_negative is None else check_known_negative(known_negative, labeled)
    if checked_follow_up is not None:
        _check_follow_up(labeled, checked_time, checked_follow_up, negative)
    numbered = None if groups is None else number_groups(groups, n)
    cohort = Cohort(features, labeled, tuple(names), weight, checked_time, checked_follow_up, numbered, negative)
    if weight is not None and not weight.all():
        cohort = cohort.take(np.flatnonzero(weight))  # a row that stands for nobody is no row
    check_columns(cohort.features, names)
    _check_both_classes(cohort.labeled)
    if cohort.groups is not None and np.all(cohort.groups == cohort.groups[0]):
        raise DataError(
            f"groups puts all {cohort.n} rows into one group: without a second one nothing says how much groups "
            "differ. Leave groups out if the rows are independent."
        )
    return cohort


def check_labels(labels: ArrayLike, n: int) -> NDArray[np.bool_]:
    """Check labels to be 0 or 1 (or booleans: True means the event was seen)."""
    values = np.asarray(labels)
    if values.shape[:1] != (n,):
        raise DataError(f"y has {values.shape[0] if values.ndim else 1} entries, but X has {n} rows.")
    if values.dtype == bool:
        return values
    if values.dtype.kind in "iuf" and bool(np.all((values == 0) | (values == 1))):
        return np.asarray(values == 1)
    missing = [row for row, value in enumerate(values.tolist()) if _is_missing(value)]
    if missing:
        raise DataError(
            f"y contains NaN: it is missing for {len(missing)} of {n} people (first: row {missing[0]}, "
            f"y={values[missing[0]]}). Pass 0 for people whose event was not seen."
        )
    found = set(values.tolist())
    if found <= {0, 1}:
        return np.asarray(values == 1)
    row = next(row for row, value in enumerate(values.tolist()) if value not in (0, 1))
    raise DataError(
        f"y must be 0 (event not seen) or 1 (event seen); got the values {_list_values(found)} "
        f"(first: row {row}, y={values.tolist()[row]!r}). {_advise_on_labels(found)}"
    )


def _advise_on_labels(found: set[Any]) -> str:
    if found == {-1, 1}:
        return "In -1/1 coding the -1 says 'negative', but an unlabeled person is not known to be: pass (y == 1)."
    if found == {1, 2}:
        return "If 2 is the event, as survival tables often have it, pass (y == 2)."
    if any(isinstance(value, float) and not value.is_integer() for value in found):
        return "These are continuous: if they are times, pass them as time= and say in y whether the event was seen."
    several = "Only binary classification is supported. " if len(found) > 2 else ""
    return f"{several}Pass y = (outcome == 'the event'), so that it is clear which value means that the event was seen."


def _list_values(found: set[Any]) -> str:
    try:
        ordered = sorted(found)
    except TypeError:  # numbers and strings, say
        ordered = sorted(found, key=repr)
    return ", ".join(repr(value) for value in ordered[:5]) + (", ..." if len(found) > 5 else "")


def _is_missing(value: Any) -> bool:
    # pandas' NA and NaT are known by their names: pandas may not be installed.
    return value is None or type(value).__name__ in ("NAType", "NaTType") or bool(value != value)


def _check_both_classes(labeled: NDArray[np.bool_]) -> None:
    events = int(np.count_nonzero(labeled))
    if events == 0:
        raise DataError(
            f"Nobody is labeled: y has one class, 0, for all {labeled.size} people. "
            "Without a single seen event nothing can be learned."
        )
    if events == labeled.size:
        raise DataError(
            f"Nobody is unlabeled: y has one class, 1, for all {labeled.size} people. "
            "If people without the event were left out of the table, put them back."
        )


def check_known_negative(values: ArrayLike, labeled: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
    """Check flags of people who are known never to have the event, one boolean per person; None where nobody is."""
    flags, n = np.asarray(values), labeled.size
    if flags.shape != (n,):
        raise DataError(f"known_negative must be one boolean per person: shape ({n},) was expected, got {flags.shape}.")
    listed = [] if flags.dtype == bool else flags.tolist()
    bad = [row for row, flag in enumerate(listed) if _is_missing(flag) or flag not in (0, 1)]
    if bad:
        raise DataError(
            f"known_negative must be True or False for every person; for {len(bad)} of {n} it is not (first: row "
            f"{bad[0]}, known_negative={listed[bad[0]]!r}). Pass False for people of whom it is not known."
        )
    negative = np.asarray(flags == 1)
    both = negative & labeled
    if both.any():
        raise DataError(
            f"known_negative is True for {int(both.sum())} labeled people (first: row {int(np.argmax(both))}, y=1): "
            "whoever was seen to have the event is positive. Repair either."
        )
    return negative if negative.any() else None


def check_times(values: ArrayLike, n: int, name: str) -> Array:
    """Check that times are one finite positive number per person."""
    times = _to_numbers(values, name)
    if times.ndim != 1 or times.size != n:
        raise DataError(f"{name} must be one number per person: shape ({n},) was expected, got {times.shape}.")
    for bad, what, advice in (
        (np.isnan(times), "is missing (NaN)", "Drop these rows or fill in when they were last seen."),
        (np.isinf(times), "is infinite", "Give the length of the observation, even for people who never had it."),
        (times <= 0, "is not > 0", "Drop or repair these rows; a time of zero has no logarithm."),
    ):
        refuse_rows(bad, times, name, "must be > 0 and finite", what, advice)
    return times


def refuse_rows(bad: NDArray[np.bool_], values: Array, name: str, rule: str, what: str, advice: str) -> None:
    """Refuse values of people that break a rule, and say where the first one is and what is wrong with it."""
    if bad.any():
        row = int(np.argmax(bad))
        raise DataError(
            f"{name} {rule} for every person; for {int(bad.sum())} of {bad.size} it {what} (first: row {row}, "
            f"{name}={values[row]}). {advice}"
        )


def check_weight(values: ArrayLike, n: int) -> Array:
    """Check that weights are one finite non-negative number per person, not all zero."""
    weight = np.full(n, float(values)) if isinstance(values, numbers.Real) else _to_numbers(values, "sample_weight")
    if weight.shape != (n,):
        raise DataError(f"sample_weight must be one number per person: shape ({n},) was expected, got {weight.shape}.")
    bad = ~(np.isfinite(weight) & (weight >= 0))
    refuse_rows(bad, weight, "sample_weight", "must be >= 0 and finite", "is not", "Drop or repair these rows.")
    if not weight.any():
        raise DataError("sample_weight is zero for everybody: no row is left to learn from.")
    return weight


def number_groups(groups: ArrayLike, n: int) -> NDArray[np.intp]:
    """Number the groups that people belong to, one label per person, from 0 on."""
    labels = np.asarray(groups)
    if labels.shape != (n,):
        raise DataError(f"groups must be one label per person: shape ({n},) was expected, got {labels.shape}.")
    if labels.dtype.kind in "Of":
        missing = [row for row, label in enumerate(labels.tolist()) if _is_missing(label)]
        if missing:
            raise DataError(
                f"groups is missing for {len(missing)} of {n} people (first: row {missing[0]}). Give people of whom "
                "nothing is known a group of their own each."
            )
    if labels.dtype.kind != "O":
        return np.asarray(np.unique(labels, return_inverse=True)[1], dtype=np.intp)
    number: dict[Any, int] = {}  # labels of several types cannot be sorted
    return np.array([number.setdefault(label, len(number)) for label in labels.tolist()], dtype=np.intp)


def _to_numbers(values: ArrayLike, name: str) -> Array:
    array = np.asarray(values)
    if array.dtype.kind in "mM":
        raise DataError(
            f"{name} holds dates or time differences ({array.dtype}); pass a duration as a number, in any unit."
        )
    if array.dtype == object:
        present = [np.nan if _is_missing(value) else value for value in array.ravel()]
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


def _check_follow_up(
    labeled: NDArray[np.bool_], time: Array | None, follow_up: Array, negative: NDArray[np.bool_] | None
) -> None:
    if time is not None:
        late = labeled & (time > follow_up)
        if late.any():
            row = int(np.argmax(late))
            raise DataError(
                f"The event comes after the end of follow-up for {int(late.sum())} labeled people (first: row {row}, "
                f"time={time[row]}, follow_up={follow_up[row]}). Such an event was not seen: set y to 0, or extend "
                "follow_up to how long the person was observed."
            )
    # How long people were watched who are known never to have the event says nothing about the others.
    rows = np.arange(labeled.size) if negative is None else np.flatnonzero(~negative)
    _check_potential_follow_up(labeled[rows], None if time is None else time[rows], follow_up[rows])


def _check_potential_follow_up(labeled: NDArray[np.bool_], time: Array | None, follow_up: Array) -> None:
    """Refuse a follow-up that ends at the event.

    Longer follow-up can only show more events. If labeled people were followed for a clearly *shorter* time than the
    others, or no longer and exactly to their event, the column is the observed time and not the potential follow-up.
    """
    standing, z = rank_of_labeled(labeled, follow_up)
    same_as_time = time is not None and bool(np.all(time[labeled] == follow_up[labeled]))
    if (same_as_time and standing < 0.5) or (standing < 0.45 and z < -5):
        median_seen, median_rest = np.median(follow_up[labeled]), np.median(follow_up[~labeled])
        raise DataError(
            f"follow_up seems to end at the event: its median is {median_seen:.4g} for labeled people and "
            f"{median_rest:.4g} for the others"
            + (", and it equals time for every labeled person" if same_as_time else "")
            + ". What is meant is potential follow-up: how long a person was, or would have been, under observation "
            "had the event not come, for example the end of the study minus the date of entry, for everybody. If only "
            "observed times are known, use MixtureCureClassifier with time= instead."
        )


def rank_of_labeled(labeled: NDArray[np.bool_], values: Array) -> tuple[float, float]:
    """Probability that a labeled person's value exceeds an unlabeled one's, and its z score against one half."""
    from scipy.stats import rankdata

    step = -(-values.size // MOST_RANKED)  # a part of a large cohort decides as well
    labeled, values = labeled[::step], values[::step]
    m, k = int(np.count_nonzero(labeled)), int(np.count_nonzero(~labeled))
    if m == 0 or k == 0:
        return 0.5, 0.0
    standing = (rankdata(values)[labeled].sum() - m * (m + 1) / 2) / (m * k)
    return float(standing), float((standing - 0.5) / np.sqrt((m + k + 1) / (12.0 * m * k)))


def check_needs(estimator: str, cohort: Cohort, needs: Iterable[str]) -> None:
    """Check that the times a method works through were given; else name a method that works without."""
    advice = {
        "time": "Pass fit(X, y, time=...), or use FollowUpCureClassifier with follow_up=... or "
        "SARPUClassifier(propensity_features=[...]): same likelihood, no event times needed.",
        "follow_up": "Pass fit(X, y, follow_up=...): how long each person was, or would have been, under observation. "
        "Without it use SARPUClassifier(propensity_features=[...]), or MixtureCureClassifier with time=...",
    }
    for what in needs:
        if getattr(cohort, what) is None:
            raise MissingTimeError(
                f"{estimator} restricts the labeling propensity through {what}, but {what}=None "
                f"({cohort.n} people, {int(cohort.labeled.sum())} labeled). {advice[what]}"
            )


def check_readable(estimator: str, given: Mapping[str, Any], unread: Mapping[str, str]) -> None:
    """Refuse what a method cannot read of people, with the reason and a method that can."""
    for what, reason in unread.items():
        if given[what] is not None:
            raise ArgumentError(f"{estimator} cannot read {what}: {reason}")
