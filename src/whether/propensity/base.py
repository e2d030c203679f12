"""What a propensity is: the interface that the likelihood, the learners and the estimators rely on."""

import inspect
from abc import ABC, abstractmethod
from typing import Any, ClassVar, NamedTuple

import numpy as np

from whether.arrays import Array, Flags
from whether.cohort import Cohort
from whether.distributions import Jet
from whether.propensity.observed import Observed


class Terms(NamedTuple):
    """A function of K predictors per person, with first and second derivatives."""

    value: Array  # of shape (n,)
    gradient: Array  # of shape (K, n)
    curvature: Array  # of shape (K, K, n)


# What stands for a difference that is lost in rounding.
SMALLEST = 1e-100


def log_difference(larger: Terms, smaller: Terms) -> Terms:
    """Log(e^larger - e^smaller), with derivatives; slopes that no number holds are zero, at values far from any fit."""
    gone = np.isneginf(larger.value)  # then both are, and so is their difference
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        rest = np.where(gone, 1.0, -np.expm1(np.minimum(smaller.value - larger.value, 0.0)))
        rest = np.maximum(rest, SMALLEST)
        above, below = 1 / rest, 1 / rest - 1
        value = larger.value + np.log(rest)
        gradient = above * larger.gradient - below * smaller.gradient
        curvature = above * _bend(larger) - below * _bend(smaller) - gradient[:, None] * gradient
    finite = np.isfinite(curvature).all(axis=(0, 1)) & np.isfinite(gradient).all(axis=0)
    parts = value, np.where(finite, gradient, 0.0), np.where(finite, curvature, 0.0)
    nothing = np.isneginf(smaller.value)  # to take away: the larger one to its last digit
    return Terms(*(np.where(nothing, whole, part) for whole, part in zip(larger, parts, strict=True)))


def _bend(terms: Terms) -> Array:
    """Second derivatives of the exponential, as a share of it."""
    return np.asarray(terms.curvature + terms.gradient[:, None] * terms.gradient)


def merge_terms(chosen: Flags, first: Terms, second: Terms) -> Terms:
    """Terms of people of whom the chosen have the first and the others the second."""
    parts = []
    for one, two in zip(first, second, strict=True):
        whole = np.empty((*one.shape[:-1], chosen.size))
        whole[..., chosen], whole[..., ~chosen] = one, two
        parts.append(whole)
    return Terms(*parts)


def terms_along(jet: Jet, inner: Terms) -> Terms:
    """Chain rule from a function of eta + inner(v) to (eta, v)."""
    size, weighted = 1 + inner.gradient.shape[0], jet.second * inner.gradient
    gradient = np.empty((size, jet.first.size))
    gradient[0], gradient[1:] = jet.first, jet.first * inner.gradient
    curvature = np.empty((size, size, jet.first.size))
    curvature[0, 0], curvature[0, 1:], curvature[1:, 0] = jet.second, weighted, weighted
    for j in range(size - 1):
        curvature[1 + j, 1:] = jet.first * inner.curvature[j] + weighted[j] * inner.gradient
    return Terms(jet.value, gradient, curvature)


