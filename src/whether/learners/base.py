"""What a learner is: features to predictors, under any propensity.

A learner gets a checked cohort and a propensity and returns a fitted model, which turns features into the outcome logit
and the propensity's predictors. It knows nothing of scikit-learn's classifiers, which hold it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from whether.cohort import Cohort
from whether.learners.fit_result import FitResult
from whether.propensity import Propensity

Array = NDArray[np.float64]


class FittedModel(ABC):
    """Predictors as functions of the features.

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
    def fit(
        self,
        cohort: Cohort,
        candidates: Sequence[Propensity],
        *,
        columns: NDArray[np.intp],
        rng: np.random.Generator,
        has_outcome: bool = True,
        known: dict[int, float] | None = None,
    ) -> Any:
        """Fit the candidates and keep the most likely.

        Parameters
        ----------
        cohort : Cohort
        candidates : sequence of Propensity
            Propensities with the same predictors that observe the same of each person and differ in shape.
        columns : ndarray of int
            Features that the propensity may use.
        rng : numpy.random.Generator
        has_outcome : bool
            False for the model in which everybody is positive.
        known : dict of int to float, optional
            Propensity predictors whose level is known and not estimated.
        """
