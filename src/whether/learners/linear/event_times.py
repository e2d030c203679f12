"""Where everybody stands among the times of events: all that a free baseline reads of the clock."""

from __future__ import annotations

import numpy as np

from whether.arrays import Array, Flags, Rows
from whether.propensity import FreeBaseline, Observed


class EventTimes:
    """The jumps of a baseline, at the times of events, and who has passed how many of them.

    Breslow has one jump at each distinct time. Efron has one for each event; tied ones follow each other, and each of
    the people whose event is among them may be any of these: they are spread evenly over the jumps of their time.

    Attributes
    ----------
    times, n_tied : ndarray
        Distinct times, and how many jumps there are at each.
    mass : ndarray
        Weight of the events of each jump.
    tie : ndarray of int
        Place among the times of each labeled person.
    who, place, weight : ndarray
        Terms of people without the event so far: whose, how many jumps they have passed (at least one), and the weight,
        which is negative where observation began then.
    """

    def __init__(self, observed: Observed, n_labeled: int, weight: Array | None, baseline: FreeBaseline) -> None:
        self.n_labeled, self.weight_of = n_labeled, np.ones(observed.n) if weight is None else weight
        seen, counted = observed.end[0, :n_labeled], self.weight_of[:n_labeled] > 0
        self.times, tie, number = np.unique(seen[counted], return_inverse=True, return_counts=True)
        self.n_tied = number if baseline.is_efron else np.ones_like(number)
        events = np.bincount(tie, self.weight_of[:n_labeled][counted], self.times.size)
        self.mass = np.repeat(events / self.n_tied, self.n_tied)
        # A row that stands for nobody has no jump of its own, and gets a neighbour's.
        self.tie = np.maximum(np.searchsorted(self.times, seen, "right") - 1, 0)
        self._passed = np.concatenate([[0], np.cumsum(self.n_tied)])
        self.is_closed, self._observed = baseline.is_closed, observed
        self._end = self.passed(observed.end[0]), self.is_over(observed.end[0])
        if observed.entry is not None:  # sorting puts those who were there from the start, NaN, behind all others
            self._entry = self.passed(observed.entry[0]), self.is_over(observed.entry[0])
        self._set_terms(observed)

    def _set_terms(self, observed: Observed) -> None:
        unseen = np.arange(observed.n) >= self.n_labeled
        if observed.never is not None:
            unseen = unseen & ~observed.never
        parts = [self._rows_at(*self._end, unseen, 1.0)]
        if observed.entry is not None:
            parts.append(self._rows_at(*self._entry, ~np.isnan(observed.entry[0]), -1.0))
        self.who, self.place, self.weight = (np.concatenate(columns) for columns in zip(*parts, strict=True))

    def _rows_at(self, passed: Rows, over: Flags, counted: Flags, sign: float) -> tuple[Rows, Rows, Array]:
        who = np.flatnonzero(counted & ~over & (passed > 0))
        return who, passed[who], sign * self.weight_of[who]

    @property
    def size(self) -> int:
        """Number of jumps."""
        return int(self.mass.size)

    def passed(self, time: Array) -> Rows:
        """Number of jumps up to any times."""
        return np.asarray(self._passed[np.searchsorted(self.times, time, "right")])

    def is_over(self, time: Array) -> Flags:
        """Whether every positive has had the event."""
        if not self.times.size:  # a part of the people without any event says nothing
            return np.zeros(time.size, dtype=bool)
        return np.asarray(self.is_closed & (time > self.times[-1]))

    def over_ties(self, by_jump: Array) -> Array:
        """Mean over the jumps of each labeled person's time of what runs along the first axis."""
        if not self.size:
            return np.zeros((self.n_labeled, *by_jump.shape[1:]))
        if self.size == self.times.size:
            return np.asarray(by_jump[self.tie])
        sums = np.add.reduceat(by_jump, self._passed[:-1], axis=0)
        return np.asarray((sums.T / self.n_tied).T[self.tie])

    def to_jumps(self, labeled: Array) -> Array:
        """Sums over labeled people, each spread over the jumps of its time."""
        return np.repeat(np.bincount(self.tie, labeled, self.times.size) / self.n_tied, self.n_tied)

    def to_places(self, terms: Array) -> Array:
        """Sums over the terms of people without the event, by the last jump that they have passed."""
        return np.asarray(np.bincount(self.place - 1, terms, self.size), dtype=float)

    def hand_down(self, jumps: Array, part: EventTimes) -> Array:
        """Jumps of some of the people from those of all: what all have gone through between the times of theirs."""
        cumulative = np.append(0.0, np.cumsum(jumps))[self.passed(part.times)]
        return np.repeat(np.diff(cumulative, prepend=0.0) / part.n_tied, part.n_tied)

    def observe(self, jumps: Array) -> Observed:
        """What a propensity with these jumps observes of everybody."""
        cumulative, observed = np.concatenate([[0.0], np.cumsum(jumps)]), self._observed
        end = _place(cumulative, *self._end)
        labeled = slice(0, self.n_labeled)
        end[0, labeled], end[1, labeled] = self.over_ties(cumulative[1:]), self.over_ties(np.log(jumps))
        entry = None
        if observed.entry is not None:
            entry = np.where(np.isnan(observed.entry), np.nan, _place(cumulative, *self._entry))
        return Observed(end, None, entry, observed.never)


def _place(cumulative: Array, passed: Rows, over: Flags) -> Array:
    return np.stack([cumulative[passed], np.zeros(passed.size), over])
