"""Where the coefficients of a linear model stand, and what they make of features."""

from __future__ import annotations

from functools import lru_cache
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

    def parts(self) -> list[tuple[slice, slice, tuple[int, ...]]]:
        """Places of the slopes, their features, and the predictors that have them, part by part."""
        every = (
            (self.outcome, self.of_outcome, (0,)),
            (self.shared, self.of_shared, self.sloped),
            (self.other, self.of_other, self.other_sloped),
        )
        return [part for part in every if part[0].stop > part[0].start]

    def predict(
        self, coefficients: Array, features: FeatureMatrix, rows: slice = EVERYBODY
    ) -> tuple[Array | None, Array]:
        """Outcome logit and propensity predictors of some people with these features."""
        n = len(range(features.shape[1])[rows])
        every = np.repeat(coefficients[: self.n_predictors, None], n, axis=1)
        for slopes, of, predictors in self.joined():
            added = features.times(coefficients[slopes].reshape(len(predictors), -1), of, rows)
            for several, values in zip(predictors, added, strict=True):
                for predictor in several:
                    every[predictor] += values
        return (every[0] if self.first else None), every[self.first :]

    def joined(self) -> list[tuple[slice, slice, list[tuple[int, ...]]]]:
        """Parts with the same features together, so that these are gone through once: slopes, features, predictors."""
        return _join(self)


@lru_cache(maxsize=64)
def _join(layout: Layout) -> list[tuple[slice, slice, list[tuple[int, ...]]]]:
    """Parts with the same features together; asked for with every block of people."""
    parts = sorted(layout.parts(), key=lambda part: part[0].start)
    if len({(of.start, of.stop) for _, of, _ in parts}) == 1:
        return [(slice(layout.n_predictors, layout.size), parts[0][1], [predictors for *_, predictors in parts])]
    return [(slopes, of, [predictors]) for slopes, of, predictors in parts]
