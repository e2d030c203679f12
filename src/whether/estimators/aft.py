"""The accelerated failure time model in which everybody has the event at some time: a baseline."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from whether.arrays import Array
from whether.cohort import Cohort
from whether.estimators.time_model import TimeModelClassifier, one_per_person, survival_candidates
from whether.learners import Task
from whether.propensity import EventTimePropensity


class AFTClassifier(TimeModelClassifier):
    """Accelerated failure time model without a cured part (AFT): p = 1.

    Everybody is assumed to have the event at some time. The probability it gives instead of Pr(ever) is that of an
    event within the longest follow-up of the training cohort, which orders people by how soon they are expected to
    have it.

    Parameters
    ----------
    distribution : {"auto", "lognormal", "loglogistic", "weibull", "exponential"}, default="auto"
        See `FollowUpCureClassifier`.
    learner, ridge, covariance, max_iter, random_state, verbose
        See `CensoredClassifier`.

    Examples
    --------
    >>> import whether as wh
    >>> cohort = wh.simulate("partially-dependent", n=2000, seed=0)
    >>> wh.AFTClassifier().fit(cohort.X, cohort.y, time=cohort.time).converged_
    True
    """

    _needs = ("time",)
    # Later events are what this model is about, not a sign that follow-up is too short for the claim of a cure.
    _claims_cure = False

    def __init__(
        self,
        distribution: str = "auto",
        *,
        learner: Any = "linear",
        ridge: float | str = "auto",
        covariance: str = "observed",
        max_iter: int = 100,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.distribution, self.learner, self.ridge = distribution, learner, ridge
        self.covariance, self.max_iter, self.random_state = covariance, max_iter, random_state
        self.verbose = verbose

    @property
    def distribution_(self) -> str:
        """The residual distribution: as given, or the most likely."""
        return str(self.model_.propensity.name)

    def _task(self, cohort: Cohort) -> Task:
        candidates = survival_candidates(EventTimePropensity, self.distribution, cohort)
        return Task(cohort, candidates, np.arange(cohort.features.shape[1]), has_outcome=False, rng=self._rng())

    def decision_function(self, X: Any) -> Array:
        """Log odds of an event within the longest follow-up of the training cohort."""
        _, v = self._predictors(X)
        log_missed = self._log_missed(v, np.full(v.shape[1], self.longest_follow_up_))
        with np.errstate(divide="ignore"):
            return np.log(-np.expm1(log_missed)) - log_missed

    def predict_proba_event_free(self, X: Any, time: ArrayLike) -> Array:
        """Probability of an event within the longest follow-up, for a person without it up to ``time``.

        Parameters
        ----------
        X : array-like or data frame of shape (n, d)
        time : float or array-like of shape (n,)
            How long each person has been observed without the event; zero is returned past the longest follow-up.
        """
        _, v = self._predictors(X)
        times = one_per_person(time, v.shape[1], "time")
        longest = np.full(v.shape[1], self.longest_follow_up_)
        return -np.expm1(np.minimum(self._log_missed(v, longest) - self._log_missed(v, times), 0.0))
