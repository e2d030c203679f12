"""Mixture cure classifiers: the propensity is what a model of event times makes of the follow-up."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whether.cohort import Cohort
from whether.estimators.time_model import SurvivalTimeClassifier, TimeModelClassifier
from whether.learners import LinearLearner
from whether.propensity import (
    DiscreteTimePropensity,
    EventTimePropensity,
    FollowUpPropensity,
    Propensity,
    equal_event_edges,
)

Array = NDArray[np.float64]


class _ShrunkenCure(TimeModelClassifier):
    """Fitting and notes of the cure models with a shared index.

    Attributes
    ----------
    shrinkage_ : float
        The penalty on departures from the shared index: as given or chosen.
    shrinkage_path_ : ShrinkagePath or None
        The curve of held-out likelihoods from which it was chosen.
    kappa_ : float or None
        How strongly the outcome index drives the times, in spreads of log time per logit: 0 means that labeling does
        not depend on the risk, positive that high risks are seen early. None where the time part is free.
    """

    time_features: Sequence[str | int] | None
    shrinkage: float | str

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.shrinkage == "cv":
            return
        number = isinstance(self.shrinkage, numbers.Real) and not isinstance(self.shrinkage, bool)
        if not number or not float(self.shrinkage) >= 0:
            raise ValueError(
                f"shrinkage must be 'cv' or a number >= 0 (math.inf for one index), got {self.shrinkage!r}."
            )

    def _fit_candidates(self, cohort: Cohort, candidates: Sequence[Propensity]) -> None:
        columns = self._columns("time_features")
        # Named features are a restriction of their own. Shrinking them to the outcome's slopes on the same features
        # would bend those slopes, which are often zero, towards the time part.
        named = columns.size < cohort.features.shape[1]
        linear = LinearLearner(
            ridge=self.ridge,
            shrinkage=0.0 if named and self.shrinkage == "cv" else self.shrinkage,
            n_starts=self.n_starts,
            max_iter=self.max_iter,
            sandwich=self.covariance == "sandwich",
        )
        self._store(self._learn(cohort, candidates, linear, columns=columns))
        part = getattr(self.model_, "linear_part", None)
        self.shrinkage_ = float("nan") if part is None else part.indexed.shrinkage
        self.shrinkage_path_ = None if part is None else part.path
        self.kappa_ = None if part is None else part.kappa
        self._describe_follow_up(cohort)

    def _notes(self) -> list[str]:
        notes = super()._notes()
        if self.kappa_ is not None:
            chosen = " (chosen by cross-validation)" if self.shrinkage_path_ is not None else ""
            strength = float(self.shrinkage_)
            tied = "tied to" if math.isinf(strength) else f"shrunk, with penalty {strength:g}, towards"
            notes.append(
                f"The slopes of the time part are {tied} {self.kappa_:.3g} times those of the outcome{chosen}. "
                "Standard errors and intervals are conditional on that; shrinkage=0 frees the time part."
            )
        return notes


class _SurvivalCure(_ShrunkenCure, SurvivalTimeClassifier):
    """Parameters and fitting of the two cure models with a continuous model of times."""

    def __init__(
        self,
        distribution: str = "auto",
        time_features: Sequence[str | int] | None = None,
        shrinkage: float | str = "cv",
        *,
        learner: Any = "linear",
        ridge: float | str = "auto",
        covariance: str = "observed",
        max_iter: int = 100,
        n_starts: int = 2,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.distribution = distribution
        self.time_features = time_features
        self.shrinkage = shrinkage
        self.learner = learner
        self.ridge = ridge
        self.covariance = covariance
        self.max_iter = max_iter
        self.n_starts = n_starts
        self.random_state = random_state
        self.verbose = verbose

    def _fit_cohort(self, cohort: Cohort) -> None:
        self._fit_candidates(cohort, self._candidates(cohort))
        self._keep_distribution()


class FollowUpCureClassifier(_SurvivalCure):
    """Cure model that knows how long everybody was followed but no event times.

    The propensity is the probability that the event comes within a person's own follow-up, e = Pr(T <= follow_up | x):
    the mixture cure model for current-status data. It needs neither event times, which may be unreliable, nor the names
    of the features that drive labeling. It assumes that the follow-up is independent of the event time given x, and
    that follow-up differs between people.

    Parameters
    ----------
    distribution : {"auto", "lognormal", "loglogistic", "weibull", "exponential"}, default="auto"
        Residual distribution of the log event time; "auto" takes the most likely of the first three.
    time_features : list of str or int, optional
        Features that the event time may depend on; None means all.
    shrinkage : "cv" or float, default="cv"
        Penalty on departures of the time part from the outcome's index: given, or chosen by cross-validated
        likelihood as the tightest within two standard errors of the best. 0 frees the time part; ``math.inf`` ties it
        to the index. Where ``time_features`` names a part of the features, that is restriction enough and "cv" means 0.
    learner, ridge, covariance, max_iter, n_starts, random_state, verbose
        See `CensoredClassifier`.

    Examples
    --------
    >>> import whether as wh
    >>> cohort = wh.simulate("baseline", n=2000, seed=0)
    >>> model = wh.FollowUpCureClassifier().fit(cohort.X, cohort.y, follow_up=cohort.follow_up)
    >>> model.predict_proba_event_free(cohort.X, time=1.0).shape
    (2000,)
    """

    _needs = ("follow_up",)
    _propensity_class = FollowUpPropensity


class MixtureCureClassifier(_SurvivalCure):
    """Mixture cure model with accelerated failure times (AFTMC): event times are known.

    Labeled people enter with the density of their event time, the others with the probability of no event up to the end
    of their follow-up (equation 4). It assumes that event times are recorded correctly and that the end of follow-up
    is independent of the event time given x.

    Parameters
    ----------
    distribution, time_features, shrinkage
        See `FollowUpCureClassifier`. ``shrinkage=0`` is the published model.
    learner, ridge, covariance, max_iter, n_starts, random_state, verbose
        See `CensoredClassifier`.

    References
    ----------
    Yamaguchi, Accelerated failure-time regression models with a regression model of surviving fraction, JASA 1992.

    Examples
    --------
    >>> import whether as wh
    >>> cohort = wh.simulate("partially-dependent", n=2000, seed=0)
    >>> model = wh.MixtureCureClassifier().fit(cohort.X, cohort.y, time=cohort.time)
    >>> model.distribution_
    'lognormal'
    """

    _needs = ("time",)
    _propensity_class = EventTimePropensity


class DiscreteTimeCureClassifier(_ShrunkenCure):
    """Cure model with event times in bins, one hazard per bin and shared slopes on the hazards' logits.

    Nothing is assumed about the shape of the event-time distribution, except that every positive's event comes no later
    than the last one seen: that is what makes p identifiable.

    Parameters
    ----------
    n_bins : int, default=10
        Number of bins; they hold about equal numbers of events.
    time_features, shrinkage
        See `FollowUpCureClassifier`.
    learner, ridge, covariance, max_iter, n_starts, random_state, verbose
        See `CensoredClassifier`.

    Attributes
    ----------
    bin_edges_ : ndarray
        Upper edges of the bins.

    Examples
    --------
    >>> import whether as wh
    >>> cohort = wh.simulate("partially-dependent", n=2000, seed=0)
    >>> model = wh.DiscreteTimeCureClassifier(n_bins=5).fit(cohort.X, cohort.y, time=cohort.time)
    >>> model.bin_edges_.size
    5
    """

    _needs = ("time",)

    def __init__(
        self,
        n_bins: int = 10,
        time_features: Sequence[str | int] | None = None,
        shrinkage: float | str = "cv",
        *,
        learner: Any = "linear",
        ridge: float | str = "auto",
        covariance: str = "observed",
        max_iter: int = 100,
        n_starts: int = 2,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_bins = n_bins
        self.time_features = time_features
        self.shrinkage = shrinkage
        self.learner = learner
        self.ridge = ridge
        self.covariance = covariance
        self.max_iter = max_iter
        self.n_starts = n_starts
        self.random_state = random_state
        self.verbose = verbose

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if not isinstance(self.n_bins, (int, np.integer)) or self.n_bins < 2:
            raise ValueError(f"n_bins must be a whole number >= 2, got {self.n_bins!r}.")

    def _fit_cohort(self, cohort: Cohort) -> None:
        weight = None if cohort.weight is None else cohort.weight[cohort.labeled]
        self.bin_edges_ = equal_event_edges(cohort.required("time")[cohort.labeled], self.n_bins, weight)
        self._fit_candidates(cohort, [DiscreteTimePropensity(self.bin_edges_)])

    def _log_missed(self, v: Array, time: Array) -> Array:
        propensity = self.model_.propensity
        assert isinstance(propensity, DiscreteTimePropensity)
        return propensity.log_missed(v, propensity.locate(time)).value
