"""What a fitted model says of people taken together, everybody or some of them, and how sure it is."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whether.analysis.alternatives import Alternatives, fit_alternatives
from whether.analysis.resampling import refit
from whether.analysis.result import Note
from whether.analysis.still_to_come import predict_still
from whether.analysis.uncertainty import (
    NONE,
    Flags,
    Limits,
    Rows,
    Spread,
    share_interval,
    spread_of_sums,
    unseen_interval,
    widen_limits,
)
from whether.cohort import Cohort
from whether.estimators import CensoredClassifier, LabelClassifier
from whether.estimators.intervals import has_errors, risk_intervals
from whether.evaluate import Interval

Array = NDArray[np.float64]
SpreadOf = Callable[[Rows], Spread]

UNKNOWN = Spread(math.nan, math.nan)


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
    spread_of: SpreadOf
    alternatives: Alternatives | None
    level: float
    notes: tuple[Note, ...]  # how intervals were found

    def measure(self, rows: Rows) -> tuple[Interval, Interval]:
        """Mean risk of some people, and how many of them are expected to have the event still."""
        spread, others = self.spread_of(rows), self.alternatives
        waiting = rows[self.open_people[rows]]
        reach = NONE if others is None else others.reach_of_mean_risk(rows)
        mean_risk = share_interval(float(self.risks[rows].mean()), spread.mean_risk, self.level, reach)
        if isinstance(self.model, LabelClassifier):
            # Anything is possible where all events are taken as seen.
            return mean_risk, Interval(0.0, 0.0, float(waiting.size), math.nan, self.level)
        reach = NONE if others is None or not waiting.size else others.reach_of_unseen(waiting)
        unseen = unseen_interval(self.still[waiting], spread.unseen, self.level, reach)
        return _hold_both(mean_risk, unseen, rows.size), unseen


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
) -> Sums:
    """Predict for everybody, and find out how sure the model is.

    ``levels_off`` says that the curve of events does, ``open_people`` who may still have the event: everybody without
    it, unless known to be negative.
    """
    if open_people is None:
        open_people = ~cohort.labeled if cohort.seen_negative is None else ~(cohort.labeled | cohort.seen_negative)
    risks, still = model.predict_proba(X)[:, 1], predict_still(model, X, cohort)
    others = fit_alternatives(model, X, cohort, levels_off=levels_off)
    if others is not None and has_errors(model):
        steps = others.steps_from(model.model_, model.family, cohort.features)
        model.model_ = replace(model.model_, steps=steps)  # so that a saved model has the same intervals
    limits, spread_of, notes = _find_errors(model, X, cohort, open_people, level, rng)
    if limits is not None and others is not None and not has_errors(model):
        limits = widen_limits(risks, limits, others.reach_of_risks(), level)
    if limits is not None and others is not None:
        notes += (Note("intervals reach to other models", {"models": others.weights.size}),)
    lower, upper = (None, None) if limits is None else limits
    return Sums(model, cohort, risks, still, open_people, lower, upper, spread_of, others, level, notes)


def _find_errors(
    model: CensoredClassifier, X: Any, cohort: Cohort, open_people: Flags, level: float, rng: np.random.Generator
) -> tuple[Limits | None, SpreadOf, tuple[Note, ...]]:
    """Limits of single risks and standard errors of sums, given the model, and how they were found."""
    if has_errors(model):
        return risk_intervals(model, cohort.features, level), _by_covariance(model, cohort, open_people), ()
    if getattr(model.model_, "indexed", None) is not None:
        return None, lambda rows: UNKNOWN, (Note("coefficients not determined"),)
    refits = refit(model, X, cohort, level=level, rng=rng)
    if refits is None:
        return None, lambda rows: UNKNOWN, (Note("too large to refit"),)
    note = Note("intervals from refits", {"refits": refits.risks.shape[0]})
    return (refits.lower, refits.upper), lambda rows: refits.spread(rows, rows[open_people[rows]]), (note,)


def _by_covariance(model: CensoredClassifier, cohort: Cohort, open_people: Flags) -> SpreadOf:
    def spread_of(rows: Rows) -> Spread:
        spread = spread_of_sums(model, cohort.take(rows), open_people[rows])
        assert spread is not None, "some people have errors where everybody has"
        return spread

    return spread_of
