"""What the study asks of a model of another package."""

from __future__ import annotations

import abc
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

Array = NDArray[np.float64]
Labels = NDArray[np.int64]


class PeerClassifier(BaseEstimator, abc.ABC):
    """A model of another package, fitted to the rows that all methods get.

    Parameters
    ----------
    random_state : int
        Seed of what is drawn.
    """

    converged_ = True
    selection_: Any = None

    def __init__(self, random_state: int = 0) -> None:
        self.random_state = random_state

    @abc.abstractmethod
    def fit(self, X: Array, y: Labels, *, time: Array, follow_up: Array) -> PeerClassifier:
        """Fit the package's model."""

    @abc.abstractmethod
    def _ever(self, X: Array) -> Array:
        """Its answer to the question whether the event ever comes."""

    @abc.abstractmethod
    def predict_label_proba(self, X: Array, follow_up: Array) -> Array:
        """Probability that the event is seen within a person's follow-up."""

    def predict_proba(self, X: Array) -> Array:
        """Probabilities that the event never comes and that it does; what is above 1 counts as 1."""
        ever = np.clip(self._ever(X), 0.0, 1.0)
        return np.column_stack([1 - ever, ever])


class SurvivalPeer(PeerClassifier):
    """A survival model: its answer is the risk of the event by the end of the data it was fitted to.

    Baselines without a formula end there, so that its curve is level from then on up to any horizon.
    """

    end_: float

    @abc.abstractmethod
    def _survival(self, X: Array, times: Array) -> Array:
        """Probability of no event by each of ascending times, people in rows."""

    def predict_survival(self, X: Array, times: ArrayLike) -> Array:
        """Probability of no event by each of ascending times, level after the end of the data."""
        return self._survival(X, np.minimum(times, self.end_))

    def _ever(self, X: Array) -> Array:
        return 1 - self._survival(X, np.array([self.end_]))[:, 0]

    def predict_label_proba(self, X: Array, follow_up: Array) -> Array:
        """Probability of the event within a person's follow-up."""
        # One grid for everybody: a person's own time falls between two of its two hundred points.
        grid = np.unique(np.quantile(np.minimum(follow_up, self.end_), np.linspace(0, 1, 201)))
        curves = self._survival(X, grid)
        place = np.minimum(follow_up, self.end_)
        return 1 - np.array([np.interp(t, grid, curve) for t, curve in zip(place, curves, strict=True)])


def standardize(X: Array) -> tuple[Array, Array]:
    """Return mean and spread of the columns; no column is constant here."""
    return X.mean(axis=0), X.std(axis=0)
