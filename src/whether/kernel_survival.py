"""Who ever has the event, by features and without any model: the level of a kernel-weighted Kaplan-Meier curve.

Beran's curve at a place weights people by how near their features are to it. Where follow-up is long enough it levels
off, and the level is the share of people like these who never have the event (Xu and Peng 2014; Lopez-Cheda and others
2017). Where some are known never to have it, they stay at risk for ever (Safari and others 2021).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from whether.survival import SurvivalCurve
from whether.validate import (
    check_bandwidth,
    check_flags,
    check_labels,
    check_places,
    check_times,
    check_weight,
)

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

# People on whom a bandwidth is chosen at most, resamples, and bandwidths that are tried, as parts of the widest one.
MOST_ROWS, N_RESAMPLES = 1_000, 50
TRIED = np.geomspace(0.1, 1.0, 8)
# Places at which bandwidths are judged, as quantiles of each feature.
JUDGED = (0.1, 0.3, 0.5, 0.7, 0.9)


@dataclass(frozen=True, eq=False)
class LocalIncidence:
    """Share of people who ever have the event, place by place, without a model.

    Attributes
    ----------
    at : ndarray of shape (m, d)
        The places.
    incidence : ndarray of shape (m,)
        One minus the level at which the curve ends; NaN where nobody is near. A lower bound where follow-up is short.
    lower, upper : ndarray of shape (m,)
        Pointwise 95 % limits, by Greenwood's formula for weighted people, on the log-minus-log scale.
    bandwidth : ndarray of shape (d,)
        By feature; 0 where only people with the very same value count.
    people : ndarray of shape (m,)
        How many people with equal weights would be worth as much as those near.
    beyond : ndarray of shape (m,)
        Part of the people near who were followed past the last event near, so that they show that the curve has
        levelled off. Near 0 the curve has not been seen to.
    """

    at: NDArray[Any]
    incidence: Array
    lower: Array
    upper: Array
    bandwidth: Array
    people: Array
    beyond: Array


def nonparametric_incidence(
    x: ArrayLike,
    y: ArrayLike,
    time: ArrayLike,
    *,
    at: ArrayLike | None = None,
    bandwidth: ArrayLike | str = "bootstrap",
    entry_time: ArrayLike | None = None,
    known_negative: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    random_state: int = 0,
) -> LocalIncidence:
    """Probability that the event ever happens, by one or a few features and without a model.

    Parameters
    ----------
    x : array-like of shape (n,) or (n, d)
        Features. People count by Epanechnikov's kernel, or by the product of several; of a feature that has two
        values, or is text, those with the same value count.
    y : array-like of 0 and 1
        Whether the event was seen.
    time : array-like
        When it was seen, else the end of follow-up.
    at : array-like of shape (m,) or (m, d), optional
        Places at which it is asked for; default: nine quantiles of one feature, or the people themselves.
    bandwidth : float, array-like of shape (d,) or "bootstrap"
        Distance at which people cease to count, in the unit of the feature; or that with the smallest error in
        resamples, one part of the range for all features. It is chosen on 1,000 people at most.
    entry_time : array-like, optional
        When people came under observation: nobody is at risk before.
    known_negative : array-like of bool, optional
        Who of the unlabeled is known never to have the event.
    sample_weight : array-like, optional
        How many people each row stands for.
    random_state : int
        Seed of the resamples.

    Returns
    -------
    LocalIncidence

    Examples
    --------
    >>> from whether.kernel_survival import nonparametric_incidence
    >>> nonparametric_incidence(["a", "a", "a", "b", "b"], [1, 1, 0, 1, 0], [1, 2, 3, 1, 2], at=["a", "b"]).incidence
    array([0.67, 0.5 ])
    """
    people = _People.read(x, y, time, entry_time, known_negative, sample_weight)
    places = people.default_places() if at is None else check_places(at, people.x.shape[1], people.is_text)
    if isinstance(bandwidth, str) and bandwidth == "bootstrap":
        settled = people.choose_widths(np.random.default_rng(random_state))
    else:
        settled = check_bandwidth(bandwidth, people.x.shape[1])
    kernel = people.kernel(places, settled)
    levels = people.levels(kernel)
    with np.errstate(invalid="ignore", divide="ignore"):
        worth = kernel.sum(axis=1) ** 2 / (kernel**2 / np.maximum(people.weight, 1e-300)).sum(axis=1)
    return LocalIncidence(places, *levels.incidence(), settled, np.nan_to_num(worth), levels.beyond)


@dataclass(frozen=True, eq=False)
class _Levels:
    """Where weighted curves end, one per place."""

    survival: Array
    greenwood: Array
    beyond: Array

    def incidence(self) -> tuple[Array, Array, Array]:
        """One minus the level, with limits."""
        limits = [_limits(*end) for end in zip(self.survival, self.greenwood, strict=True)]
        lower, upper = np.array(limits).T
        return 1 - self.survival, 1 - upper, 1 - lower


def _limits(survival: float, greenwood: float) -> tuple[float, float]:
    """Limits of one level: those of several are no curve, which would be made to fall."""
    if np.isnan(survival):
        return np.nan, np.nan
    nothing = np.zeros(1)
    lower, upper = SurvivalCurve(nothing, np.array([survival]), nothing, nothing, np.array([greenwood])).interval()
    return float(lower[0]), float(upper[0])


@dataclass(frozen=True, eq=False)
class _People:
    """People in the order of their times, with what is known of them."""

    x: NDArray[Any]
    seen: Flags
    time: Array
    entry: Array | None
    weight: Array

    @classmethod
    def read(
        cls,
        x: ArrayLike,
        y: ArrayLike,
        time: ArrayLike,
        entry_time: ArrayLike | None,
        known_negative: ArrayLike | None,
        sample_weight: ArrayLike | None,
    ) -> _People:
        """Check what was given, and put people in order; who never has the event is at risk for ever."""
        labels = np.asarray(y)
        seen = check_labels(labels, labels.size)
        times = check_times(time, seen.size, "time")
        if known_negative is not None:
            never = check_flags(known_negative, seen.size, "known_negative") & ~seen
            times = np.where(never, np.inf, times)
        values = check_places(x, None, None, seen.size)
        weight = np.ones(seen.size) if sample_weight is None else check_weight(sample_weight, seen.size)
        entry = None if entry_time is None else np.asarray(entry_time, dtype=float)
        order = np.lexsort((~seen, times))
        return cls(values[order], seen[order], times[order], None if entry is None else entry[order], weight[order])

    @property
    def is_text(self) -> bool:
        """Whether the features are levels and not numbers."""
        return self.x.dtype.kind not in "iufb"

    def default_places(self) -> NDArray[Any]:
        """Quantiles of one feature, or all levels of it, or everybody."""
        distinct = np.unique(self.x, axis=0)
        if self.x.shape[1] > 1 or self.is_text or distinct.shape[0] <= 9:
            return distinct
        return np.quantile(self.x.astype(float), np.linspace(0.1, 0.9, 9), axis=0)

    def kernel(self, places: NDArray[Any], widths: Array) -> Array:
        """How much everybody counts at each place, shape (m, n)."""
        product = np.broadcast_to(self.weight, (places.shape[0], self.weight.size)).copy()
        for column, width in enumerate(widths):
            if width == 0:
                product *= places[:, column, None] == self.x[:, column]
            else:
                away = (places[:, column, None].astype(float) - self.x[:, column].astype(float)) / width
                product *= np.maximum(1 - away**2, 0.0)
        return product

    def levels(self, kernel: Array) -> _Levels:
        """Where the curves of weighted people end."""
        starts = np.flatnonzero(np.append(True, self.time[1:] != self.time[:-1]))
        total = kernel.sum(axis=1, keepdims=True)
        before = np.cumsum(kernel, axis=1)[:, starts] - kernel[:, starts]
        at_risk = total - before
        if self.entry is not None:
            at_risk -= self._not_yet_there(kernel, self.time[starts])
        events = np.add.reduceat(kernel * self.seen, starts, axis=1)
        squares = np.add.reduceat(kernel**2 / np.maximum(self.weight, 1e-300) * self.seen, starts, axis=1)
        some = (events > 0) & (at_risk > 1e-12 * total)
        with np.errstate(divide="ignore", invalid="ignore"):
            hazard = np.where(some, np.minimum(events / at_risk, 1.0), 0.0)
            hazard[hazard > 1 - 1e-12] = 1.0
            added = np.where(some, squares / (at_risk**2 * (1 - hazard)), 0.0)
            survival = np.where(total[:, 0] > 0, np.prod(1 - hazard, axis=1), np.nan)
        last = np.where(some, np.arange(starts.size), -1).max(axis=1)
        left = np.append(at_risk, np.zeros((total.size, 1)), axis=1)[np.arange(total.size), last + 1]
        return _Levels(survival, added.sum(axis=1), left / np.maximum(total[:, 0], 1e-300))

    def _not_yet_there(self, kernel: Array, times: Array) -> Array:
        """Weight of people who come under observation at some times, or later."""
        assert self.entry is not None
        order = np.argsort(self.entry)
        sums = np.cumsum(np.append(kernel[:, order], np.zeros((kernel.shape[0], 1)), axis=1)[:, ::-1], axis=1)[:, ::-1]
        return np.asarray(sums[:, np.searchsorted(self.entry[order], times, side="left")])

    def take(self, rows: NDArray[np.intp]) -> _People:
        """Return some of them, whose order is kept."""
        entry = None if self.entry is None else self.entry[rows]
        return _People(self.x[rows], self.seen[rows], self.time[rows], entry, self.weight[rows])

    def _ranges(self) -> Array:
        """Range of each feature without its tails; 0 where people with the same value are compared."""
        if self.is_text:
            return np.zeros(self.x.shape[1])
        values = self.x.astype(float)
        inner = np.ptp(np.quantile(values, [0.025, 0.975], axis=0), axis=0)
        few = np.array([np.unique(column).size <= 2 for column in values.T])
        return np.where(few, 0.0, np.where(inner > 0, inner, np.ptp(values, axis=0)))

    def choose_widths(self, rng: np.random.Generator) -> Array:
        """Bandwidth with the smallest squared error in resamples drawn near each person, at a wide one."""
        ranges, n = self._ranges(), self.time.size
        if not ranges.any():
            return ranges
        part = self.take(np.arange(0, n, -(-n // MOST_ROWS)))
        places = np.quantile(part.x.astype(float), JUDGED, axis=0)
        places[:, ranges == 0] = np.median(part.x[:, ranges == 0], axis=0)
        pilot = 0.75 * ranges * part.time.size ** (-1 / 9)
        target = part.levels(part.kernel(places, pilot)).survival
        errors = np.zeros(TRIED.size)
        for drawn in part.resample(pilot, rng):
            for number, share in enumerate(TRIED):
                level = drawn.levels(drawn.kernel(places, share * ranges)).survival
                errors[number] += float(np.nanmean((np.nan_to_num(level, nan=1.0) - target) ** 2))
        return np.asarray(TRIED[int(np.argmin(errors))] * ranges * (n / part.time.size) ** -0.2)

    def resample(self, widths: Array, rng: np.random.Generator) -> Iterator[_People]:
        """People with everybody's features, and what was seen of a neighbour of each."""
        kernel = self.kernel(self.x, widths)
        cumulative = np.cumsum(kernel, axis=1)
        for _ in range(N_RESAMPLES):
            wanted = rng.random(self.time.size) * cumulative[:, -1]
            near = np.minimum((cumulative < wanted[:, None]).sum(axis=1), self.time.size - 1)
            order = np.lexsort((~self.seen[near], self.time[near]))
            rows = near[order]
            entry = None if self.entry is None else self.entry[rows]
            yield _People(self.x[order], self.seen[rows], self.time[rows], entry, self.weight[order])
