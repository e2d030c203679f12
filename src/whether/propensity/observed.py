"""What a propensity reads of people, placed on its own scale of time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whether.arrays import Array, Flags, Rows


def take_people(values: NDArray[Any], rows: Rows | Flags | slice) -> NDArray[Any]:
    """Values of some of the people, who run along the last axis: by row numbers `take` is much faster than an index."""
    if isinstance(rows, slice) or rows.dtype == bool:
        return values[..., rows]
    return values.take(rows, axis=-1)


@dataclass(frozen=True)
class Observed:
    """What is known of people besides label and features; they run along the last axis.

    Places are what `Propensity.locate` makes of times.
    """

    end: Array  # place of the event if it was seen, else of the end of follow-up
    # Place after which the event came, by `end` at the latest. NaN where `end` says it all: the event came then or,
    # where a propensity knows follow-up and no event times, at any time up to then.
    lower: Array | None = None
    entry: Array | None = None  # place where observation began, without the event so far; NaN at time zero
    never: Flags | None = None  # whether the event is known never to come
    died: Flags | None = None  # which of them died at `end`

    @property
    def n(self) -> int:
        """Number of people."""
        return int(self.end.shape[-1])

    def take(self, rows: Rows | slice) -> Observed:
        """Return what is known of some of the people."""
        parts = (self.end, self.lower, self.entry, self.never, self.died)
        taken: list[Any] = [None if part is None else take_people(part, rows) for part in parts]
        return Observed(*taken)

    def ranks(self) -> Array:
        """One number per person by which people are put in order: their place, and infinity where no event comes."""
        place = np.atleast_2d(self.end).sum(axis=0)
        return place if self.never is None else np.where(self.never, np.inf, place)
