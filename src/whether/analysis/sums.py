"""What a fitted model says of people taken together, everybody or some of them, and how sure it is."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from whether.analysis.alternatives import Alternatives, fit_alternatives
from whether.analysis.resampling import RefitSums
from whether.analysis.result import Note
from whether.analysis.still_to_come import predict_still
from whether.analysis.uncertainty import (
    NONE,
    Flags,
    Rows,
    Spread,
    share_interval,
    spread_of_sums,
    unseen_interval,
    window_errors,
)
from whether.analysis.windows import Window, predict_windows
from whether.cohort import Cohort, known_of
from whether.estimators import CensoredClassifier, LabelClassifier
from whether.estimators.intervals import has_errors, risk_intervals
from whether.estimators.refits import can_be_refitted, refit
from whether.evaluate import Interval
from whether.learners.linear.linear_fit import Standardization

Array = NDArray[np.float64]
SpreadOf = Callable[[Rows], Spread]
WindowErrorsOf = Callable[[Rows], Sequence[float]]

UNKNOWN = Spread(math.nan, math.nan)


class Errors(NamedTuple):
    """Standard errors of sums over people, and how they were found."""

    of_sums: SpreadOf
    of_windows: WindowErrorsOf
    notes: tuple[Note, ...]


class Ahead(NamedTuple):
    """Chances of everybody to have the event within lengths of time from when they were last seen."""

    lengths: tuple[float, ...]
    chances: Array  # a row for each length
    followed: Array  # the same as far as somebody was followed for so long


@dataclass(frozen=True, eq=False)
class Sums:
    """Risks of everybody with limits, and intervals of sums over any of them."""

    model: CensoredClassifier
    cohort: Cohort
    risks: Array
    still: Array  # NaN for the labeled
    open_people: Flags  # without the event, and not known never to have it
    lower: Array | None  # limits of the risks
    upper: Array | None
    errors: Errors
    alternatives: Alternatives | None
    level: float
    notes: tuple[Note, ...]  # how intervals were found
    ahead: Ahead

    def measure(self, rows: Rows) -> tuple[Interval, Interval]:
        """Mean risk of some people, and how many of them are expected to have the event still."""
        spread, others = self.errors.of_sums(rows), self.alternatives
        waiting = rows[self.open_people[rows]]
        reach = NONE if others is None else others.reach_of_mean_risk(rows)
        mean_risk = share_interval(float(self.risks[rows].mean()), spread.mean_risk, self.level, reach)
        if isinstance(self.model, LabelClassifier):
            # Anything is possible where all events are taken as seen.
            return mean_risk, Interval(0.0, 0.0, float(waiting.size), math.nan, self.level)
        reach = NONE if others is None or not waiting.size else others.reach_of_unseen(waiting)
        unseen = unseen_interval(self.still[waiting], spread.unseen, self.level, reach)
        return _hold_both(mean_risk, unseen, rows.size), unseen

    def count_windows(self, rows: Rows) -> list[Window]:
        """How many of some people are expected to have the event within each length of time."""
        waiting, others = rows[self.open_people[rows]], self.alternatives
        is_asked = waiting.size > 0 and len(self.ahead.lengths) > 0
        errors = self.errors.of_windows(waiting) if is_asked else [0.0] * len(self.ahead.lengths)
        found = []
        for number, (length, error) in enumerate(zip(self.ahead.lengths, errors, strict=True)):
            chances = self.ahead.chances[number, waiting]
            followed = float(self.ahead.followed[number, waiting].sum())
            reach = NONE if others is None or not waiting.size else others.reach_of_window(number, waiting)
            expected = unseen_interval(chances, error, self.level, reach)
            beyond = 1 - followed / expected.estimate if expected.estimate > 0 else 0.0
            found.append(Window(length, expected, max(beyond, 0.0)))
        return found


def _hold_both(mean_risk: Interval, unseen: Interval, n: int) -> Interval:
    """Widen the interval of a mean risk to what the number of unseen positives leaves possible: they are one thing.

    They part where the propensity is at the end of its range and the covariance of the coefficients tells little.
    """
    seen = n * mean_risk.estimate - unseen.estimate
    lower, upper = (np.clip((seen + end) / n, 0.0, 1.0) for end in (unseen.lower, unseen.upper))
    return replace(
        mean_risk, lower=float(np.fmin(mean_risk.lower, lower)), upper=float(np.fmax(mean_risk.upper, upper))
    )


def take_sums(
    model: CensoredClassifier,
    X: Any,
    cohort: Cohort,
    level: float,
    rng: np.random.Generator,
    *,
    levels_off: bool = False,
    open_people: Flags | None = None,
    lengths: tuple[float, ...] = (),
) -> Sums:
    """Predict for everybody, and find out how sure the model is.

    ``levels_off`` says that the curve of events does, ``open_people`` who may still have the event: everybody without
    it, unless known to be negative; ``lengths`` for how long ahead events are counted.
    """
    if open_people is None:
        open_people = ~cohort.labeled if cohort.seen_negative is None else ~(cohort.labeled | cohort.seen_negative)
    risks, still = model.predict_proba(X)[:, 1], predict_still(model, X, cohort)
    others = fit_alternatives(model, X, cohort, levels_off=levels_off, lengths=lengths)
    errors = _find_errors(model, X, cohort, open_people, rng, lengths)
    notes = errors.notes
    if others is not None:
        _reach_to(others, model, cohort.features)
    limits = risk_intervals(model, X, level)
    if limits is not None and others is not None:
        notes += (Note("intervals reach to other models", {"models": others.weights.size}),)
    lower, upper = (None, None) if limits is None else limits
    when = _look_ahead(model, X, cohort, lengths)
    return Sums(model, cohort, risks, still, open_people, lower, upper, errors, others, level, notes, when)


def _reach_to(others: Alternatives, model: CensoredClassifier, features: Array) -> None:
    """Let intervals of single risks reach to other models: those of new people, by a saved model, do so, too."""
    if has_errors(model):
        moves = others.moves_from(model.model_.predictor.standardization, model.family, features)
        model.model_ = replace(model.model_, steps=moves.steps)
    elif hasattr(model, "refits_"):
        scale = features.std(axis=0)
        every = Standardization(np.arange(scale.size), features.mean(axis=0), np.where(scale > 0, scale, 1.0))
        model.refits_ = replace(model.refits_, moves=others.moves_from(every, model.family, features))


def _look_ahead(model: CensoredClassifier, X: Any, cohort: Cohort, lengths: tuple[float, ...]) -> Ahead:
    """Chances of everybody within lengths of time, and as far as these lie within follow-up."""
    longest = getattr(model, "longest_follow_up_", math.inf)
    within, followed = (predict_windows(model, X, cohort, lengths, until=until) for until in (math.inf, longest))
    return Ahead(lengths, within, followed)


def _find_errors(
    model: CensoredClassifier,
    X: Any,
    cohort: Cohort,
    open_people: Flags,
    rng: np.random.Generator,
    lengths: tuple[float, ...],
) -> Errors:
    """Standard errors of sums, given the model, and how they were found; refits are kept with the model."""
    unknown = [math.nan] * len(lengths)
    if has_errors(model):
        return Errors(*_by_covariance(model, cohort, open_people, lengths), ())
    if not can_be_refitted(cohort.features):
        return Errors(lambda rows: UNKNOWN, lambda rows: unknown, (Note("too large to refit"),))
    labels = cohort.labeled.astype(int)
    model.refits_ = refit(model, X, labels, known_of(cohort), weight=cohort.weight, groups=cohort.groups, rng=rng)
    sums = RefitSums.of(model.refits_, model, X, cohort, lengths)
    note = Note("intervals from refits", {"refits": len(model.refits_.models)})
    return Errors(lambda rows: sums.spread(rows, rows[open_people[rows]]), sums.window_errors, (note,))


def _by_covariance(
    model: CensoredClassifier, cohort: Cohort, open_people: Flags, lengths: tuple[float, ...]
) -> tuple[SpreadOf, WindowErrorsOf]:
    def spread_of(rows: Rows) -> Spread:
        spread = spread_of_sums(model, cohort.take(rows), open_people[rows])
        assert spread is not None, "some people have errors where everybody has"
        return spread

    return spread_of, lambda rows: window_errors(model, cohort.take(rows), lengths)
