"""Classifiers whose propensity has no clock: none at all, or a logistic function of some of the features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from whether.arrays import Array
from whether.cohort import Cohort
from whether.estimators.censored import CensoredClassifier
from whether.estimators.parameters import settle_share
from whether.estimators.warn import warn, warn_unless_converged
from whether.learners import Task
from whether.propensity import Certain, LogisticPropensity
from whether.validate import ArgumentError, IdentifiabilityWarning


class LabelOnlyClassifier(CensoredClassifier):
    """Shared part of the classifiers whose propensity has no clock."""

    _unread: ClassVar[dict[str, str]] = {
        "entry_time": "without a model of times it cannot allow for events that came before people were observed. "
        "MixtureCureClassifier and FollowUpCureClassifier can."
    }

    def _refuse_clock(self, what: str, value: Any) -> None:
        if value is not None:
            raise ArgumentError(
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
        return np.exp(self._log_propensity(*self._predictors(X), None)[0])

    def _log_propensity(self, eta: Array | None, v: Array, follow_up: ArrayLike | None) -> tuple[Array, Array]:
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
        return self.family.posterior(np.asarray(eta), self._log_propensity(eta, v, None)[1])


class LabelClassifier(LabelOnlyClassifier):
    """Logistic regression on the labels: every positive is assumed to be seen (e = 1).

    It learns who was seen, not who is positive, and is here to be compared with. Fitted to the true outcome it is the
    oracle.

    Parameters
    ----------
    learner, penalty, ridge, covariance, max_iter, random_state, verbose
        See `CensoredClassifier`.

    Examples
    --------
    >>> import whether as wh
    >>> cohort = wh.simulate("baseline", n=500, seed=0)
    >>> wh.LabelClassifier().fit(cohort.X, cohort.y).predict_proba(cohort.X).shape
    (500, 2)
    """

    _labels_are_outcomes = True

    def __init__(
        self,
        *,
        learner: Any = "linear",
        penalty: str | None = "auto",
        ridge: float | str = "auto",
        covariance: str = "observed",
        max_iter: int = 100,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.learner, self.penalty, self.ridge, self.covariance = learner, penalty, ridge, covariance
        self.max_iter, self.random_state, self.verbose = max_iter, random_state, verbose

    def _task(self, cohort: Cohort) -> Task:
        return Task(cohort, [Certain()], rng=self._rng())


class SARPUClassifier(LabelOnlyClassifier):
    """The propensity is a logistic function of some of the features (SARPU): e = e(x_subset).

    Both parts are fitted by maximum likelihood (equation 3). If a feature of the outcome is left out of the propensity
    the two parts are identified and have valid standard errors (Diop, Diop and Dupuy 2011). With all features in both
    parts p and e can be exchanged; the fit then starts from the belief that who has the event explains the labels
    better than who is seen, and warns.

    Parameters
    ----------
    propensity_features : list of str or int, optional
        Features that drive labeling, by name or position. None means all of them; an empty list makes the propensity
        a constant that is estimated by maximum likelihood.
    prevalence, prevalence_error : float, optional
        Share of positives among people like these, known from elsewhere, and its standard error; see `KnownShare`.
    learner, penalty, ridge, covariance, max_iter, n_starts, random_state, verbose
        See `CensoredClassifier`.

    References
    ----------
    Bekker, Robberechts and Davis, Beyond the selected completely at random assumption, ECML PKDD 2019.

    Examples
    --------
    >>> import whether as wh
    >>> cohort = wh.simulate("baseline", n=2000, seed=0)
    >>> model = wh.SARPUClassifier(propensity_features=[2, 3]).fit(cohort.X, cohort.y)
    >>> model.predict_propensity(cohort.X).shape
    (2000,)
    """

    def __init__(
        self,
        propensity_features: Sequence[str | int] | None = None,
        *,
        prevalence: float | None = None,
        prevalence_error: float | None = None,
        learner: Any = "linear",
        penalty: str | None = "auto",
        ridge: float | str = "auto",
        covariance: str = "observed",
        max_iter: int = 100,
        n_starts: int = 3,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.propensity_features, self.learner, self.penalty, self.ridge = propensity_features, learner, penalty, ridge
        self.covariance, self.max_iter, self.n_starts = covariance, max_iter, n_starts
        self.prevalence, self.prevalence_error = prevalence, prevalence_error
        self.random_state, self.verbose = random_state, verbose

    def _task(self, cohort: Cohort) -> Task:
        columns = self._columns("propensity_features")
        # A negative who is known to be one is explained by the outcome, and by no propensity.
        self.exchangeable_ = columns.size == cohort.features.shape[1] and cohort.seen_negative is None
        share = settle_share(self.prevalence, self.prevalence_error, cohort)
        candidates = [LogisticPropensity(sloped=columns.size > 0)]
        return Task(cohort, candidates, columns, rng=self._rng(), share=share)

    def _report(self) -> None:
        if not self.exchangeable_:
            super()._report()
            return
        result = self.fit_result_
        warn_unless_converged(type(self).__name__, result)
        warn(
            IdentifiabilityWarning,
            "All features are in both parts, so outcome and propensity may be exchanged: the likelihood is the same. "
            f"{len(result.rivals())} of {len(result.starts)} starts reach it, with outcome logits that correlate from "
            f"{result.least_agreement:.2f} to 1; the one that explains labels by the outcome was kept. Name the "
            "features that drive labeling in propensity_features, or bring in times with FollowUpCureClassifier or "
            "MixtureCureClassifier.",
            "parts exchanged",
        )

    def _notes(self) -> list[str]:
        told = ["All features are in both parts: outcome and propensity may be exchanged."]
        return super()._notes() + told * self.exchangeable_
