"""Where the coefficients of a linear model stand, and what they make of features."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from whether.arrays import Array
from whether.learners.linear.matrix import FeatureMatrix
from whether.propensity import Propensity

EVERYBODY = slice(0, None)


class Layout(NamedTuple):
    """How many intercepts of predictors and slopes of negatives, outcome and propensity follow each other."""

    n_predictors: int
    n_outcome: int
    n_shared: int
    first: int  # position of the propensity's first predictor: 1, or 0 without an outcome part
    sloped: tuple[int, ...]  # positions of the predictors that share slopes
    n_skipped: int = 0  # features before the first one of the outcome part
    n_beyond: int = 0  # features after the last one of the outcome part, for what becomes of negatives alone
    n_other: int = 0  # slopes of what becomes of negatives
    other_sloped: tuple[int, ...] = ()  # positions of the predictors that they are slopes of

    @classmethod
    def of(
        cls, propensity: Propensity, n_columns: int, n_features: int, has_outcome: bool, skips: tuple[int, int] = (0, 0)
    ) -> Layout:
        """Layout under a propensity that may use the first of some features; the outcome skips some at both ends."""
        first = int(has_outcome)
        sloped = tuple(first + k for k, follows in enumerate(propensity.sloped) if follows)
        n_shared = n_columns if sloped else 0
        n_outcome = (n_features - sum(skips)) * first
        other = tuple(first + k for k in propensity.other_sloped)
        n_predictors, n_other = first + len(propensity.predictors), n_features if other else 0
        return cls(n_predictors, n_outcome, n_shared, first, sloped, *skips, n_other, other)

    @property
    def size(self) -> int:
        """Number of coefficients."""
        return self.n_predictors + self.n_other + self.n_outcome + self.n_shared

    @property
    def other(self) -> slice:
        """The slopes of what becomes of negatives."""
        return slice(self.n_predictors, self.n_predictors + self.n_other)

    @property
    def outcome(self) -> slice:
        """The outcome slopes."""
        start = self.n_predictors + self.n_other
        return slice(start, start + self.n_outcome)

    @property
    def shared(self) -> slice:
        """The slopes shared by the sloped predictors of the propensity."""
        start = self.n_predictors + self.n_other + self.n_outcome
        return slice(start, start + self.n_shared)

    @property
    def of_other(self) -> slice:
        """The features of what becomes of negatives."""
        return slice(0, self.n_other)

    @property
    def of_outcome(self) -> slice:
        """The features of the outcome part."""
        return slice(self.n_skipped, self.n_skipped + self.n_outcome)

    @property
    def of_shared(self) -> slice:
        """The features of the propensity."""
        return slice(0, self.n_shared)

    def predict(
        self, coefficients: Array, features: FeatureMatrix, rows: slice = EVERYBODY
    ) -> tuple[Array | None, Array]:
        """Outcome logit and propensity predictors of some people with these features."""
        n = len(range(features.shape[1])[rows])
        v = np.repeat(coefficients[self.first : self.n_predictors, None], n, axis=1)
        if self.n_shared:
            _add_to(v, self.sloped, self.first, features.times(coefficients[self.shared], self.of_shared, rows))
        if self.n_other:
            _add_to(v, self.other_sloped, self.first, features.times(coefficients[self.other], self.of_other, rows))
        if not self.first:
            return None, v
        return coefficients[0] + features.times(coefficients[self.outcome], self.of_outcome, rows), v


def _add_to(v: Array, predictors: tuple[int, ...], first: int, values: Array) -> None:
    """Add the same values to some predictors, whose positions count from the first."""
    for position in predictors:
        v[position - first] += values
