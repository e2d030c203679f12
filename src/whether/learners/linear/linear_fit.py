"""A fitted linear model: coefficients, the standardisation they belong to, their covariance, and predictions.

Coefficients are on standardised features: first one intercept per predictor (outcome logit, then the propensity's),
then the slopes of what becomes of negatives, where that is modelled, then the outcome slopes, then the slopes that the
propensity's sloped predictors share. The features that the propensity may use come first among the columns, and of
these first the ones that the outcome part does without. What becomes of negatives may follow all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from whether.arrays import Array, Rows
from whether.inference import Covariance
from whether.learners.fit_result import FitResult
from whether.learners.linear.shrinkage_path import ShrinkagePath
from whether.learners.task import FittedModel
from whether.propensity import Propensity


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

    def predict(self, coefficients: Array, features: Array) -> tuple[Array | None, Array]:
        """Outcome logit and propensity predictors of people with these features, which run along the first axis."""
        v = np.repeat(coefficients[self.first : self.n_predictors, None], features.shape[1], axis=1)
        if self.n_shared:
            _add_to(v, self.sloped, self.first, coefficients[self.shared] @ features[self.of_shared])
        if self.n_other:
            _add_to(v, self.other_sloped, self.first, coefficients[self.other] @ features[self.of_other])
        return (coefficients[0] + coefficients[self.outcome] @ features[self.of_outcome] if self.first else None), v


def _add_to(v: Array, predictors: tuple[int, ...], first: int, values: Array) -> None:
    """Add the same values to some predictors, whose positions count from the first."""
    for position in predictors:
        v[position - first] += values


class Standardization(NamedTuple):
    """Columns that are used, in their order, with mean and standard deviation."""

    columns: Rows
    mean: Array
    scale: Array

    def apply(self, features: Array) -> Array:
        """Standardised features, one row per person."""
        return np.asarray((features[:, self.columns] - self.mean) / self.scale)


@dataclass(frozen=True)
class LinearPredictor:
    """Predictors that are linear in the features."""

    layout: Layout
    standardization: Standardization
    coefficients: Array

    def predict(self, features: Array) -> tuple[Array | None, Array]:
        """Outcome logit (None without an outcome part) and propensity predictors of new people."""
        # Rows in one piece, whatever the table's layout: sums in another order would differ in the last digit.
        ordered = np.ascontiguousarray(features[:, self.standardization.columns])
        return self.layout.predict(self.to_raw() @ self.coefficients, ordered.T)

    def to_raw(self) -> Array:
        """Matrix from coefficients on standardised features to coefficients on the features as they are."""
        layout, (_, mean, scale) = self.layout, self.standardization
        matrix = np.eye(layout.size)
        parts = (
            (layout.other, layout.of_other, layout.other_sloped),
            (layout.outcome, layout.of_outcome, (0,)),
            (layout.shared, layout.of_shared, layout.sloped),
        )
        for slopes, features, predictors in parts:
            positions = np.arange(slopes.start, slopes.stop)
            matrix[positions, positions] = 1 / scale[features]
            for predictor in predictors if positions.size else ():
                matrix[predictor, positions] = -mean[features] / scale[features]
        return matrix

    def outcome_line(self, n_features: int) -> tuple[float, Array]:
        """Intercept and slopes of the outcome's predictor on the features as they are; 0 where one is not used."""
        layout, slopes = self.layout, np.zeros(n_features)
        raw = self.to_raw() @ self.coefficients
        slopes[self.standardization.columns[layout.of_outcome]] = raw[layout.outcome]
        return float(raw[0]), slopes

    def gradient_of_sum(self, features: Array, by_predictor: Array) -> Array:
        """Gradient in the coefficients of a sum over people whose gradients in the predictors are given."""
        layout, standard = self.layout, self.standardization.apply(features)
        gradient = np.zeros(layout.size)
        gradient[: layout.n_predictors] = by_predictor.sum(axis=1)
        gradient[layout.outcome] = by_predictor[0] @ standard[:, layout.of_outcome]
        if layout.n_shared:
            gradient[layout.shared] = by_predictor[list(layout.sloped)].sum(axis=0) @ standard[:, layout.of_shared]
        if layout.n_other:
            gradient[layout.other] = by_predictor[list(layout.other_sloped)].sum(axis=0) @ standard[:, layout.of_other]
        return gradient


