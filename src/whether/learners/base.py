"""What a learner is: features to predictors, under any propensity.

A learner gets a task and returns a fitted model, which turns features into the outcome logit and the propensity's
predictors. It knows nothing of scikit-learn's classifiers, which hold it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from whether.arrays import Array
from whether.learners.fit_result import FitResult
from whether.learners.task import Task
from whether.propensity import Propensity


class FittedModel(ABC):
    """Predictors as functions of the features; small and frozen, without people in it.

    Attributes
    ----------
    propensity : Propensity
        The propensity that was fitted, the most likely of the candidates.
    result : FitResult
        How the optimum was reached.
    """

    propensity: Propensity
    result: FitResult

    @abstractmethod
    def predict(self, features: Array) -> tuple[Array | None, Array]:
        """Outcome logit, shape (n,), and propensity predictors, shape (K, n), of new people.

        The logit is None without an outcome part.
        """


class Learner(ABC):
    """Settings of a way to learn predictors from features.

    Attributes
    ----------
    allows_missing : bool
        Whether features may be NaN.
    """

    allows_missing: ClassVar[bool] = False

    @abstractmethod
    def fit(self, task: Task) -> Any:
        """Fit the candidates of a task and keep the most likely."""
