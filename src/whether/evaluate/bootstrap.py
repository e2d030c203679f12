"""Confidence intervals of any metric, by drawing people (or groups of them) again."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from whether.validate import DataError, number_groups


@dataclass(frozen=True)
class Interval:
    """An estimate with its uncertainty.

    Attributes
    ----------
    estimate : float
    lower, upper : float
        Confidence limits.
    standard_error : float
    level : float
        Confidence level.
    n_failed : int
        Resamples on which the metric could not be computed, for instance because nobody in them is positive.
    """

    estimate: float
    lower: float
    upper: float
    standard_error: float
    level: float = 0.95
    n_failed: int = 0

    def __str__(self) -> str:
        return f"{self.estimate:.3f} ({self.lower:.3f} to {self.upper:.3f})"


def bootstrap_interval(
    metric: Callable[..., float],
    *arrays: ArrayLike,
    rng: np.random.Generator,
    groups: ArrayLike | None = None,
    n_resamples: int = 500,
    level: float = 0.95,
) -> Interval:
    """Percentile interval of a metric of arrays that have one entry per person.

    A difference between two models is a metric too, of both their risks: ``lambda y, a, b: roc_auc_score(y, a) -
    roc_auc_score(y, b)``. Each resample then holds the same people for both.

    Parameters
    ----------
    metric : callable
        Takes the arrays, returns a number.
    *arrays : array-like
        Of equal length.
    rng : numpy.random.Generator
    groups : array-like, optional
        Rows of one group (a person, a family, a hospital) are drawn together.
    n_resamples : int
    level : float
        Confidence level.

    Examples
    --------
    >>> import numpy as np
    >>> interval = bootstrap_interval(np.mean, np.arange(100.0), rng=np.random.default_rng(0))
    >>> bool(interval.lower < 49.5 < interval.upper)
    True
    """
    columns = [np.asarray(array) for array in arrays]
    n = len(columns[0])
    if any(len(column) != n for column in columns):
        raise DataError(f"All arrays need one entry per person; their lengths are {[len(c) for c in columns]}.")
    members = _members(groups, n)
    values = []
    for _ in range(n_resamples):
        rows = np.concatenate([members[i] for i in rng.integers(len(members), size=len(members))])
        try:
            value = float(metric(*(column[rows] for column in columns)))
        except ValueError:
            continue
        if math.isfinite(value):
            values.append(value)
    estimate = float(metric(*columns))
    if len(values) < 2:
        return Interval(estimate, math.nan, math.nan, math.nan, level, n_resamples - len(values))
    lower, upper = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    error = float(np.std(values, ddof=1))
    return Interval(estimate, float(lower), float(upper), error, level, n_resamples - len(values))


def _members(groups: ArrayLike | None, n: int) -> list[NDArray[np.intp]]:
    if groups is None:
        return list(np.arange(n)[:, None])
    position = number_groups(groups, n)
    order = np.argsort(position, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(position[order])) + 1)
