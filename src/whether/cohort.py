"""The checked arrays that everything below the estimators works on.

A `Cohort` is made by `whether.validate` and nowhere else, so whoever holds one may rely on it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from whether.arrays import Array, Flags, Rows


@dataclass(frozen=True)
class Cohort:
    """Features, labels and times of n people, checked.

    Attributes
    ----------
    features : ndarray of shape (n, d)
    labeled : ndarray of bool, shape (n,)
        Whether the event was seen.
    weight : ndarray of shape (n,) or None
        How many people each row stands for; None means one each.
    time : ndarray of shape (n,) or None
        Time of the event if it was seen, else of the end of follow-up.
    follow_up : ndarray of shape (n,) or None
        How long the person was, or would have been, under observation.
    names : tuple of str
        One name per feature column.
    """

    features: Array
    labeled: Flags
    names: tuple[str, ...]
    weight: Array | None = None
    time: Array | None = None
    follow_up: Array | None = None

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
        return Cohort(
            self.features[rows],
            self.labeled[rows],
            self.names,
            None if self.weight is None else self.weight[rows],
            None if self.time is None else self.time[rows],
            None if self.follow_up is None else self.follow_up[rows],
        )

    def thin(self, most: int) -> Cohort:
        """Return evenly spaced rows, at most so many; all of them where there are no more."""
        return self if self.n <= most else self.take(np.arange(0, self.n, -(-self.n // most)))

    def select(self, columns: Rows) -> Cohort:
        """Return the cohort with these features, in this order."""
        names = tuple(self.names[column] for column in columns)
        return replace(self, features=self.features[:, columns], names=names)
