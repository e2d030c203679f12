"""The checked arrays that everything below the estimators works on.

A `Cohort` is made by `whether.validate` and nowhere else, so whoever holds one may rely on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from whether.arrays import Array, Features, Flags, Rows

# What may be known of people besides features and labels.
BESIDE = ("weight", "time", "follow_up", "groups", "known_negative", "time_lower", "entry_time", "competing")


@dataclass(frozen=True)
class Cohort:
    """Features, labels and times of n people, checked."""

    features: Features  # of shape (n, d); sparse where they were given so
    labeled: Flags  # whether the event was seen
    names: tuple[str, ...]  # of the features
    weight: Array | None = None  # how many people each row stands for; None means one each
    time: Array | None = None  # of the event if it was seen, else of the end of follow-up
    follow_up: Array | None = None  # how long the person was, or would have been, under observation
    groups: Rows | None = None  # number of the person, family or centre that a row belongs to, where rows depend
    known_negative: Flags | None = None  # whether it is known that the event never comes
    time_lower: Array | None = None  # after which the event came, by `time` at the latest; NaN where `time` is exact
    entry_time: Array | None = None  # when the person came under observation, without the event so far; 0 is at once
    competing: Flags | None = None  # whether the person died at `time` of something else, for the lifetime question

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.labeled.size

    def required(self, what: str) -> Array:
        """Return ``time`` or ``follow_up``, which validation has made sure is there."""
        values = getattr(self, what)
        assert values is not None, f"{what} was not checked"
        return np.asarray(values)

    @property
    def weights(self) -> Array:
        """How many people each row stands for, where that is not said: one."""
        return np.ones(self.n) if self.weight is None else self.weight

    def take(self, rows: Rows) -> Cohort:
        """Return the cohort of these rows, in this order."""
        beside = {name: getattr(self, name) for name in BESIDE}
        taken: dict[str, Any] = {name: None if values is None else values[rows] for name, values in beside.items()}
        return replace(self, features=self.features[rows], labeled=self.labeled[rows], **taken)

    @property
    def seen_negative(self) -> Flags | None:
        """Who is known never to have the event, be it by dying first; None where nobody is."""
        if self.known_negative is None or self.competing is None:
            return self.competing if self.known_negative is None else self.known_negative
        return np.asarray(self.known_negative | self.competing)

    def without_known_negatives(self) -> Cohort:
        """Return the cohort of those to whom the event may come, or has come: only their times tell of it."""
        negative = self.seen_negative
        return self if negative is None else self.take(np.flatnonzero(~negative))

    def thin(self, most: int) -> Cohort:
        """Return evenly spaced rows, at most so many; all of them where there are no more."""
        return self if self.n <= most else self.take(np.arange(0, self.n, -(-self.n // most)))

    def select(self, columns: Rows) -> Cohort:
        """Return the cohort with these features, in this order."""
        names = tuple(self.names[column] for column in columns)
        return replace(self, features=self.features[:, columns], names=names)


def known_of(cohort: Cohort) -> dict[str, Any]:
    """Return what a classifier's ``fit`` can be told of the people besides features, labels and weights."""
    return {name: getattr(cohort, name) for name in BESIDE if name != "weight"}


# What is meant where nothing is said of anybody.
_UNSAID = {"weight": 1.0, "known_negative": False, "time_lower": np.nan, "entry_time": 0.0, "competing": False}


def join(cohorts: Sequence[Cohort]) -> Cohort:
    """Return one cohort of several with the same features; what is said of some of them holds for these alone."""
    if len(cohorts) == 1:
        return cohorts[0]
    beside: dict[str, Any] = {}
    for name in BESIDE:
        parts = [getattr(cohort, name) for cohort in cohorts]
        if any(part is not None for part in parts):
            filled = [
                np.full(cohort.n, _UNSAID[name]) if part is None else part
                for cohort, part in zip(cohorts, parts, strict=True)
            ]
            beside[name] = np.concatenate(filled)
    features = np.concatenate([cohort.features for cohort in cohorts])
    labeled = np.concatenate([cohort.labeled for cohort in cohorts])
    return replace(cohorts[0], features=features, labeled=labeled, **beside)
