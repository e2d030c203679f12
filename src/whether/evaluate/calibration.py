"""Calibration curves: predicted risk beside what was observed, in groups of people with similar risk."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import binomtest

from whether.facts import Drawn
from whether.survival import cumulative_incidence, kaplan_meier
from whether.validate import check_flags, check_labels, check_scores, check_times, check_whole_number

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CalibrationCurve(Drawn):
    """Groups of people, from the lowest to the highest predicted risk.

    Attributes
    ----------
    predicted : ndarray
        Mean predicted risk of each group.
    observed : ndarray
        Share of the group with the event.
    lower, upper : ndarray
        Confidence limits of `observed`.
    count : ndarray
        Number of people in each group.
    """

    predicted: Array
    observed: Array
    lower: Array
    upper: Array
    count: NDArray[np.intp]


def calibration_curve(
    positive: ArrayLike, risk: ArrayLike, *, n_groups: int = 10, level: float = 0.95
) -> CalibrationCurve:
    """Calibration where the outcome is known; Wilson's limits.

    Parameters
    ----------
    positive : array-like of 0 and 1
        The outcome.
    risk : array-like
        Predicted probabilities.
    n_groups : int
        Number of groups; fewer where risks are tied or people few.
    level : float
        Confidence level.
    """
    risks = check_scores(risk, "risk")
    truth = check_labels(positive, risks.size)
    rows = []
    for group in _groups(risks, n_groups):
        limits = share_limits(int(truth[group].sum()), group.size, level)
        rows.append((risks[group].mean(), float(truth[group].mean()), *limits, group.size))
    return _curve(rows)


def share_limits(count: int, n: int, level: float = 0.95, method: str = "wilson") -> tuple[float, float]:
    """Confidence limits of a share of which `count` in `n` were seen; none at all where nobody was looked at."""
    if n == 0:
        return 0.0, 1.0
    limits = binomtest(count, n).proportion_ci(level, method)
    return float(limits.low), float(limits.high)


def censored_calibration_curve(
    y: ArrayLike,
    risk: ArrayLike,
    *,
    time: ArrayLike,
    horizon: float | None = None,
    n_groups: int = 10,
    level: float = 0.95,
    competing: ArrayLike | None = None,
    entry_time: ArrayLike | None = None,
) -> CalibrationCurve:
    """Calibration where follow-up ended early: observed is one minus Kaplan and Meier's curve within each group.

    Where some died first it is Aalen and Johansen's curve, of the event before death.

    That is the share with the event by the horizon. It is the share of positives if all their events come by then, and
    a lower bound otherwise. Follow-up has to be independent of the event within each group. A group without events has
    the exact upper limit that those followed to the horizon give.

    Parameters
    ----------
    y : array-like of 0 and 1
        Whether the event was seen.
    risk : array-like
        Predicted probability that it ever happens.
    time : array-like
        When it was seen, else the end of follow-up.
    horizon : float, optional
        Default: the last event.
    n_groups, level
        See `calibration_curve`.
    competing : array-like of bool, optional
        Who died without the event, or is known never to have it.
    entry_time : array-like, optional
        When each person came under observation.
    """
    risks = check_scores(risk, "risk")
    labeled, times = check_labels(y, risks.size), check_times(time, risks.size, "time")
    never = None if competing is None else check_flags(competing, risks.size, "competing")
    late = None if entry_time is None else np.asarray(entry_time, dtype=float)
    limit = float(times[labeled].max()) if horizon is None else float(horizon)
    rows = []
    for group in _groups(risks, n_groups):
        entry = None if late is None else late[group]
        if never is None:
            curve = kaplan_meier(labeled[group], times[group], entry=entry)
        else:
            curve = cumulative_incidence(labeled[group], never[group], times[group], entry=entry).event_free()
        last = int(np.searchsorted(curve.times, limit, side="right")) - 1
        lower, upper = (limits[last] if last >= 0 else 1.0 for limits in curve.interval(level))
        event_free = float(curve.at(limit))
        if event_free == 1.0:
            # The curve's own variance is zero there, but nobody of so many followed had the event.
            n_followed = int(np.count_nonzero(times[group] >= limit))
            lower, _ = share_limits(n_followed, n_followed, level, "exact")
        rows.append((risks[group].mean(), 1 - event_free, 1 - upper, 1 - lower, group.size))
    return _curve(rows)


def _groups(risks: Array, n_groups: int) -> list[NDArray[np.intp]]:
    check_whole_number(n_groups, "n_groups", 1)
    edges = np.unique(np.quantile(risks, np.linspace(0, 1, n_groups + 1)[1:-1]))
    label = np.searchsorted(edges, risks, side="right")
    groups = [np.flatnonzero(label == number) for number in range(edges.size + 1)]
    return [group for group in groups if group.size]


def _curve(rows: list[tuple[float, float, float, float, int]]) -> CalibrationCurve:
    predicted, observed, lower, upper, count = (np.array(column) for column in zip(*rows, strict=True))
    return CalibrationCurve(predicted, observed, lower, upper, count)
