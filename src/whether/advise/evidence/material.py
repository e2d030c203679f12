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
from whether.validate import (
    ArgumentError,
    DataError,
    check_cohort,
    check_entry_dates,
    check_features,
    check_table,
    refuse_sparse,
    resolve_columns,
)

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

# What may be asked of people who can die first: whether the event comes before death, or would without other deaths.
LIFETIME, NET = "lifetime", "net"

# Share of the unlabeled who must have been followed to the end before that is taken for everybody's potential
# follow-up, given or from dates. Where many were lost earlier, labeled people might have been, too: nobody knows who.
ADMINISTRATIVE_SHARE = 0.95
# How far, as a part of the whole period, an end of follow-up may lie before the planned one and still count as at it.
SAME_END = 0.01


@dataclass(frozen=True)
class PotentialFollowUp:
    """Where everybody's potential follow-up comes from."""

    source: str  # "given", "dates", "unknown", or "lost": it was given, but too many left before.
    # Share of the unlabeled who were followed to their end, where it is known and not everybody was.
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
    planned: Array | None = None  # where everybody's follow-up would have ended, death or not
    question: str = ""  # LIFETIME or NET where deaths are told apart
    died: Flags | None = None  # who died without the event, under either question

    @property
    def open_people(self) -> Flags:
        """Who is alive, as far as known, without the event, and may still have it."""
        closed = self.cohort.labeled
        for known in (self.cohort.known_negative, self.died):
            closed = closed if known is None else closed | known
        return np.asarray(~closed)

    @property
    def enters_late(self) -> bool:
        """Whether some people came under observation after time zero."""
        return self.cohort.entry_time is not None

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
    question: str | None = None,
    **records: ArrayLike | None,
) -> Material:
    """Check what `examine` is given, and add the potential follow-up where dates of entry give it."""
    check_table(X)
    refuse_sparse(X, "the examination of a cohort")
    features = np.asarray(X, dtype=float)
    if features.ndim != 2:
        raise DataError(f"X must be a table with one row per person, got {features.ndim} dimension(s).")
    columns = list(getattr(X, "columns", []))
    named = bool(columns) and all(isinstance(column, str) for column in columns)
    names = columns if named else [f"x{i}" for i in range(features.shape[1])]
    check_features(features, names)
    cohort = check_cohort(features, y, names=names, time=time, follow_up=follow_up, **records)
    if cohort.entry_time is not None and cohort.time is None and cohort.follow_up is None:
        raise DataError("entry_time says when people came under observation; pass time= or follow_up=, its end, too.")
    died, asked = cohort.competing, _settle_question(question, cohort.competing is not None)
    if asked == NET:
        cohort = replace(cohort, competing=None)  # a death is an end of follow-up
    drivers = None
    if propensity_features is not None:
        drivers = resolve_columns(propensity_features, names if named else len(names), "propensity_features")
    potential = PotentialFollowUp("given" if follow_up is not None else "unknown")
    dates, planned = None if entry is None else check_entry_dates(entry, cohort.n), cohort.follow_up
    if planned is not None and cohort.time is not None:
        cohort, potential = _follow_up_to(cohort, planned, SAME_END * planned, "given")
    elif dates is not None and cohort.time is not None:
        last = float((dates + cohort.time).max())
        planned = last - dates
        cohort, potential = _follow_up_to(cohort, planned, SAME_END * (last - float(dates.min())), "dates")
    planned = None if potential.source == "lost" else planned
    return Material(cohort, drivers, dates, potential, planned, asked, died)


def _settle_question(question: str | None, has_deaths: bool) -> str:
    """Return which question is asked; none where nobody is said to have died."""
    if question not in (None, LIFETIME, NET):
        raise ArgumentError(
            f"question={question!r} is none of 'lifetime' (the event before death) and 'net' (the event in a world "
            "without other deaths)."
        )
    if question is not None and not has_deaths:
        raise ArgumentError(f"question={question!r} is about deaths: say in competing= who died without the event.")
    return (question or LIFETIME) if has_deaths else ""


def _follow_up_to(cohort: Cohort, planned: Array, tolerance: Any, source: str) -> tuple[Cohort, PotentialFollowUp]:
    """Potential follow-up as it was planned, where nearly all were followed that far; else it is unknown."""
    time, negative = cohort.required("time"), cohort.seen_negative
    closed = cohort.labeled if negative is None else cohort.labeled | negative
    to_end = (time >= planned - tolerance)[~closed]
    share, counts = float(np.mean(to_end)) if to_end.size else 0.0, (to_end.size, int(to_end.sum()))
    if share < ADMINISTRATIVE_SHARE:
        return replace(cohort, follow_up=None), PotentialFollowUp("lost", share, *counts)
    # An unlabeled person who was lost, or died, was followed until then; a labeled one would have been to the end.
    reached = replace(cohort, follow_up=np.maximum(np.where(cohort.labeled, planned, time), time))
    return reached, PotentialFollowUp(source, math.nan if source == "given" and share == 1 else share, *counts)
