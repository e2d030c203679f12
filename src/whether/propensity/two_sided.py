"""Both sides: when the event comes to positives, and when negatives die of something else."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from whether.arrays import Array, Flags, Rows
from whether.propensity.base import Propensity, Terms
from whether.propensity.observed import Observed
from whether.propensity.survival_time import SurvivalTimePropensity

# What the predictors of negatives are called besides those of positives.
DEATH = "death "


class TwoSidedPropensity(Propensity):
    """Event times of positives beside times of death of negatives, who are seen when they die (Larson and Dinse 1985).

    Of a person who is neither, the likelihood is (1 - p) S_D(c) + p S(c). So what is missed of a positive enters as a
    ratio, S / S_D, and the survival of negatives apart. The predictors of negatives come last, and follow all features
    with slopes of their own, which ``other_ridge`` holds back.
    """

    index_sign: ClassVar[float] = SurvivalTimePropensity.index_sign
    ratio_kind: ClassVar[str] = SurvivalTimePropensity.ratio_kind

    def __init__(
        self, events: SurvivalTimePropensity, deaths: SurvivalTimePropensity, other_ridge: float = 0.0
    ) -> None:
        self.events, self.deaths, self.name, self.other_ridge = events, deaths, events.name, other_ridge
        self.size = len(events.predictors)
        self.predictors = (*events.predictors, *(DEATH + name for name in deaths.predictors))
        self.sloped = (*events.sloped, *(False for _ in deaths.predictors))
        self.other_sloped = tuple(self.size + k for k, follows in enumerate(deaths.sloped) if follows)
        self.needs_time, self.needs_follow_up = events.needs_time, events.needs_follow_up  # type: ignore[misc]

    @property
    def n_of_positives(self) -> int:
        """Those of event times."""
        return self.size

    def log_seen(self, v: Array, observed: Array) -> Terms:
        """As of positives."""
        return self._of_events(self.events.log_seen(v[: self.size], observed))

    def log_between(self, v: Array, lower: Array, upper: Array) -> Terms:
        """As of positives."""
        return self._of_events(self.events.log_between(v[: self.size], lower, upper))

    def log_missed(self, v: Array, observed: Array) -> Terms:
        """Log of the survival of positives over that of negatives."""
        events, deaths = self.events.log_missed(v[: self.size], observed), self._alive(v, observed)
        first, own = slice(0, self.size), slice(self.size, None)
        curvature = np.zeros((v.shape[0], *v.shape))
        curvature[first, first], curvature[own, own] = events.curvature, -deaths.curvature
        gradient = np.concatenate([events.gradient, -deaths.gradient])
        return Terms(events.value - deaths.value, gradient, curvature)

    def log_left(self, v: Array, place: Array) -> Array:
        """As of positives."""
        return self.events.log_left(v[: self.size], place)

    def unlabeled_terms(self, v: Array, observed: Observed) -> tuple[Terms, Terms | None]:
        """Survival of both sides of the living, and the density of a death; nothing of who never has the event."""
        if observed.never is None:
            return self.events.log_missed(v[: self.size], observed.end), self._alive(v, observed.end)
        living = _rows_where(~observed.never)
        there, place = v[:, living], observed.end[..., living]
        missed = _among(self.events.log_missed(there[: self.size], place), living, observed.n, value=-np.inf)
        other = _among(self._alive(there, place), living, observed.n)
        if observed.died is not None:
            died = _rows_where(observed.died)
            dead = self.deaths.log_seen(v[self.size :, died], self._place(observed.end[..., died]))
            for whole, part in zip(other, dead, strict=True):
                whole[..., died] = part
        return missed, other

    def _alive(self, v: Array, place: Array) -> Terms:
        return self.deaths.log_missed(v[self.size :], self._place(place))

    def _place(self, place: Array) -> Array:
        """Place on the scale of deaths, from that of events."""
        events, deaths = self.events, self.deaths
        return np.asarray((place * events.spread + events.center - deaths.center) / deaths.spread)

    def _of_events(self, terms: Terms) -> Terms:
        """Terms of the predictors of positives among those of both."""
        size, n = len(self.predictors), terms.value.size
        gradient, curvature = np.zeros((size, n)), np.zeros((size, size, n))
        gradient[: self.size], curvature[: self.size, : self.size] = terms.gradient, terms.curvature
        return Terms(terms.value, gradient, curvature)

    def locate(self, time: Array) -> Array:
        """As of positives."""
        return self.events.locate(time)

    def start(self, observed: Array, weight: Array | None = None) -> Array:
        """As of positives, and deaths as late as the recorded times."""
        return np.concatenate([self.events.start(observed, weight), np.zeros(len(self.deaths.predictors))])

    def penalty(self, level: Array) -> tuple[float, Array, Array]:
        """That of both sides, but deaths may come as late as they like.

        Events that come after the end of follow-up are what the data are silent about. Deaths that do are no claim:
        where few were seen, negatives live on, and a pull towards the recorded times would make positives of them.
        """
        own = level[self.size :].copy()
        own[0] = 0.0
        one, other = self.events.penalty(level[: self.size]), self.deaths.penalty(own)
        other[2][0, 0] = 0.0
        curvature = np.zeros((level.size, level.size))
        curvature[: self.size, : self.size], curvature[self.size :, self.size :] = one[2], other[2]
        return one[0] + other[0], np.concatenate([one[1], other[1]]), curvature

    @property
    def is_penalized(self) -> bool:
        """Whether one of the sides is."""
        return self.events.is_penalized or self.deaths.is_penalized

    def units(self) -> tuple[Array, Array]:
        """Those of both sides."""
        parts = zip(self.events.units(), self.deaths.units(), strict=True)
        offset, multiplier = (np.concatenate(part) for part in parts)
        return offset, multiplier

    def parameters(self) -> dict[str, Any]:
        """The two sides."""
        return {"events": self.events, "deaths": self.deaths, "other_ridge": self.other_ridge}


def _rows_where(flags: Flags) -> Rows | slice:
    """Positions of some people, as a slice where they are next to each other: nothing has to be copied then."""
    rows = np.flatnonzero(flags)
    is_whole = rows.size > 0 and rows[-1] - rows[0] == rows.size - 1
    return slice(int(rows[0]), int(rows[-1]) + 1) if is_whole else rows


def _among(terms: Terms, rows: Rows | slice, n: int, value: float = 0.0) -> Terms:
    """Terms of some of n people; the others have this value and no slopes."""
    if terms.value.size == n:
        return terms
    whole = Terms(np.full(n, value), *(np.zeros((*part.shape[:-1], n)) for part in terms[1:]))
    for target, part in zip(whole, terms, strict=True):
        target[..., rows] = part
    return whole