class Propensity(ABC):
    """A restriction on the labeling propensity e = Pr(labeled | positive).

    A propensity turns predictors ``v`` (one row per predictor, one column per person) and what was observed of each
    person into ``log_seen`` for labeled and ``log_missed`` for unlabeled people, with derivatives. What the constructor
    takes is kept under the same names, so that a model can be saved.

    """

    name: str = ""  # of the candidate, where several differ in shape
    predictors: tuple[str, ...]  # in the order of the rows of v
    # Which predictors follow the features in a linear model, with shared slopes; others are one number for everybody.
    sloped: tuple[bool, ...]
    # Sign with which the index of the outcome enters the sloped predictors when a higher risk is seen *earlier*: +1 for
    # hazards and propensities, -1 for locations.
    index_sign: ClassVar[float] = 1.0
    # A slope of this size departs from the shared index as much as a slope of one spread of log time does: the unit in
    # which the penalty on departures is meant.
    slope_unit: ClassVar[float] = 1.0
    has_level: ClassVar[bool] = True  # whether the level of predictors is theirs, and not that of a baseline
    without_level: ClassVar[tuple[int, ...]] = ()  # predictors whose level is zero, because a baseline is free
    ratio_kind: ClassVar[str] = "odds ratio"  # what the exponential of a slope means; empty for nothing
    needs_time: ClassVar[bool] = False  # which of the two clocks is read, if any
    needs_follow_up: ClassVar[bool] = False
    # Which predictors, of what becomes of negatives, follow the features with slopes of their own.
    other_sloped: tuple[int, ...] = ()
    other_ridge: float = 0.0  # penalty on the squares of those slopes, besides that on all, in persons

    @abstractmethod
    def log_seen(self, v: Array, observed: Array) -> Terms:
        """Log probability (density, where times are known) of the label of a labeled positive."""

    @abstractmethod
    def log_missed(self, v: Array, observed: Array) -> Terms:
        """Log probability that a positive was not seen."""

    def seen_terms(self, v: Array, observed: Observed) -> Terms:
        """``log_seen`` of anybody labeled, be it within an interval."""
        if observed.lower is None or not self.has_clock:
            return self.log_seen(v, observed.end)
        whole = np.isnan(np.atleast_2d(observed.lower)[0])
        part = observed.take(~whole)
        within = self.log_between(v[:, ~whole], np.asarray(part.lower), part.end)
        return merge_terms(whole, self.log_seen(v[:, whole], observed.end[..., whole]), within)

    def log_between(self, v: Array, lower: Array, upper: Array) -> Terms:
        """Log probability that the event of a positive comes between two places."""
        return log_difference(self.log_missed(v, lower), self.log_missed(v, upper))

    def missed_terms(self, v: Array, observed: Observed) -> Terms:
        """``log_missed`` of anybody unlabeled: of people to whom the event never comes, no positive was missed."""
        missed = self.log_missed(v, observed.end)
        if observed.never is None:
            return missed
        slopes = (np.where(observed.never, 0.0, part) for part in (missed.gradient, missed.curvature))
        return Terms(np.where(observed.never, -np.inf, missed.value), *slopes)

    def levels_like(self, levels: Array, other: "Propensity") -> Array:
        """Intercepts of the predictors, under which much is as it is with these ones under another candidate."""
        return levels

    def diagonal(self, v: Array, observed: Observed, *, labeled: bool) -> tuple[Array, Array, Array]:
        """``seen_terms`` or ``missed_terms`` with no second derivatives but those in each predictor by itself."""
        value, gradient, curvature = (self.seen_terms if labeled else self.missed_terms)(v, observed)
        return value, gradient, np.einsum("iin->in", curvature)

    def slopes(self, v: Array, observed: Observed, *, labeled: bool) -> tuple[Array, Array]:
        """``seen_terms`` or ``missed_terms`` without second derivatives."""
        return (self.seen_terms if labeled else self.missed_terms)(v, observed)[:2]

    def unlabeled_terms(self, v: Array, observed: Observed) -> tuple[Terms, Terms | None]:
        """``missed_terms`` in the predictors of positives, and the log probability of what became of a negative.

        That is in the last of the predictors, and None where nothing is said of negatives.
        """
        return self.missed_terms(v, observed), None

    def log_left(self, v: Array, place: Array) -> Array:
        """Log probability that the event of a positive comes after a place."""
        return self.log_missed(v, place).value

    def observe(self, cohort: Cohort) -> Observed:
        """Return what the functions above take besides the predictors."""
        never = cohort.seen_negative
        if not self.has_clock:
            return Observed(np.zeros(cohort.n), never=never)
        end = self.locate(cohort.required("time" if self.needs_time else "follow_up"))
        entry = None if cohort.entry_time is None else self._place_after_start(cohort.entry_time)
        lower = entry
        if self.needs_time:
            lower = None if cohort.time_lower is None else self._place_in_time(cohort.time_lower)
        return Observed(end, lower, entry, never, cohort.competing)

    def _place_after_start(self, time: Array) -> Array:
        """Places of times, NaN at time zero."""
        return np.where(time > 0, self.locate(np.where(time > 0, time, 1.0)), np.nan)

    def _place_in_time(self, time: Array) -> Array:
        """Places of times where any is given, and NaN elsewhere."""
        known = ~np.isnan(time)
        with np.errstate(divide="ignore"):
            return np.where(known, self.locate(np.where(known, time, 1.0)), np.nan)

    @property
    def n_of_positives(self) -> int:
        """Number of predictors, the first ones, that say when positives are seen; the others are of negatives."""
        return len(self.predictors)

    @property
    def has_negatives(self) -> bool:
        """Whether something is said of when negatives are seen."""
        return self.n_of_positives < len(self.predictors)

    @property
    def has_clock(self) -> bool:
        """Whether one of the clocks is read."""
        return self.needs_time or self.needs_follow_up

    def locate(self, time: Array) -> Array:
        """Return what is observed of people who were followed up to ``time``: nothing, where there is no clock."""
        return np.zeros(time.size)

    def start(self, observed: Array, weight: Array | None = None) -> Array:
        """Return values of the K predictors to start from, by what was observed of labeled people and their weight."""
        return np.zeros(len(self.predictors))

    def penalty(self, level: Array) -> tuple[float, Array, Array]:
        """Weak penalty on the average predictors that keeps the optimum finite, with derivatives.

        The default is none. Subtracted from the log-likelihood; worth about one person's observation.
        """
        size = len(self.predictors)
        return 0.0, np.zeros(size), np.zeros((size, size))

    # Average people, half of them positive, that are added to keep the level of the outcome finite.
    pseudo_people: float = 0.0

    @property
    def is_penalized(self) -> bool:
        """Whether there is a penalty of its own on the levels."""
        return False

    def units(self) -> tuple[Array, Array]:
        """Offset and multiplier that turn the predictors into the user's units (log time, logits)."""
        size = len(self.predictors)
        return np.zeros(size), np.ones(size)

    def parameters(self) -> dict[str, Any]:
        """What the constructor was given."""
        return {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}
