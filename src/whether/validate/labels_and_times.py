"""Labels, times, weights and groups of people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from whether.arrays import Features
from whether.cohort import Cohort
from whether.validate.error_types import ArgumentError, DataError, MissingTimeError
from whether.validate.features import check_columns
from whether.validate.per_person import check_times, check_weight, is_missing, refuse_nobody, unmasked
from whether.validate.records import check_one_row_each, check_records

Array = NDArray[np.float64]

MOST_RANKED = 50_000
FEWEST_PER_ROW = 0.1  # people that a row stands for on average; fewer are shares, and penalties would swamp them
# With fewer, halves of a cohort have next to none.
FEWEST_LABELED = 10


def check_rows(
    features: Features,
    labels: ArrayLike,
    *,
    names: Sequence[str],
    time: ArrayLike | None = None,
    follow_up: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    **records: ArrayLike | None,
) -> Cohort:
    """Check what can be checked row by row, of a cohort or a part of one; of ``records`` see `check_records`."""
    n = features.shape[0]
    labeled = check_labels(labels, n)
    weight = None if sample_weight is None else check_weight(sample_weight, n, may_be_zero=True)
    checked_time = None if time is None else check_times(time, n, "time")
    checked_follow_up = None if follow_up is None else check_times(follow_up, n, "follow_up")
    known = check_records(labeled, checked_time, checked_follow_up, **records)
    if checked_follow_up is not None and checked_time is not None:
        _check_end_of_follow_up(labeled, checked_time, checked_follow_up)
    numbered = None if groups is None else number_groups(groups, n)
    cohort = Cohort(features, labeled, tuple(names), weight, checked_time, checked_follow_up, numbered, **known)
    if weight is not None and not weight.all():
        cohort = cohort.take(np.flatnonzero(weight))  # a row that stands for nobody is no row
        never, died = (
            None if flag is None or not flag.any() else flag for flag in (cohort.known_negative, cohort.competing)
        )
        cohort = replace(cohort, known_negative=never, competing=died)
    return cohort


def check_cohort(features: Features, labels: ArrayLike, *, names: Sequence[str], **known: ArrayLike | None) -> Cohort:
    """Check everything that was passed to ``fit`` and return it as a `Cohort`; see `check_rows` for what is known."""
    cohort = check_rows(features, labels, names=names, **known)
    if cohort.weight is not None:
        refuse_nobody(cohort.n)
        check_people(float(cohort.weight.sum()), cohort.n)
    check_potential_follow_up(cohort)
    check_columns(cohort.features, names)
    check_both_classes(int(np.count_nonzero(cohort.labeled)), cohort.n)
    if cohort.groups is not None and np.all(cohort.groups == cohort.groups[0]):
        raise DataError(
            f"groups puts all {cohort.n} rows into one group: without a second one nothing says how much groups "
            "differ. Leave groups out if the rows are independent."
        )
    ends = cohort.follow_up if cohort.time is None else cohort.time
    if cohort.groups is not None and cohort.entry_time is not None and ends is not None:
        check_one_row_each(cohort.groups, cohort.entry_time, ends)
    return cohort


def check_people(people: float, rows: int) -> None:
    """Refuse weights that are shares: a row of weight 2 is two people, and a thousand of 0.001 are one."""
    if people < FEWEST_PER_ROW * rows:
        raise DataError(
            f"sample_weight says how many people each row stands for, and the {rows:,} rows together stand for "
            f"{people:.3g}: that is too few to learn from. If the weights are shares, pass sample_weight / "
            "sample_weight.mean()."
        )


def check_labels(labels: ArrayLike, n: int) -> NDArray[np.bool_]:
    """Check labels to be 0 or 1 (or booleans: True means the event was seen)."""
    values = np.asarray(unmasked(labels, "y"))
    if values.shape[:1] != (n,):
        raise DataError(f"y has {values.shape[0] if values.ndim else 1} entries, but X has {n} rows.")
    if values.dtype == bool:
        return values
    if values.dtype.kind in "iuf" and bool(np.all((values == 0) | (values == 1))):
        return np.asarray(values == 1)
    missing = [row for row, value in enumerate(values.tolist()) if is_missing(value)]
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


def check_both_classes(events: int, people: int) -> None:
    """Refuse a cohort in which everybody is labeled, or nobody."""
    if events == 0:
        raise DataError(
            f"Nobody is labeled: y has one class, 0, for all {people} people. "
            "Without a single seen event nothing can be learned."
        )
    if events == people:
        raise DataError(
            f"Nobody is unlabeled: y has one class, 1, for all {people} people. "
            "If people without the event were left out of the table, put them back."
        )


def check_enough_labels(cohort: Cohort) -> None:
    """Refuse a cohort with too few labeled, or unlabeled, people to estimate the share of positives that is labeled."""
    labeled = int(np.count_nonzero(cohort.labeled))
    for count, what in ((labeled, "labeled"), (cohort.n - labeled, "unlabeled")):
        if count < FEWEST_LABELED:
            raise DataError(
                f"{count} of {cohort.n} people are {what}, and a label frequency is estimated from at least "
                f"{FEWEST_LABELED}. If it is known from elsewhere, give it to ElkanNotoClassifier(label_frequency=...)."
            )


def number_groups(groups: ArrayLike, n: int) -> NDArray[np.intp]:
    """Number the groups that people belong to, one label per person, from 0 on."""
    labels = np.asarray(unmasked(groups, "groups"))
    if labels.shape != (n,):
        raise DataError(f"groups must be one label per person: shape ({n},) was expected, got {labels.shape}.")
    if labels.dtype.kind in "Of":
        missing = [row for row, label in enumerate(labels.tolist()) if is_missing(label)]
        if missing:
            raise DataError(
                f"groups is missing for {len(missing)} of {n} people (first: row {missing[0]}). Give people of whom "
                "nothing is known a group of their own each."
            )
    if labels.dtype.kind != "O":
        return np.asarray(np.unique(labels, return_inverse=True)[1], dtype=np.intp)
    number: dict[Any, int] = {}  # labels of several types cannot be sorted
    return np.array([number.setdefault(label, len(number)) for label in labels.tolist()], dtype=np.intp)


def _check_end_of_follow_up(labeled: NDArray[np.bool_], time: Array, follow_up: Array) -> None:
    late = labeled & (time > follow_up)
    if late.any():
        row = int(np.argmax(late))
        who = "1 labeled person" if late.sum() == 1 else f"{int(late.sum())} labeled people"
        raise DataError(
            f"The event comes after the end of follow-up for {who} (first: row {row}, "
            f"time={time[row]}, follow_up={follow_up[row]}). Such an event was not seen: set y to 0, or "
            "extend follow_up to how long the person was observed."
        )


def check_potential_follow_up(cohort: Cohort) -> None:
    """Refuse a follow-up that ends at the event.

    Longer follow-up can only show more events. If labeled people were followed for a clearly *shorter* time than the
    others, or no longer and exactly to their event, the column is the observed time and not the potential follow-up.
    """
    if cohort.follow_up is None:
        return
    # How long people were watched who are known never to have the event says nothing about the others.
    rows = np.arange(cohort.n) if cohort.known_negative is None else np.flatnonzero(~cohort.known_negative)
    labeled, follow_up = cohort.labeled[rows], cohort.follow_up[rows]
    time = None if cohort.time is None else cohort.time[rows]
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


def check_planned_follow_up(cohort: Cohort) -> None:
    """Refuse a follow-up that ends at death: of whom it is not known how long they would have been followed."""
    died = np.asarray(cohort.competing)
    if np.all(cohort.required("follow_up")[died] <= cohort.required("time")[died]):
        raise DataError(
            f"follow_up ends at death for all {int(died.sum())} people who died. What is meant is potential follow-up: "
            "how long they would have been under observation, had they lived, for example the end of the study minus "
            "the date of entry. If that is not known, use MixtureCureClassifier with time= instead."
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
        if given.get(what) is not None:
            raise ArgumentError(f"{estimator} cannot read {what}: {reason}")
