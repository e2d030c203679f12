"""Fitted networks: what they add to, their parameters, and their predictions, for which PyTorch is not needed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from whether.arrays import Array, Rows
from whether.learners.fit_result import FitResult
from whether.learners.linear import LinearFit
from whether.learners.neural.architectures import Architecture, Network
from whether.learners.neural.outputs import OutputLayout
from whether.learners.task import FittedModel
from whether.propensity import Propensity

# Rows of a prediction that go through the networks at a time.
CHUNK = 20_000


@dataclass(frozen=True)
class Base:
    """Predictors to which networks add: those of a linear model, or constants, the outcome logit first."""

    constants: Array
    linear: LinearFit | None = None
    columns: Rows | None = None  # features of the linear model; None for all

    @property
    def kappa(self) -> float:
        """How strongly the outcome's index drives the time part of the linear model."""
        return 0.0 if self.linear is None else self.linear.kappa or 0.0

    def predictors(self, features: Array) -> Array:
        """Predictors, one row per person."""
        if self.linear is None:
            return np.repeat(self.constants[None], features.shape[0], axis=0)
        eta, v = self.linear.predict(features if self.columns is None else features[:, self.columns])
        return np.column_stack([v.T] if eta is None else [eta, v.T])


@dataclass(frozen=True)
class NeuralFit(FittedModel):
    """Fitted networks, whose predictors are averaged.

    Attributes
    ----------
    propensity, result
        See `FittedModel`. A start is a kind of network, its objective minus the log-likelihood of people held out.
    base : Base
        What the networks add to.
    layout : OutputLayout
        What the networks put out.
    architecture : Architecture
    parameters : ndarray of shape (networks, size)
    mean, scale : ndarray
        Standardisation of the features.
    """

    propensity: Propensity
    result: FitResult
    base: Base
    layout: OutputLayout
    architecture: Architecture
    parameters: Array
    mean: Array
    scale: Array

    @property
    def kappa(self) -> float | None:
        """How strongly the networks' outcome logit drives the time part; None where they are not tied."""
        return float(self.parameters[:, -1].mean()) if self.layout.indexed else None

    @property
    def linear_part(self) -> LinearFit | None:
        """The linear model that the networks add to, if they do."""
        return self.base.linear

    def predict(self, features: Array) -> tuple[Array | None, Array]:
        """Outcome logit (None without an outcome part) and propensity predictors of new people."""
        result = np.empty((features.shape[0], self.layout.n_predictors))
        for first in range(0, features.shape[0], CHUNK):
            result[first : first + CHUNK] = self.predictors(features[first : first + CHUNK])
        n_outcome = int(self.layout.has_outcome)
        return (result[:, 0].copy() if n_outcome else None), np.ascontiguousarray(result[:, n_outcome:].T)

    def predictors(self, features: Array) -> Array:
        """All predictors of new people, one row per person."""
        network, networks = Network(self.layout, self.architecture, np.asarray), np.arange(self.parameters.shape[0])
        standard = (np.ascontiguousarray(features) - self.mean) / self.scale
        base = self.base.predictors(features)[None]
        return np.asarray(network.predictors(self.parameters, networks, standard[None], base)[0].mean(axis=0))
