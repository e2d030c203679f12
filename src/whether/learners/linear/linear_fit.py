"""A fitted linear model: coefficients, the standardisation they belong to, their covariance, and predictions.

Coefficients are on standardised features: first one intercept per predictor (outcome logit, then the propensity's),
then the slopes of what becomes of negatives, where that is modelled, then the outcome slopes, then the slopes that the
propensity's sloped predictors share. The features that the propensity may use come first among the columns, and of
these first the ones that the outcome part does without. What becomes of negatives may follow all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from whether.arrays import Array, Features, Rows
from whether.inference import Covariance
from whether.learners.fit_result import FitResult
from whether.learners.linear.layout import Layout
from whether.learners.linear.matrix import plain_matrix
from whether.learners.linear.shrinkage_path import ShrinkagePath
from whether.learners.task import FittedModel
from whether.propensity import Propensity

BLOCK_ROWS = 4096  # of sparse features, where they are written out


class Standardization(NamedTuple):
    """Columns that are used, in their order, with mean and standard deviation."""

    columns: Rows
    mean: Array
    scale: Array

    def blocks(self, features: Features) -> Iterator[Array]:
        """Standardised features, one row per person; sparse ones some people at a time, so that they stay sparse."""
        size = max(features.shape[0] if isinstance(features, np.ndarray) else BLOCK_ROWS, 1)
        for start in range(0, max(features.shape[0], 1), size):
            block = features[start : start + size]
            dense = block if isinstance(block, np.ndarray) else block.toarray()
            yield np.asarray((dense[:, self.columns] - self.mean) / self.scale)

    def apply(self, features: Array) -> Array:
        """Standardised features, one row per person."""
        return next(self.blocks(features))


class Moves(NamedTuple):
    """How the outcome's predictor moves to those of other models which the data leave possible.

    ``steps`` has a row for each of them: intercept and slopes on standardised features, times the root of twice the
    weight of the model.
    """

    standardization: Standardization
    steps: Array

    def reach(self, features: Features) -> tuple[Array, Array]:
        """How far the predictor of new people reaches down and up; a missing feature counts as its mean."""
        blocks = self.standardization.blocks(features)
        moves = np.concatenate([np.nan_to_num(standard) @ self.steps[:, 1:].T for standard in blocks])
        moved = self.steps[:, 0] + moves
        down, up = (np.sqrt(np.square(part).sum(axis=1)) for part in (np.minimum(moved, 0.0), np.maximum(moved, 0.0)))
        return down, up


@dataclass(frozen=True)
class LinearPredictor:
    """Predictors that are linear in the features."""

    layout: Layout
    standardization: Standardization
    coefficients: Array

    def predict(self, features: Features) -> tuple[Array | None, Array]:
        """Outcome logit (None without an outcome part) and propensity predictors of new people."""
        columns = self.standardization.columns
        is_every = np.array_equal(columns, np.arange(features.shape[1]))
        return self.layout.predict(self.raw, plain_matrix(features if is_every else features[:, columns]))

    @property
    def raw(self) -> Array:
        """Coefficients on the features as they are."""
        raw, (_, mean, scale) = self.coefficients.copy(), self.standardization
        for slopes, features, predictors in self._parts():
            raw[slopes] /= scale[features]
            for predictor in predictors:
                raw[predictor] -= float(raw[slopes] @ mean[features])
        return np.asarray(raw)

    def _parts(self) -> tuple[tuple[slice, slice, tuple[int, ...]], ...]:
        """Slopes, their features, and the predictors that they are slopes of."""
        layout = self.layout
        return (
            (layout.other, layout.of_other, layout.other_sloped),
            (layout.outcome, layout.of_outcome, (0,) if layout.n_outcome else ()),
            (layout.shared, layout.of_shared, layout.sloped if layout.n_shared else ()),
        )

    def to_raw(self) -> Array:
        """Matrix from coefficients on standardised features to coefficients on the features as they are."""
        layout, (_, mean, scale) = self.layout, self.standardization
        matrix = np.eye(layout.size)
        for slopes, features, predictors in self._parts():
            positions = np.arange(slopes.start, slopes.stop)
            matrix[positions, positions] = 1 / scale[features]
            for predictor in predictors:
                matrix[predictor, positions] = -mean[features] / scale[features]
        return matrix

    def outcome_line(self, n_features: int) -> tuple[float, Array]:
        """Intercept and slopes of the outcome's predictor on the features as they are; 0 where one is not used."""
        layout, slopes = self.layout, np.zeros(n_features)
        raw = self.raw
        slopes[self.standardization.columns[layout.of_outcome]] = raw[layout.outcome]
        return float(raw[0]), slopes

    def gradient_of_sum(self, features: Features, by_predictor: Array) -> Array:
        """Gradient in the coefficients of a sum over people whose gradients in the predictors are given."""
        gradient, start = np.zeros(self.layout.size), 0
        gradient[: self.layout.n_predictors] = by_predictor.sum(axis=1)
        for standard in self.standardization.blocks(features):
            some = by_predictor[:, start : start + standard.shape[0]]
            for slopes, part, predictors in self._parts():
                if predictors:
                    gradient[slopes] += some[list(predictors)].sum(axis=0) @ standard[:, part]
            start += standard.shape[0]
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
        How the outcome's predictor moves to those of other models; see `Moves`.
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

    def predict(self, features: Features) -> tuple[Array | None, Array]:
        """Outcome logit (None without an outcome part) and propensity predictors of new people."""
        return self.predictor.predict(features)

    def predict_with_error(self, features: Features) -> tuple[Array, Array]:
        """Outcome logit and its standard error, where there are an outcome part and a covariance."""
        assert self.covariance.matrix is not None
        layout = self.predictor.layout
        outcome = np.r_[0, np.arange(layout.size)[layout.outcome]]
        values, vectors = np.linalg.eigh(self.covariance.matrix[np.ix_(outcome, outcome)])
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        coefficients, found = self.coefficients[outcome], []
        for block in self.predictor.standardization.blocks(features):
            standard = block[:, layout.of_outcome]
            error = np.sqrt(np.square(root[0] + standard @ root[1:]).sum(axis=1))
            found.append((coefficients[0] + standard @ coefficients[1:], error))
        logits, errors = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return logits, errors

    def reach(self, features: Features) -> tuple[Array, Array]:
        """How far the outcome's predictor of new people reaches down and up to other models."""
        if self.steps is None:
            return np.zeros(features.shape[0]), np.zeros(features.shape[0])
        return Moves(self.predictor.standardization, self.steps).reach(features)

    def error_of_sum(self, gradient: Array) -> float:
        """Standard error of a sum over people with this gradient in the coefficients; NaN without a covariance."""
        if self.covariance.matrix is None:
            return float("nan")
        return float(np.sqrt(max(float(gradient @ self.covariance.matrix @ gradient), 0.0)))
