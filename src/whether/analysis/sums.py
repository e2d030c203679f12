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
    lower: Array | None  # limits of the risks
    upper: Array | None
    spread_of: SpreadOf
    alternatives: Alternatives | None
    level: float
    notes: tuple[Note, ...]  # how intervals were found

    def measure(self, rows: Rows) -> tuple[Interval, Interval]:
        """Mean risk of some people, and how many of their unlabeled are expected to be positive."""
        spread, others = self.spread_of(rows), self.alternatives
        unlabeled = rows[~self.cohort.labeled[rows]]
        reach = NONE if others is None else others.reach_of_mean_risk(rows)
        mean_risk = share_interval(float(self.risks[rows].mean()), spread.mean_risk, self.level, reach)
        if isinstance(self.model, LabelClassifier):
            # Anything is possible where all events are taken as seen.
            return mean_risk, Interval(0.0, 0.0, float(unlabeled.size), math.nan, self.level)
        reach = NONE if others is None or not unlabeled.size else others.reach_of_unseen(unlabeled)
        unseen = unseen_interval(self.still[unlabeled], spread.unseen, self.level, reach)
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
) -> Sums:
    """Predict for everybody, and find out how sure the model is; ``levels_off`` says that the curve of events does."""
    risks, still = model.predict_proba(X)[:, 1], predict_still(model, X, cohort)
    others = fit_alternatives(model, X, cohort, levels_off=levels_off)
    if others is not None and has_errors(model):
        steps = others.steps_from(model.model_, model.family, cohort.features)
        model.model_ = replace(model.model_, steps=steps)  # so that a saved model has the same intervals
    limits, spread_of, notes = _find_errors(model, X, cohort, level, rng)
    if limits is not None and others is not None and not has_errors(model):
        limits = widen_limits(risks, limits, others.reach_of_risks(), level)
    if limits is not None and others is not None:
        notes += (Note("intervals reach to other models", {"models": others.weights.size}),)
    lower, upper = (None, None) if limits is None else limits
    return Sums(model, cohort, risks, still, lower, upper, spread_of, others, level, notes)


def _find_errors(
    model: CensoredClassifier, X: Any, cohort: Cohort, level: float, rng: np.random.Generator
) -> tuple[Limits | None, SpreadOf, tuple[Note, ...]]:
    """Limits of single risks and standard errors of sums, given the model, and how they were found."""
    if has_errors(model):
        return risk_intervals(model, cohort.features, level), _by_covariance(model, cohort), ()
    if getattr(model.model_, "indexed", None) is not None:
        return None, lambda rows: UNKNOWN, (Note("coefficients not determined"),)
    refits = refit(model, X, cohort, level=level, rng=rng)
    if refits is None:
        return None, lambda rows: UNKNOWN, (Note("too large to refit"),)
    note = Note("intervals from refits", {"refits": refits.risks.shape[0]})
    return (refits.lower, refits.upper), refits.spread, (note,)


def _by_covariance(model: CensoredClassifier, cohort: Cohort) -> SpreadOf:
    def spread_of(rows: Rows) -> Spread:
        spread = spread_of_sums(model, cohort.take(rows))
        assert spread is not None, "some people have errors where everybody has"
        return spread

    return spread_of
