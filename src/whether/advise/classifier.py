"""Examine, recommend and fit in one scikit-learn object."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from whether.advise.recommendation import recommend
from whether.inference import Summary
from whether.validate import check_table

Array = NDArray[np.float64]


def _has(name: str) -> Any:
    return lambda self: hasattr(getattr(self, "estimator_", None), name)


class WhetherClassifier(ClassifierMixin, BaseEstimator):
    """The probability that the event ever happens, by the method that the data allow.

    ``fit`` examines the cohort, takes the recommended method and fits it. What was found and why is in ``evidence_``
    and ``recommendation_``; print them.

    ``fit`` takes no ``sample_weight``: the tests behind the recommendation count people, and weights that do not stand
    for people would make their p-values wrong. To fit with weights, ask for the recommendation first:
    ``advice.estimator.fit(X, y, sample_weight=weight, **advice.fit_parameters)`` with
    ``advice = whether.recommend(X, y, ...)``.

    Parameters
    ----------
    propensity_features : sequence of str or int, optional
        Features that are known to drive labeling.
    learner : str, Learner or classifier, optional
        Default: the recommended one, "linear" or "auto"; see `CensoredClassifier`.
    prevalence, prevalence_error : float, optional
        The share of positives, if it is known from elsewhere, and its standard error; see `recommend`.
    random_state : int, default=0
        Seed of the examination and of the fit.

    Attributes
    ----------
    evidence_ : Evidence
    recommendation_ : Recommendation
    estimator_ : CensoredClassifier
        The fitted classifier.
    classes_ : ndarray of shape (2,)
    n_features_in_ : int

    Examples
    --------
    >>> import whether as wh
    >>> cohort = wh.simulate("partially-dependent", n=2000, seed=0)
    >>> model = wh.WhetherClassifier().fit(cohort.X, cohort.y, time=cohort.time, follow_up=cohort.follow_up)
    >>> print(model.recommendation_.method)
    AFTMC-F
    """

    def __init__(
        self,
        propensity_features: Sequence[str | int] | None = None,
        *,
        learner: Any = None,
        prevalence: float | None = None,
        prevalence_error: float | None = None,
        random_state: int = 0,
    ) -> None:
        self.propensity_features = propensity_features
        self.learner = learner
        self.prevalence = prevalence
        self.prevalence_error = prevalence_error
        self.random_state = random_state

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        *,
        time: ArrayLike | None = None,
        follow_up: ArrayLike | None = None,
        entry: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        known_negative: ArrayLike | None = None,
        time_lower: ArrayLike | None = None,
        entry_time: ArrayLike | None = None,
        competing: ArrayLike | None = None,
    ) -> WhetherClassifier:
        """Examine the cohort, take the recommended method and fit it.

        Parameters
        ----------
        X, y, time, follow_up, entry
            See `examine`.
        groups : array-like of shape (n,), optional
            Rows that depend on each other; see `examine` and `CensoredClassifier.fit`.
        known_negative, time_lower, entry_time, competing : array-like of shape (n,), optional
            See `CensoredClassifier.fit`.
        """
        self.__dict__.pop("estimator_", None)  # a fit that fails leaves no earlier model behind
        check_table(X)
        validate_data(self, X, reset=True, dtype=[np.float64, np.float32], ensure_all_finite=False)
        labels = column_or_1d(y, warn=True)
        known: dict[str, Any] = {"time": time, "follow_up": follow_up, "entry": entry, "competing": competing}
        known |= {
            "known_negative": known_negative,
            "time_lower": time_lower,
            "entry_time": entry_time,
            "groups": groups,
        }
        settings: dict[str, Any] = {"propensity_features": self.propensity_features, "random_state": self.random_state}
        settings |= {"prevalence": self.prevalence, "prevalence_error": self.prevalence_error}
        self.recommendation_ = recommend(X, labels, **known, **settings)
        self.evidence_ = self.recommendation_.evidence
        estimator = self.recommendation_.estimator.set_params(random_state=self.random_state)
        if self.learner is not None:
            estimator.set_params(learner=self.learner)
        estimator.fit(X, labels, **self.recommendation_.fit_parameters)
        self.estimator_ = estimator
        self.classes_ = estimator.classes_
        return self

    def _fitted(self) -> Any:
        check_is_fitted(self, "estimator_")
        return self.estimator_

    def predict_proba(self, X: Any) -> Array:
        """Probability that the event never (first column) or ever (second column) happens."""
        return np.asarray(self._fitted().predict_proba(self._check(X)))

    def predict(self, X: Any) -> NDArray[np.int_]:
        """1 where the event is more likely than not to happen at some time."""
        return np.asarray(self._fitted().predict(self._check(X)))

    def decision_function(self, X: Any) -> Array:
        """Log odds of the event ever happening."""
        return np.asarray(self._fitted().decision_function(self._check(X)))

    def predict_propensity(self, X: Any, follow_up: ArrayLike | None = None) -> Array:
        """Probability that a positive is labeled; see the classifier in ``estimator_``."""
        return np.asarray(self._fitted().predict_propensity(X, follow_up))

    def predict_label_proba(self, X: Any, follow_up: ArrayLike | None = None) -> Array:
        """Probability of a label; see the classifier in ``estimator_``."""
        return np.asarray(self._fitted().predict_label_proba(X, follow_up))

    def predict_proba_event_free(self, X: Any, time: ArrayLike | None = None) -> Array:
        """Probability that the event will still happen to a person without it; see the classifier in ``estimator_``."""
        return np.asarray(self._fitted().predict_proba_event_free(X, time))

    def predict_interval(self, X: Any, level: float = 0.95) -> Array:
        """Confidence interval of each risk; see the classifier in ``estimator_``."""
        return np.asarray(self._fitted().predict_interval(self._check(X), level))

    @available_if(_has("predict_survival"))
    def predict_survival(self, X: Any, times: ArrayLike) -> Array:
        """Probability of no event by each of ``times``, where the method has a model of times."""
        return np.asarray(self._fitted().predict_survival(X, times))

    @available_if(_has("predict_proba_within"))
    def predict_proba_within(self, X: Any, within: ArrayLike, event_free_for: ArrayLike | None = None) -> Array:
        """Probability of the event within the next ``within`` units of time, where the method has a model of times."""
        return np.asarray(self._fitted().predict_proba_within(X, within, event_free_for))

    def score(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        time: ArrayLike | None = None,
        follow_up: ArrayLike | None = None,
    ) -> float:
        """Mean log-likelihood of the labels; see `CensoredClassifier.score`."""
        return float(self._fitted().score(X, y, sample_weight, time, follow_up))

    def summary(self, level: float = 0.95) -> Summary:
        """Coefficients with standard errors, where the fit is linear."""
        return self._fitted().summary(level)  # type: ignore[no-any-return]

    def _check(self, X: Any) -> Any:
        """Refuse tables with other columns than those of the fit."""
        self._fitted()
        validate_data(self, X, reset=False, dtype=[np.float64, np.float32], ensure_all_finite=False)
        return X

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.poor_score = True  # checks score predictions of the outcome against labels
        return tags
