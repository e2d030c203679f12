"""How closely columns follow the time, among people with the event and among those without, each by themselves."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from whether.files.table.giveaway import HALF, Split

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
MORE, FAR_MORE = 0.1, 0.3  # by how much the correlations of two columns with the time differ if that tells something
P_LOST, P_LATER = 1e-4, 0.05


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


@dataclass(frozen=True)
class Sum:
    """Of what, besides the time, a column is made; and whether it may be the other one that is."""

    beside: str
    certain: bool


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

    def loses_nobody(self, split: Split, codes: NDArray[np.int64]) -> bool:
        """Whether some values are those of people with the event, of whom too few were lost before it.

        Even if all people with an honest value have the event in the end, follow-up ends before it for as many of them
        as for others. Those who entered long ago are an exception: their events are late.
        """
        from scipy.special import comb
        from scipy.stats import CensoredData, ecdf, mannwhitneyu, poisson

        values = split.pure_values(HALF)
        chosen = np.isin(codes, values)
        with_event, others = self.time[chosen & self.event], self.event & ~chosen
        if not with_event.size or np.all(self.event | chosen):
            return False
        ends = CensoredData(self.time[~chosen & ~self.event], right=self.time[others])
        # An event comes before an end of follow-up at the same time.
        followed = ecdf(ends).sf.evaluate(np.nextafter(with_event, 0))
        expected = -np.log(np.maximum(followed, 1 / chosen.size)).sum()
        honest = poisson.cdf(int((chosen & ~self.event).sum()), expected)
        honest *= comb(split.rates.size, values.size)  # they were picked
        if honest >= P_LOST:
            return False
        return bool(
            not others.any() or mannwhitneyu(with_event, self.time[others], alternative="greater").pvalue > P_LATER
        )

    def find_sums(self, columns: Mapping[str, Array], entries: Sequence[Array]) -> dict[str, Sum]:
        """Columns that are made of another one, or an entry, and the time: age or date at the end."""
        usable = [(name, values) for name, values in columns.items() if not np.any(np.abs(values) > LARGEST)]
        numbers = dict(usable[:MOST_SUMS])
        names = list(numbers)
        if not names:
            return {}
        values = np.column_stack([_fill(numbers[name]) for name in names])
        found: dict[str, Sum] = {}
        for given in (None, *entries):
            screened = self._screen(values, given)
            close = np.triu(np.maximum(screened, screened.T) >= SCREEN, 1)
            for one, other in zip(*np.nonzero(close), strict=True):
                if names[one] not in found and names[other] not in found:
                    found |= self._leaks_of_two((names[one], names[other]), numbers, given)
        for name in names:
            if name not in found and any(self._sum_sign(numbers[name], entry, None) for entry in entries):
                found[name] = Sum("", certain=True)
        return found

    def _leaks_of_two(
        self, names: tuple[str, str], columns: Mapping[str, Array], given: Array | None
    ) -> dict[str, Sum]:
        """Which of two columns is made of the other one and the time, if one is.

        Each follows the time where the other is held fixed. Age at the end does so upwards, and age downwards. Where
        directions do not tell, or the second follows the time far more by itself, that is the one. The other is
        suspected where it might be that.
        """
        one, other = (columns[name] for name in names)
        signs = self._sum_sign(one, other, given), self._sum_sign(other, one, given)
        if signs == (0, 0):
            return {}
        alone = self._alone(one, given), self._alone(other, given)
        more = int(alone[1] > alone[0])
        lead = alone[more] - alone[1 - more]
        if signs[0] == signs[1]:
            leak, is_clear = more, lead > MORE
        else:
            leak = more if lead > FAR_MORE else int(signs[1] > signs[0])
            is_clear = leak == more or lead <= MORE
        found = {names[leak]: Sum(names[1 - leak], certain=True)}
        return found | ({} if is_clear else {names[1 - leak]: Sum(names[leak], certain=False)})

    def _alone(self, values: Array, given: Array | None) -> float:
        """How closely a column follows the time by itself: the mean of both groups."""
        found = []
        for rows in (self.event, ~self.event):
            table = np.column_stack([self.time[rows], _fill(values)[rows]])
            left = table if given is None else _residuals(table, given[rows, None])
            found.append(abs(_correlate(left[:, 0], left[:, 1])))
        return float(np.mean(found))

    def _screen(self, values: Array, given: Array | None) -> Array:
        """Correlation of column x with the time where column z is held fixed: the weaker of both groups, if alike."""
        found = []
        for rows in (self.event, ~self.event):
            if rows.sum() < FEWEST:
                return np.zeros((values.shape[1],) * 2)
            table = np.column_stack([self.time[rows], values[rows]])
            if given is not None:
                table = _residuals(table, given[rows, None])
            found.append(_partial(table))
        return np.where(found[0] * found[1] > 0, np.minimum(*np.abs(found)), 0.0)

    def _sum_sign(self, values: Array, other: Array, given: Array | None) -> int:
        """In which direction, the other column held fixed, a column follows the time in both groups; 0 for none."""
        controls = np.column_stack([other] if given is None else [other, given])
        known = ~np.isnan(values) & ~np.isnan(controls).any(axis=1)
        found = []
        for rows in (np.flatnonzero(known & self.event), np.flatnonzero(known & ~self.event)):
            if rows.size < FEWEST + controls.shape[1]:
                return 0
            table = np.column_stack([self.time[rows], values[rows]])
            left = _residuals(table, controls[rows])
            if np.any(left.var(axis=0) <= DISTINCT * np.maximum(table.var(axis=0), 1e-300)):
                return 0  # the same column twice, or one that the controls determine
            found.append((float(_correlate(left[:, 0], left[:, 1])), rows.size))
        follows = _weaker(found)
        return int(np.sign(found[0][0])) if follows is not None and follows.certain else 0


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
