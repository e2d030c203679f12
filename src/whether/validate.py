"""Every data error is raised here, before anything is computed.

An error says what is wrong, the value, where it is and what to do. Estimators call `check_cohort` in ``fit`` and the
smaller checks elsewhere; nothing else in the package inspects user data.
"""

from __future__ import annotations

import difflib
import numbers
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from whether.cohort import Cohort

Array = NDArray[np.float64]


class MissingTimeError(ValueError):
    """A method that works through times was fitted without them."""


class FollowUpWarning(UserWarning):
    """Follow-up looks too short for the claim that the rest will never have the event."""


class IdentifiabilityWarning(UserWarning):
    """The data alone cannot tell the outcome probability from the labeling propensity."""


def check_cohort(
    features: Array,
    labels: ArrayLike,
    *,
    names: Sequence[str],
    time: ArrayLike | None = None,
    follow_up: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> Cohort:
    """Check everything that was passed to ``fit`` and return it as a `Cohort`.

    Parameters
    ----------
    features : ndarray of shape (n, d)
        Finite numbers (see `check_features`).
    labels : array-like of 0 and 1
    names : sequence of str
        Names of the feature columns.
    time, follow_up, sample_weight : array-like or None
    """
    n = features.shape[0]
    labeled = check_labels(labels, n)
    weight = None if sample_weight is None else check_weight(sample_weight, n)
    checked_time = None if time is None else check_times(time, n, "time")
    checked_follow_up = None if follow_up is None else check_times(follow_up, n, "follow_up")
    if checked_follow_up is not None:
        _check_follow_up(labeled, checked_time, checked_follow_up)
    cohort = Cohort(features, labeled, tuple(names), weight, checked_time, checked_follow_up)
    if weight is not None and not weight.all():
        cohort = cohort.take(np.flatnonzero(weight))  # a row that stands for nobody is no row
    check_columns(cohort.features, names)
    _check_both_classes(cohort.labeled)
    return cohort


def check_labels(labels: ArrayLike, n: int) -> NDArray[np.bool_]:
    """Check labels to be 0 or 1 (or booleans: True means the event was seen)."""
    values = np.asarray(labels)
    if values.shape[:1] != (n,):
        raise ValueError(f"y has {values.shape[0] if values.ndim else 1} entries, but X has {n} rows.")
    if values.dtype == bool:
        return values
    if values.dtype.kind in "iuf" and bool(np.all((values == 0) | (values == 1))):
        return np.asarray(values == 1)
    missing = [row for row, value in enumerate(values.tolist()) if _is_missing(value)]
    if missing:
        raise ValueError(
            f"y contains NaN: it is missing for {len(missing)} of {n} people (first: row {missing[0]}, "
            f"y={values[missing[0]]}). Pass 0 for people whose event was not seen."
        )
    found = set(values.tolist())
    if found <= {0, 1}:
        return np.asarray(values == 1)
    row = next(row for row, value in enumerate(values.tolist()) if value not in (0, 1))
    raise ValueError(
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
        raise ValueError(
            f"Nobody is labeled: y has one class, 0, for all {labeled.size} people. "
            "Without a single seen event nothing can be learned."
        )
    if events == labeled.size:
        raise ValueError(
            f"Nobody is unlabeled: y has one class, 1, for all {labeled.size} people. "
            "If people without the event were left out of the table, put them back."
        )


def check_times(values: ArrayLike, n: int, name: str) -> Array:
    """Check that times are one finite positive number per person."""
    times = _to_numbers(values, name)
    if times.ndim != 1 or times.size != n:
        raise ValueError(f"{name} must be one number per person: shape ({n},) was expected, got {times.shape}.")
    for bad, what, advice in (
        (np.isnan(times), "is missing (NaN)", "Drop these rows or fill in when they were last seen."),
        (np.isinf(times), "is infinite", "Give the length of the observation, even for people who never had it."),
        (times <= 0, "is not > 0", "Drop or repair these rows; a time of zero has no logarithm."),
    ):
        if bad.any():
            row = int(np.argmax(bad))
            raise ValueError(
                f"{name} must be > 0 and finite for every person; for {int(bad.sum())} of {n} it {what} "
                f"(first: row {row}, {name}={times[row]}). {advice}"
            )
    return times


def check_weight(values: ArrayLike, n: int) -> Array:
    """Check that weights are one finite non-negative number per person, not all zero."""
    weight = np.full(n, float(values)) if isinstance(values, numbers.Real) else _to_numbers(values, "sample_weight")
    if weight.shape != (n,):
        raise ValueError(f"sample_weight must be one number per person: shape ({n},) was expected, got {weight.shape}.")
    bad = ~(np.isfinite(weight) & (weight >= 0))
    if bad.any():
        row = int(np.argmax(bad))
        raise ValueError(f"sample_weight must be >= 0 and finite (first bad: row {row}, weight {weight[row]}).")
    if not weight.any():
        raise ValueError("sample_weight is zero for everybody: no row is left to learn from.")
    return weight


def _to_numbers(values: ArrayLike, name: str) -> Array:
    array = np.asarray(values)
    if array.dtype.kind in "mM":
        raise ValueError(
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
        raise ValueError(f"{name} must be numbers; row {row} holds {flat[row]!r}.") from None


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def check_table(table: Any) -> None:
    """Check a data frame's columns to be numeric, naming the one that is not."""
    columns, dtypes = getattr(table, "columns", None), getattr(table, "dtypes", None)
    if columns is None or dtypes is None:
        return
    if len(columns) == 0:
        raise ValueError("X has no columns, but at least one feature is needed: name the columns to learn from.")
    for name, dtype in zip(columns, dtypes, strict=True):
        numeric = dtype.is_numeric() if hasattr(dtype, "is_numeric") else getattr(dtype, "kind", "O") in "iufb"
        if not numeric and str(dtype) not in ("Boolean", "boolean"):
            first = next(iter(table[name]), None)
            raise ValueError(
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
        raise ValueError(
            f"X contains {kind}: {int(bad.sum())} values are not finite (first: row {row}, column "
            f"{names[column]!r}, value {value}). Impute or drop them, for example with sklearn.impute.SimpleImputer."
        )


def check_columns(features: Array, names: Sequence[str]) -> None:
    """Refuse columns that never vary and columns that repeat another."""
    if features.shape[0] < 2:
        return
    lowest = features.min(axis=0)
    empty = [int(column) for column in np.flatnonzero(np.isnan(lowest)) if np.isnan(features[:, column]).all()]
    if empty:
        raise ValueError(f"Column {names[empty[0]]!r} is missing for everybody{_and_more(len(empty) - 1)}. Drop it.")
    constant = np.flatnonzero(features.max(axis=0) == lowest)
    if constant.size:
        column = int(constant[0])
        raise ValueError(
            f"Column {names[column]!r} is constant (always {features[0, column]}){_and_more(constant.size - 1)}: it "
            "cannot be told from the intercept. Drop it, for example with sklearn.feature_selection.VarianceThreshold."
        )
    twin = _first_duplicate(features)
    if twin is not None:
        raise ValueError(
            f"Columns {names[twin[0]]!r} and {names[twin[1]]!r} are identical: their effects cannot be told apart. "
            "Drop one of them."
        )


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


def _check_follow_up(labeled: NDArray[np.bool_], time: Array | None, follow_up: Array) -> None:
    if time is not None:
        late = labeled & (time > follow_up)
        if late.any():
            row = int(np.argmax(late))
            raise ValueError(
                f"The event comes after the end of follow-up for {int(late.sum())} labeled people (first: row {row}, "
                f"time={time[row]}, follow_up={follow_up[row]}). Such an event was not seen: set y to 0, or extend "
                "follow_up to how long the person was observed."
            )
    _check_potential_follow_up(labeled, time, follow_up)


def _check_potential_follow_up(labeled: NDArray[np.bool_], time: Array | None, follow_up: Array) -> None:
    """Refuse a follow-up that ends at the event.

    Longer follow-up can only show more events. If labeled people were followed for a clearly *shorter* time than the
    others, or no longer and exactly to their event, the column is the observed time and not the potential follow-up.
    """
    standing, z = rank_of_labeled(labeled, follow_up)
    same_as_time = time is not None and bool(np.all(time[labeled] == follow_up[labeled]))
    if (same_as_time and standing < 0.5) or (standing < 0.45 and z < -5):
        median_seen, median_rest = np.median(follow_up[labeled]), np.median(follow_up[~labeled])
        raise ValueError(
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

    step = max(1, values.size // 50_000)  # a part of a large cohort decides as well
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


def resolve_columns(
    columns: Sequence[str | int] | None, names: Sequence[str] | int, parameter: str
) -> NDArray[np.intp]:
    """Positions of features given by name or position; all of them for None.

    Parameters
    ----------
    columns : sequence of str or int, or None
    names : sequence of str, or int
        Names of the features, or their number where they have no names.
    parameter : str
        What the user calls them.
    """
    count = names if isinstance(names, int) else len(names)
    if columns is None:
        return np.arange(count)
    if isinstance(columns, (str, numbers.Number)):
        kind = "string" if isinstance(columns, str) else "number"
        raise ValueError(
            f"{parameter} must be a list of names or positions, got the {kind} {columns!r}: write [{columns!r}]."
        )
    positions = [
        _named_position(column, names, parameter)
        if isinstance(column, str)
        else _checked_position(column, count, parameter)
        for column in columns
    ]
    if len(set(positions)) < len(positions):
        raise ValueError(f"{parameter} names a feature twice: {list(columns)!r}.")
    return np.array(positions, dtype=np.intp)


def _named_position(column: str, names: Sequence[str] | int, parameter: str) -> int:
    if isinstance(names, int):
        raise ValueError(
            f"{parameter} has the name {column!r}, but X has no column names. Pass a data frame, or positions."
        )
    if column not in names:
        close = difflib.get_close_matches(column, names, n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        listed = ", ".join(names[:10]) + (", ..." if len(names) > 10 else "")
        raise ValueError(f"{parameter} has {column!r}, which is no feature of X (features: {listed}).{hint}")
    return list(names).index(column)


def _checked_position(column: int, count: int, parameter: str) -> int:
    if not isinstance(column, numbers.Integral) or not -count <= column < count:
        raise ValueError(f"{parameter} has {column!r}; positions run from 0 to {count - 1}.")
    return int(column) % count


def check_share(value: Any, name: str) -> float:
    """Check a share that the user knows to be a number in (0, 1]."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real) or not 0 < float(value) <= 1:
        raise ValueError(f"{name} must be a number in (0, 1], got {value!r}.")
    return float(value)


# ---------------------------------------------------------------- settings, and arrays beside a cohort


def number_groups(groups: ArrayLike, n: int) -> NDArray[np.intp]:
    """Number the groups that people belong to, one label per person, from 0 on."""
    labels = np.asarray(groups)
    if labels.shape != (n,):
        raise ValueError(f"groups must be one label per person: shape ({n},) was expected, got {labels.shape}.")
    return np.asarray(np.unique(labels, return_inverse=True)[1], dtype=np.intp)


def check_entry_dates(entry: ArrayLike, n: int) -> Array:
    """Check that dates of entry are one finite number per person, in the unit of time."""
    dates = np.asarray(entry)
    if dates.dtype.kind == "M":
        raise ValueError(
            f"entry holds dates ({dates.dtype}), and they do not say whether time is in days or years. Pass numbers in "
            "the unit of time: (entry - entry.min()) / np.timedelta64(1, 'D') where it is days, that over 365.25 where "
            "it is years."
        )
    if dates.dtype.kind not in "iuf" or dates.shape != (n,):
        raise ValueError(
            f"entry must be {n} numbers, dates in the unit of time such as decimal years; got {dates.dtype} of the "
            f"shape {dates.shape}."
        )
    if not (known := np.isfinite(dates)).all():
        row = int(np.argmin(known))
        raise ValueError(
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
        raise ValueError(
            f"follow_up ends before time for {int(early.sum())} of {time.size} people (first: row {row}, "
            f"time={time[row]:g}, follow_up={known[row]:g}). What was seen lies within follow-up: repair either."
        )
    return known


def check_scores(values: ArrayLike, name: str) -> Array:
    """Check that scores are one finite number per person."""
    scores = np.asarray(values, dtype=float)
    if scores.ndim != 1 or scores.size == 0 or not np.isfinite(scores).all():
        raise ValueError(f"{name} must be one finite number per person, at least one; got the shape {scores.shape}.")
    return scores


def check_probabilities(values: ArrayLike, n: int, name: str) -> Array:
    """Check that probabilities are one number between 0 and 1 per person."""
    array = np.asarray(values, dtype=float)
    if array.shape != (n,) or not bool(np.all((array >= 0) & (array <= 1))):
        raise ValueError(f"{name} must be {n} probabilities, one per person.")
    return array


def check_flags(values: ArrayLike, n: int, name: str) -> NDArray[np.bool_]:
    """Check that flags are one boolean per person."""
    flags = np.asarray(values)
    if flags.dtype != bool or flags.shape != (n,):
        raise ValueError(f"{name} must be {n} booleans, got {flags.dtype} of the shape {flags.shape}.")
    return flags


def check_number(value: Any, name: str, *, above: float = -np.inf) -> float:
    """Check a setting to be a finite number, and above another one."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real) or not np.isfinite(float(value)):
        raise ValueError(f"{name} must be a finite number, got {value!r}.")
    if not float(value) > above:
        raise ValueError(f"{name} must be > {above:g}, got {value!r}.")
    return float(value)
