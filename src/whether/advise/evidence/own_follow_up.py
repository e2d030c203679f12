"""What the features leave open of follow-up: its rank among people with the same features, and what it tells later on.

The logarithm of follow-up is a mean plus a spread times a residual; mean and spread depend on the features by lines,
squares, products and steps, whose coefficients are shrunk as far as people left out ask for, and residuals have
whatever distribution they have.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

Array = NDArray[np.float64]

# People per term of the regressions, and features whose products are among these.
PEOPLE_PER_TERM = 10
MOST_CROSSED = 8
# Parts of the people at which steps are put, and penalties that are tried.
STEPS = (1 / 2, 1 / 6, 5 / 6, 1 / 3, 2 / 3)
PENALTIES = np.exp(np.linspace(-2.0, 14.0, 17))
# Residuals below this part of the median one count as equally small: their logarithm runs off.
SMALL_RESIDUAL = 0.05


@dataclass(frozen=True, eq=False)
class OwnFollowUp:
    """Follow-up in units that the features leave open; nobody's own follow-up is in what they predict for that person.

    Attributes
    ----------
    mean, log_spread : ndarray of shape (n,)
        What the features predict of log follow-up, from other people.
    residual : ndarray of shape (n,)
    indices : ndarray of shape (2, n)
        The same two from everybody. What is learned from others goes against a person's own: it is no index of people.
    """

    mean: Array
    log_spread: Array
    residual: Array
    indices: Array

    @classmethod
    def given(cls, features: Array, follow_up: Array) -> OwnFollowUp:
        """Regress follow-up on the features."""
        logs, terms = np.log(follow_up), _terms(features)
        mean, fitted = _predict(terms, logs)
        rest = np.abs(logs - mean)
        smallest = max(SMALL_RESIDUAL * float(np.median(rest)), 1e-12)
        log_spread, fitted_spread = _predict(terms, np.log(np.maximum(rest, smallest)))
        log_spread -= log_spread.mean()
        return cls(mean, log_spread, (logs - mean) / np.exp(log_spread), np.stack([fitted, fitted_spread]))

    @property
    def spread(self) -> float:
        """Standard deviation of what the features leave open of log follow-up."""
        return float(np.std(self.residual * np.exp(self.log_spread)))

    @cached_property
    def _ascending(self) -> Array:
        """Residuals in their order."""
        return np.sort(self.residual)

    @cached_property
    def _rank(self) -> Array:
        """Rank of the residual, as a part of the people."""
        return np.asarray((rankdata(self.residual) - 0.5) / self.residual.size)

    def still_followed(self, time: float) -> Array:
        """Share of people with the same features who are followed for longer than that."""
        if time <= 0:
            return np.ones(self.residual.size)
        reached = (np.log(time) - self.mean) / np.exp(self.log_spread)
        return np.asarray(1 - np.searchsorted(self._ascending, reached, side="right") / reached.size)

    def rank_among(self, followed: Array) -> Array:
        """Rank of each one's follow-up among people with the same features who are `still_followed`, from 0 to 1."""
        left = np.maximum(followed, 1 / followed.size)
        return np.asarray(np.clip(1 - (1 - self._rank) / left, 0.0, 1.0))


def _terms(features: Array) -> Array:
    """Lines, squares, products and steps of the features, as many as the people allow, each of mean 0 and spread 1."""
    x = _standardise(features)
    several = [column for column in x.T if np.unique(column).size > 2]
    most = max(0, x.shape[0] // PEOPLE_PER_TERM - x.shape[1])
    added = [column**2 for column in several]
    added += [first * second for first, second in combinations(x.T[:MOST_CROSSED], 2)]
    added += [(column > np.quantile(column, step)).astype(float) for step in STEPS for column in several]
    return _standardise(np.column_stack([x, *added[:most]]))


def _standardise(columns: Array) -> Array:
    centered = columns - columns.mean(axis=0)
    return np.asarray(centered / np.maximum(centered.std(axis=0), 1e-12))


def _predict(terms: Array, values: Array) -> tuple[Array, Array]:
    """Ridge regression of everybody's value on that of all others, and on all, with the penalty that predicts best."""
    left, singular, _ = np.linalg.svd(terms, full_matrices=False)
    average = float(values.mean())
    along = left.T @ (values - average)
    best, smallest = (values, values), np.inf
    for penalty in PENALTIES:
        kept = singular**2 / (singular**2 + penalty)
        fitted = average + left @ (kept * along)
        rest = (values - fitted) / (1 - np.minimum((left**2) @ kept, 1 - 1e-6))
        if float(rest @ rest) < smallest:
            best, smallest = (values - rest, fitted), float(rest @ rest)
    return best
