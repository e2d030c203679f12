"""The checked arrays that everything below the estimators works on.

A `Cohort` is made by `whether.validate` and nowhere else, so whoever holds one may rely on it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


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
    labeled: NDArray[np.bool_]
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

    def take(self, rows: NDArray[np.intp]) -> Cohort:
        """Return the cohort of these rows, in this order."""
        return Cohort(
            self.features[rows],
            self.labeled[rows],
            self.names,
            None if self.weight is None else self.weight[rows],
            None if self.time is None else self.time[rows],
            None if self.follow_up is None else self.follow_up[rows],
        )
