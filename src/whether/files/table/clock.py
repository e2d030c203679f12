"""How closely columns follow the time, among people with the event and among those without, each by themselves."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

FEWEST = 8
# Correlation with the time, in both groups, that nothing known at entry has; the lower limit allows for few people.
CERTAIN_RANK, CERTAIN_LIMIT, SUSPECT_LIMIT = 0.9, 0.8, 0.7
CERTAIN_ORDER, FEWEST_TO_ORDER = 0.95, 10  # share of the pairs, and people who have another value than most
SCREEN = 0.6  # gaps weaken a correlation, so that candidates are looked at again without them
DISTINCT = 1e-5  # share of a column's variance that another must leave
LARGEST = 1e100  # whose square is a number
MOST_SUMS = 300  # columns among which sums are looked for


@dataclass(frozen=True)
class Follows:
    """How closely a column follows the time: the weaker of the two groups, and its lower limit."""

    rank: float
    limit: float

    @property
    def certain(self) -> bool:
        """Whether no honest feature can do so."""
        return self.rank >= CERTAIN_RANK and self.limit >= CERTAIN_LIMIT

    @property
    def suspected(self) -> bool:
        """Whether few honest features can do so."""
        return self.limit >= SUSPECT_LIMIT


class Clock:
    """The times of people with and without the event."""

    def __init__(self, time: Array, event: Flags) -> None:
        from scipy.stats import rankdata

        self.time, self.event = time / time.max(), event  # as shares, whose squares are numbers
        self.ranks = np.asarray(rankdata(time), dtype=float)
        self._own = [np.asarray(rankdata(time[rows]), dtype=float) for rows in (event, ~event)]

    def follows(self, values: Array) -> Follows | None:
        """Rank correlation with the time, of the same sign in both groups; None where there are too few people."""
        from scipy.stats import rankdata

        known = ~np.isnan(values)
        found = []
        for group, own in zip((self.event, ~self.event), self._own, strict=True):
            rows = np.flatnonzero(known & group)
            if rows.size < FEWEST:
                return None
            ranks = own if rows.size == own.size else rankdata(self.time[rows])
            found.append((_correlate(rankdata(values[rows]), ranks), rows.size))
        return _weaker(found)

    def orders(self, values: Array) -> bool:
        """Whether people with different values come in the order of the time, in both groups: nothing honest does that.

        A time that is cut off at some length, or the gaps of what was measured at a later visit, order few pairs.
        """
        from scipy.stats import kendalltau

        known = ~np.isnan(values)
        signs = []
        for group in (self.event, ~self.event):
            own, time = values[known & group], self.time[known & group]
            often = np.unique(own, return_counts=True)[1].max(initial=0)
            if own.size - often < FEWEST_TO_ORDER:
                return False
            order = _concordance(own, time, float(kendalltau(own, time).statistic))
            if abs(order) < CERTAIN_ORDER:
                return False
            signs.append(order > 0)
        return signs[0] == signs[1]

    def find_sums(self, columns: Mapping[str, Array], entries: Sequence[Array]) -> dict[str, str]:
        """Columns that are another one, or an entry, plus the time: age or date at the end; with that other one."""
        usable = [(name, values) for name, values in columns.items() if not np.any(np.abs(values) > LARGEST)]
        numbers = dict(usable[:MOST_SUMS])
        names = list(numbers)
        if not names:
            return {}
        values = np.column_stack([_fill(numbers[name]) for name in names])
        found: dict[str, str] = {}
        for given in (None, *entries):
            screened = self._screen(values, given)
            for x, z in zip(*np.nonzero(screened >= SCREEN), strict=True):
                if names[x] not in found and self._is_sum(numbers[names[x]], numbers[names[z]], given):
                    found[names[x]] = names[z]
        for name in names:
            if name not in found and any(self._is_sum(numbers[name], entry, None) for entry in entries):
                found[name] = ""
        return found

    def _screen(self, values: Array, given: Array | None) -> Array:
        """Correlation of column x with the time where column z is held fixed: the lower of both groups."""
        lowest = np.full((values.shape[1],) * 2, np.inf)
        for rows in (self.event, ~self.event):
            if rows.sum() < FEWEST:
                return np.zeros_like(lowest)
            table = np.column_stack([self.time[rows], values[rows]])
            if given is not None:
                table = _residuals(table, given[rows, None])
            lowest = np.minimum(lowest, _partial(table))
        return lowest

    def _is_sum(self, values: Array, other: Array, given: Array | None) -> bool:
        """Whether, the other column held fixed, a column follows the time in both groups."""
        controls = np.column_stack([other] if given is None else [other, given])
        known = ~np.isnan(values) & ~np.isnan(controls).any(axis=1)
        found = []
        for rows in (np.flatnonzero(known & self.event), np.flatnonzero(known & ~self.event)):
            if rows.size < FEWEST + controls.shape[1]:
                return False
            table = np.column_stack([self.time[rows], values[rows]])
            left = _residuals(table, controls[rows])
            if np.any(left.var(axis=0) <= DISTINCT * np.maximum(table.var(axis=0), 1e-300)):
                return False  # the same column twice, or one that the controls determine
            found.append((float(_correlate(left[:, 0], left[:, 1])), rows.size))
        follows = _weaker(found)
        # Age at the end is age plus the time; age is that less the time, and is no leak.
        return follows is not None and follows.certain and min(value for value, _ in found) > 0


def _concordance(one: Array, other: Array, tau: float) -> float:
    """Goodman and Kruskal's gamma, from Kendall's tau-b: of the pairs that differ in both, concordant less others."""

    def ties(values: Array) -> float:
        counts = np.unique(values, axis=0, return_counts=True)[1].astype(float)
        return float((counts * (counts - 1)).sum()) / 2

    every = one.size * (one.size - 1) / 2
    mine, others = ties(one), ties(other)
    differ = every - mine - others + ties(np.column_stack([one, other]))
    return tau * math.sqrt((every - mine) * (every - others)) / differ if differ > 0 else 0.0


def _correlate(one: Array, other: Array) -> float:
    one, other = one - one.mean(), other - other.mean()
    size = math.sqrt(float(one @ one) * float(other @ other))
    return float(one @ other) / size if size > 0 else 0.0


def _weaker(found: list[tuple[float, int]]) -> Follows | None:
    """The weaker of two correlations, and the lower of their limits (Fisher); None if their signs differ."""
    (one, _), (other, _) = found
    if one * other <= 0:
        return Follows(0.0, 0.0)
    limits = [math.tanh(math.atanh(min(abs(value), 1 - 1e-12)) - 2 / math.sqrt(n - 3)) for value, n in found]
    return Follows(min(abs(one), abs(other)), min(limits))


def _fill(values: Array) -> Array:
    known = values[~np.isnan(values)]
    return np.where(np.isnan(values), known.mean() if known.size else 0.0, values)


def _residuals(table: Array, controls: Array) -> Array:
    design = np.column_stack([np.ones(len(table)), controls - controls.mean(axis=0)])
    centred = table - table.mean(axis=0)
    return np.asarray(centred - design @ np.linalg.lstsq(design, centred, rcond=None)[0])


def _partial(table: Array) -> Array:
    """Partial correlation of the first column with column x given column z, at [x, z]; 0 where one determines it."""
    centred = table - table.mean(axis=0)
    size = np.sqrt((centred**2).sum(axis=0))
    scaled = centred / np.where(size > 1e-9 * (1 + np.abs(table).max(axis=0)), size, np.inf)
    correlation = scaled.T @ scaled
    with_time, among = correlation[0, 1:], correlation[1:, 1:]
    left = np.outer(np.ones_like(with_time), 1 - with_time**2) * (1 - among**2)
    partial = (with_time[:, None] - among * with_time[None, :]) / np.sqrt(np.maximum(left, 1e-300))
    return np.where(left > DISTINCT**2, partial, 0.0)
