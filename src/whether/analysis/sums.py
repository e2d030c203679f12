"""What a fitted model says of people taken together, everybody or some of them, and how sure it is."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whether.analysis.resampling import refit
from whether.analysis.result import Note
from whether.analysis.uncertainty import (
    Rows,
    Spread,
    find_shift,
    predict_still,
    share_interval,
    spread_of_sums,
    unseen_interval,
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
    level: float
    notes: tuple[Note, ...]  # how intervals were found

    def measure(self, rows: Rows) -> tuple[Interval, Interval]:
        """Mean risk of some people, and how many of their unlabeled are expected to be positive."""
        spread = self.spread_of(rows)
        mean_risk = share_interval(float(self.risks[rows].mean()), spread.mean_risk, self.level)
        still = self.still[rows][~self.cohort.labeled[rows]]
        if isinstance(self.model, LabelClassifier):
            # Anything is possible where all events are taken as seen.
            return mean_risk, Interval(0.0, 0.0, float(still.size), math.nan, self.level)
        unseen = unseen_interval(still, spread.unseen, self.level)
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
    model: CensoredClassifier, X: Any, cohort: Cohort, groups: Rows | None, level: float, rng: np.random.Generator
) -> Sums:
    """Predict for everybody, and find out how sure the model is."""
    risks, still = model.predict_proba(X)[:, 1], predict_still(model, X, cohort)

    def found(limits: tuple[Array, Array] | None, spread_of: SpreadOf, *notes: Note) -> Sums:
        lower, upper = (None, None) if limits is None else limits
        return Sums(model, cohort, risks, still, lower, upper, spread_of, level, notes)

    if has_errors(model):
        clustered = () if groups is None else (Note("groups taken as independent"),)
        return found(risk_intervals(model, cohort.features, level), _by_covariance(model, X, cohort), *clustered)
    if getattr(model.model_, "indexed", None) is not None:
        return found(None, lambda rows: UNKNOWN, Note("coefficients not determined"))
    refits = refit(model, X, cohort, groups=groups, level=level, rng=rng)
    if refits is None:
        return found(None, lambda rows: UNKNOWN, Note("too large to refit"))
    note = Note("intervals from refits", {"refits": refits.risks.shape[0]})
    return found((refits.lower, refits.upper), refits.spread, note)


def _by_covariance(model: CensoredClassifier, X: Any, cohort: Cohort) -> SpreadOf:
    shift = find_shift(model, X, cohort)

    def spread_of(rows: Rows) -> Spread:
        spread = spread_of_sums(model, cohort.take(rows))
        assert spread is not None, "some people have errors where everybody has"
        return spread if shift is None else shift.widen(spread, rows)

    return spread_of
