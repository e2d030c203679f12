"""Classifiers whose propensity has no clock, and the one that assumes every positive to be seen."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from whether.arrays import Array
from whether.cohort import Cohort
from whether.estimators.base import CensoredClassifier
from whether.learners import Task
from whether.likelihood import posterior
from whether.propensity import Certain


class LabelOnlyClassifier(CensoredClassifier):
    """Shared part of the classifiers whose propensity has no clock."""

    def _refuse_clock(self, what: str, value: Any) -> None:
        if value is not None:
            raise ValueError(
                f"{type(self).__name__} has no model of times: {what} can't change its answer. Leave {what} "
                "out, or use FollowUpCureClassifier or MixtureCureClassifier."
            )

    def predict_propensity(self, X: Any, follow_up: ArrayLike | None = None) -> Array:
        """Probability that a positive is labeled, e(x).

        Parameters
        ----------
        X : array-like or data frame
        follow_up : None
            This restriction has no clock; anything else is an error.
        """
        self._refuse_clock("follow_up", follow_up)
        return np.exp(self._log_propensity(self._predictors(X)[1], None)[0])

    def _log_propensity(self, v: Array, follow_up: ArrayLike | None) -> tuple[Array, Array]:
        # The follow-up is not part of this restriction; score takes it so that all methods can be called alike.
        propensity, nothing = self.model_.propensity, np.zeros(v.shape[1])
        return propensity.log_seen(v, nothing).value, propensity.log_missed(v, nothing).value

    def predict_proba_event_free(self, X: Any, time: ArrayLike | None = None) -> Array:
        """Probability that a person whose event was not seen is positive all the same.

        Parameters
        ----------
        X : array-like or data frame
        time : None
            This restriction has no clock: the answer is for the end of a follow-up like the training cohort's.
        """
        self._refuse_clock("time", time)
        eta, v = self._predictors(X)
        return posterior(np.asarray(eta), self._log_propensity(v, None)[1])


class LabelClassifier(LabelOnlyClassifier):
    """Logistic regression on the labels: every positive is assumed to be seen (e = 1).

    It learns who was seen, not who is positive, and is here to be compared with. Fitted to the true outcome it is the
    oracle.

    Parameters
    ----------
    learner, ridge, covariance, max_iter, random_state, verbose
        See `CensoredClassifier`.

    Examples
    --------
    >>> import whether as wh
    >>> cohort = wh.simulate("baseline", n=500, seed=0)
    >>> wh.LabelClassifier().fit(cohort.X, cohort.y).predict_proba(cohort.X).shape
    (500, 2)
    """

    def __init__(
        self,
        *,
        learner: Any = "linear",
        ridge: float | str = "auto",
        covariance: str = "observed",
        max_iter: int = 100,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.learner, self.ridge, self.covariance, self.max_iter = learner, ridge, covariance, max_iter
        self.random_state, self.verbose = random_state, verbose

    def _task(self, cohort: Cohort) -> Task:
        return Task(cohort, [Certain()], rng=self._rng())
