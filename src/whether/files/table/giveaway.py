"""How well the values of a column tell who had the event, and whether that is more than an honest feature can do."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

# An honest feature errs in at least so many people with the event, and without.
HONEST_ERROR, P_HONEST = 0.1, 1e-3
NEARLY_SAME, MAYBE_SAME = 0.9, 0.85  # of Youden's index, or the correlation
FEWEST = 10
# Values that only people with the event have are a leak if they cover most events and the others have hardly any.
MOST_EVENTS, HARDLY_ANY, HALF, MOST, PURE = 0.5, 0.2, 0.5, 0.8, 0.99
HONEST_AUC, CERTAIN_AUC = 0.95, 0.995
FEWEST_TO_SEPARATE = 30  # of either kind: an honest score separates fewer by chance


@dataclass(frozen=True)
class Split:
    """People with and without the event at each value, the value with the highest share of events first."""

    rates: Array  # share of events at each value, in the order of their codes
    hits: Array  # people with the event in the first values, the first two, ...
    misses: Array  # people without it there

    @classmethod
    def of(cls, codes: NDArray[np.int64], event: Flags) -> Split:
        """Count people at each value."""
        n = np.bincount(codes)
        with_event = np.bincount(codes[event], minlength=n.size)
        rates = with_event / n
        order = np.argsort(-rates, kind="stable")
        return cls(rates, np.cumsum(with_event[order]).astype(float), np.cumsum((n - with_event)[order]).astype(float))

    @property
    def is_copy(self) -> bool:
        """Whether some of the values mean the event and the others that there is none, but for a few errors."""
        same, honest = self._compare()
        return same == 1 or (same >= NEARLY_SAME and honest < P_HONEST)

    @property
    def may_be_copy(self) -> bool:
        """Whether that may be so, with more errors or among fewer people."""
        same, honest = self._compare()
        return same >= MAYBE_SAME and honest < 10 * P_HONEST

    def _compare(self) -> tuple[float, float]:
        """How nearly values and event say the same, and how likely so few errors are for an honest feature."""
        hits, false = self.hits[:-1], self.misses[:-1]
        n_events, n_others = self.hits[-1], self.misses[-1]
        if not hits.size or not n_events or not n_others:
            return 0.0, 1.0
        missed = n_events - hits
        youden = hits / n_events - false / n_others
        tells = hits / (hits + false) - missed / (missed + n_others - false)
        same = np.maximum(youden, np.sqrt(np.clip(youden * tells, 0, 1)))
        best = int(np.argmax(same))
        if missed[best] + false[best] == 0:
            return 1.0, 0.0
        from scipy.stats import binom

        honest = binom.cdf(missed[best], n_events, HONEST_ERROR) * binom.cdf(false[best], n_others, HONEST_ERROR)
        return float(min(same[best], 1 - 1e-9)), float(honest)

    def covers_events(self, *, certain: bool) -> bool:
        """Whether most events, and nobody else, are at some values; an honest value has errors where it has many."""
        size = self.hits + self.misses
        pure = np.flatnonzero((self.hits >= PURE * size) & (size >= FEWEST))
        if not pure.size or pure[-1] + 1 == size.size:
            return False
        hits, people = self.hits[pure[-1]], size[pure[-1]]
        rest = (self.hits[-1] - hits) / (size[-1] - people)
        covers = hits >= MOST_EVENTS * self.hits[-1] and rest <= HARDLY_ANY
        return bool(covers and (not certain or (1 - HONEST_ERROR) ** people < 10 * P_HONEST))

    def pure_values(self, most: float) -> NDArray[np.int64]:
        """The values that nearly only people with the event have; none unless at most so many others have it."""
        size = self.hits + self.misses
        pure = np.flatnonzero((self.hits >= PURE * size) & (size >= FEWEST))
        if not pure.size or pure[-1] + 1 == size.size:
            return np.zeros(0, dtype=np.int64)
        last = pure[-1]
        rest = (self.hits[-1] - self.hits[last]) / (size[-1] - size[last])
        return np.argsort(-self.rates, kind="stable")[: last + 1 if rest <= most else 0]

    @property
    def is_pure_somewhere(self) -> bool:
        """Whether nobody errs among people with some of the values, where an honest value has errors."""
        from scipy.special import comb

        chosen = self.pure_values(MOST)
        if not chosen.size:
            return False
        picked = comb(self.rates.size, chosen.size)
        people = int(self.hits[chosen.size - 1] + self.misses[chosen.size - 1])
        return bool(picked * (1 - HONEST_ERROR) ** people < 10 * P_HONEST)

    def is_filled_with_event(self, filled: Flags) -> bool:
        """Of the two values "empty" and "filled in": whether only people with the event have the second."""
        people, n = int(filled.sum()), filled.size
        share = self.hits[-1] / n
        if self.rates[-1] < 1 or people < FEWEST or people == n:
            return False
        return bool(people * math.log(share) < math.log(P_HONEST))


def tell_apart(values: Array, event: Flags) -> tuple[bool, bool, float]:
    """Whether a score certainly, or possibly, tells the event better than an honest one can; and its AUC."""
    from scipy.stats import rankdata

    known = ~np.isnan(values)
    values, event = values[known], event[known]
    m, k = int(event.sum()), int((~event).sum())
    if min(m, k) < FEWEST:
        return False, False, 0.5
    auc = float((rankdata(values)[event].sum() - m * (m + 1) / 2) / (m * k))
    high = max(auc, 1 - auc)
    is_beyond = high - HONEST_AUC > 3 * _spread(HONEST_AUC, m, k)
    certain = (high >= CERTAIN_AUC and is_beyond) or (high == 1 and min(m, k) >= FEWEST_TO_SEPARATE)
    return bool(certain), bool(is_beyond or high == 1), auc


def _spread(auc: float, m: int, k: int) -> float:
    """Standard error of an AUC (Hanley and McNeil)."""
    one, both = auc / (2 - auc), 2 * auc**2 / (1 + auc)
    return math.sqrt((auc * (1 - auc) + (m - 1) * (one - auc**2) + (k - 1) * (both - auc**2)) / (m * k))
