"""What evidence is drawn from: the checked cohort, with the potential follow-up where dates give it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from whether.cohort import Cohort
from whether.facts import People, RestsOn
from whether.validate import DataError, check_cohort, check_entry_dates, check_features, check_table, resolve_columns

Array = NDArray[np.float64]

# Share of the unlabeled who must have been followed to the common end before dates are taken to give everybody's
# potential follow-up. Where many were lost earlier, labeled people might have been, too, and nobody knows who.
ADMINISTRATIVE_SHARE = 0.95
# How far, as a part of the whole period, an end of follow-up may lie before the common end and still count as at it.
SAME_END = 0.01


@dataclass(frozen=True)
class PotentialFollowUp:
    """Where everybody's potential follow-up comes from."""

    source: str  # "given", "dates", "unknown", or "lost": dates do not give it, because too many were lost.
    # Share of the unlabeled who were followed to the end of the data, where dates were given.
    share: Annotated[float, RestsOn(("n_to_end",))] = math.nan
    n_unlabeled: Annotated[int, People("people")] = field(default=0, repr=False)
    n_to_end: Annotated[int, People("n_unlabeled")] = field(default=0, repr=False)


@dataclass(frozen=True, eq=False)
class Material:
    """A cohort and what is known of it besides."""

    cohort: Cohort
    propensity_columns: NDArray[np.intp] | None = None  # Features that are said to drive labeling.
    entry: Array | None = None  # dates
    potential: PotentialFollowUp = PotentialFollowUp("unknown")

    @property
    def n_events(self) -> int:
        """Number of events seen."""
        return int(np.count_nonzero(self.cohort.labeled))

    @property
    def has_time(self) -> bool:
        """Whether event times are known."""
        return self.cohort.time is not None

    @property
    def has_follow_up(self) -> bool:
        """Whether everybody's potential follow-up is known."""
        return self.cohort.follow_up is not None

    @property
    def named(self) -> list[str] | None:
        """Names of the features that are said to drive labeling."""
        if self.propensity_columns is None:
            return None
        return [self.cohort.names[column] for column in self.propensity_columns]


def gather(
    X: Any,
    y: ArrayLike,
    *,
    time: ArrayLike | None = None,
    follow_up: ArrayLike | None = None,
    propensity_features: Sequence[str | int] | None = None,
    entry: ArrayLike | None = None,
) -> Material:
    """Check what `examine` is given, and add the potential follow-up where dates of entry give it."""
    check_table(X)
    features = np.asarray(X, dtype=float)
    if features.ndim != 2:
        raise DataError(f"X must be a table with one row per person, got {features.ndim} dimension(s).")
    columns = list(getattr(X, "columns", []))
    named = bool(columns) and all(isinstance(column, str) for column in columns)
    names = columns if named else [f"x{i}" for i in range(features.shape[1])]
    check_features(features, names)
    cohort = check_cohort(features, y, names=names, time=time, follow_up=follow_up)
    drivers = None
    if propensity_features is not None:
        drivers = resolve_columns(propensity_features, names if named else len(names), "propensity_features")
    potential = PotentialFollowUp("given" if follow_up is not None else "unknown")
    dates = None if entry is None else check_entry_dates(entry, cohort.n)
    if dates is not None and follow_up is None and cohort.time is not None:
        cohort, potential = _follow_up_from_dates(cohort, dates)
    return Material(cohort, drivers, dates, potential)


def _follow_up_from_dates(cohort: Cohort, entry: Array) -> tuple[Cohort, PotentialFollowUp]:
    """Potential follow-up as the time from entry to the end of the data, where nearly all were followed that far."""
    ends = entry + cohort.required("time")
    last = float(ends.max())
    tolerance = SAME_END * (last - float(entry.min()))
    to_end = ends[~cohort.labeled] >= last - tolerance
    share, counts = float(np.mean(to_end)), (to_end.size, int(to_end.sum()))
    if share < ADMINISTRATIVE_SHARE:
        return cohort, PotentialFollowUp("lost", share, *counts)
    # An unlabeled person who was lost was followed until then; a labeled one would have been to the end.
    potential = np.where(cohort.labeled, last - entry, cohort.required("time"))
    reached = replace(cohort, follow_up=np.maximum(potential, cohort.required("time")))
    return reached, PotentialFollowUp("dates", share, *counts)
