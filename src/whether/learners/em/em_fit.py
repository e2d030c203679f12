"""A classifier fitted by EM, with the part that predicts the propensity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from whether.arrays import Array, Rows
from whether.learners.fit_result import FitResult
from whether.learners.task import FittedModel
from whether.propensity import Propensity

# Trees give probabilities of exactly 0 and 1. A hard 0 could never be revised: the E-step would give q = 0, and the
# next M-step would learn the 0 again.
SMALLEST_PROBABILITY = 1e-6


class PropensityPart(Protocol):
    """What turns features into the propensity's predictors."""

    def predict(self, features: Array) -> tuple[Array | None, Array]:
        """No outcome logit, and propensity predictors, shape (K, n)."""


@dataclass(frozen=True)
class ClassifierPart:
    """The logit of a propensity that a classifier predicts from some of the features."""

    classifier: Any
    columns: Rows

    def predict(self, features: Array) -> tuple[None, Array]:
        """No outcome logit, and the propensity predictor, shape (1, n)."""
        return None, logit_of(self.classifier, features[:, self.columns])[None]


@dataclass(frozen=True)
class ConstantPart:
    """The same predictors for everybody: the logit of a constant propensity, or none where every positive is seen."""

    levels: tuple[float, ...] = ()

    def predict(self, features: Array) -> tuple[None, Array]:
        """No outcome logit, and the propensity predictors, shape (K, n)."""
        return None, np.repeat(np.array(self.levels, dtype=float)[:, None], features.shape[0], axis=1)


@dataclass(frozen=True)
class EMFit(FittedModel):
    """A classifier fitted by EM.

    Attributes
    ----------
    propensity, result
        See `FittedModel`.
        Of the result, ``n_parameters`` counts the linear part of the propensity only, and the log-likelihood is out of
        fold where q is.
    classifier : classifier
        The outcome part, fitted to everybody with the final weights.
    part : PropensityPart
        The propensity part.
    history : ndarray
        Observed-data log-likelihood per person in each round, of the predictions that the E-step uses.
    """

    propensity: Propensity
    result: FitResult
    classifier: Any
    part: PropensityPart
    history: Array

    def predict(self, features: Array) -> tuple[Array, Array]:
        """Outcome logit and propensity predictors of new people."""
        return logit_of(self.classifier, features), self.part.predict(features)[1]


def logit_of(classifier: Any, features: Array) -> Array:
    """Logit of the predicted probability of class 1, never infinite."""
    classes = np.asarray(classifier.classes_)
    if classes.size == 1:  # it saw one class only, and may have one column or two
        share = np.full(features.shape[0], float(classes[0] == 1))
    else:
        share = classifier.predict_proba(features)[:, int(np.flatnonzero(classes == 1)[0])]
    p = np.clip(share, SMALLEST_PROBABILITY, 1 - SMALLEST_PROBABILITY)
    return np.asarray(np.log(p) - np.log1p(-p))