@dataclass(frozen=True)
class LinearFit(FittedModel):
    """A fitted linear model.

    Attributes
    ----------
    propensity, result
        See `FittedModel`.
    predictor : LinearPredictor
        Coefficients and their standardisation.
    covariance : Covariance
        Of the coefficients on standardised features.
    ridge, shrinkage : float
        Penalties that it was fitted with: on slopes, and on departures from the shared index.
    kappa : float or None
        How strongly the outcome index drives the time part; None where it is free.
    path : ShrinkagePath or None
        How the shrinkage was chosen.
    steps : ndarray of shape (number of models, 1 + number of columns) or None
        Intercept and slopes, on standardised features, by which the outcome's predictor moves to that of other models
        which the data leave possible, each times the root of twice its weight.
    """

    propensity: Propensity
    result: FitResult
    predictor: LinearPredictor
    covariance: Covariance
    ridge: float
    shrinkage: float
    kappa: float | None
    path: ShrinkagePath | None
    steps: Array | None = None

    @property
    def linear_part(self) -> LinearFit:
        """The fit itself: other learners have a linear part below them."""
        return self

    @property
    def has_outcome(self) -> bool:
        """Whether there is an outcome part."""
        return bool(self.predictor.layout.first)

    @property
    def coefficients(self) -> Array:
        """Coefficients on standardised features."""
        return self.predictor.coefficients

    @property
    def columns(self) -> Rows:
        """All features that are used, in the order of the standardisation."""
        return self.predictor.standardization.columns

    @property
    def outcome_columns(self) -> Rows:
        """Features in the order of the outcome slopes."""
        return self.columns[self.predictor.layout.of_outcome]

    @property
    def shared_columns(self) -> Rows:
        """Features in the order of the propensity's slopes."""
        return self.columns[self.predictor.layout.of_shared]

    @property
    def other_columns(self) -> Rows:
        """Features in the order of the slopes of what becomes of negatives."""
        return self.columns[self.predictor.layout.of_other]

    @property
    def is_maximum_likelihood(self) -> bool:
        """Whether nothing but the likelihood was maximised."""
        return self.ridge == 0 and self.shrinkage == 0 and not self.propensity.is_penalized

    @property
    def outcome_slopes(self) -> Array:
        """Slopes of the outcome logit on standardised features."""
        return self.coefficients[self.predictor.layout.outcome]

    @property
    def shared_slopes(self) -> Array:
        """Slopes of the propensity on standardised features, the first of the columns."""
        return self.coefficients[self.predictor.layout.shared]

    def predict(self, features: Array) -> tuple[Array | None, Array]:
        """Outcome logit (None without an outcome part) and propensity predictors of new people."""
        return self.predictor.predict(features)

    def predict_with_error(self, features: Array) -> tuple[Array, Array]:
        """Outcome logit and its standard error, where there are an outcome part and a covariance."""
        assert self.covariance.matrix is not None
        layout, standard = self.predictor.layout, self.predictor.standardization.apply(features)
        standard = standard[:, layout.of_outcome]
        outcome = np.r_[0, np.arange(layout.size)[layout.outcome]]
        values, vectors = np.linalg.eigh(self.covariance.matrix[np.ix_(outcome, outcome)])
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        error = np.sqrt(np.square(root[0] + standard @ root[1:]).sum(axis=1))
        coefficients = self.coefficients[outcome]
        return coefficients[0] + standard @ coefficients[1:], error

    def reach(self, features: Array) -> tuple[Array, Array]:
        """How far the outcome's predictor of new people reaches down and up to other models."""
        if self.steps is None:
            return np.zeros(features.shape[0]), np.zeros(features.shape[0])
        moved = self.steps[:, 0] + self.predictor.standardization.apply(features) @ self.steps[:, 1:].T
        down, up = (np.sqrt(np.square(part).sum(axis=1)) for part in (np.minimum(moved, 0.0), np.maximum(moved, 0.0)))
        return down, up

    def error_of_sum(self, gradient: Array) -> float:
        """Standard error of a sum over people with this gradient in the coefficients; NaN without a covariance."""
        if self.covariance.matrix is None:
            return float("nan")
        return float(np.sqrt(max(float(gradient @ self.covariance.matrix @ gradient), 0.0)))
